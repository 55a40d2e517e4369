/* Makes what a library has before any part of it has a size: its shape, its calls, and what its functions are. */
#ifndef EMIT_LIBRARY_LIBRARY_START_H
#define EMIT_LIBRARY_LIBRARY_START_H

#include "emit/library/library.h"

/* Fills *l, with memory from the arena; false when that ran out. `stock` may be NULL for a library that is not to be
 * written. */
bool library_start(struct library *l, const struct plan *plan, const struct plan_library *row,
                   const struct stock *stock, struct arena *arena);

/* The exact least code of a library's numbered functions, in bytes, for plans where the estimate is too close; 0
 * when memory ran out. */
uint64_t library_code_least(const struct plan *plan, const struct plan_library *row, struct arena *arena);

#endif
