/* One row of a manifest's lists; see manifest_row.h. */
#include "base/manifest_row.h"

#include <stdio.h>
#include <string.h>

#include "base/executable.h"

const char *const manifest_kind_names[MANIFEST_KINDS] = {
    [MANIFEST_MODULE] = "module",
    [MANIFEST_UTILITY] = "utility",
    [MANIFEST_MARKER] = "marker",
};

const char *const manifest_executable_kind_names[MANIFEST_EXECUTABLE_KINDS] = {
    [MANIFEST_LINK] = "link",
    [MANIFEST_STATIC] = "static",
};

const char *const manifest_size_names[MANIFEST_SIZES] = {
    [MANIFEST_TEXT] = "text",     [MANIFEST_DATA] = "data",     [MANIFEST_DEBUG] = "debug",
    [MANIFEST_SYMTAB] = "symtab", [MANIFEST_STRTAB] = "strtab", [MANIFEST_BSS] = "bss",
};

/* The index of the row's kind among `count` names; fails with the message `wrong` if it is none of them. */
static unsigned take_kind(struct manifest_reader *r, const char *const *names, unsigned count, const char *wrong)
{
    size_t length;
    const char *text = manifest_reader_text(r, "kind", MANIFEST_TEXT_MOST, &length);
    for (unsigned i = 0; text && i < count; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    manifest_reader_fail(r, "kind", wrong);
    return 0;
}

static void take_sizes(struct manifest_reader *r, uint64_t size[MANIFEST_SIZES])
{
    for (size_t i = 0; i < MANIFEST_SIZES; i++)
        size[i] = manifest_reader_number(r, manifest_size_names[i], MANIFEST_SIZE_MOST);
}

/* ---- files of debug information ---- */

/* ".build-id/xx/<38 digits>.debug" */
static bool is_identified(const char *name)
{
    static const char pattern[] = ".build-id/xx/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.debug";
    if (strlen(name) != sizeof pattern - 1)
        return false;
    for (size_t i = 0; pattern[i]; i++)
        if (pattern[i] == 'x' ? !strchr("0123456789abcdef", name[i]) : name[i] != pattern[i])
            return false;
    return true;
}

static void take_content(struct manifest_reader *r, struct manifest_file *file)
{
    file->size = manifest_reader_number(r, "file", MANIFEST_SIZE_MOST);
    manifest_reader_digest(r, "xxh3-128", file->digest);
}

/* A library or executable of the set, and where its files of debug information go. */
struct owner {
    const char *name, *stem; /* "libmodule0.so", "libmodule0" */
    struct manifest_file *debug_file;
    struct manifest_file **split_file;
    size_t *split_files;
    uint64_t *split;
};

enum { WHERE_SIZE = MANIFEST_NAME_MOST + 16 };

/* A reader of the object that is the value of `key`. It uses `where`, which has to live as long. */
static struct manifest_reader reader_below(struct manifest_reader *row, const struct owner *o, const char *key,
                                           char where[WHERE_SIZE])
{
    snprintf(where, WHERE_SIZE, "%.*s: %s: ", MANIFEST_NAME_MOST, o->name, key);
    struct json_object *object = manifest_reader_take(row, key, json_type_object, "is not an object");
    return (struct manifest_reader){object, where, row->arena, row->e, row->failed};
}

/* Takes the file of debug information, if there is one. Its name is a path in the set, so it has to be one of the two
 * at which debuggers look. */
static void take_debug_file(struct manifest_reader *row, const struct owner *o)
{
    if (row->failed || !json_object_object_get_ex(row->object, "debug-file", NULL))
        return;
    char where[WHERE_SIZE];
    struct manifest_reader r = reader_below(row, o, "debug-file", where);
    const char *name = manifest_reader_keep(&r, "name", MANIFEST_NAME_MOST);
    size_t length = strlen(o->name);
    if (name && !is_identified(name) && (strncmp(name, o->name, length) != 0 || strcmp(name + length, ".debug") != 0))
        manifest_reader_fail(&r, "name", "is neither the library's with .debug nor one in .build-id");
    o->debug_file->name = name;
    take_content(&r, o->debug_file);
    row->failed = r.failed;
}

/* Whether this is the name of one of the owner's .dwo files ("libmodule0.dwo", "libmodule0_N.dwo",
 * "libmodule0_dataN.dwo") or of their package ("libmodule0.so.dwp"). */
static bool is_split_name(const struct owner *o, const char *name)
{
    const size_t whole = strlen(o->name);
    if (strncmp(name, o->name, whole) == 0 && strcmp(name + whole, ".dwp") == 0)
        return true;
    const size_t length = strlen(o->stem);
    if (strncmp(name, o->stem, length) != 0)
        return false;
    name += length;
    if (strcmp(name, ".dwo") == 0)
        return true;
    if (*name++ != '_')
        return false;
    name += strncmp(name, "data", 4) == 0 ? 4 : 0;
    const size_t digits = strspn(name, "0123456789");
    return digits && strcmp(name + digits, ".dwo") == 0;
}

/* Takes the files of split debug information, if there are any. */
static void take_split(struct manifest_reader *row, const struct owner *o)
{
    if (row->failed || !json_object_object_get_ex(row->object, "split", NULL))
        return;
    char where[WHERE_SIZE];
    struct manifest_reader r = reader_below(row, o, "split", where);
    *o->split = manifest_reader_number(&r, "debug", MANIFEST_SIZE_MOST);
    struct json_object *files = manifest_reader_take(&r, "files", json_type_array, "is not a list");
    const size_t count = files ? json_object_array_length(files) : 0;
    if (files && !(*o->split_file = arena_zeroed(r.arena, count + 1, sizeof **o->split_file)))
        manifest_reader_memory(&r);
    for (size_t i = 0; i < count && !r.failed; i++) {
        struct manifest_file *file = &(*o->split_file)[(*o->split_files)++];
        r.object = json_object_array_get_idx(files, i);
        if (!json_object_is_type(r.object, json_type_object)) {
            manifest_reader_fail(&r, "files", "has an entry that is not an object");
            break;
        }
        file->name = manifest_reader_keep(&r, "name", MANIFEST_NAME_MOST);
        if (file->name && !is_split_name(o, file->name))
            manifest_reader_fail(&r, "name", "is not of a .dwo file or package of the library's");
        take_content(&r, file);
    }
    row->failed = r.failed;
}

/* ---- a library ---- */

/* The name becomes a path in the set. Without ".so" it is what Python imports and what symbols begin with; there a dot
 * would make it a package. */
static bool take_name(struct manifest_reader *r, struct manifest_library *l)
{
    size_t length;
    const char *name = manifest_reader_text(r, "name", MANIFEST_NAME_MOST, &length);
    if (!name)
        return false;
    if (length < 4 || strcmp(name + length - 3, ".so") != 0)
        return manifest_reader_fail(r, "name", "does not end in .so");
    if (strchr(name, '/'))
        return manifest_reader_fail(r, "name", "has a '/'");
    l->name = manifest_reader_copy(r, name, length);
    l->stem = manifest_reader_copy(r, name, length - 3);
    return !r->failed;
}

static bool is_identifier(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *s && !(*s >= '0' && *s <= '9') && s[strspn(s, letters)] == '\0';
}

/* A switch that a row may leave out. */
static bool take_switch(struct manifest_reader *r, const char *key, bool otherwise)
{
    if (!json_object_object_get_ex(r->object, key, NULL))
        return otherwise;
    return json_object_get_boolean(manifest_reader_take(r, key, json_type_boolean, "is not true or false"));
}

/* A marker has no functions of its own, so it may leave the counts out. */
static void take_counts(struct manifest_reader *r, struct manifest_library *l)
{
    if (l->kind == MANIFEST_MARKER && !json_object_object_get_ex(r->object, "marks", NULL))
        return;
    l->functions = manifest_reader_number(r, "functions", MANIFEST_FUNCTIONS_MOST);
    l->visited = manifest_reader_number(r, "visited", l->functions);
    l->marks = manifest_reader_number(r, "marks", MANIFEST_FUNCTIONS_MOST + 2);
    l->marked = manifest_reader_number(r, "marked", l->marks);
    if (json_object_object_get_ex(r->object, "marks-at", NULL))
        l->marks_at = manifest_reader_number(r, "marks-at", MANIFEST_SIZE_MOST);
    l->attributes = take_switch(r, "attributes", true);
    l->opened = take_switch(r, "opened", false);
    if (l->opened && l->kind != MANIFEST_UTILITY)
        manifest_reader_fail(r, "opened", "is for utilities");
    if (!r->failed && l->marks < l->functions && l->marks)
        manifest_reader_fail(r, "marks", "is less than 'functions'");
    if (!r->failed && l->marked < l->visited && l->marks)
        manifest_reader_fail(r, "marked", "is less than 'visited'");
}

static void take_entry(struct manifest_reader *r, struct manifest_library *l)
{
    l->entry = manifest_reader_keep(r, "entry", MANIFEST_NAME_MOST);
    l->result = manifest_reader_number(r, "result", UINT64_MAX);
    if (l->entry && !is_identifier(l->entry))
        manifest_reader_fail(r, "entry", "is not a name of a function");
    if (strchr(l->stem, '.'))
        manifest_reader_fail(r, "name", "has a dot before .so, which a module's name cannot have");
}

/* A library that exists only inside an executable has neither of the two members. */
static bool has_file(const struct manifest_reader *r)
{
    return json_object_object_get_ex(r->object, "file", NULL) || json_object_object_get_ex(r->object, "xxh3-128", NULL);
}

bool manifest_take_library(struct manifest_reader *r, struct manifest_library *l)
{
    if (!json_object_is_type(r->object, json_type_object))
        return manifest_reader_fail(r, "libraries", "has a row that is not an object");
    if (!take_name(r, l))
        return false;
    char where[MANIFEST_NAME_MOST + 3];
    snprintf(where, sizeof where, "%s: ", l->name);
    r->where = where;
    l->kind = take_kind(r, manifest_kind_names, MANIFEST_KINDS, "is none of module, utility and marker");
    if (!r->failed) {
        const struct owner o = {l->name, l->stem, &l->debug_file, &l->split_file, &l->split_files, &l->split};
        if (has_file(r)) {
            l->file.name = l->name;
            take_content(r, &l->file);
        }
        take_sizes(r, l->size);
        take_counts(r, l);
        if (l->kind != MANIFEST_UTILITY)
            take_entry(r, l);
        take_debug_file(r, &o);
        take_split(r, &o);
    }
    r->where = "";
    return !r->failed;
}

/* ---- an executable ---- */

/* Takes the SONAME of a library that the executable is linked with. The dynamic linker searches for it, so it is not a
 * path. */
static const char *take_soname(struct manifest_reader *r, const char *key)
{
    const char *name = manifest_reader_keep(r, key, MANIFEST_NAME_MOST);
    if (name && (!*name || strchr(name, '/')))
        manifest_reader_fail(r, key, "is not the SONAME of a library");
    return name;
}

bool manifest_take_executable(struct manifest_reader *r, struct manifest_executable *x)
{
    static const char *const names[] = {[MANIFEST_LINK] = EXECUTABLE_LINK, [MANIFEST_STATIC] = EXECUTABLE_STATIC};
    if (!json_object_is_type(r->object, json_type_object))
        return manifest_reader_fail(r, "executables", "has a row that is not an object");
    x->kind = take_kind(r, manifest_executable_kind_names, MANIFEST_EXECUTABLE_KINDS, "is none of link and static");
    const char *name = manifest_reader_keep(r, "name", MANIFEST_NAME_MOST);
    if (r->failed)
        return false;
    if (strcmp(name, names[x->kind]) != 0)
        return manifest_reader_fail(r, "name", "is not what an executable of its kind is called");
    char where[MANIFEST_NAME_MOST + 3];
    snprintf(where, sizeof where, "%s: ", name);
    r->where = where;
    const struct owner o = {name, name, &x->debug_file, &x->split_file, &x->split_files, &x->split};
    x->file.name = x->name = name;
    take_content(r, &x->file);
    take_sizes(r, x->size);
    x->functions = manifest_reader_number(r, "functions", MANIFEST_FUNCTIONS_MOST);
    x->runtime = take_soname(r, "runtime");
    x->libpython = take_soname(r, "libpython");
    take_debug_file(r, &o);
    take_split(r, &o);
    r->where = "";
    return !r->failed;
}
