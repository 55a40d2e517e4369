/* Who calls whom across libraries.
 *
 * Every module function makes `per_function` calls into utilities. The calls of
 * all modules form one sequence, the chains of all utilities another, and call c
 * of n goes to chain c * chains / n: every chain is reached (its first function
 * by the first call that goes there), whatever the counts are, and each module
 * calls only few, neighbouring utilities. To give a module more of them, both
 * sequences are dealt out into `layers` like cards, layer by layer, and each
 * layer of chains is rotated by another offset.
 *
 * Random calls go to any function of any utility instead: the sequence of calls is
 * shuffled, and the calls that come to a chain take its functions in turn, so that
 * every chain is reached all the same.
 *
 * Covered functions call covered chains only, and functions that are not covered
 * call chains that are not, so that a coverage of one half also visits half of the
 * utilities' functions.
 */
#ifndef EMIT_CALLS_H
#define EMIT_CALLS_H

#include "emit/plan.h"

/* Instead of an import: no utility has a chain that the caller may call, covered or not. */
#define CALLS_NONE UINT32_MAX

/* A function that a library imports from another one. Without rows, the importing library is a module and the other one
 * a utility. */
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
    uint32_t *needed; /* libraries for DT_NEEDED, in the order of first use; if every module needs all, in that of
                         plan->library */
    uint32_t needed_count;
};

/* How many imports a module has, how many utilities it needs, and the decimal digits in the numbers of these. */
struct calls_count {
    uint32_t imports;
    uint32_t utilities;
    uint64_t needed_digits;
};

/* All of a module's calls; false when memory ran out. */
bool calls_make(const struct plan *plan, const struct plan_library *module, struct arena *arena, struct calls *calls);

/* Counts a module's imports without making them, for calls that are not random. `seen` is scratch of
 * plan->utilities + 1 numbers, zeroed before the first call of this function and kept from one to the next: for each
 * utility in which of these calls it was met last, and then how many there were. Adds the imports' names to `names`,
 * unless that is NULL. */
struct calls_count calls_count(const struct plan *plan, const struct plan_library *module, uint32_t *seen,
                               struct names_tally *names);

/* Counts a module's imports where calls are random, for which it has to make them. Resets the arena first. False when
 * memory ran out. */
bool calls_count_random(const struct plan *plan, const struct plan_library *module, struct arena *arena,
                        struct names_tally *names, struct calls_count *count);

#endif
