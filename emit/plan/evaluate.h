/* What a module's entry returns, computed from the plan alone. */
#ifndef EMIT_PLAN_EVALUATE_H
#define EMIT_PLAN_EVALUATE_H

#include "emit/plan/calls.h"
#include "emit/plan/plan.h"

/* The constants that entry and extern functions add to their results. */
uint64_t evaluate_entry_own(const struct plan_library *l);
uint64_t evaluate_extern(const struct plan_library *l);

/* The argument `caller` of call_values for the t-th call into another library of the function with this hash. */
static inline uint64_t evaluate_caller(uint64_t hash, uint32_t t)
{
    return (hash | 1) + ((uint64_t)t << 32);
}

/* Sets *result to what the library's entry returns. That is the same at the first call and at any later one, whatever
 * the order of visits. `own` and `imported` are the library's numbered functions and those that it imports. False when
 * memory ran out. */
bool evaluate_entry(const struct plan *plan, const struct plan_library *l, const struct calls *calls,
                    const struct function *own, const struct function *imported, struct arena *arena, uint64_t *result);

/* Fills the constants, which depend on the seed alone. */
void evaluate_constants(struct constants *c, uint64_t seed);

#endif
