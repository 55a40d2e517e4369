/* How far into its header each unit goes; see unit.h. */
#include "base/shares.h"
#include "dwarf/unit/unit_sizes.h"

/* What has been chosen so far for the units. */
struct spread {
    struct debug *d;
    struct names_bound *names;         /* or NULL: .debug_names is not reckoned with */
    uint32_t included[CORPUS_HEADERS]; /* for each header, the last cut that any unit goes to */
};

/* Bytes of type units that the library gets when a unit goes to `cut` of a header and no unit has gone further than
 * `before`. Where there are type units, a unit includes one header only. */
static uint64_t types_between(const struct debug *d, uint32_t header, uint32_t before, uint32_t cut)
{
    return d->corpus->dialect.type_units && cut > before ? types_until(d, header, cut) - types_until(d, header, before)
                                                         : 0;
}

/* Bytes by which unit `i`, type units and .debug_names grow when the unit goes on to `cut`. */
static uint64_t include_cost(const struct spread *s, uint32_t i, uint32_t cut)
{
    const struct debug_unit *u = &s->d->unit[i];
    const struct corpus_cut *cuts = unit_last_header(s->d, u)->cut;
    uint64_t cost = cuts[cut].entries - cuts[u->cut].entries;
    cost += types_between(s->d, u->header, s->included[u->header], cut);
    if (s->names) {
        const struct index_counts then = names_bound_at(s->names, s->d, i, cut);
        cost += index_counted_most(&then) - index_counted_most(&s->names->counts);
    }
    return cost;
}

/* How many cuts of a header the limit allows. */
static uint32_t cuts_until(const struct corpus *c, const struct corpus_header *h, const struct header_limit *limit)
{
    const struct corpus_header *first = &c->header[limit->from];
    uint32_t low = 0;
    uint32_t high = h->cuts;
    if (h < first || limit->cut >= first->cuts)
        return h->cuts;
    if (h == first)
        return limit->cut + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (h->cut[middle].names <= first->cut[limit->cut].names)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Gives unit `i` as many pieces of its last header as fit into `bytes`; returns what they took. */
static uint64_t include_header(struct spread *s, uint32_t i, uint64_t bytes, const struct header_limit *limit)
{
    struct debug_unit *u = &s->d->unit[i];
    const struct corpus_header *h = unit_last_header(s->d, u);
    uint32_t low = u->cut;
    uint32_t high = cuts_until(s->d->corpus, h, limit);
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (include_cost(s, i, middle) <= bytes)
            low = middle;
        else
            high = middle;
    }
    uint64_t cost = include_cost(s, i, low);
    if (s->names)
        names_bound_go(s->names, s->d, i, low);
    if (low > s->included[u->header])
        s->included[u->header] = low;
    u->info_size += h->cut[low].entries - h->cut[u->cut].entries;
    u->cut = low;
    return cost;
}

/* The same with as many headers as `bytes` bytes take, where units may include several. */
static uint64_t include(struct spread *s, uint32_t i, uint64_t bytes, const struct header_limit *limit)
{
    const struct debug *d = s->d;
    struct debug_unit *u = &s->d->unit[i];
    uint64_t cost = include_header(s, i, bytes, limit);
    while (d->several && (limit->from || !header_limit_any(limit)) && u->cut + 1 == unit_last_header(d, u)->cuts &&
           u->wholes + 1 < headers_from(d, u->header) + headers_further(d)) {
        u->wholes++;
        u->cut = 0;
        cost += include_header(s, i, bytes - cost, limit);
    }
    return cost;
}

uint64_t unit_pieces_size(const struct debug *d, const struct debug_unit *u)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i <= u->wholes; i++)
        size += unit_cut(d, u, i)->entries - d->corpus->fixed;
    return size;
}

/* Weights of units that are `beyond` hundredths more unlike than units of one size. */
static struct uneven beyond_one(const struct debug *d, uint32_t units, double beyond)
{
    return uneven_make(units, beyond < INT32_MAX ? UNEVEN_ONE + (uint32_t)beyond : INT32_MAX, d->variety);
}

void debug_choose_sizes(struct debug *d, uint32_t units, uint64_t uneven, unsigned even)
{
    const double frames = (double)units * (double)(unit_frame(d->corpus) + d->corpus->fixed);
    const double all = (double)d->wanted[DEBUG_INFO];
    const bool fits = d->wanted[DEBUG_INFO] != DEBUG_ANY && frames < all;
    const double rest = fits ? 1 - frames / all : 1;
    const double beyond = uneven > UNEVEN_ONE ? (double)(uneven - UNEVEN_ONE) / (rest * rest) : 0;
    d->uneven = beyond_one(d, units, beyond);
    d->code_uneven = beyond_one(d, units, beyond / (1 << even));
}

/* What all units are to have together beyond their frames and fixed parts, if they get `rest` bytes more; to be shared
 * by their weights. */
static struct shares unit_sizes(const struct debug *d, uint64_t rest)
{
    struct shares sizes = {.sum = rest};
    for (uint32_t i = 0; i < d->unit_count; i++) {
        sizes.sum += d->unit[i].info_size - unit_frame(d->corpus) - d->corpus->fixed;
        sizes.weights += uneven_weight(&d->uneven, i);
    }
    return sizes;
}

/* The weight by which unit `i`, the next, gets further bytes. Where units are to be unlike in size, that is what the
 * unit lacks of its share in *sizes; elsewhere it is the weight of the unit. */
static uint64_t unit_lacks(const struct debug *d, struct shares *sizes, uint32_t i)
{
    const uint64_t weight = uneven_weight(&d->uneven, i);
    if (!d->uneven.count)
        return weight;
    const uint64_t size = unit_frame(d->corpus) + d->corpus->fixed + shares_next(sizes, weight);
    return size > d->unit[i].info_size ? size - d->unit[i].info_size : 0;
}

/* Divides `rest` bytes among units. No weights: no unit is to get any. */
static struct shares unit_shares(const struct debug *d, uint64_t rest)
{
    struct shares shares = {.sum = rest};
    struct shares sizes = unit_sizes(d, rest);
    for (uint32_t i = 0; i < d->unit_count; i++)
        shares.weights += unit_lacks(d, &sizes, i);
    return shares;
}

uint64_t unit_largest_share(const struct debug *d, uint64_t rest)
{
    struct shares shares = unit_shares(d, rest);
    struct shares sizes = unit_sizes(d, rest);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < d->unit_count && shares.weights; i++) {
        const uint64_t share = shares_next(&shares, unit_lacks(d, &sizes, i));
        largest = share > largest ? share : largest;
    }
    return largest;
}

uint64_t unit_spread(struct debug *d, struct names_bound *names, uint64_t rest, const struct header_limit *limit)
{
    struct spread s = {.d = d, .names = names};
    struct shares shares = unit_shares(d, rest);
    if (!shares.weights)
        return rest;
    struct shares given = unit_sizes(d, rest);
    uint64_t carry = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        carry += shares_next(&shares, unit_lacks(d, &given, i));
        carry -= include(&s, i, carry, limit);
    }
    for (uint32_t i = 0; i < d->unit_count && carry; i++)
        carry -= include(&s, i, carry, limit);
    return carry;
}

void unit_share_spare(struct debug *d, uint64_t bytes)
{
    enum { ALL = 1 << 20 };
    const struct shares shares = unit_shares(d, bytes);
    const bool is_uneven = d->uneven.count && shares.weights;
    struct shares sizes = unit_sizes(d, bytes);
    uint64_t until = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        until += is_uneven ? unit_lacks(d, &sizes, i) : 1;
        d->unit[i].spare_until = (uint32_t)(is_uneven ? until * ALL / shares.weights : until);
    }
}

void unit_drop_pieces(struct debug *d)
{
    for (uint32_t i = 0; i < d->unit_count; i++) {
        struct debug_unit *u = &d->unit[i];
        u->info_size -= unit_pieces_size(d, u);
        u->cut = u->wholes = 0;
    }
}

/* The furthest cut to which the other units go in the header of `unit`. */
static uint32_t others_cut(const struct debug *d, uint32_t unit)
{
    uint32_t cut = 0;
    for (uint32_t i = 0; i < d->unit_count; i++)
        if (i != unit && d->unit[i].header == d->unit[unit].header && d->unit[i].cut > cut)
            cut = d->unit[i].cut;
    return cut;
}

uint64_t unit_take_back(struct debug *d)
{
    for (uint32_t i = d->unit_count; i-- > 0;) {
        struct debug_unit *u = &d->unit[i];
        if (!u->cut && u->wholes) {
            u->wholes--;
            u->cut = unit_last_header(d, u)->cuts - 1;
        }
        if (!u->cut)
            continue;
        const struct corpus_cut *cut = &unit_last_header(d, u)->cut[u->cut];
        u->cut--;
        uint64_t bytes = cut[0].entries - cut[-1].entries;
        u->info_size -= bytes;
        uint32_t others = others_cut(d, i);
        return bytes + types_between(d, u->header, others > u->cut ? others : u->cut, u->cut + 1);
    }
    return 0;
}

uint64_t unit_types(const struct debug *d)
{
    uint32_t included[CORPUS_HEADERS] = {0};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d->unit_count && d->corpus->dialect.type_units; i++) {
        const struct debug_unit *u = &d->unit[i];
        bytes += types_between(d, u->header, included[u->header], u->cut);
        if (u->cut > included[u->header])
            included[u->header] = u->cut;
    }
    return bytes;
}

uint64_t unit_type_units(const struct debug *d)
{
    uint32_t included[CORPUS_HEADERS] = {0};
    uint64_t count = 0;
    for (uint32_t i = 0; i < d->unit_count && d->corpus->dialect.type_units; i++) {
        const struct debug_unit *u = &d->unit[i];
        const struct corpus_cut *cut = d->corpus->header[u->header].cut;
        if (u->cut <= included[u->header])
            continue;
        count += cut[u->cut].type_units - cut[included[u->header]].type_units;
        included[u->header] = u->cut;
    }
    return count;
}
