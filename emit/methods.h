/* What the methods say of themselves that a module has beyond those that the driver calls, as many as
 * its row says (struct plan_extra). small.h has the functions that they lead to.
 */
#ifndef EMIT_METHODS_H
#define EMIT_METHODS_H

#include "emit/plan.h"

#define METHODS_DOC "Returns a number."

/* Bytes of their documentation, which they share, and then of their names, with terminators. */
uint64_t methods_bytes(const struct plan_library *l);
uint32_t methods_name_length(const struct plan_library *l, uint32_t index);

/* Writes these strings; returns the place behind them. */
uint8_t *methods_write_strings(const struct plan_library *l, uint8_t *p);

#endif
