/* Sizes of functions by rows; see sizes_said.h. */
#include "emit/sizes_said.h"

#include "dwarf/dialect.h"
#include "emit/distribution.h"

/* Every 5 %, in thousandths of the average of the library: of 1,974 functions in those of CPython's extension modules
 * that have fewer than a hundred, whose rows say no quantiles; and of 710 in matplotlib's, which are in C++. */
enum { STEPS = 20, THOUSAND = 1000 };
static const uint16_t typical[][STEPS + 1] = {
    [DWARF_C] = {0, 0, 0, 0, 11, 57, 112, 202, 254, 329, 420, 544, 656, 790, 945, 1133, 1384, 1765, 2328, 3443, 16611},
    [DWARF_CPP] = {0,   0,   29,  52,  79,   97,   120,  156,  195,  318,  411,
                   484, 558, 698, 837, 1080, 1389, 1742, 2298, 4007, 26244},
};

static uint32_t typical_size(const uint16_t *share_at, uint64_t average, uint32_t number, uint32_t count)
{
    const uint64_t place = count > 1 ? (uint64_t)number * STEPS * THOUSAND / (count - 1) : STEPS / 2 * THOUSAND;
    const uint64_t step = place / THOUSAND < STEPS ? place / THOUSAND : STEPS - 1;
    const uint64_t within = place - step * THOUSAND;
    const uint64_t share = share_at[step] + (share_at[step + 1] - (uint64_t)share_at[step]) * within / THOUSAND;
    const uint64_t size = average * share / THOUSAND;
    return size < DISTRIBUTION_MOST ? (uint32_t)size : DISTRIBUTION_MOST;
}

bool sizes_said(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *value)
{
    const char *quantiles = l->said->text[ROW_TEXT_FUNCTION_SIZES];
    if (quantiles || !l->function_average)
        return distribution_values(quantiles, plan_function_sizes(plan), count, value);
    for (uint32_t i = 0; i < count; i++)
        value[i] = typical_size(typical[l->dwarf_language], l->function_average, i, count);
    return true;
}
