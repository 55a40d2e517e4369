/* Sizes of functions by rows; see sizes_said.h. */
#include "emit/library/sizes_said.h"

#include "emit/profile/distribution.h"

/* Typical sizes at every 5 % of a distribution, in thousandths of a library's average size. For C they are those of
 * 1,974 functions in CPython's extension modules with fewer than a hundred functions, whose rows say no quantiles. For
 * C++ they are those of 710 functions in matplotlib's extension modules. */
enum { STEPS = 20, THOUSAND = 1000 };
static const uint16_t typical[][STEPS + 1] = {
    [LANGUAGE_C] = {0,   0,   0,   0,   11,   57,   112,  202,  254,  329,  420,
                    544, 656, 790, 945, 1133, 1384, 1765, 2328, 3443, 16611},
    [LANGUAGE_CPP] = {0,   0,   29,  52,  79,   97,   120,  156,  195,  318,  411,
                      484, 558, 698, 837, 1080, 1389, 1742, 2298, 4007, 26244},
};

/* Symbols of functions without a size: _init, _fini and four of crtbegin.o. */
enum { SIZELESS = 6 };

/* How many of `count` functions, which are all that are symbols or a sample of these, have no size; never more than
 * `count`. */
static uint32_t sizeless_of(const struct plan_library *l, uint32_t count)
{
    const int64_t said = l->said->value[ROW_FUNCTIONS];
    const uint64_t functions = said > 0 ? (uint64_t)said : count;
    const uint64_t sizeless = l->stripped ? 0 : functions > SIZELESS ? SIZELESS : functions;
    return functions ? (uint32_t)((sizeless * count + functions / 2) / functions) : 0;
}

/* Where the typical sizes above 0 begin, in thousandths of a step. */
static uint64_t first_size(const uint16_t *share_at)
{
    uint64_t step = 0;
    while (share_at[step + 1] == 0)
        step++;
    return step * THOUSAND;
}

/* The typical size at a place, in thousandths of a step. */
static uint32_t size_at(const uint16_t *share_at, uint64_t average, uint64_t place)
{
    const uint64_t step = place / THOUSAND;
    const uint64_t within = place % THOUSAND;
    const uint64_t share = share_at[step] + (share_at[step + 1] - (uint64_t)share_at[step]) * within / THOUSAND;
    const uint64_t size = average * share / THOUSAND;
    return size < DISTRIBUTION_MOST ? (uint32_t)size : DISTRIBUTION_MOST;
}

/* Sets the typical sizes of `count` functions that have one: each from the middle of an
 * equal part of the distribution. */
static void typical_sizes(const uint16_t *share_at, uint64_t average, uint32_t count, uint32_t *value)
{
    const uint64_t first = first_size(share_at);
    const uint64_t all = (uint64_t)STEPS * THOUSAND - first;
    for (uint32_t i = 0; i < count; i++)
        value[i] = size_at(share_at, average, first + (UINT64_C(2) * i + 1) * all / (UINT64_C(2) * count));
}

bool sizes_said(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *value)
{
    const char *quantiles = l->said->text[ROW_TEXT_FUNCTION_SIZES];
    const uint32_t sizeless = quantiles ? 0 : sizeless_of(l, count);
    if (quantiles || !l->function_average) {
        if (!distribution_values(quantiles, plan_function_sizes(plan), count, value))
            return false;
    } else {
        typical_sizes(typical[l->debug.language == LANGUAGE_CPP ? LANGUAGE_CPP : LANGUAGE_C], l->function_average,
                      count - sizeless, value + sizeless);
    }
    for (uint32_t i = 0; i < sizeless; i++)
        value[i] = 0;
    return true;
}
