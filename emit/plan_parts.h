/* What the two halves of the plan, counts (plan.c) and sizes (solve.c), share. */
#ifndef EMIT_PLAN_PARTS_H
#define EMIT_PLAN_PARTS_H

#include "emit/plan.h"

enum { PLAN_CALLS_MOST = 10000, PLAN_NEIGHBOURS = 32 };

/* Allocates the libraries and gives each its name and key. */
bool plan_name_libraries(struct plan *plan, struct error *e);

/* Decides counts and calls for these averages; `seen` is scratch of
 * plan->utilities + 1 zero bytes. */
bool plan_count(struct plan *plan, uint64_t average, uint64_t utility_average, uint32_t neighbours, uint8_t *seen,
                struct error *e);

/* Counts imports again, with the names that plan->names says. */
void plan_count_imports(struct plan *plan, uint8_t *seen);

#endif
