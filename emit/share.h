/* Which of many things each of several ranks does, so that all have about as many bytes to write or to read.
 *
 * Every rank finds the same, from the weights alone: the heaviest goes first, each to the rank that has the least so
 * far (longest processing time first), which is at most a third above the best that there can be, where the first rank
 * has nothing to do besides.
 */
#ifndef EMIT_SHARE_H
#define EMIT_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct share {
    uint32_t *item; /* ascending */
    uint32_t count;
};

/* What rank `rank` of `ranks` does of `count` items. The first rank has `first` bytes to do besides; an item that
 * weighs SHARE_FIRST is its own in any case. False when memory ran out. Free with share_free. */
#define SHARE_FIRST UINT64_MAX
bool share_make(struct share *s, const uint64_t *weight, uint32_t count, uint64_t first, int rank, int ranks);

/* Takes an empty one. */
void share_free(struct share *s);

#endif
