/* Code that repeats itself as far as a row's `zstd: text` says. The code of a small library of C hardly repeats itself;
 * that of templates for many types is nearly all the same.
 *
 * Three steps make code more alike, in this order. More and more blocks have the same constants wherever they are. Then
 * functions differ in fewer bytes, and small functions of the same size in none. Then fewer and fewer different blocks
 * are used. If code is to repeat itself less than blocks do, as vectorised code of solvers does, instructions that
 * occur nowhere else stand in place of some blocks.
 */
#ifndef EMIT_PLAN_ALIKE_H
#define EMIT_PLAN_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

enum { ALIKE_STEP_MOST = 7 };

struct alike_code {
    uint8_t constants; /* out of 256 blocks, how many have the same constants wherever they are (code.c) */
    uint8_t step;      /* of the blocks, by size, every 2^step-th is used; 0 unless all constants are the same */
    uint8_t wild;      /* out of 256 blocks, how many are other instructions; 0 unless `constants` is 0 */
};

static inline bool alike_is_most(struct alike_code a)
{
    return a.constants == UINT8_MAX;
}

/* About how many of 1,000 bytes zstd -3 leaves of `code` bytes of such code. */
uint32_t alike_packed(struct alike_code a, uint64_t code);

/* How alike code has to be so that zstd -3 leaves `packed` of 1,000 bytes. With `all_blocks` the code consists of all
 * blocks and nothing else, so that only constants can make it more or less alike. */
struct alike_code alike_for(uint64_t code, uint32_t packed, bool all_blocks);

#endif
