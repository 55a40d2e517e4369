/* Distributions as captured profiles write them (docs/capture.md), and values drawn from them.
 */
#ifndef EMIT_DISTRIBUTION_H
#define EMIT_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

enum { DISTRIBUTION_MOST = INT32_MAX }; /* larger values count as this */

/* Sets value[0] to value[count - 1], in ascending order, to values that are distributed as
 * `quantiles` say ("0 16 22*3 ...", 11, 51 or 21 of them, or 41, 61 and so on up to 201) or, where
 * that is NULL, as the histogram `buckets` does ("LOWEST:COUNT ..."). False where both are NULL
 * or the text is malformed: it comes from a file that anybody may have written. */
bool distribution_values(const char *quantiles, const char *buckets, uint32_t count, uint32_t *value);

/* Whether `text` is well-formed as quantiles; as a histogram, which may have no buckets; or as counts of words
 * ("WORD:COUNT ..."). */
bool distribution_are_quantiles(const char *text);
bool distribution_are_buckets(const char *text);
bool distribution_are_counts(const char *text);

/* `count` values, distributed as `quantiles` say. */
struct distribution_part {
    const char *quantiles;
    uint32_t count;
};

/* Sets *left to the histogram `buckets` less the values of all `parts`, as far as it contains them. The caller frees
 * it; NULL where nothing is left, or `buckets` is no histogram. False when memory ran out. */
bool distribution_without(const char *buckets, const struct distribution_part *part, uint32_t parts, char **left);

/* Whether ascending values have these quantiles, as capturing finds them; false where `quantiles` is NULL or malformed.
 */
bool distribution_has_quantiles(const char *quantiles, const uint32_t *value, uint32_t count);

/* Whether the quantiles are of so few values that each one makes a large difference. */
bool distribution_is_of_few(const char *quantiles);

/* Sorts values into ascending order. */
void distribution_sort(uint32_t *value, uint32_t count);

/* Sets `rest` to the `count` - `fixed_count` values, ascending, that together with the `fixed` ones come closest to
 * the distribution of the `count` values in `all`. Sorts `fixed`. `fixed` and `rest` must not overlap. False when
 * memory ran out. */
bool distribution_rest(const uint32_t *all, uint32_t count, uint32_t *fixed, uint32_t fixed_count, uint32_t *rest);

/* The distance between two distributions of Kolmogorov and Smirnov: the largest difference, over all x, between the
 * shares of values up to x. `a` must be in ascending order, `b` is sorted here; both have `count` values. */
double distribution_distance(const uint32_t *a, uint32_t *b, uint32_t count);

/* Changes ascending values so that their sum becomes `sum`, each within [least, most]: what is missing is added to the
 * largest, what is too much is taken from the largest first. They stay in order. Returns the sum that they have then,
 * which differs from `sum` where the limits allow no better. */
uint64_t distribution_fit(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

/* Changes ascending values so that their sum becomes `sum`, and changes as few of them as possible, so that the
 * distance from the old distribution is small. To lower the sum, the largest values become the least one or half the
 * median; to raise it, the least values become the largest one or one and a half times the median. Where that is not
 * enough, half or twice these, and so on. Limits, order and result are as for distribution_fit. */
uint64_t distribution_fit_few(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

/* Of ascending values the k-th is at least this, and at most that. */
struct distribution_limits {
    uint32_t least, most;
};

/* Sets the limits of `count` ascending values so that these and the ascending `fixed` ones together have the quantiles,
 * each at its place. The first k of these values count as before[k]; as k where that is NULL. Where too many fixed ones
 * are between two quantiles, values may be either of these or what is between. Limits are within [least, most] but
 * where a quantile is not. False, with nothing set, where `quantiles` is NULL or malformed. */
bool distribution_limit(const char *quantiles, const uint32_t *fixed, uint32_t fixed_count, const uint32_t *before,
                        uint32_t least, uint32_t most, struct distribution_limits *limit, uint32_t count);

/* Changes values that are not within their limits to the nearest that are. */
void distribution_limit_values(uint32_t *value, const struct distribution_limits *limit, uint32_t count);

/* Changes values so that each is within its limits and their sum becomes `sum`, if these allow: what is missing is
 * added, and what is too much taken, in parts of what each may become more or less; first for `largest` sixteenths of
 * what those may that may be as large as the last, of which quantiles say least, and then for all. Returns their sum.
 */
uint64_t distribution_fit_within(uint32_t *value, const struct distribution_limits *limit, uint32_t count,
                                 uint32_t largest, uint64_t sum);

/* Both: changes ascending values so that they and the ascending `fixed` ones have these quantiles, and each is within
 * [least, most] but where a quantile is not. They stay in order. Returns their sum. Changes nothing where `quantiles`
 * is NULL or malformed, or memory runs out. */
uint64_t distribution_fit_quantiles(const char *quantiles, const uint32_t *fixed, uint32_t fixed_count, uint32_t *value,
                                    uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

#endif
