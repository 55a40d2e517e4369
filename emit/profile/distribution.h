/* Distributions as captured profiles write them (docs/capture.md), and values drawn from them. */
#ifndef EMIT_PROFILE_DISTRIBUTION_H
#define EMIT_PROFILE_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

enum { DISTRIBUTION_MOST = INT32_MAX }; /* larger values count as this one */

/* Sets value[0] to value[count - 1], in ascending order, to values that are distributed as `quantiles` say or, where
 * that is NULL, as the histogram `buckets` does. Quantiles are "0 16 22*3 ...": 11, 51 or 21 of them, or 41, 61 and so
 * on up to 201. A histogram is "LOWEST:COUNT ...". False where both are NULL or the text is malformed: it comes from a
 * file that anybody may have written. */
bool distribution_values(const char *quantiles, const char *buckets, uint32_t count, uint32_t *value);

/* Whether `text` is well-formed: as quantiles; as a histogram, which may have no buckets; as counts of words
 * ("WORD:COUNT ..."). */
bool distribution_are_quantiles(const char *text);
bool distribution_are_buckets(const char *text);
bool distribution_are_counts(const char *text);

/* `count` values that are distributed as `quantiles` say. */
struct distribution_part {
    const char *quantiles;
    uint32_t count;
};

/* Sets *left to the histogram `buckets` less the values of all parts, as far as it contains them. The caller frees it.
 * It is NULL where nothing is left or `buckets` is no histogram. False when memory ran out. */
bool distribution_without(const char *buckets, const struct distribution_part *part, uint32_t parts, char **left);

/* Whether ascending values have these quantiles, at the places where capturing looks for them. False where `quantiles`
 * is NULL or malformed. */
bool distribution_has_quantiles(const char *quantiles, const uint32_t *value, uint32_t count);

/* Whether the quantiles are of so few values that a single one makes a large difference. */
bool distribution_is_of_few(const char *quantiles);

/* Sorts values into ascending order. */
void distribution_sort(uint32_t *value, uint32_t count);

/* Sets `rest` to `count` - `fixed_count` ascending values. Together with the `fixed` ones they come as close as
 * possible to the distribution of the `count` values in `all`, which ascend. Sorts `fixed`. `fixed` and `rest` must not
 * overlap. False when memory ran out. */
bool distribution_rest(const uint32_t *all, uint32_t count, uint32_t *fixed, uint32_t fixed_count, uint32_t *rest);

/* The distance of Kolmogorov and Smirnov between two distributions: the largest difference, over all x, between the
 * shares of values up to x. `a` must be in ascending order; `b` is sorted here. Both have `count` values. */
double distribution_distance(const uint32_t *a, uint32_t *b, uint32_t count);

/* Changes ascending values so that each is within [least, most] and their sum becomes `sum`. What is missing is added
 * to the largest ones; what is too much is taken from the largest ones first. The values stay in order. Returns their
 * sum, which differs from `sum` if the limits allow no better. */
uint64_t distribution_fit(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

/* Changes ascending values so that their sum becomes `sum`. It changes as few of them as possible, so that the distance
 * from the old distribution is small. To lower the sum, the largest values become the least value or half the median,
 * whichever is less. To raise it, the least values become the largest value or one and a half times the median,
 * whichever is more. If that is not enough, half or twice these, and so on. Limits, order and result are as for
 * distribution_fit. */
uint64_t distribution_fit_few(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

/* Limits of one of several ascending values. */
struct distribution_limits {
    uint32_t least, most;
};

/* Sets the limits of `count` ascending values so that these and the ascending `fixed` ones together have the quantiles,
 * each at its place. The first k of the values count as before[k] values or, where `before` is NULL, as k. If there are
 * too many fixed values between two quantiles, the limits of a value may be these quantiles, so that it may lie between
 * them. All limits are within [least, most] unless a quantile is not. False, with nothing set, where `quantiles` is
 * NULL or malformed. */
bool distribution_limit(const char *quantiles, const uint32_t *fixed, uint32_t fixed_count, const uint32_t *before,
                        uint32_t least, uint32_t most, struct distribution_limits *limit, uint32_t count);

/* Changes values that are not within their limits to the nearest value within them. */
void distribution_limit_values(uint32_t *value, const struct distribution_limits *limit, uint32_t count);

/* Changes values so that each is within its limits and their sum becomes `sum`, if the limits allow that. What is
 * missing or too much is divided in proportion to how far each value may still go. In a first round only the values
 * change that may be as large as the last one, of which quantiles say least; they go `largest` sixteenths of their way
 * at most. In the second round all values change. Returns their sum. */
uint64_t distribution_fit_within(uint32_t *value, const struct distribution_limits *limit, uint32_t count,
                                 uint32_t largest, uint64_t sum);

/* Ascending values that are to be changed. */
struct distribution_task {
    uint32_t *value;
    uint32_t count;
    const uint32_t *fixed;             /* ascending values that stay as they are, */
    uint32_t fixed_count;              /* which together with these have the quantiles */
    uint32_t least, most;              /* each value is within these unless a quantile is not */
    uint64_t sum;                      /* what the sum of all values is to be, if possible */
    struct distribution_limits *limit; /* scratch for `count` */
};

/* Does both: changes the values so that they and the fixed ones have these quantiles, and so that their sum becomes
 * what it is to be, if possible. The values stay in order. Returns their sum. Changes nothing where `quantiles` is NULL
 * or malformed. */
uint64_t distribution_fit_quantiles(const char *quantiles, const struct distribution_task *t);

#endif
