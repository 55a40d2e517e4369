/* What pyelfgen prints when it is done. */
#ifndef EMIT_REPORT_H
#define EMIT_REPORT_H

#include <stdio.h>

#include "emit/plan.h"

/* The five sizes, wanted and planned, which is what was written, and those of
 * executables, which do not count in them; `set` is NULL
 * for a dry run. */
void report_sizes(FILE *out, const struct plan *plan, const char *set);

#endif
