/* What the parts of pyelfprof --explain share: explain.c, and explain_dwarf.c for debug
 * information.
 */
#ifndef TOOLS_PYELFPROF_EXPLAIN_H
#define TOOLS_PYELFPROF_EXPLAIN_H

#include <stddef.h>

#include "tools/pyelfprof/text.h"

/* A profile that is explained. */
struct explained {
    struct text t;
    yaml_node_t *list; /* the rows; NULL: none */
    size_t rows;
    yaml_node_t *captured; /* NULL: written by hand, or with --summary */
};

/* Prints bytes with a unit. */
void explain_bytes(double bytes);

const char *explain_plural(double count, const char *one, const char *several);

/* Singular or plural of a sentence about all of the application's files. */
const char *explain_of_them(const struct explained *x, const char *one, const char *several);

/* What to print before the next part of a sentence. `last` says that no other part follows. */
const char *explain_between(unsigned *parts, bool last);

/* The sum over the rows of a key, in the mapping `in` of each, or in the row itself where that is NULL. */
double explain_sum(struct explained *x, const char *in, const char *key);

/* How many rows have the key, with this value or, if that is NULL, any; how many have a number above 0 for it. */
size_t explain_having(struct explained *x, const char *key, const char *value);
size_t explain_having_some(struct explained *x, const char *key);

/* explain_dwarf.c: sentences on the debug information that the rows have, and on the dialect of a profile
 * whose rows say nothing of it. */
void explain_dwarf(struct explained *x);
void explain_dialect(struct explained *x);

#endif
