/* Distributions as captured profiles have them (docs/capture.md), and values that are
 * distributed so.
 */
#ifndef EMIT_DISTRIBUTION_H
#define EMIT_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

enum { DISTRIBUTION_MOST = INT32_MAX }; /* larger values count as this */

/* Sets value[0] to value[count - 1], in ascending order, to values that are distributed as
 * `quantiles` say ("0 16 22*3 ...", 11 or 21 of them, or 41, 61 and so on up to 201) or, where
 * that is NULL, as the histogram `buckets` does ("LOWEST:COUNT ..."). False where both are NULL
 * or the text is malformed: it comes from a file that anybody may have written. */
bool distribution_values(const char *quantiles, const char *buckets, uint32_t count, uint32_t *value);

/* Whether that is such a text: of quantiles; of a histogram, whose buckets may be none; and of how often each of some
 * words occurs ("WORD:COUNT ..."). */
bool distribution_are_quantiles(const char *text);
bool distribution_are_buckets(const char *text);
bool distribution_are_counts(const char *text);

/* So many values, distributed as these quantiles say. */
struct distribution_part {
    const char *quantiles;
    uint32_t count;
};

/* Sets *left to the histogram without these values, as far as it has them: to what it says of all others. The caller
 * frees it; NULL where nothing is left, or that is no histogram. False when memory ran out. */
bool distribution_without(const char *buckets, const struct distribution_part *part, uint32_t parts, char **left);

/* Whether these quantiles are of few values, of which each makes a large difference. */
bool distribution_is_of_few(const char *quantiles);

/* Puts values into ascending order. */
void distribution_sort(uint32_t *value, uint32_t count);

/* What is to be added to `fixed` values so that all together are as `all` are: `count` - `fixed_count`
 * values, in ascending order. Sorts `fixed`; both may not be the same memory. False when memory ran out. */
bool distribution_rest(const uint32_t *all, uint32_t count, uint32_t *fixed, uint32_t fixed_count, uint32_t *rest);

/* The largest difference between the shares of both that are at most some value (Kolmogorov and
 * Smirnov). `a` is in ascending order, `b` is sorted; both have `count` values. */
double distribution_distance(const uint32_t *a, uint32_t *b, uint32_t count);

/* Moves values, ascending ones, towards `sum`, and none below `least`: a surplus goes to the
 * largest, what is too much is taken from the largest first. Returns the sum that they have
 * then: another one where nothing may be lower, or none higher than `most`. They stay in order. */
uint64_t distribution_fit(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

/* The same, with as few values as possible other than they were: the largest become as the least or as half the middle
 * one, or the least as the largest or half as much again as the middle one; where that is not enough, as half of that
 * or twice as much, and so on. So the distance from what they were is least. */
uint64_t distribution_fit_few(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

#endif
