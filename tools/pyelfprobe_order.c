/* Orders files by what they need of one another: depth first through DT_NEEDED. It does not recurse, because files may
 * come from anywhere. See pyelfprobe_app.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/pyelfprobe_app.h"
#include "tools/pyelfprobe_elf.h"

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

/* The file that a name of DT_NEEDED means; `count` where it is none of them. */
static size_t find(const struct named *names, size_t count, const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(names[low].name, name) == 0 ? names[low].file : count;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t *app_needed_first(const struct app *app)
{
    const size_t count = app->count;
    struct arena arena = {0};
    struct object *objects = calloc(count + 1, sizeof *objects);
    struct named *names = calloc(count + 1, sizeof *names);
    struct visit *stack = calloc(count + 1, sizeof *stack);
    bool *seen = calloc(count + 1, sizeof *seen);
    size_t *order = calloc(count + 1, sizeof *order);
    size_t placed = 0;
    bool well = objects && names && stack && seen && order;
    for (size_t i = 0; i < count && well; i++) {
        well = object_read(app->files[i].path, &arena, &objects[i]);
        names[i] = (struct named){*objects[i].soname ? objects[i].soname : last_part(app->files[i].path), i};
    }
    if (well)
        qsort(names, count, sizeof *names, compare);
    for (size_t i = 0; i < count && well; i++) {
        size_t depth = 0;
        if (!seen[i])
            stack[depth++] = (struct visit){i, 0};
        seen[i] = true;
        while (depth) {
            struct visit *top = &stack[depth - 1];
            const struct object *object = &objects[top->file];
            if (top->next == object->needed_count) {
                order[placed++] = top->file;
                depth--;
                continue;
            }
            const size_t needed = find(names, count, last_part(object->needed[top->next++]));
            if (needed < count && !seen[needed]) {
                seen[needed] = true;
                stack[depth++] = (struct visit){needed, 0};
            }
        }
    }
    free(objects);
    free(names);
    free(stack);
    free(seen);
    arena_free(&arena);
    if (!well) {
        free(order);
        order = NULL;
    }
    return order;
}
