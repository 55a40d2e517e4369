/* Who calls whom in a set whose profile has rows: calls follow the edges of the rows.
 *
 *     functions of a library   0 ... callers | ... exported | ... functions
 *                              call others   | leaves       | local symbols
 *
 * Modules call any exported function of a utility, the first of chains before the others. All other calls, those of
 * utilities and those into modules, go to leaves: exported functions that call no other library, and behind which no
 * function of their chain does. So a cycle of DT_NEEDED never becomes a cycle of calls, and no call goes deeper than a
 * chain of chains. All libraries also call small functions that have code (plan_is_small), which call nothing.
 *
 * A library's imports form one sequence, edge by edge. The first imports of each edge are called: the library's first
 * functions make these calls in turn, per_function each. The other imports are never called, like functions whose
 * address is taken or that only untested paths call. They are any exported functions, and then other small functions
 * and objects. The numbers of small functions follow those of exported ones, and those of objects follow these.
 */
#ifndef EMIT_PLAN_CALLS_ROWS_H
#define EMIT_PLAN_CALLS_ROWS_H

#include "emit/plan/calls.h"

/* How many functions of `to` the library `from` may call. */
uint32_t calls_row_callable(const struct plan_library *from, const struct plan_library *to);

/* Sets *import to import `number` of a library; false where it has fewer. */
bool calls_row_import(const struct plan *plan, const struct plan_library *l, uint32_t number, struct import *import);

/* The number of the import that call `call` of the library goes to; the number of the import that is at `index` among
 * those that are not called. Both arguments must be in range. */
uint32_t calls_row_called(const struct plan_library *l, uint32_t call);
uint32_t calls_row_uncalled(const struct plan_library *l, uint32_t index);

/* Like calls_make, for a library with a row. */
bool calls_make_rows(const struct plan *plan, const struct plan_library *l, struct arena *arena, struct calls *calls);

/* Sets plan_library.visited of all libraries; false when memory ran out. */
bool calls_row_visits(struct plan *plan);

/* Sets plan_library.imported of all libraries; false when memory ran out. */
bool calls_row_uses(struct plan *plan);

#endif
