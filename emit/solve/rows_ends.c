/* Chooses which names of dynamic symbols are the ends of others, as linkers store them (suffix merging). This is done
 * where names of the row's lengths take more than the row's .dynstr; see rows_exported.c.
 *
 * The library's names are sorted by length and divided into a shorter and a longer half. Each name of the shorter half
 * can be the end of the name at the same place in the longer half. As many are ends as save the missing bytes, spread
 * evenly over all lengths. No name changes its length, so libraries that import it see no difference.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/plan/names_row.h"
#include "emit/plan/ranked.h"
#include "emit/solve/rows_lengths.h"

/* Names that are not mangled, in order of length. */
struct own_names {
    struct ranked *name;
    uint32_t count;
};

/* The name that is end `number` of `ends`; below, the longer name that ends with it. */
static const struct ranked *shorter_at(const struct own_names *n, uint32_t number, uint32_t ends)
{
    return &n->name[(2 * (uint64_t)number + 1) * (n->count / 2) / (2 * (uint64_t)ends)];
}

static const struct ranked *longer_than(const struct own_names *n, const struct ranked *shorter)
{
    return shorter + (n->count - n->count / 2);
}

/* Bytes that `ends` ends save. Only those count whose partner is longer. */
static uint64_t saved_by(const struct own_names *n, uint32_t ends)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < ends; i++) {
        const struct ranked *shorter = shorter_at(n, i, ends);
        bytes += longer_than(n, shorter)->value > shorter->value ? shorter->value + UINT64_C(1) : 0;
    }
    return bytes;
}

/* The largest number of ends that saves no more than `over` bytes. */
static uint32_t choose_count(const struct own_names *n, uint64_t over)
{
    uint32_t low = 0;
    uint32_t high = n->count / 2;
    while (low < high) {
        const uint32_t ends = low + (high - low + 1) / 2;
        if (saved_by(n, ends) <= over)
            low = ends;
        else
            high = ends - 1;
    }
    return low;
}

static void set_ends(struct plan_library *l, const struct own_names *n, uint32_t ends)
{
    for (uint32_t i = 0; i < ends; i++) {
        const struct ranked *shorter = shorter_at(n, i, ends);
        const struct ranked *longer = longer_than(n, shorter);
        if (longer->value <= shorter->value)
            continue;
        l->names.end[longer->place] = shorter->place + 1;
        l->names.end[shorter->place] = (uint32_t)NAMES_ROW_IS_END;
        l->names.ends++;
    }
}

uint64_t lengths_of_ends(const struct plan_library *l, const uint32_t *length, uint32_t count)
{
    const uint32_t own = count - (uint32_t)lengths_smaller(l->names.mangled, count);
    return lengths_sum(length, own / 2) + own / 2;
}

bool lengths_share_ends(struct plan_library *l, uint64_t over)
{
    const uint32_t all = l->exported + names_row_others(l);
    const uint64_t key = random_at(plan_key(l, PURPOSE_NAMES), UINT64_C(1) << 36);
    struct own_names n = {.name = malloc((all + (size_t)1) * sizeof *n.name)};
    uint32_t *end = realloc(l->names.end, (all + (size_t)1) * sizeof *end);
    if (end)
        l->names.end = end;
    if (n.name && end) {
        memset(end, 0, all * sizeof *end);
        l->names.ended = all;
        l->names.ends = 0;
        for (uint32_t i = (uint32_t)lengths_smaller(l->names.mangled, all); i < all; i++)
            n.name[n.count++] = (struct ranked){names_row_place_length(l, i), i, random_at(key, i)};
        ranked_sort(n.name, n.count);
        set_ends(l, &n, choose_count(&n, over));
    }
    free(n.name);
    return n.name && end;
}
