/* The small functions of a library with a row (plan_library.small_size): their code, and the tables that
 * point to them. Tables point to local ones, and slots of the PLT to resolvers of either kind.
 *
 * The last of them implement methods (methods.h), if they are large enough for that: each returns a
 * number to Python. Resolvers (resolvers.h) return the address of another.
 * The others do nothing; some are constructors or destructors. None accesses memory.
 */
#ifndef EMIT_SMALL_H
#define EMIT_SMALL_H

#include "emit/library.h"

/* A range of small functions, taken one after the other, cyclically. */
struct small_turn {
    uint32_t first, count, next;
    uint64_t start, at;
};

/* The functions for methods; those for constructors and destructors. */
struct small_turn small_methods(const struct library *l);
struct small_turn small_constructors(const struct library *l);

/* Bytes of the code of those small functions that are constructors, each as often as it is called. */
uint64_t small_constructors_bytes(const struct library *l);

/* Those that return functions (resolvers.h): local ones, if there are any, or else dynamic ones. */
struct small_turn small_resolvers(const struct library *l);

/* The address of the next function of the range; if that is empty, that of `otherwise`. */
uint64_t small_next(const struct library *l, struct small_turn *t, enum glue_function otherwise);

/* Instructions of `size` bytes that do nothing but give %rax some value, chosen by `value`; with small numbers where
 * the library's code is to compress well (plan_library.alike_code). */
uint8_t *small_put_pieces(const struct plan_library *l, uint8_t *p, uint32_t size, uint64_t value);

/* Writes all small functions, at `p`. */
void small_write(const struct library *l, uint8_t *p);

#endif
