/* Who calls whom across libraries.
 *
 * Every module function makes `per_function` calls into utilities. The calls of
 * all modules stand in one row, the chains of all utilities in another, and the
 * call at c of n goes to the chain at c * chains / n: every chain is reached
 * (its first function by the first call that meets it), however the counts
 * fall, and each module meets neighbours only. To give a module a wider
 * neighbourhood, both rows are dealt out into `layers` like cards, layer by
 * layer, and each layer of chains is turned by another angle.
 *
 * Random calls go to any function of any utility instead: the row of calls is
 * shuffled, and the calls that stand where a chain does name its functions in
 * turn, so that every chain is reached all the same.
 *
 * Covered functions call covered chains only and the others the others, so that
 * a coverage of one half visits half of the utilities' functions too.
 */
#ifndef EMIT_CALLS_H
#define EMIT_CALLS_H

#include "emit/plan.h"

/* No utility has a chain of the caller's class (a coverage that leaves none). */
#define CALLS_NONE UINT32_MAX

/* A function of another library that a library calls, which is a module and calls a utility
 * unless the profile has rows. */
struct import {
    uint32_t library; /* in plan->library */
    uint32_t function;
};

/* What a library calls. Arrays are the arena's. */
struct calls {
    uint32_t per_function; /* calls of each function */
    struct import *import; /* distinct, in the order of first use */
    uint32_t import_count;
    uint32_t *target; /* [function * per_function + t]: index in import[], or CALLS_NONE */
    uint32_t *needed; /* libraries, in the order of first use; if every module needs all, in their own */
    uint32_t needed_count;
};

/* How many imports and utilities a module has. */
struct calls_count {
    uint32_t imports;
    uint32_t utilities;
    uint64_t needed_digits;
};

/* All of a module's calls; false when memory ran out. */
bool calls_make(const struct plan *plan, const struct plan_library *module, struct arena *arena, struct calls *calls);

/* Only counts, calls that are not random; `seen` is scratch of plan->utilities + 1
 * numbers, zeroed once, and kept from call to call: for each utility the last call that met it, and
 * how many calls there were. The imports' names are added to `names`, unless that is NULL. */
struct calls_count calls_count(const struct plan *plan, const struct plan_library *module, uint32_t *seen,
                               struct names_tally *names);

/* The same for random calls, which it makes: false when memory ran out. The
 * arena is reset first. */
bool calls_count_random(const struct plan *plan, const struct plan_library *module, struct arena *arena,
                        struct names_tally *names, struct calls_count *count);

#endif
