/* The sizes of the functions of a library with a row, by what the row says. */
#ifndef EMIT_LIBRARY_SIZES_SAID_H
#define EMIT_LIBRARY_SIZES_SAID_H

#include "emit/plan/plan.h"

/* Sets `count` sizes in bytes, in ascending order, from the first of these that is known: the row's own quantiles; the
 * distribution typical of C or C++ programs, scaled to the row's average of code per function; the profile's
 * distribution over all libraries. That one comes last because a library should depend on its own row only, and not
 * change with each of the others. False where none is known. */
bool sizes_said(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *value);

#endif
