/* Who calls whom in a set whose profile has rows: along the edges that the rows say.
 *
 *     functions of a library   0 ... callers | ... exported | ... functions
 *                              call others   | leaves       | local symbols
 *
 * Modules call any exported function of a utility, the first of chains before the others.
 * All other calls, of utilities and into modules, go to leaves: exported functions that
 * call no other library, nor does one behind them in their chain. So no cycle of libraries
 * is one of calls, and no call takes more than a chain of chains.
 *
 * A library's imports stand in one row, edge by edge. Of each edge the first are called: the library's
 * first functions make these calls in turn, per_function each. The others are bound alone, as what has its address
 * taken or is called where no test leads: any exported function, and then small functions and objects, whose numbers
 * are behind those.
 */
#ifndef EMIT_CALLS_ROWS_H
#define EMIT_CALLS_ROWS_H

#include "emit/calls.h"

/* Functions of `to` that `from` may call. */
uint32_t calls_row_callable(const struct plan_library *from, const struct plan_library *to);

/* The import at `number` of a library's row; false where there are fewer. */
bool calls_row_import(const struct plan *plan, const struct plan_library *l, uint32_t number, struct import *import);

/* The number of the import that a call is of, and of one that is not called; both below as many as there are. */
uint32_t calls_row_called(const struct plan_library *l, uint32_t call);
uint32_t calls_row_uncalled(const struct plan_library *l, uint32_t index);

/* As calls_make. */
bool calls_make_rows(const struct plan *plan, const struct plan_library *l, struct arena *arena, struct calls *calls);

/* Sets `visited` of all libraries; false when memory ran out. */
bool calls_row_visits(struct plan *plan);

#endif
