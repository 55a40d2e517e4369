/* Plans of profiles with rows; see plan_rows.c. */
#ifndef EMIT_PLAN_ROWS_H
#define EMIT_PLAN_ROWS_H

#include "emit/plan_parts.h"

#define PROFILE_ROWS "libraries"

/* Decides everything about the libraries of a profile with rows. An ERROR_INFEASIBLE names the row, the size, and the
 * nearest size that is possible. */
bool plan_rows_solve(struct solver *s, struct error *e);

/* Chooses the units of debug information of library `index`, in `debug` bytes of it, and computes its base. False where
 * these do not go into so many bytes. */
bool plan_rows_set_units(const struct solver *s, uint32_t index, uint64_t debug);

/* Bytes for plan_rows_advice, with the terminator. */
enum { PLAN_ROWS_ADVICE = 256 };

/* What to do about a row that cannot be met, for errors: `by_hand`, or where the profile was captured, what works
 * there. Nobody corrects what was captured, and a row cannot be left out, as others refer to it and to those behind it
 * by their numbers. */
const char *plan_rows_advice(const struct plan *plan, const struct plan_library *l, const char *by_hand,
                             char text[PLAN_ROWS_ADVICE]);

#endif
