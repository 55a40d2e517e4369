/* Which names of dynamic symbols are the ends of others, as linkers let them be: where lengths as the row says come to
 * more than its .dynstr has; see plan_rows_exported.c.
 *
 * The names of a library are in two halves by their lengths, and each of the shorter ones can be the end of one that
 * stands as far up in the longer half. As many are, evenly over all lengths, as there are bytes missing.
 */
#include <stdlib.h>

#include "emit/names_row.h"
#include "emit/plan_rows_lengths.h"

/* Lengths in ascending order, and those that are ends. */
struct halves {
    uint32_t *length;
    uint32_t count, pairs; /* of pairs there can be so many */
    uint32_t least;        /* characters of a name that can be an end */
};

static uint32_t half_of(const struct halves *h)
{
    return h->count / 2;
}

/* Which of the shorter ones is the end at `number` of `ends`, and the one that ends so. */
static uint32_t shorter_at(const struct halves *h, uint32_t number, uint32_t ends)
{
    return (uint32_t)((2 * (uint64_t)number + 1) * half_of(h) / (2 * (uint64_t)ends));
}

static uint32_t longer_at(const struct halves *h, uint32_t shorter)
{
    return shorter + h->count - half_of(h);
}

static bool is_pair(const struct halves *h, uint32_t shorter)
{
    return h->length[shorter] >= h->least && h->length[longer_at(h, shorter)] > h->length[shorter];
}

/* Bytes that so many save, as far as they can be ends. */
static uint64_t saved_by(const struct halves *h, uint32_t ends)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < ends; i++) {
        const uint32_t shorter = shorter_at(h, i, ends);
        bytes += is_pair(h, shorter) ? h->length[shorter] + UINT64_C(1) : 0;
    }
    return bytes;
}

/* The most that save no more than that. */
static uint32_t choose_count(const struct halves *h, uint64_t over)
{
    uint32_t low = 0;
    uint32_t high = h->pairs;
    while (low < high) {
        const uint32_t ends = low + (high - low + 1) / 2;
        if (saved_by(h, ends) <= over)
            low = ends;
        else
            high = ends - 1;
    }
    return low;
}

/* Takes the pairs out of the lengths, into `longer` and `shorter`, which have room for `ends`; returns how many. */
static uint32_t take_pairs(struct halves *h, uint32_t ends, uint16_t *longer, uint16_t *shorter)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < ends; i++) {
        const uint32_t at = shorter_at(h, i, ends);
        if (!is_pair(h, at))
            continue;
        shorter[pairs] = (uint16_t)h->length[at];
        longer[pairs++] = (uint16_t)h->length[longer_at(h, at)];
        h->length[at] = h->length[longer_at(h, at)] = 0;
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < h->count; i++)
        if (h->length[i])
            h->length[left++] = h->length[i];
    h->count = left;
    return pairs;
}

/* Which pair stands where follows from no length. */
static void shuffle_pairs(uint16_t *longer, uint16_t *shorter, uint32_t pairs, uint64_t key)
{
    lengths_shuffle(longer, pairs, key);
    lengths_shuffle(shorter, pairs, key);
}

bool lengths_share_ends(struct plan_library *l, uint32_t *length, uint32_t *count, uint64_t over, uint16_t *dealt)
{
    const uint32_t all = *count;
    const uint32_t free_ones = all - (uint32_t)lengths_smaller(l->mangled, all);
    struct halves h = {.length = length, .count = all, .least = names_row_shortest(l, all - 1)};
    h.pairs = (uint32_t)lengths_smaller(half_of(&h), free_ones / 2);
    const uint32_t ends = choose_count(&h, over);
    uint16_t *pair = malloc((2 * (size_t)ends + 1) * sizeof *pair);
    if (!pair)
        return false;
    l->ends = take_pairs(&h, ends, pair, pair + ends);
    l->first_ended = all - 2 * l->ends;
    shuffle_pairs(pair, pair + ends, l->ends, random_at(plan_key(l, PURPOSE_NAMES), UINT64_C(1) << 36));
    for (uint32_t i = 0; i < l->ends; i++) {
        dealt[l->first_ended + i] = pair[i];
        dealt[l->first_ended + l->ends + i] = pair[ends + i];
    }
    *count = h.count;
    free(pair);
    return true;
}
