/* What pyelfgen prints when it is done. */
#ifndef EMIT_REPORT_H
#define EMIT_REPORT_H

#include <stdio.h>

#include "emit/set/ranks.h"
#include "emit/set/set.h"

/* Prints the five sizes, wanted and planned (which is what was written), and those of
 * executables, which do not count in them. `set`, in the directory `path`, is NULL for
 * a dry run. */
void report_sizes(FILE *out, const struct plan *plan, const struct set *set, const char *path);

/* Prints which ranks have made the set, if there were several. */
void report_ranks(FILE *out, const struct ranks *r);

#endif
