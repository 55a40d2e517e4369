/* The code of cold parts of functions (plan_library.cold): what compilers move away from the rest of a function because
 * it is hardly ever executed. Such code mostly reports errors, so every now and then it passes numbers to a function:
 * one of the library's helpers, if it has these. Between the calls are instructions that do nothing but set %rax. At
 * the end it jumps to where its function returns.
 */
#ifndef EMIT_LIBRARY_COLD_H
#define EMIT_LIBRARY_COLD_H

#include "emit/library/library.h"

/* A piece of a cold part: one instruction, or a call with those that load what it passes. */
enum { COLD_ARGUMENTS_MOST = 6 };
struct cold_piece {
    uint32_t at, size; /* offset in the part, and bytes */
    bool calls;
    uint32_t arguments; /* how many a call passes, in the registers of cold_registers */
    uint64_t value;     /* chooses the rest of it */
};

/* DWARF's numbers of the registers of integer arguments (psABI 3.2.3). */
extern const uint8_t cold_registers[COLD_ARGUMENTS_MOST];

/* The argument number i of a call. */
uint32_t cold_argument(const struct cold_piece *piece, uint32_t i);

/* The number of the helper that cold part i, counted from 0, calls. */
uint32_t cold_helper(const struct library *l, uint32_t i);

/* A walk over the pieces of cold part i. cold_next sets the next piece; false: it is the jump back, the last. */
struct cold_walk {
    uint64_t value;
    uint32_t at, end; /* offsets of the next piece, and of the jump back */
    uint32_t calls;   /* of 256 pieces so many are calls, */
    uint32_t most;    /* with so many arguments at most */
};
struct cold_walk cold_start(const struct library *l, uint32_t i);
bool cold_next(struct cold_walk *w, struct cold_piece *piece);

/* Writes all cold parts, and the padding behind them. */
void cold_write(const struct library *l);

#endif
