/* Names and documentation of the methods that a module has because its row says so, besides those that the driver
 * calls (plan_extra.table.methods). small.h has their functions.
 */
#ifndef EMIT_PLAN_METHODS_H
#define EMIT_PLAN_METHODS_H

#include "emit/plan/plan.h"

enum { METHODS_CODE = 5 + 5 }; /* bytes of a method: mov */

#define METHODS_DOC "Returns a number."

/* methods_bytes returns the bytes of the documentation string, which methods share, and of all their names, with
 * terminators; methods_name_length the characters of one name. */
uint64_t methods_bytes(const struct plan_library *l);
uint32_t methods_name_length(const struct plan_library *l, uint32_t index);

/* How many small functions implement methods: the last ones of those with names, because these are the largest. */
uint32_t methods_functions(const struct plan_library *l);

/* Writes these strings; returns the place behind them. */
uint8_t *methods_write_strings(const struct plan_library *l, uint8_t *p);

#endif
