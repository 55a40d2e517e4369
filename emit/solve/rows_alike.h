/* See rows_alike.c. */
#ifndef EMIT_SOLVE_ROWS_ALIKE_H
#define EMIT_SOLVE_ROWS_ALIKE_H

#include "emit/solve/rows_parts.h"

/* Sets *alike to how many of a library's names, out of 255, should use the same words, so that its tables compress as
 * the row says beside the names of its imports. All names of the set must have their lengths. Where the library's
 * present value is near enough, or the row states nothing, *alike is that value. False when memory ran out. */
bool rows_choose_alike(const struct plan *plan, const struct plan_library *l, uint8_t *alike, struct error *e);

#endif
