/* Sorting things by a number, and where these are the same by a key: in one order, whatever qsort does. */
#ifndef EMIT_RANKED_H
#define EMIT_RANKED_H

#include <stddef.h>
#include <stdint.h>

struct ranked {
    uint32_t value, place;
    uint64_t key;
};

/* Ascending, with the same value and key by place. */
void ranked_sort(struct ranked *ranked, size_t count);

#endif
