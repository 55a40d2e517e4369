/* The names of a view's files, in the order of strcmp, so that what is in a directory stands together. */
#ifndef EMIT_SET_VIEW_NAMES_H
#define EMIT_SET_VIEW_NAMES_H

#include "base/arena.h"
#include "emit/set/view.h"

/* One file of the set: number `which` of its library's files, or a text. */
struct view_name {
    const char *name;
    uint32_t library; /* index in the plan; for a text, the number of libraries */
    uint32_t which;
};

struct view_names {
    struct view_name *name;
    uint32_t count, room;
    struct arena arena; /* owns the names */
};

/* Adds one name, in any order; false when memory ran out. Free with view_names_free. */
bool view_names_add(struct view_names *n, const char *name, uint32_t library, uint32_t which);

/* Adds the files of a library as the plan has them: not those of split debug information. */
bool view_names_add_library(struct view_names *n, const struct plan *plan, uint32_t library);

/* Call when all names are added. */
void view_names_sort(struct view_names *n);

/* As view_find and view_list. */
enum view_kind view_names_find(const struct view_names *n, const char *name, uint32_t *file);
void view_names_list(const struct view_names *n, const char *name, uint32_t first, view_each *each, void *context);

void view_names_free(struct view_names *n);

#endif
