/* How large functions of a library with a row are, by what the row says. */
#ifndef EMIT_SIZES_SAID_H
#define EMIT_SIZES_SAID_H

#include "emit/plan.h"

/* Sets `count` values, in ascending order: as the row's own quantiles say or, where it has none, as those of C or C++
 * programs are around the average that its code and functions make. What all libraries of the profile have together
 * says it only where that is not known: a library is to follow from its own row, or it would change with each of the
 * others. False where nothing says it. */
bool sizes_said(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *value);

#endif
