/* See plan_rows_alike.c. */
#ifndef EMIT_PLAN_ROWS_ALIKE_H
#define EMIT_PLAN_ROWS_ALIKE_H

#include "emit/plan_rows_parts.h"

/* Sets *alike to how many of a library's names, out of 255, should use the same words beside those of its imports, when
 * all names of the set have their lengths: as it is where that is near enough, or nothing is known. False when memory
 * ran out. */
bool rows_choose_alike(const struct plan *plan, const struct plan_library *l, uint8_t *alike, struct error *e);

#endif
