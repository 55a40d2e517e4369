/* How many spare types there are; see spare.h. */
#include "dwarf/unit/spare.h"

#include <assert.h>
#include <string.h>

#include "base/apart.h"
#include "dwarf/unit/spare_kinds.h"
#include "dwarf/unit/unit_sizes.h"

enum {
    SHORTS_LEAST = 4, /* declarations with own names that types leave room for at first */
    EXTRA_USUAL = 12, /* characters of these names beyond the shortest, if that is free */
    EXTRA_MOST = 40,  /* the same at most, as a rule */
    /* For attributes there are at most *_LEAST and one in *_PART of all entries: */
    FEW_LEAST = 24, /* of the sorts that should be few */
    FEW_PART = 128,
    NAMED_LEAST = 64, /* declarations beyond those that there would be */
    NAMED_PART = 256,
    SORT_LEAST = 1024, /* entries of each other sort */
    SORT_PART = 32
};

/* Bytes and entries of the pieces that a unit includes. */
static struct spare_item pieces_of(const struct debug *d, const struct debug_unit *u)
{
    struct spare_item sum = {.bytes = unit_pieces_size(d, u)};
    for (uint32_t i = 0; i <= u->wholes; i++)
        sum.dies += unit_cut(d, u, i)->dies;
    return sum;
}

static struct spare_item all_pieces(const struct debug *d)
{
    struct spare_item sum = {0};
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct spare_item of = pieces_of(d, &d->unit[i]);
        sum.bytes += of.bytes;
        sum.dies += of.dies;
    }
    return sum;
}

uint64_t spare_dies(const struct debug *d)
{
    enum { PRELUDE = 4, PRELUDE_4 = 3 }; /* entries that a unit of data has more */
    const struct corpus *c = d->corpus;
    const struct spare_mix m = spare_mix_of(d);
    uint64_t count = d->composed->dies + partial_dies(d) + named_tail(d) + d->shorts + all_pieces(d).dies +
                     spare_sum_of(&m, &d->spare).dies + d->unit_count * (1 + partial_fixed_dies(d));
    for (uint32_t i = 0; i < d->unit_count; i++)
        count += unit_has_code(&d->unit[i]) ? 0 : c->dialect.lines ? 1 : dialect_is_4(c->dialect) ? PRELUDE_4 : PRELUDE;
    return count;
}

/* How many bytes of pieces items like `for_each` have to replace, so that there are `change` entries more, or fewer. */
static uint64_t bytes_for(uint64_t change, struct spare_item pieces, struct spare_item for_each)
{
    const double now = (double)pieces.dies / (double)pieces.bytes;
    const double then = (double)for_each.dies / (double)for_each.bytes;
    const double bytes = (double)change / (then > now ? then - now : now - then);
    return bytes < (double)pieces.bytes ? (uint64_t)bytes : pieces.bytes;
}

uint64_t spare_instead(const struct debug *d, uint64_t left)
{
    enum { MOST = 9, PARTS = 16 }; /* at most 9/16 of the pieces are given up */
    const bool cpp = d->corpus->dialect.language == DWARF_CPP;
    const struct spare_mix m = spare_mix_of(d);
    const struct spare_item p = all_pieces(d);
    const struct spare_item dense = spare_dense_until(&m, SPARE_DENSE_TURN);
    const struct spare_item longest = {m.shortest.bytes + EXTRA_MOST, 1, m.shortest.attributes};
    if (!d->dies_wanted || !m.has_dense || !p.bytes)
        return 0;
    const uint64_t others = spare_dies(d);
    const uint64_t shorts = SHORTS_LEAST * (m.shortest.bytes + EXTRA_USUAL) + dense.bytes;
    const uint64_t most = others + (left > shorts ? (left - shorts) * dense.dies / dense.bytes : 0);
    const uint64_t least = others + (left + longest.bytes - 1) / longest.bytes;
    const bool names_count = !d->corpus->dialect.clang; /* there they will not be in the entries */
    uint64_t bytes = 0;
    if (d->dies_wanted > most && !cpp && p.dies * dense.bytes < p.bytes * dense.dies) /* in C++ tags would suffer */
        bytes = bytes_for(d->dies_wanted - most, p, dense) + (left < shorts ? shorts : 0);
    else if (names_count && d->dies_wanted < least && p.dies * longest.bytes > p.bytes * longest.dies)
        bytes = bytes_for(least - d->dies_wanted, p, longest) + m.shortest.bytes;
    const uint64_t limit = p.bytes / PARTS * MOST;
    return bytes < limit ? bytes : limit;
}

/* As many types as take what `shorts` declarations leave of `all`. Where entries have to be longer than those of
 * rounds, more is left to declarations. */
static struct debug_spare types_among(const struct spare_mix *m, struct spare_item all, uint64_t shorts)
{
    const uint64_t each = m->shortest.bytes + EXTRA_USUAL;
    const struct spare_item one = m->rounds; /* SPARE_ROUND_ONE of them */
    if (!one.dies || all.bytes < shorts * each || all.dies < shorts)
        return (struct debug_spare){0};
    const struct spare_item rest = {.bytes = all.bytes - shorts * each, .dies = all.dies - shorts};
    if (rest.bytes * one.dies >= rest.dies * one.bytes) { /* entries are longer than those of rounds */
        const uint64_t most = rest.dies * each > rest.bytes ? rest.dies * each - rest.bytes : 0;
        assert(one.dies * each > one.bytes);
        return (struct debug_spare){.rounds = most * SPARE_ROUND_ONE / (one.dies * each - one.bytes)};
    }
    const uint64_t lack = rest.dies * one.bytes - rest.bytes * one.dies;
    const struct spare_item many = spare_dense_until(m, SPARE_DENSE_TURN);
    const bool helps = m->has_dense && many.dies * one.bytes > many.bytes * one.dies;
    const uint64_t gain = helps ? many.dies * one.bytes - many.bytes * one.dies : 1;
    const uint64_t most = helps ? rest.bytes * SPARE_DENSE_TURN / many.bytes : 0;
    const uint64_t dense = lack / gain < most / SPARE_DENSE_TURN ? lack * SPARE_DENSE_TURN / gain : most;
    const uint64_t rounds = (rest.bytes - dense * many.bytes / SPARE_DENSE_TURN) * SPARE_ROUND_ONE / one.bytes;
    return (struct debug_spare){.rounds = rounds, .dense = dense};
}

/* Types, and how many declarations take what they leave. */
struct choice {
    struct debug_spare types;
    uint64_t shorts;
    uint64_t off; /* how far entries are from the wanted number; UINT64_MAX: types leave no declaration room */
};

/* The choice of these types. Of declarations there are as many as `all` says or, where these cannot take the bytes that
 * are left, the nearest number that can. */
static struct choice choice_of(const struct spare_mix *m, struct debug_spare types, struct spare_item all)
{
    const struct spare_item sum = spare_sum_of(m, &types);
    if (sum.bytes + m->shortest.bytes > all.bytes)
        return (struct choice){.off = UINT64_MAX};
    const uint64_t bytes = all.bytes - sum.bytes;
    const uint64_t dies = all.dies > sum.dies ? all.dies - sum.dies : 1;
    const uint64_t least = (bytes + m->shortest.bytes + EXTRA_MOST - 1) / (m->shortest.bytes + EXTRA_MOST);
    const uint64_t most = bytes / m->shortest.bytes;
    const uint64_t shorts = dies < least ? least : dies < most ? dies : most;
    return (struct choice){types, shorts, shorts == dies ? 0 : apart(sum.dies + shorts, all.dies)};
}

static void take_nearer(struct choice *best, struct choice now)
{
    if (now.off < best->off)
        *best = now;
}

/* Takes the nearest of choices with a few dense items more than `dense`; rounds take what these leave of `bytes`. */
static void take_denser(const struct spare_mix *m, struct spare_item all, uint64_t bytes, uint64_t dense,
                        struct choice *best)
{
    enum { MORE = 2 * SPARE_DENSE_TURN };
    for (unsigned more = 1; more <= MORE && best->off; more++) {
        const uint64_t taken = spare_dense_until(m, dense + more).bytes;
        if (taken > bytes)
            break;
        const uint64_t rounds = (bytes - taken) * SPARE_ROUND_ONE / m->rounds.bytes;
        take_nearer(best, choice_of(m, (struct debug_spare){.rounds = rounds, .dense = dense + more}, all));
    }
}

/* The nearest choice of several: with more and more declarations reserved, and a few more dense items each time. */
static struct choice choose(const struct spare_mix *m, struct spare_item all)
{
    enum { TRIES = 4 };
    struct choice best = {.off = UINT64_MAX};
    for (unsigned i = 0; i < TRIES && best.off; i++) {
        const uint64_t shorts = (uint64_t)SHORTS_LEAST << i;
        const uint64_t reserved = shorts * (m->shortest.bytes + EXTRA_USUAL);
        const struct debug_spare types = types_among(m, all, shorts);
        take_nearer(&best, choice_of(m, types, all));
        if (types.dense) /* then all has room for what is reserved */
            take_denser(m, all, all.bytes - reserved, types.dense, &best);
    }
    assert(best.off != UINT64_MAX); /* types leave room for the reserved declarations */
    return best;
}

static struct spare_item rounds_until(const void *mix, uint64_t rounds)
{
    return spare_rounds_until(mix, rounds);
}

/* Replaces the choice by one of the same bytes and entries with this many attributes; false if there is none. */
static bool fit_attributes(struct debug *d, struct spare_wanted *wanted, uint64_t attributes)
{
    struct spare_fitted fitted;
    wanted->all.attributes = attributes;
    if (!spare_fit(wanted, &fitted))
        return false;
    d->spare = (struct debug_spare){.rounds = fitted.rounds};
    memcpy(d->spare.sort, fitted.sort, sizeof d->spare.sort);
    d->shorts = (uint32_t)fitted.named;
    d->shorts_extra = fitted.extra;
    return true;
}

/* Replaces the choice by one of the same bytes and entries whose attributes are the nearest to the wanted ones that
 * bisection finds. Returns how many they are off. */
static uint64_t follow_attributes(struct debug *d, const struct spare_mix *m, struct spare_item all)
{
    struct spare_wanted wanted = {.all = all,
                                  .named = m->shortest,
                                  .usual = EXTRA_USUAL,
                                  .most = EXTRA_MOST,
                                  .few_most = FEW_LEAST + d->dies_wanted / FEW_PART,
                                  .named_most = d->shorts + NAMED_LEAST + d->dies_wanted / NAMED_PART,
                                  .sort_most = SORT_LEAST + d->dies_wanted / SORT_PART,
                                  .rounds = rounds_until,
                                  .context = m,
                                  .rounds_most = m->rounds.bytes ? all.bytes * SPARE_ROUND_ONE / m->rounds.bytes : 0};
    uint64_t near = spare_sum_of(m, &d->spare).attributes + d->shorts * m->shortest.attributes;
    uint64_t far = all.attributes;
    memcpy(wanted.sort, m->sort, sizeof wanted.sort);
    if (near == far || fit_attributes(d, &wanted, far))
        return 0;
    while (near + 1 < far || far + 1 < near) {
        const uint64_t middle = near / 2 + far / 2 + (near % 2 + far % 2) / 2;
        *(fit_attributes(d, &wanted, middle) ? &near : &far) = middle;
    }
    return apart(near, all.attributes);
}

uint64_t spare_fill(struct debug *d, uint64_t bytes, uint64_t attributes)
{
    d->spare = (struct debug_spare){0};
    d->shorts = 0;
    const struct spare_mix m = spare_mix_of(d);
    const uint64_t others = spare_dies(d);
    const uint64_t usual = m.rounds.dies ? bytes * m.rounds.dies / m.rounds.bytes : 1;
    const struct spare_item all = {bytes,
                                   !d->dies_wanted           ? usual
                                   : d->dies_wanted > others ? d->dies_wanted - others
                                                             : 1,
                                   attributes};
    const struct choice nearest = choose(&m, all);
    d->spare = nearest.types;
    d->shorts = (uint32_t)nearest.shorts;
    d->shorts_extra = bytes - spare_sum_of(&m, &d->spare).bytes - nearest.shorts * m.shortest.bytes;
    if (nearest.off)
        return SPARE_LACKS;
    return d->dies_wanted && attributes && !d->corpus->dialect.lines ? follow_attributes(d, &m, all) : 0;
}

uint64_t spare_attributes(const struct debug *d)
{
    const struct spare_mix m = spare_mix_of(d);
    return spare_sum_of(&m, &d->spare).attributes;
}

uint64_t spare_size(const struct debug *d, uint32_t unit)
{
    if (!spare_is_any(d))
        return 0;
    const struct spare_mix m = spare_mix_of(d);
    const struct debug_spare from = spare_before_unit(d, unit);
    const struct debug_spare to = spare_before_unit(d, unit + 1);
    return spare_sum_of(&m, &to).bytes - spare_sum_of(&m, &from).bytes;
}
