/* Randomness that is a function of its purpose.
 *
 * Every choice is hash(seed, library, purpose, index). Nothing is chained from one library to the next, so any library
 * can be made alone, in any order and on any thread, with the same bytes. The mixer is the finaliser of SplitMix64
 * (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>
#include <string.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t random_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The value that belongs to `index` under `key`. */
static inline uint64_t random_at(uint64_t key, uint64_t index)
{
    return random_mix(key + (index + 1) * RANDOM_STEP);
}

/* A stream, for callers that need many values in a row. */
struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *r)
{
    return random_mix(r->state += RANDOM_STEP);
}

/* Maps the upper half of `value` to [0, n). n is at most 2^32. */
static inline uint32_t random_below(uint64_t value, uint64_t n)
{
    return (uint32_t)(((value >> 32) * n) >> 32);
}

/* Shuffles `count` items of `size` bytes, at most 8 (Fisher and Yates). Inline, so that the size is a constant. */
static inline void random_shuffle(void *items, uint32_t count, size_t size, uint64_t key)
{
    uint8_t *const item = items;
    for (uint32_t i = count; i > 1; i--) {
        uint8_t *const last = item + size * (i - 1);
        uint8_t *const other = item + size * random_below(random_at(key, i), i);
        uint64_t kept;
        memcpy(&kept, last, size);
        memmove(last, other, size);
        memcpy(other, &kept, size);
    }
}

#endif
