/* Plans of profiles with rows; see rows.c. */
#ifndef EMIT_SOLVE_ROWS_H
#define EMIT_SOLVE_ROWS_H

#include "emit/solve/solve.h"

#define PROFILE_ROWS "libraries"

/* Decides everything about the libraries of a profile with rows. An ERROR_INFEASIBLE names the row, the size, and the
 * nearest size that is possible. */
bool plan_rows_solve(struct solver *s, struct error *e);

/* Chooses the units of debug information of library `index`, in `debug` bytes of it, and computes its base. False where
 * these do not go into so many bytes. */
bool plan_rows_set_units(const struct solver *s, uint32_t index, uint64_t debug);

#endif
