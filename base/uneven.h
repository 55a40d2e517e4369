/* How unlike the units of a library are in size. Sizes of real compilation units are about lognormal: half of them are
 * far below the mean, and a few have much of all. One number measures that: the size of the unit that an average byte
 * is in, divided by the mean size of units, n * sum(x^2) / sum(x)^2. It is 1 where all units are alike.
 *
 * Weights are powers of one base. Their exponents are distributed like the number of heads in 16 tosses, which is about
 * normal, so that weights are about lognormal. The units of a library have the quantiles of this distribution, in an
 * order drawn at random. So few units, too, are as unlike as is wanted. */
#ifndef BASE_UNEVEN_H
#define BASE_UNEVEN_H

#include <stdint.h>

enum {
    UNEVEN_LEVELS = 17,
    UNEVEN_ONE = 100, /* the measure in hundredths for units of one size */
};

struct uneven {
    uint64_t key;
    uint32_t count;                 /* number of units; 0: weights are of about one size */
    uint32_t nearer;                /* by how much weights of one level are nearer to their mean than usual */
    uint32_t until[UNEVEN_LEVELS];  /* rank behind the last unit of each level */
    uint64_t weight[UNEVEN_LEVELS]; /* weight of a unit of each level */
};

/* Weights for `count` units that are `wanted` hundredths unlike (UNEVEN_ONE: of one size), as far as so few can be.
 * `key` draws their order. */
struct uneven uneven_make(uint32_t count, uint32_t wanted, uint64_t key);

/* The weight of a unit: at least 1, less than 2^40. */
uint64_t uneven_weight(const struct uneven *u, uint32_t unit);

/* Sums that tell how unlike units of given sizes are; starts zeroed. */
struct uneven_sum {
    uint64_t count;
    double bytes, squares;
};

static inline void uneven_add(struct uneven_sum *s, uint64_t bytes)
{
    s->count++;
    s->bytes += (double)bytes;
    s->squares += (double)bytes * (double)bytes;
}

static inline void uneven_remove(struct uneven_sum *s, uint64_t bytes)
{
    s->count--;
    s->bytes -= (double)bytes;
    s->squares -= (double)bytes * (double)bytes;
}

/* In hundredths; 0 where there are no units. */
static inline uint64_t uneven_hundredths(const struct uneven_sum *s)
{
    return s->bytes > 0 ? (uint64_t)(UNEVEN_ONE * ((double)s->count / s->bytes) * (s->squares / s->bytes) + 0.5) : 0;
}

#endif
