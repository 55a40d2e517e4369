/* The pieces of a function without a frame pointer that move %rsp (code.h: PIECE_PASS and PIECE_MOVE).
 *
 * Compilers pass a call's seventh argument and the next ones on the stack: they push them, and behind the call they
 * take them from there. Where %rsp is how the frame is found, the unwind table has a row for each of these
 * instructions. So a function gets as many such pieces as its entry of the table has room for (unwound.h).
 */
#ifndef EMIT_LIBRARY_PASSES_H
#define EMIT_LIBRARY_PASSES_H

#include "emit/library/code.h"

/* What is left for these pieces. */
struct passes {
    uint64_t code;  /* bytes of code */
    uint32_t steps; /* bytes of the unwind table */
    uint32_t since; /* bytes of code since %rsp was moved last; to be set by the caller */
    bool calls;
};

/* Takes from `bytes` bytes of code those that the pieces may have, by the `steps` bytes of the unwind table. */
struct passes passes_of(const struct code *c, uint64_t *bytes, uint32_t steps);

/* Sets the next of the pieces, chosen by `r`. False if there is no room for any. */
bool passes_next(struct passes *p, uint64_t r, struct piece *piece);

/* Writes one of them. */
uint8_t *passes_put(const struct code *c, uint8_t *p, uint32_t index, const struct body *b, uint32_t piece);

#endif
