/* The methods that a module has beyond those that the driver calls, as many as its row says
 * (struct plan_extra), and the small functions (struct plan_library) that they lead to.
 *
 * Real modules have a function for each method. Here the last of the small functions are those of
 * methods, as far as they have room for it; where there are none, methods call the module's entry.
 * Any of them may be called from Python: it returns a number.
 */
#ifndef EMIT_METHODS_H
#define EMIT_METHODS_H

#include "emit/library.h"

#define METHODS_DOC "Returns a number."

/* Bytes of their documentation, which they share, and then of their names, with terminators. */
uint64_t methods_bytes(const struct plan_library *l);
uint32_t methods_name_length(const struct plan_library *l, uint32_t index);

/* Writes these strings; returns the place behind them. */
uint8_t *methods_write_strings(const struct plan_library *l, uint8_t *p);

/* Addresses of their functions, one method after the other. */
struct method_functions {
    uint32_t count, next; /* small functions that methods lead to */
    uint64_t first, at;
};
struct method_functions methods_functions(const struct library *l);
uint64_t methods_next_function(const struct library *l, struct method_functions *f);

/* Writes the small functions, at `p`. */
void methods_write_small(const struct library *l, uint8_t *p);

#endif
