/* Reads the manifest of a set, or a directory; see set.h. */
#include "tools/common/set.h"

#include <dirent.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/manifest.h"

const char *const size_column_names[COLUMNS] = {"text", "data", "debug", "symtab", "strtab", "total", "bss"};

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory");
}

/* ---- libraries ---- */

/* Makes room for `most` libraries. */
static bool libraries_start(struct set *set, struct arena *arena, size_t most, struct error *e)
{
    set->count = 0;
    set->libraries = arena_zeroed(arena, most + 1, sizeof *set->libraries);
    return set->libraries || no_memory(e);
}

/* The path of a file within the set; NULL where memory ran out. */
static const char *path_within(const struct set *set, struct arena *arena, const char *name)
{
    size_t size = strlen(set->path) + strlen(name) + 2;
    char *path = arena_take(arena, size);
    if (path)
        snprintf(path, size, "%s/%s", set->path, name);
    return path;
}

/* Adds a library, for which libraries_start has made room; NULL where memory ran out. */
static struct library *libraries_add(struct set *set, struct arena *arena, const char *name, struct error *e)
{
    const char *path = path_within(set, arena, name);
    if (!path) {
        no_memory(e);
        return NULL;
    }
    struct library *library = &set->libraries[set->count++];
    *library = (struct library){.name = path + strlen(path) - strlen(name), .path = path};
    return library;
}

/* ---- the manifest ---- */

static const enum size_column columns[MANIFEST_SIZES] = {
    [MANIFEST_TEXT] = COLUMN_TEXT,     [MANIFEST_DATA] = COLUMN_DATA,     [MANIFEST_DEBUG] = COLUMN_DEBUG,
    [MANIFEST_SYMTAB] = COLUMN_SYMTAB, [MANIFEST_STRTAB] = COLUMN_STRTAB, [MANIFEST_BSS] = COLUMN_BSS,
};

/* Takes the sizes that were wanted. A total is wanted where all five sizes are. */
static void take_wanted(const struct manifest_sizes *sizes, struct counts *wanted)
{
    uint64_t total = 0;
    bool all = true;
    for (size_t i = 0; i < MANIFEST_SIZES; i++) {
        wanted->known[columns[i]] = sizes->known[i];
        wanted->of[columns[i]] = sizes->of[i];
        if (i == MANIFEST_BSS)
            continue;
        all = all && sizes->known[i];
        total += sizes->of[i];
    }
    wanted->known[COLUMN_TOTAL] = all;
    wanted->of[COLUMN_TOTAL] = all ? total : 0;
}

/* Adds a library of a manifest, with the files that have its debug information. */
static bool take_library(const struct manifest_library *l, struct arena *arena, struct set *set, struct error *e)
{
    struct library *library = libraries_add(set, arena, l->name, e);
    if (!library)
        return false;
    if (l->debug_file.name && !(library->debug_path = path_within(set, arena, l->debug_file.name)))
        return no_memory(e);
    library->split = l->split;
    library->before_split = l->size[MANIFEST_DEBUG];
    library->split_path = arena_zeroed(arena, l->split_files + 1, sizeof *library->split_path);
    if (!library->split_path)
        return no_memory(e);
    for (; library->split_paths < l->split_files; library->split_paths++) {
        const char *path = path_within(set, arena, l->split_file[library->split_paths].name);
        if (!path)
            return no_memory(e);
        library->split_path[library->split_paths] = path;
    }
    return true;
}

static bool take_manifest(const struct manifest *m, struct arena *arena, struct set *set, struct error *e)
{
    size_t size = strlen(m->application) + 1;
    char *application = arena_take(arena, size);
    if (!application)
        return no_memory(e);
    set->application = memcpy(application, m->application, size);
    bool ok = libraries_start(set, arena, m->count, e);
    if (m->joined) /* the wanted sizes are those of libraries */
        return ok && libraries_add(set, arena, manifest_executable(m, MANIFEST_STATIC)->name, e);
    take_wanted(&m->wanted, &set->wanted);
    for (size_t i = 0; i < m->count && ok; i++) {
        const struct manifest_library *l = &m->libraries[i];
        ok = l->kind == MANIFEST_MARKER || take_library(l, arena, set, e);
    }
    return ok;
}

/* ---- a directory without a manifest ---- */

static bool is_library_name(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > 3 && strcmp(name + length - 3, ".so") == 0;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Whether only an incomplete set has such a file: a marker, or a file that is not finished. */
static bool is_of_unfinished_set(const char *name)
{
    static const char *const temporary[] = {".libmodule", ".libutility", ".pyelf"};
    const size_t length = strlen(name);
    bool is = false;
    for (size_t i = 0; i < sizeof temporary / sizeof temporary[0]; i++)
        is = is || begins(name, temporary[i]);
    return strcmp(name, "libmodulebegin.so") == 0 || (is && strcmp(name + length - 4, ".tmp") == 0);
}

static int is_wanted(const struct dirent *entry)
{
    return is_library_name(entry->d_name) || is_of_unfinished_set(entry->d_name);
}

/* Counts the libraries in directories below. Does not follow links, which may lead anywhere. */
static size_t count_below(const char *path)
{
    char *paths[] = {(char *)path, NULL};
    size_t count = 0;
    FTS *tree = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; tree && (entry = fts_read(tree));)
        count += entry->fts_info == FTS_F && entry->fts_level > 1 && is_library_name(entry->fts_name);
    if (tree)
        fts_close(tree);
    return count;
}

/* A name in the directory, with the file that it leads to. */
struct place {
    dev_t device;
    ino_t inode;
    bool link;
    int at; /* its place in the list of names */
};

static int by_file(const void *a, const void *b)
{
    const struct place *p = a;
    const struct place *q = b;
    if (p->device != q->device)
        return p->device < q->device ? -1 : 1;
    if (p->inode != q->inode)
        return p->inode < q->inode ? -1 : 1;
    return p->link != q->link ? p->link - q->link : p->at - q->at;
}

/* Finds the names that lead to the same file as another name. A file's own name goes before a link. A name without a
 * file repeats none. */
static bool find_repeated(const struct set *set, struct dirent **entries, int count, struct arena *arena,
                          bool **repeated, struct error *e)
{
    struct place *place = arena_zeroed(arena, (size_t)count + 1, sizeof *place);
    size_t places = 0;
    *repeated = arena_zeroed(arena, (size_t)count + 1, sizeof **repeated);
    if (!place || !*repeated)
        return no_memory(e);
    for (int i = 0; i < count; i++) {
        struct stat st, own;
        const char *path = path_within(set, arena, entries[i]->d_name);
        if (!path)
            return no_memory(e);
        if (stat(path, &st) == 0 && lstat(path, &own) == 0)
            place[places++] = (struct place){st.st_dev, st.st_ino, S_ISLNK(own.st_mode), i};
    }
    qsort(place, places, sizeof *place, by_file);
    for (size_t i = 1; i < places; i++)
        (*repeated)[place[i].at] = place[i].device == place[i - 1].device && place[i].inode == place[i - 1].inode;
    return true;
}

static bool list_directory(struct arena *arena, struct set *set, struct error *e)
{
    struct dirent **entries;
    int count = scandir(set->path, &entries, is_wanted, versionsort);
    if (count < 0)
        return error_errno(e, set->path, "cannot list");
    bool *repeated = NULL;
    bool ok = libraries_start(set, arena, (size_t)count, e) && find_repeated(set, entries, count, arena, &repeated, e);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        set->incomplete |= is_of_unfinished_set(name);
        if (is_library_name(name) && ok && !repeated[i])
            ok = libraries_add(set, arena, name, e);
        free(entries[i]);
    }
    free(entries);
    set->below = ok ? count_below(set->path) : 0;
    if (ok && set->count == 0 && set->below)
        ok = error_set(e, ERROR_INPUT,
                       "has neither a manifest.json nor any *.so, but %zu in directories below it; name these",
                       set->below);
    else if (ok && set->count == 0)
        ok = error_set(e, ERROR_INPUT, "has neither a manifest.json nor any *.so");
    return ok || error_at(e, set->path, 0);
}

bool set_read(const char *path, struct arena *arena, struct set *set, struct error *e)
{
    *set = (struct set){.path = path, .application = ""};
    struct manifest m;
    bool absent;
    if (!manifest_read(&m, path, &absent, e))
        return absent && list_directory(arena, set, e);
    bool ok = take_manifest(&m, arena, set, e);
    manifest_free(&m);
    return ok;
}
