/* See uneven.h. */
#include "base/uneven.h"

#include "base/random.h"

#ifdef __FAST_MATH__
#error "sets would have other bytes: doubles decide about them, here and elsewhere"
#endif

enum {
    TOSSES = UNEVEN_LEVELS - 1,
    ALL = 1 << TOSSES,
    SPREAD = 64, /* a unit's weight is its level's times SPREAD to 3 * SPREAD - 1, or nearer to 2 * SPREAD */
};

/* Sets which ranks have each level. */
static void deal_levels(struct uneven *u)
{
    uint64_t choose = 1; /* how many of ALL have this level */
    uint64_t until = 0;  /* how many of ALL have this level or a lower one */
    for (uint32_t i = 0; i < UNEVEN_LEVELS; i++) {
        until += choose;
        u->until[i] = (uint32_t)((until * u->count + ALL / 2) / ALL);
        choose = choose * (TOSSES - i) / (i + 1);
    }
}

/* The unit's rank, from a permutation of the numbers below a power of two, repeated until it gives one below the count.
 */
static uint32_t rank_of(const struct uneven *u, uint32_t unit)
{
    const unsigned bits = 32 - (unsigned)__builtin_clz(u->count - 1);
    const uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    const uint32_t shift = (bits + 1) / 2;
    uint32_t x = unit;
    do {
        x = (x + (uint32_t)u->key) & mask;
        for (unsigned round = 0; round < 3; round++) {
            x ^= x >> shift;
            x = (x * ((uint32_t)(u->key >> (8 * round)) | 1)) & mask;
        }
        x ^= x >> shift;
    } while (x >= u->count);
    return x;
}

static uint32_t level_of(const struct uneven *u, uint32_t unit)
{
    const uint32_t rank = rank_of(u, unit % u->count);
    uint32_t level = 0;
    while (level + 1 < UNEVEN_LEVELS && u->until[level] <= rank)
        level++;
    return level;
}

static uint64_t factor_of(const struct uneven *u, uint32_t unit)
{
    const uint64_t r = random_at(u->key, unit) & (2 * SPREAD - 1);
    return SPREAD + u->nearer + r * (SPREAD - u->nearer) / SPREAD;
}

/* Sums of the factors of the units of each level, and of their squares. */
struct factors {
    double sum[UNEVEN_LEVELS], squares[UNEVEN_LEVELS];
};

static struct factors count_factors(const struct uneven *u)
{
    struct factors f = {{0}, {0}};
    for (uint32_t i = 0; i < u->count; i++) {
        const uint32_t level = level_of(u, i);
        const double factor = (double)factor_of(u, i);
        f.sum[level] += factor;
        f.squares[level] += factor * factor;
    }
    return f;
}

/* How unlike `count` units are, if each level weighs `base` times as much as the one before it. */
static double unlikeness(const struct factors *f, uint32_t count, double base)
{
    double weight = 1;
    double sum = 0;
    double squares = 0;
    for (uint32_t i = 0; i < UNEVEN_LEVELS; i++, weight *= base) {
        sum += f->sum[i] * weight;
        squares += f->squares[i] * weight * weight;
    }
    return squares / sum * ((double)count / sum);
}

/* The base with which the units are `wanted` times as unlike, or as nearly as can be. */
static double base_for(const struct factors *f, uint32_t count, double wanted)
{
    enum { STEPS = 40, BASE_MOST = 16 };
    double low = 1;
    double high = BASE_MOST;
    for (unsigned i = 0; i < STEPS; i++) {
        const double middle = (low + high) / 2;
        if (unlikeness(f, count, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

struct uneven uneven_make(uint32_t count, uint32_t wanted, uint64_t key)
{
    struct uneven u = {.key = key, .count = count};
    if (count < 2 || wanted <= UNEVEN_ONE)
        return (struct uneven){.key = key};
    deal_levels(&u);
    struct factors factors = count_factors(&u);
    const double least = unlikeness(&factors, count, 1) - 1;
    const double beyond = (double)wanted / UNEVEN_ONE - 1;
    if (beyond < least) { /* with levels of one weight, factors alone make units that unlike */
        while ((double)((SPREAD - u.nearer) * (SPREAD - u.nearer)) * least > beyond * SPREAD * SPREAD)
            u.nearer++;
        factors = count_factors(&u);
    }
    const double base = base_for(&factors, count, (double)wanted / UNEVEN_ONE);
    double weight = UINT32_MAX; /* of the highest level that any unit has, and those above */
    for (uint32_t i = UNEVEN_LEVELS; i-- > 0;) {
        u.weight[i] = weight > 1 ? (uint64_t)weight : 1;
        weight /= factors.sum[i] > 0 || weight < UINT32_MAX ? base : 1;
    }
    return u;
}

uint64_t uneven_weight(const struct uneven *u, uint32_t unit)
{
    return factor_of(u, unit) * (u->count ? u->weight[level_of(u, unit)] : 1);
}
