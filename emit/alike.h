/* Code that repeats itself as far as a row's `zstd: text` says: that of a small library of C hardly does, that of
 * templates for many types is nearly all the same.
 *
 * First more and more blocks have the same constants wherever they are; then functions differ in fewer bytes, small
 * ones of the same size in none; then fewer and fewer different blocks are used. Where code is to repeat itself less
 * than blocks do, as vectorised code of solvers does, instructions that are nowhere else stand in place of some.
 */
#ifndef EMIT_ALIKE_H
#define EMIT_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

enum { ALIKE_STEP_MOST = 7 };

struct alike_code {
    uint8_t constants; /* out of 256 blocks, how many have the same constants wherever they are (code.c) */
    uint8_t step;      /* of the blocks, by size, every 2^step-th is used; 0 unless all constants are the same */
    uint8_t wild;      /* out of 256 blocks, in place of how many others stand; 0 unless no constants are the same */
};

static inline bool alike_is_most(struct alike_code a)
{
    return a.constants == UINT8_MAX;
}

/* How many of 1,000 bytes zstd -3 leaves of so many bytes of code, about. */
uint32_t alike_packed(struct alike_code a, uint64_t code);

/* How alike code has to be for so many to be left. Where it is to be of `all_blocks` and of nothing else, no less and
 * no more than constants make of it. */
struct alike_code alike_for(uint64_t code, uint32_t packed, bool all_blocks);

#endif
