/* Who calls whom in a set whose profile has rows: along the edges that the rows say.
 *
 *     functions of a library   0 ... callers | ... exported | ... functions
 *                              call others   | leaves       | local symbols
 *
 * Modules call any exported function of a utility, the first of chains before the others.
 * All other calls, of utilities and into modules, go to leaves: exported functions that
 * call no other library, nor does any later function of their chain. So a cycle of DT_NEEDED
 * never becomes a cycle of calls, and no call goes deeper than a chain of chains.
 * All call small functions that have code (plan_is_small), too, which call nothing.
 *
 * A library's imports form one sequence, edge by edge. The first ones of each edge are called: the library's
 * first functions make these calls in turn, per_function each. The rest are imported but never called, like functions
 * whose address is taken or that only untested paths call: any exported functions, and then other small
 * functions and objects. Numbers of small functions follow those of exported ones, and those of objects behind them.
 */
#ifndef EMIT_CALLS_ROWS_H
#define EMIT_CALLS_ROWS_H

#include "emit/calls.h"

/* How many functions of `to` may be called by `from`. */
uint32_t calls_row_callable(const struct plan_library *from, const struct plan_library *to);

/* Import `number` of a library; false where it has fewer. */
bool calls_row_import(const struct plan *plan, const struct plan_library *l, uint32_t number, struct import *import);

/* The number of the import that call `call` of the library goes to; and of the import that is `index`-th among those
 * that are not called. Both arguments must be in range. */
uint32_t calls_row_called(const struct plan_library *l, uint32_t call);
uint32_t calls_row_uncalled(const struct plan_library *l, uint32_t index);

/* As calls_make, for a library with a row. */
bool calls_make_rows(const struct plan *plan, const struct plan_library *l, struct arena *arena, struct calls *calls);

/* Sets plan_library.visited of all libraries; false when memory ran out. */
bool calls_row_visits(struct plan *plan);

/* Sets plan_library.imported of all libraries; false when memory ran out. */
bool calls_row_uses(struct plan *plan);

#endif
