/* How far two distributions are from each other, from 0 for the same to 1.
 *
 * Kolmogorov and Smirnov's distance is the largest difference of their cumulative
 * distributions. It is exact where all values are known. Of histograms it is what
 * can be seen at the borders of buckets: not more than it is. Of quantiles it is that
 * of the distributions that lie on straight lines between them.
 */
#ifndef TOOLS_COMPARE_DISTANCE_H
#define TOOLS_COMPARE_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "elf/histogram.h"

/* Values ascend. With nothing on one side it is 1, with nothing on either 0. */
double distance_of_values(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);
double distance_of_histograms(const struct histogram *a, const struct histogram *b);

/* Both have QUANTILES, ascending. */
double distance_of_quantiles(const uint64_t *a, const uint64_t *b);

/* Half the sum of the differences of shares, for what has no order (total variation):
 * counts of the same things. */
double distance_of_shares(const uint64_t *a, const uint64_t *b, size_t count);

#endif
