/* Reading a manifest or a directory; see set.h. */
#include "tools/set.h"

#include <dirent.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/manifest.h"

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

/* Where `name` is within the set; NULL when memory ran out. */
static const char *path_within(const struct set *set, struct arena *arena, const char *name)
{
    size_t size = strlen(set->path) + strlen(name) + 2;
    char *path = arena_take(arena, size);
    if (path)
        snprintf(path, size, "%s/%s", set->path, name);
    return path;
}

/* The next one; NULL when memory ran out. */
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

/* A total is wanted where all five sizes are. */
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

/* A library of a manifest, with the files of its debug information. */
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
    if (m->joined) /* what is wanted is wanted of libraries */
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

static int is_library(const struct dirent *entry)
{
    return is_library_name(entry->d_name);
}

/* Links are not followed: they may lead anywhere. */
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
    set->below = ok ? count_below(set->path) : 0;
    if (ok && count == 0 && set->below)
        ok = error_set(e, ERROR_INPUT,
                       "has neither a manifest.json nor any *.so, but %zu in directories below it; name these",
                       set->below);
    else if (ok && count == 0)
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
