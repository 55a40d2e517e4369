/* Plans of profiles with rows; see plan_rows.c. */
#ifndef EMIT_PLAN_ROWS_H
#define EMIT_PLAN_ROWS_H

#include "emit/plan_parts.h"

#define PROFILE_ROWS "libraries"

/* Decides everything about the libraries of a profile with rows. An ERROR_INFEASIBLE names the row, the size, and the
 * nearest size that is possible. */
bool plan_rows_solve(struct solver *s, struct error *e);

#endif
