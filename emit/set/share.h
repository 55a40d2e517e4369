/* Divides many items among several ranks, so that all have about as many bytes to write or to read.
 *
 * Every rank computes the same division, from the weights alone: the heaviest item goes first, each to the rank that
 * has the least so far (longest processing time first). If the first rank has nothing else to do, the largest load is
 * at most a third above the optimum.
 */
#ifndef EMIT_SET_SHARE_H
#define EMIT_SET_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct share {
    uint32_t *item; /* ascending */
    uint32_t count;
};

/* Sets *s to the items, of `count`, that rank `rank` of `ranks` does. Rank 0 has `first` bytes to do besides, and gets
 * all items that weigh SHARE_FIRST. False when memory ran out. Free with share_free. */
#define SHARE_FIRST UINT64_MAX
bool share_make(struct share *s, const uint64_t *weight, uint32_t count, uint64_t first, int rank, int ranks);

/* Accepts an empty share. */
void share_free(struct share *s);

#endif
