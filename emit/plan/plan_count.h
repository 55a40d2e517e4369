/* The counts of a plan: libraries with their names, functions, calls and what names take. Those who choose among counts
 * (emit/solve) call these again and again. */
#ifndef EMIT_PLAN_PLAN_COUNT_H
#define EMIT_PLAN_PLAN_COUNT_H

#include "emit/plan/plan.h"

enum { PLAN_CALLS_MOST = 10000, PLAN_NEIGHBOURS = 32 };

/* Allocates the libraries and gives each its name and key. */
bool plan_name_libraries(struct plan *plan, struct error *e);

/* Decides all counts and calls except imports, for these average numbers of functions in a module and in a utility.
 * `seen` is scratch for calls_count. */
bool plan_count(struct plan *plan, uint64_t average, uint64_t utility_average, uint32_t neighbours, uint32_t *seen,
                struct error *e);

/* Counts imports, and the bytes of all names with plan->names: for each library, and in `own` and `imported` the sums
 * over all. `seen` is scratch for calls_count; `arena` is scratch, too. False when memory ran out. */
bool plan_count_names(struct plan *plan, uint32_t *seen, struct arena *arena, struct names_tally *own,
                      struct names_tally *imported);

/* Updates the bytes of names after plan->names got a length or padding. Names must not be mangled and must have been
 * counted without any digits appended. */
void plan_lengthen_names(struct plan *plan);

#endif
