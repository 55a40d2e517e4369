/* What files need of one another (DT_NEEDED): their order, and whether the dynamic linker would find these files. See
 * app.h.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/same.h"
#include "base/whole.h"
#include "tools/pyelfprobe/app.h"
#include "tools/pyelfprobe/elf.h"

struct named {
    const char *name;
    size_t file;
};

struct visit {
    size_t file;
    size_t next; /* index of the next name in its DT_NEEDED */
};

static int compare(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : (x->file > y->file) - (x->file < y->file);
}

/* What the files say, and their names in order. */
struct needs {
    struct arena arena;
    struct object *objects;
    struct named *names;
    size_t count;
};

/* The file that a name of DT_NEEDED means; `count` where it is none of them. */
static size_t find(const struct needs *n, const char *name)
{
    size_t low = 0, high = n->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(n->names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n->count && strcmp(n->names[low].name, name) == 0 ? n->names[low].file : n->count;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* False when memory ran out. The caller frees *n, in both cases. */
static bool needs_read(struct needs *n, const struct app *app)
{
    *n = (struct needs){.count = app->count};
    n->objects = calloc(app->count + 1, sizeof *n->objects);
    n->names = calloc(app->count + 1, sizeof *n->names);
    if (!n->objects || !n->names)
        return false;
    for (size_t i = 0; i < app->count; i++) {
        if (!object_read(app->files[i].path, &n->arena, &n->objects[i]))
            return false;
        const char *const soname = n->objects[i].soname;
        n->names[i] = (struct named){*soname ? soname : last_part(app->files[i].path), i};
    }
    qsort(n->names, app->count, sizeof *n->names, compare);
    return true;
}

static void needs_free(struct needs *n)
{
    free(n->objects);
    free(n->names);
    arena_free(&n->arena);
}

/* --- order --------------------------------------------------------------------------- */

/* Goes depth first through what files need. It does not recurse, because files may come from anywhere. */
static void put_in_order(const struct needs *n, struct visit *stack, bool *seen, size_t *order)
{
    size_t placed = 0;
    for (size_t i = 0; i < n->count; i++) {
        size_t depth = 0;
        if (!seen[i])
            stack[depth++] = (struct visit){i, 0};
        seen[i] = true;
        while (depth) {
            struct visit *top = &stack[depth - 1];
            const struct object *object = &n->objects[top->file];
            if (top->next == object->needed_count) {
                order[placed++] = top->file;
                depth--;
                continue;
            }
            const size_t needed = find(n, last_part(object->needed[top->next++]));
            if (needed < n->count && !seen[needed]) {
                seen[needed] = true;
                stack[depth++] = (struct visit){needed, 0};
            }
        }
    }
}

size_t *app_needed_first(const struct app *app)
{
    struct needs needs;
    struct visit *stack = calloc(app->count + 1, sizeof *stack);
    bool *seen = calloc(app->count + 1, sizeof *seen);
    size_t *order = calloc(app->count + 1, sizeof *order);
    const bool well = needs_read(&needs, app) && stack && seen && order;
    if (well)
        put_in_order(&needs, stack, seen, order);
    needs_free(&needs);
    free(stack);
    free(seen);
    if (well)
        return order;
    free(order);
    return NULL;
}

/* --- place --------------------------------------------------------------------------- */

/* Whether the dynamic linker goes on to the next directory: there is no such file, or it is for another machine. */
static bool is_passed(const char *path)
{
    Elf64_Ehdr head; /* that of ELFCLASS32 is the same as far as is read here, and a library is longer than both */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_elf = fd >= 0 && whole_read(fd, &head, sizeof head) == (ssize_t)sizeof head &&
                        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
    if (fd >= 0)
        close(fd);
    return fd < 0 || (is_elf && (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64));
}

/* The file of this name in the directories of LD_LIBRARY_PATH that the dynamic linker would take. False where there is
 * none. */
static bool find_in_path(const char *directories, const char *name, char *found, size_t size)
{
    for (const char *at = directories;; at++) {
        const int length = (int)strcspn(at, ":;");
        const int written = snprintf(found, size, "%.*s/%s", length ? length : 1, length ? at : ".", name);
        if (written > 0 && (size_t)written < size && !is_passed(found))
            return true;
        at += length;
        if (!*at)
            return false;
    }
}

bool app_is_found(const struct app *app, struct error *e)
{
    const char *const directories = getenv("LD_LIBRARY_PATH");
    struct needs n;
    bool *seen;
    bool well = true;
    if (!directories || !*directories)
        return true;
    seen = calloc(app->count + 1, sizeof *seen);
    if (!needs_read(&n, app) || !seen)
        well = error_set(e, ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < app->count && well; i++)
        for (size_t k = 0; k < n.objects[i].needed_count && well; k++) {
            char found[PATH_MAX];
            const char *const name = n.objects[i].needed[k];
            const size_t file = find(&n, name);
            if (file == app->count || seen[file])
                continue;
            seen[file] = true;
            if (find_in_path(directories, name, found, sizeof found) && !same_place(found, app->files[file].path))
                well =
                    error_set(e, ERROR_INPUT,
                              "others need it, and LD_LIBRARY_PATH leads them to %s, which would be measured; change "
                              "LD_LIBRARY_PATH",
                              found) ||
                    error_at(e, app->files[file].path, 0);
        }
    needs_free(&n);
    free(seen);
    return well;
}
