/* Divides a sum in proportion to weights. The running total is rounded, and not each share, so the shares add up to the
 * sum exactly. */
#ifndef BASE_SHARES_H
#define BASE_SHARES_H

#include <stdint.h>

struct shares {
    uint64_t sum;     /* what is divided */
    uint64_t weights; /* sum of all weights, not 0 */
    uint64_t seen;    /* sum of the weights that have had their share; 0 at first */
    uint64_t given;   /* sum of the shares given so far; 0 at first */
};

/* The share of the next one. */
static inline uint64_t shares_next(struct shares *s, uint64_t weight)
{
    s->seen += weight;
    const uint64_t until = (uint64_t)((unsigned __int128)s->sum * s->seen / s->weights);
    const uint64_t share = until - s->given;
    s->given = until;
    return share;
}

#endif
