/* An open hash table over a list of keys; see numbers.h. */
#include "dwarf/rewrite/numbers.h"

#include "base/random.h"

enum { SLOTS_LEAST = 256 };

static size_t slot_count(const struct numbers *n)
{
    return n->slots.size / sizeof(uint32_t);
}

static uint32_t slot_get(const struct numbers *n, size_t slot)
{
    uint32_t value;
    memcpy(&value, n->slots.data + slot * sizeof value, sizeof value);
    return value;
}

/* The slot of the key, or the empty slot where it belongs. */
static size_t find(const struct numbers *n, uint64_t key)
{
    const size_t mask = slot_count(n) - 1;
    size_t slot = random_mix(key) & mask;
    for (uint32_t value; (value = slot_get(n, slot)) && numbers_key(n, value - 1) != key;)
        slot = (slot + 1) & mask;
    return slot;
}

static void set(struct numbers *n, size_t slot, uint32_t number)
{
    put_u32(n->slots.data + slot * sizeof number, number + 1);
}

/* Doubles the number of slots, or makes the first ones. */
static bool grow(struct numbers *n)
{
    size_t count = slot_count(n) ? 2 * slot_count(n) : SLOTS_LEAST;
    n->slots.size = 0;
    bytes_append(&n->slots, NULL, count * sizeof(uint32_t));
    if (n->slots.failed)
        return false;
    for (uint32_t i = 0; i < numbers_count(n); i++)
        set(n, find(n, numbers_key(n, i)), i);
    return true;
}

uint32_t numbers_of(struct numbers *n, uint64_t key)
{
    const uint32_t count = numbers_count(n);
    if (numbers_failed(n) || (4 * (size_t)count >= 3 * slot_count(n) && !grow(n)))
        return 0;
    size_t slot = find(n, key);
    uint32_t value = slot_get(n, slot);
    if (value)
        return value - 1;
    bytes_u64(&n->keys, key);
    if (n->keys.failed)
        return 0;
    set(n, slot, count);
    return count;
}

bool numbers_failed(const struct numbers *n)
{
    return n->keys.failed || n->slots.failed;
}

void numbers_clear(struct numbers *n)
{
    n->keys.size = 0;
    if (n->slots.size)
        memset(n->slots.data, 0, n->slots.size);
}

void numbers_free(struct numbers *n)
{
    bytes_free(&n->keys);
    bytes_free(&n->slots);
}
