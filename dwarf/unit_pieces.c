/* How far into its header each unit goes; see unit.h. */
#include "base/random.h"
#include "dwarf/unit_sizes.h"

/* What unit `i` and .debug_names, if it is reckoned with (not NULL), take when it goes
 * on to `cut`. */
static uint64_t include_cost(const struct debug *d, const struct names_bound *names, uint32_t i, uint32_t cut)
{
    const struct debug_unit *u = &d->unit[i];
    const struct corpus_cut *cuts = d->corpus->header[u->header].cut;
    uint64_t cost = cuts[cut].entries - cuts[u->cut].entries;
    if (names) {
        const struct index_counts then = names_bound_at(names, d, i, cut);
        cost += index_counted_most(&then) - index_counted_most(&names->counts);
    }
    return cost;
}

/* Gives unit `i` as many pieces as fit into `bytes`; returns what they took. */
static uint64_t include(struct debug *d, struct names_bound *names, uint32_t i, uint64_t bytes, uint32_t last_cut)
{
    struct debug_unit *u = &d->unit[i];
    const struct corpus_header *h = &d->corpus->header[u->header];
    uint32_t low = u->cut;
    uint32_t high = last_cut < h->cuts ? last_cut + 1 : h->cuts;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (include_cost(d, names, i, middle) <= bytes)
            low = middle;
        else
            high = middle;
    }
    uint64_t cost = include_cost(d, names, i, low);
    if (names)
        names_bound_go(names, d, i, low);
    u->info_size += h->cut[low].entries - h->cut[u->cut].entries;
    u->cut = low;
    return cost;
}

uint64_t unit_spread(struct debug *d, struct names_bound *names, uint64_t rest, uint32_t last_cut)
{
    uint64_t weights = 0;
    for (uint32_t i = 0; i < d->unit_count; i++)
        weights += 64 + (random_at(d->variety, i) & 127);
    uint64_t carry = 0;
    uint64_t given = 0;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        seen += 64 + (random_at(d->variety, i) & 127);
        uint64_t until = (uint64_t)((unsigned __int128)rest * seen / weights);
        carry += until - given;
        given = until;
        carry -= include(d, names, i, carry, last_cut);
    }
    for (uint32_t i = 0; i < d->unit_count && carry; i++)
        carry -= include(d, names, i, carry, last_cut);
    return carry;
}

uint64_t unit_take_back(struct debug *d)
{
    for (uint32_t i = d->unit_count; i-- > 0;) {
        struct debug_unit *u = &d->unit[i];
        if (!u->cut)
            continue;
        const struct corpus_cut *cut = &d->corpus->header[u->header].cut[u->cut--];
        uint64_t bytes = cut[0].entries - cut[-1].entries;
        u->info_size -= bytes;
        return bytes;
    }
    return 0;
}
