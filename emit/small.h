/* The small functions of a library with a row (struct plan_library): what they are, and what leads to
 * them, which only tables do, and to local ones only.
 *
 * The last of them are those of methods (methods.h), as far as these have room for that: each returns a
 * number to Python. The others do nothing, and some are constructors and destructors. None touches memory.
 */
#ifndef EMIT_SMALL_H
#define EMIT_SMALL_H

#include "emit/library.h"

/* Functions that are taken in turn, from the first again after the last. */
struct small_turn {
    uint32_t first, count, next;
    uint64_t start, at;
};

/* Those of methods; those of constructors, and then destructors. */
struct small_turn small_methods(const struct library *l);
struct small_turn small_constructors(const struct library *l);

/* The address of the next one; where there are none, that of `otherwise`. */
uint64_t small_next(const struct library *l, struct small_turn *t, enum glue_function otherwise);

/* Instructions of `size` bytes that do nothing but give %rax some value. */
uint8_t *small_put_pieces(uint8_t *p, uint32_t size, uint64_t value);

/* Writes them all, at `p`. */
void small_write(const struct library *l, uint8_t *p);

#endif
