/* .dynamic: which entries a library or an executable has, and what they say.
 *
 *     NEEDED ... | NEEDED of libc, SONAME, INIT, ... by what it has (dynamic.c) | NULL, spare NULL ...
 *
 * The order is ld's. Both passes take the entries from one list.
 */
#ifndef EMIT_LIBRARY_DYNAMIC_H
#define EMIT_LIBRARY_DYNAMIC_H

#include <stdint.h>

struct library;
struct plan_library;
struct shape;

/* How many entries there are: `needed` and `spare_tags` of the shape and all counts of symbols and relocations must be
 * set. */
uint32_t dynamic_count(const struct plan_library *l, const struct shape *s);

/* Writes the section. The image must have .dynstr already. */
void dynamic_write(const struct library *l, uint8_t *image);

#endif
