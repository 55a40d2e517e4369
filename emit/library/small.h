/* The small functions of a library with a row (plan_small.size): their code, and who points to them. Tables
 * point to local ones, PLT slots to resolvers, local or dynamic.
 *
 * The last of them implement methods (methods.h), if they are large enough: each returns a number to Python. Resolvers
 * (resolvers.h) return the address of another function. The others do nothing; some of these are constructors or
 * destructors. None accesses memory.
 *
 * Some are no functions at all but cold parts of numbered ones (plan_library.cold): code that compilers move away from
 * the rest of a function because it is hardly ever executed. Their symbols have the functions' names with COLD_ENDING
 * behind, as gcc and LLVM name them. A function jumps to its cold part on a condition that never holds (cold.h).
 *
 * Cold parts are the beginning of .text, one behind the other, as GNU ld places them. The others are its end, behind
 * the numbered functions. Both are in the order of their numbers.
 */
#ifndef EMIT_LIBRARY_SMALL_H
#define EMIT_LIBRARY_SMALL_H

#include "emit/library/library.h"

#define COLD_ENDING ".cold"
enum { COLD_ENDING_LENGTH = sizeof COLD_ENDING - 1 };

/* A walk over the small functions in their order, which says where each is. */
struct small_walk {
    uint32_t next;       /* the next function */
    int64_t cold, other; /* where the next cold part is, and the next function that is none: offsets in the code */
};

/* A walk from function `first` on. */
struct small_walk small_walk(const struct library *l, uint32_t first);

/* The offset in the code of the next function, below 0 if it is a cold part; its address. Moves on. */
int64_t small_walk_next(const struct library *l, struct small_walk *w);
static inline uint64_t small_walk_address(const struct library *l, struct small_walk *w)
{
    return l->code.text + (uint64_t)small_walk_next(l, w);
}

/* A range of small functions other than cold parts, taken one after the other, cyclically. */
struct small_turn {
    uint32_t first, count, next;
    uint64_t start, at;
};

/* The small functions that implement methods; those for constructors and destructors. */
struct small_turn small_methods(const struct library *l);
struct small_turn small_constructors(const struct library *l);

/* The value by which a small function's code is chosen. small_next_piece: how many bytes its next instruction has, of
 * `size` that are left; moves the value on. */
uint64_t small_value(const struct plan_library *l, uint32_t index);
uint32_t small_next_piece(uint32_t size, uint64_t *value);

/* Bytes of code that constructors execute: each small function counts as often as it is called as one. */
uint64_t small_constructors_bytes(const struct library *l);

/* The resolvers (resolvers.h): local ones, if there are any, or else dynamic ones. */
struct small_turn small_resolvers(const struct library *l);

/* The address of the next function of the range; if the range is empty, that of `otherwise`. */
uint64_t small_next(const struct library *l, struct small_turn *t, enum glue_function otherwise);

/* Instructions of `size` bytes that do nothing but give %rax some value, chosen by `value`; with small numbers where
 * the library's code is to compress well (plan_library.alike_code). */
uint8_t *small_put_pieces(const struct plan_library *l, uint8_t *p, uint32_t size, uint64_t value);

/* Writes all small functions except cold parts (cold.h). */
void small_write(const struct library *l);

#endif
