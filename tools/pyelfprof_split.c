/* Finds the .dwo files of libraries whose debug information is split; see pyelfprof.h.
 *
 * They are sought as gdb seeks them: first a package beside the library, called after it with .dwp; then each file by
 * the name that its skeleton has, in the directory of the compilation, beside the library, and in the debug
 * directories. Names come from a file that may be hostile, so nothing but a regular file is opened.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pyelfprof.h"

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
    for (size_t i = 0; i < p->debug_dirs; i++)
        if ((*name != '/' && is_in(path, p->debug_dir[i], "", name)) || is_in(path, p->debug_dir[i], "", base))
            return true;
    return false;
}

/* Adds the file to the list, and its sections to file->dwo. A file that cannot be read is complained of. */
static void add(struct prof *p, struct prof_file *file, const char *path, struct prof_debugs *list)
{
    const struct capture_wish wish = {0};
    const struct prof_state state = prof_state_of(path);
    struct capture c;
    struct error e;
    const bool ok = capture_read(path, &wish, &c, &e);
    if (ok) {
        const struct prof_debug debug = {.of = file,
                                         .path = prof_copy(p, path),
                                         .state = state,
                                         .compression = c.compression,
                                         .bytes = c.mix[MIX_INFO],
                                         .is_dwo = true};
        for (unsigned i = 0; i < CAPTURE_MIXES; i++)
            file->dwo.mix[i] += c.mix[i];
        file->dwo.files++;
        prof_debugs_add(list, &debug);
    } else {
        prof_complain(p, &e);
    }
    capture_free(&c);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds each file once, however many skeletons name it. */
static void add_each(struct prof *p, struct prof_file *file, char **path, size_t count, struct prof_debugs *list)
{
    qsort(path, count, sizeof *path, by_text);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(path[i - 1], path[i]) != 0)
            add(p, file, path[i], list);
    }
}

static size_t count_texts(const struct bytes *names)
{
    size_t count = 0;
    for (size_t i = 0; i < names->size; i++)
        count += names->data[i] == '\0';
    return count;
}

void prof_find_dwos(struct prof *p, struct prof_file *file, const struct bytes *names, struct prof_debugs *list)
{
    const char *const library = file->debug_path ? file->debug_path : file->path;
    char beside[PATH_MAX];
    char path[PATH_MAX];
    if (!directory_of(library, beside))
        snprintf(beside, sizeof beside, ".");
    if ((snprintf(path, sizeof path, "%s.dwp", library) < PATH_MAX && is_there(path)) ||
        (snprintf(path, sizeof path, "%s.dwp", file->path) < PATH_MAX && is_there(path))) {
        add(p, file, path, list);
        return;
    }
    char **found = prof_must(calloc(count_texts(names) / 2 + 1, sizeof *found));
    size_t count = 0;
    const char *const end = (const char *)names->data + names->size;
    for (const char *at = (const char *)names->data; at < end;) {
        const char *const compiled = at;
        const char *const name = compiled + strlen(compiled) + 1;
        if (name >= end)
            break;
        at = name + strlen(name) + 1;
        if (count < FILES_MOST && find_dwo(p, beside, compiled, name, path))
            found[count++] = prof_copy(p, path);
        else
            file->dwo.missing++;
    }
    add_each(p, file, found, count, list);
    free(found);
}
