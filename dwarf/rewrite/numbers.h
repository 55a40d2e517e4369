/* Numbers for keys, from 0 on in the order in which the keys are met. The tables of split debug information are indexed
 * by such numbers. */
#ifndef DWARF_REWRITE_NUMBERS_H
#define DWARF_REWRITE_NUMBERS_H

#include "base/bytes.h"

struct numbers {
    struct bytes keys;  /* uint64_t: the key of each number */
    struct bytes slots; /* uint32_t: a hash table of number + 1, or 0 */
};

static inline uint32_t numbers_count(const struct numbers *n)
{
    return (uint32_t)(n->keys.size / sizeof(uint64_t));
}

static inline uint64_t numbers_key(const struct numbers *n, uint32_t number)
{
    uint64_t key;
    memcpy(&key, n->keys.data + number * sizeof key, sizeof key);
    return key;
}

/* The number of `key`. A key that is met for the first time gets the count so far. 0 when memory ran out, which
 * numbers_failed tells. */
uint32_t numbers_of(struct numbers *n, uint64_t key);
bool numbers_failed(const struct numbers *n);

/* Forgets all keys; keeps the memory. */
void numbers_clear(struct numbers *n);
void numbers_free(struct numbers *n);

#endif
