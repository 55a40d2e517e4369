/* Reading a manifest or a directory; see set.h. */
#include "tools/set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

enum { MANIFEST_FORMAT = 1, MANIFEST_BYTES_MOST = 1 << 29 };

const char *const size_column_names[COLUMNS] = {"text", "data", "debug", "symtab", "strtab", "total", "bss"};

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory");
}

/* ---- libraries ---- */

/* Makes room for at most `most` libraries. */
static bool libraries_start(struct set *set, struct arena *arena, size_t most, struct error *e)
{
    set->count = 0;
    set->libraries = arena_zeroed(arena, most + 1, sizeof *set->libraries);
    return set->libraries || no_memory(e);
}

static bool libraries_add(struct set *set, struct arena *arena, const char *name, struct error *e)
{
    size_t size = strlen(set->path) + strlen(name) + 2;
    char *path = arena_take(arena, size);
    if (!path)
        return no_memory(e);
    int length = snprintf(path, size, "%s/%s", set->path, name);
    set->libraries[set->count++] = (struct library){.name = path + length - strlen(name), .path = path};
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool libraries_are_unique(const struct set *set, struct arena *arena, struct error *e)
{
    const char **names = arena_zeroed(arena, set->count + 1, sizeof *names);
    if (!names)
        return no_memory(e);
    for (size_t i = 0; i < set->count; i++)
        names[i] = set->libraries[i].name;
    qsort(names, set->count, sizeof *names, compare_names);
    for (size_t i = 1; i < set->count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0)
            return error_set(e, ERROR_INPUT, "libraries: %.255s is listed twice", names[i]);
    }
    return true;
}

/* ---- the manifest ---- */

/* A name that stays within the set. */
static bool is_file_name(const char *name, int length)
{
    return length > 0 && length <= NAME_MAX && strlen(name) == (size_t)length && !strchr(name, '/') &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool take_libraries(json_object *root, struct arena *arena, struct set *set, struct error *e)
{
    json_object *array = json_object_object_get(root, "libraries");
    if (!json_object_is_type(array, json_type_array))
        return error_set(e, ERROR_INPUT, "has no array \"libraries\"");
    size_t length = json_object_array_length(array);
    if (!libraries_start(set, arena, length, e))
        return false;
    for (size_t i = 0; i < length; i++) {
        json_object *entry = json_object_array_get_idx(array, i);
        if (!json_object_is_type(entry, json_type_object))
            return error_set(e, ERROR_INPUT, "libraries[%zu] is not an object", i);
        json_object *name = json_object_object_get(entry, "name");
        if (!json_object_is_type(name, json_type_string) ||
            !is_file_name(json_object_get_string(name), json_object_get_string_len(name)))
            return error_set(e, ERROR_INPUT, "libraries[%zu].name is not the name of a file in the set", i);
        json_object *kind = json_object_object_get(entry, "kind");
        const char *kind_name = json_object_is_type(kind, json_type_string) ? json_object_get_string(kind) : "";
        if (strcmp(kind_name, "marker") == 0)
            continue;
        if (strcmp(kind_name, "module") != 0 && strcmp(kind_name, "utility") != 0)
            return error_set(e, ERROR_INPUT, "libraries[%zu].kind is neither module, utility nor marker", i);
        if (!libraries_add(set, arena, json_object_get_string(name), e))
            return false;
    }
    return libraries_are_unique(set, arena, e);
}

/* `wanted` is null, as a whole or for a size, where the sizes followed from
 * the counts. */
static bool take_wanted(json_object *root, struct counts *wanted, struct error *e)
{
    json_object *object = json_object_object_get(root, "wanted");
    if (!object)
        return true;
    if (!json_object_is_type(object, json_type_object))
        return error_set(e, ERROR_INPUT, "wanted is neither an object nor null");
    wanted->known[COLUMN_TOTAL] = true;
    for (int c = 0; c < COLUMNS; c++) {
        if (c == COLUMN_TOTAL)
            continue;
        json_object *number = json_object_object_get(object, size_column_names[c]);
        if (number && (!json_object_is_type(number, json_type_int) || json_object_get_int64(number) < 0))
            return error_set(e, ERROR_INPUT, "wanted.%s is not a number of bytes", size_column_names[c]);
        wanted->known[c] = number != NULL;
        wanted->of[c] = json_object_get_uint64(number);
        if (c == COLUMN_BSS)
            continue;
        wanted->known[COLUMN_TOTAL] &= wanted->known[c];
        if (__builtin_add_overflow(wanted->of[COLUMN_TOTAL], wanted->of[c], &wanted->of[COLUMN_TOTAL]))
            return error_set(e, ERROR_INPUT, "the sizes in wanted together exceed 2^64 bytes");
    }
    if (!wanted->known[COLUMN_TOTAL])
        wanted->of[COLUMN_TOTAL] = 0;
    return true;
}

static bool take_manifest(json_object *root, struct arena *arena, struct set *set, struct error *e)
{
    json_object *format = json_object_object_get(root, "pyelfgen-manifest");
    if (!json_object_is_type(format, json_type_int))
        return error_set(e, ERROR_INPUT, "is not a manifest of pyelfgen: it has no number \"pyelfgen-manifest\"");
    if (json_object_get_int64(format) != MANIFEST_FORMAT)
        return error_set(e, ERROR_INPUT,
                         "has the manifest format %" PRId64 ", known is %d; use the programs of one release",
                         json_object_get_int64(format), MANIFEST_FORMAT);
    json_object *application = json_object_object_get(root, "application");
    if (json_object_is_type(application, json_type_string)) {
        const char *text = json_object_get_string(application);
        size_t size = strlen(text) + 1;
        char *copy = arena_take(arena, size);
        if (!copy)
            return no_memory(e);
        set->application = memcpy(copy, text, size);
    }
    return take_wanted(root, &set->wanted, e) && take_libraries(root, arena, set, e);
}

static unsigned line_at(const struct bytes *text, size_t offset)
{
    unsigned line = 1;
    for (size_t i = 0; i < offset && i < text->size; i++)
        line += text->data[i] == '\n';
    return line;
}

static bool parse_manifest(const struct bytes *text, struct arena *arena, struct set *set, struct error *e)
{
    struct json_tokener *tokener = json_tokener_new();
    if (!tokener)
        return no_memory(e);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *root = json_tokener_parse_ex(tokener, (const char *)text->data, (int)text->size);
    enum json_tokener_error state = json_tokener_get_error(tokener);
    size_t end = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);
    bool ok = false;
    if (state == json_tokener_continue) {
        error_set(e, ERROR_INPUT, "is cut off");
    } else if (state != json_tokener_success) {
        error_set(e, ERROR_INPUT, "is not JSON: %s", json_tokener_error_desc(state));
        e->line = line_at(text, end);
    } else if (!json_object_is_type(root, json_type_object)) {
        error_set(e, ERROR_INPUT, "is not a manifest of pyelfgen: it is not an object");
    } else {
        ok = take_manifest(root, arena, set, e);
    }
    json_object_put(root);
    return ok;
}

/* Reads a regular file of bounded size to its end. */
static bool read_text(int fd, const char *path, struct bytes *text, struct error *e)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return error_errno(e, path, "cannot examine");
    if (!S_ISREG(st.st_mode))
        return error_set(e, ERROR_INPUT, "is not a regular file");
    for (;;) {
        char block[1 << 16];
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_errno(e, path, "cannot read");
        if (n == 0)
            return true;
        if (text->size + (size_t)n > MANIFEST_BYTES_MOST)
            return error_set(e, ERROR_INPUT, "is larger than the %d bytes that are read", MANIFEST_BYTES_MOST);
        bytes_append(text, block, (size_t)n);
        if (text->failed)
            return no_memory(e);
    }
}

/* Fills the set from its manifest; *absent when it has none. */
static bool read_manifest(struct arena *arena, struct set *set, bool *absent, struct error *e)
{
    size_t size = strlen(set->path) + sizeof "/manifest.json";
    char *path = arena_take(arena, size);
    if (!path)
        return no_memory(e);
    snprintf(path, size, "%s/manifest.json", set->path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *absent = fd < 0 && errno == ENOENT;
    if (*absent)
        return true;
    if (fd < 0)
        return error_errno(e, path, "cannot open");
    struct bytes text = {0};
    bool ok = read_text(fd, path, &text, e) && parse_manifest(&text, arena, set, e);
    bytes_free(&text);
    close(fd);
    return ok || error_at(e, path, e->line);
}

/* ---- a directory without a manifest ---- */

static int is_library(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

static bool list_directory(struct arena *arena, struct set *set, struct error *e)
{
    struct dirent **entries;
    int count = scandir(set->path, &entries, is_library, versionsort);
    if (count < 0)
        return error_errno(e, set->path, "cannot list");
    bool ok = libraries_start(set, arena, (size_t)count, e);
    for (int i = 0; i < count; i++) {
        ok = ok && libraries_add(set, arena, entries[i]->d_name, e);
        free(entries[i]);
    }
    free(entries);
    if (ok && count == 0)
        ok = error_set(e, ERROR_INPUT, "has neither a manifest.json nor any *.so");
    return ok || error_at(e, set->path, 0);
}

bool set_read(const char *path, struct arena *arena, struct set *set, struct error *e)
{
    *set = (struct set){.path = path, .application = ""};
    struct error own = {0};
    e = e ? e : &own;
    bool absent = false;
    return read_manifest(arena, set, &absent, e) && (!absent || list_directory(arena, set, e));
}
