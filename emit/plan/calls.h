/* Who calls whom across libraries.
 *
 * Every module function makes `per_function` calls into utilities. The calls of all modules form one sequence, the
 * chains of all utilities another. Call c of n goes to chain c * chains / n. So every chain is reached, whatever the
 * counts are: the first call that goes to a chain calls its first function. Each module then calls only few,
 * neighbouring utilities. To give a module more of them, both sequences are dealt out like cards into `layers`, layer
 * by layer, and each layer of chains is rotated by another offset.
 *
 * Random calls go to any function of any utility instead. The sequence of calls is shuffled, and the calls that come to
 * a chain take its functions in turn. So every chain is still reached.
 *
 * Covered functions call covered chains only, and the other functions call the other chains. So a coverage of one half
 * also visits half of the utilities' functions.
 */
#ifndef EMIT_PLAN_CALLS_H
#define EMIT_PLAN_CALLS_H

#include "emit/plan/plan.h"

/* In place of an import: no utility has a chain that the caller may call, covered or not. */
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
    uint32_t *needed; /* libraries for DT_NEEDED, in the order of first use; if every module needs all utilities, in the
                         order of plan->library */
    uint32_t needed_count;
};

/* How many imports a module has, how many utilities it needs, and how many decimal digits the numbers of these have. */
struct calls_count {
    uint32_t imports;
    uint32_t utilities;
    uint64_t needed_digits;
};

/* Makes all of a library's calls. False when memory ran out. */
bool calls_make(const struct plan *plan, const struct plan_library *module, struct arena *arena, struct calls *calls);

/* Counts a module's imports without making them, where calls are not random. Adds the names of the imports to `names`,
 * unless that is NULL. `seen` is scratch of plan->utilities + 1 numbers, kept from call to call and zeroed before the
 * first one. It has for each utility the number of the call of this function that met it last, and at the end the
 * number of calls. */
struct calls_count calls_count(const struct plan *plan, const struct plan_library *module, uint32_t *seen,
                               struct names_tally *names);

/* Counts a module's imports where calls are random: it makes them. Resets the arena first. False when memory ran
 * out. */
bool calls_count_random(const struct plan *plan, const struct plan_library *module, struct arena *arena,
                        struct names_tally *names, struct calls_count *count);

#endif
