/* Finds the .dwo files of libraries whose debug information is split; see prof.h.
 *
 * They are sought as gdb seeks them: first a package beside the library, called after it with .dwp; then each file by
 * the name that its skeleton has, in the directory of the compilation, beside the library, and in the debug
 * directories. Names come from a file that may be hostile, so nothing but a regular file is opened.
 *
 * Where the directory of the compilation is gone, two files of one name may be meant. Which one is there, or whether it
 * is of another build, tells the DWO id that a skeleton and its unit have in common (DWARF 5, section 3.1.2).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "tools/capture/prof.h"

enum { FILES_MOST = 1 << 17 }; /* .dwo files of a library; no real one has as many units */

void prof_debugs_add(struct prof_debugs *list, const struct prof_debug *debug)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->count + 64;
        list->of = prof_must(realloc(list->of, list->capacity * sizeof *list->of));
    }
    list->of[list->count++] = *debug;
}

static bool is_there(const char *path)
{
    const int fd = prof_open_regular(path);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Whether directory/middle/name is there; `middle` may be empty. */
static bool is_in(char path[PATH_MAX], const char *directory, const char *middle, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s%s%s", directory, middle, *middle ? "/" : "", name) < PATH_MAX &&
           is_there(path);
}

/* The directory that the file is in, without links. False where it cannot be found out. */
static bool directory_of(const char *file, char directory[PATH_MAX])
{
    if (!realpath(file, directory))
        return false;
    *strrchr(directory, '/') = '\0';
    return true;
}

/* Sets `path` to where the .dwo file `name`, compiled in the directory `compiled`, is. `beside`: where the library
 * is. */
static bool find_dwo(const struct prof *p, const char *beside, const char *compiled, const char *name,
                     char path[PATH_MAX])
{
    const char *const slash = strrchr(name, '/');
    const char *const base = slash ? slash + 1 : name;
    if (*name == '/' && snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_there(path))
        return true;
    if (*name != '/' && (*compiled == '/' ? is_in(path, compiled, "", name) : is_in(path, beside, compiled, name)))
        return true;
    if ((*name != '/' && is_in(path, beside, "", name)) || is_in(path, beside, "", base))
        return true;
    for (size_t i = 0; i < p->options.debug_dirs; i++)
        if ((*name != '/' && is_in(path, p->options.debug_dir[i], "", name)) ||
            is_in(path, p->options.debug_dir[i], "", base))
            return true;
    return false;
}

/* Adds the file to the list. A file that cannot be read is complained of. */
static void add(struct prof *p, struct prof_file *file, const char *path, struct prof_debugs *list)
{
    const struct capture_wish wish = {0};
    const struct prof_state state = prof_state_of(path);
    struct capture c;
    struct error e;
    const bool ok = capture_read(path, &wish, &c, &e);
    if (ok) {
        struct prof_debug debug = {
            .of = file, .path = prof_copy(p, path), .state = state, .compression = c.compression, .is_dwo = true};
        memcpy(debug.mix, c.mix, sizeof debug.mix);
        prof_debugs_add(list, &debug);
    } else {
        file->dwo.unread++;
        prof_complain(p, &e);
    }
    capture_free(&c);
}

/* Sets `path` to the package of a library: it is called after the library, or after the file that this is a link to. */
static bool find_package(const char *library, char path[PATH_MAX])
{
    char real[PATH_MAX];
    return (snprintf(path, PATH_MAX, "%s.dwp", library) < PATH_MAX && is_there(path)) ||
           (realpath(library, real) && snprintf(path, PATH_MAX, "%s.dwp", real) < PATH_MAX && is_there(path));
}

/* Adds each file once, however many skeletons name it. */
static void add_each(struct prof *p, struct prof_file *file, char **path, size_t count, struct prof_debugs *list)
{
    qsort(path, count, sizeof *path, order_text);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(path[i - 1], path[i]) != 0)
            add(p, file, path[i], list);
    }
}

struct named {
    const char *compiled; /* the directory */
    const char *name;
    uint64_t id;
};

static const char *next_text(const struct bytes *names, size_t *at)
{
    const char *const text = *at < names->size ? (const char *)names->data + *at : NULL;
    *at += text ? strlen(text) + 1 : 0;
    return text;
}

/* Takes the next one from debug_stats.dwos; false at the end. */
static bool next_named(const struct bytes *names, size_t *at, struct named *n)
{
    n->compiled = next_text(names, at);
    n->name = next_text(names, at);
    const char *const id = next_text(names, at);
    n->id = id ? strtoull(id, NULL, 16) : 0;
    return id;
}

static size_t count_named(const struct bytes *names)
{
    struct named n;
    size_t count = 0;
    for (size_t at = 0; next_named(names, &at, &n);)
        count++;
    return count;
}

static int by_id(const void *a, const void *b)
{
    const struct prof_skeleton *const x = a;
    const struct prof_skeleton *const y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Where an object is linked in twice, both skeletons are of one unit. */
static void sort_skeletons(struct prof_skeletons *s)
{
    size_t kept = 0;
    qsort(s->of, s->count, sizeof *s->of, by_id);
    for (size_t i = 0; i < s->count; i++)
        if (s->of[i].id && (kept == 0 || s->of[kept - 1].id != s->of[i].id))
            s->of[kept++] = s->of[i];
    s->count = kept;
}

void prof_find_dwos(struct prof *p, struct prof_file *file, const struct bytes *names, struct prof_debugs *list,
                    struct prof_skeletons *skeletons)
{
    const char *const library = file->debug_path ? file->debug_path : file->path;
    char beside[PATH_MAX];
    char path[PATH_MAX];
    const bool packed = find_package(library, path) || find_package(file->path, path);
    if (packed)
        add(p, file, path, list);
    if (!directory_of(library, beside))
        snprintf(beside, sizeof beside, ".");
    const size_t most = count_named(names) + 1;
    char **found = prof_must(calloc(most, sizeof *found));
    size_t count = 0;
    *skeletons = (struct prof_skeletons){.of = prof_must(calloc(most, sizeof *skeletons->of))};
    struct named n;
    for (size_t at = 0; next_named(names, &at, &n);) {
        if (!*n.name) /* no skeleton */
            continue;
        if (!packed && (count == FILES_MOST || !find_dwo(p, beside, n.compiled, n.name, path))) {
            file->dwo.missing++;
            continue;
        }
        if (!packed)
            found[count++] = prof_copy(p, path);
        skeletons->of[skeletons->count++].id = n.id;
    }
    add_each(p, file, found, count, list);
    free(found);
    sort_skeletons(skeletons);
}

bool prof_meet(struct prof_skeletons *skeletons, const struct bytes *names)
{
    struct named n;
    bool any = false;
    for (size_t at = 0; next_named(names, &at, &n);) {
        const struct prof_skeleton key = {.id = n.id};
        struct prof_skeleton *const skeleton =
            skeletons->count ? bsearch(&key, skeletons->of, skeletons->count, sizeof key, by_id) : NULL;
        if (skeleton)
            skeleton->met = true;
        any |= skeleton || !n.id;
    }
    return any;
}

uint64_t prof_unmet(const struct prof_skeletons *skeletons)
{
    uint64_t unmet = 0;
    for (size_t i = 0; i < skeletons->count; i++)
        unmet += !skeletons->of[i].met;
    return unmet;
}
