/* See view_names.h. */
#include "emit/set/view_names.h"
#include "emit/library/files.h"

#include <stdlib.h>
#include <string.h>

bool view_names_add(struct view_names *n, const char *name, uint32_t library, uint32_t which)
{
    if (n->count == n->room) {
        const uint32_t room = n->room ? n->room * 2 : 64;
        struct view_name *more = realloc(n->name, room * sizeof *more);
        if (!more)
            return false;
        n->name = more;
        n->room = room;
    }
    const size_t size = strlen(name) + 1;
    char *copy = arena_take(&n->arena, size);
    if (!copy)
        return false;
    memcpy(copy, name, size);
    n->name[n->count++] = (struct view_name){copy, library, which};
    return true;
}

bool view_names_add_library(struct view_names *n, const struct plan *plan, uint32_t library)
{
    const struct plan_library *row = &plan->library[library];
    char name[FILE_NAME_MOST];
    files_debug_name(plan, row, name);
    const bool separate = *name;
    if (separate && !view_names_add(n, name, library, 0))
        return false;
    files_name(row, name);
    return view_names_add(n, name, library, separate);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct view_name *)a)->name, ((const struct view_name *)b)->name);
}

void view_names_sort(struct view_names *n)
{
    qsort(n->name, n->count, sizeof *n->name, compare_names);
}

/* The first name that does not come before `name`. */
static uint32_t lower_bound(const struct view_names *n, const char *name)
{
    uint32_t first = 0, count = n->count;
    while (count) {
        const uint32_t half = count / 2;
        const bool before = strcmp(n->name[first + half].name, name) < 0;
        first += before ? half + 1 : 0;
        count = before ? count - half - 1 : half;
    }
    return first;
}

/* Sets `path` to `name` with a '/' behind it, or to "" for ""; false where the name is too long for any file. */
static bool as_directory(char path[FILE_NAME_MOST + 1], const char *name)
{
    const size_t length = strlen(name);
    if (length >= FILE_NAME_MOST)
        return false;
    memcpy(path, name, length);
    memcpy(path + length, length ? "/" : "", length ? 2 : 1);
    return true;
}

enum view_kind view_names_find(const struct view_names *n, const char *name, uint32_t *file)
{
    char within[FILE_NAME_MOST + 1];
    *file = lower_bound(n, name);
    if (*name && *file < n->count && strcmp(n->name[*file].name, name) == 0)
        return VIEW_FILE;
    if (!as_directory(within, name))
        return VIEW_NOTHING;
    *file = lower_bound(n, within);
    return *file < n->count && strncmp(n->name[*file].name, within, strlen(within)) == 0 ? VIEW_DIRECTORY
                                                                                         : VIEW_NOTHING;
}

/* Characters of a name within a directory up to the next '/': what the directory lists. */
static size_t step_of(const char *rest)
{
    return strcspn(rest, "/");
}

/* Whether the file before has the same step, so that the directory lists it already. */
static bool is_listed(const struct view_names *n, uint32_t file, uint32_t directory, size_t within)
{
    const char *const rest = n->name[file].name + within;
    const size_t step = step_of(rest);
    return file > directory && rest[step] && strncmp(n->name[file - 1].name + within, rest, step + 1) == 0;
}

void view_names_list(const struct view_names *n, const char *name, uint32_t first, view_each *each, void *context)
{
    char within[FILE_NAME_MOST + 1];
    if (!as_directory(within, name))
        return;
    const size_t length = strlen(within);
    const uint32_t directory = lower_bound(n, within);
    uint32_t i = first > directory ? first : directory;
    for (; i < n->count && strncmp(n->name[i].name, within, length) == 0; i++) {
        const char *const rest = n->name[i].name + length;
        const size_t step = step_of(rest);
        char listed[FILE_NAME_MOST + 1];
        if (is_listed(n, i, directory, length))
            continue;
        memcpy(listed, rest, step);
        listed[step] = '\0';
        if (!each(context, listed, rest[step] ? VIEW_DIRECTORY : VIEW_FILE, i))
            return;
    }
}

void view_names_free(struct view_names *n)
{
    free(n->name);
    arena_free(&n->arena);
    *n = (struct view_names){0};
}
