/* Making a plan. */
#ifndef EMIT_SOLVE_PLAN_MAKE_H
#define EMIT_SOLVE_PLAN_MAKE_H

#include "dwarf/corpus/corpus.h"
#include "emit/plan/plan.h"

/* Decides everything, with up to `threads` threads. An ERROR_INFEASIBLE names the library, the size, the least or most
 * that is possible, and the key to change. Free with plan_free. `profile` is borrowed until then, `corpus` (the types
 * that debug information repeats) only during the call. `executables` may be NULL: none. */
bool plan_make(struct plan *plan, const struct profile *profile, const struct plan_executables *executables,
               const struct corpus *corpus, unsigned threads, struct error *e);

/* The digests of a profile and of its plan, as struct plan has them. What was found for the profile (settled.h) is no
 * part of it. */
bool plan_digest(const struct profile *profile, uint64_t of_profile[2], uint64_t digest[2], struct error *e);

/* Whether a plan of a profile with rows goes with another corpus too, of the same dialect; its units of debug
 * information become those that plan_make chooses with that corpus. False where a library has too little room, or
 * memory ran out. */
bool plan_goes_with(struct plan *plan, const struct corpus *corpus);

#endif
