/* Sorting by a number, and by a key where the numbers are equal: the order does not depend on how qsort works. */
#ifndef EMIT_PLAN_RANKED_H
#define EMIT_PLAN_RANKED_H

#include <stddef.h>
#include <stdint.h>

struct ranked {
    uint32_t value, place;
    uint64_t key;
};

/* Sorts in ascending order, by value, then key, then place. */
void ranked_sort(struct ranked *ranked, size_t count);

#endif
