/* How far two distributions are apart, from 0 (the same) to 1.
 *
 * The Kolmogorov-Smirnov distance is the largest difference between the cumulative distributions. It is exact where all
 * values are known. From histograms it is taken at the borders of buckets only, and so may be too small. From quantiles
 * it is the distance of distributions that run on straight lines between the quantiles.
 */
#ifndef TOOLS_COMPARE_DISTANCE_H
#define TOOLS_COMPARE_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"

/* Values ascend. The distance is 0 where both sides are empty, and 1 where one is. */
double distance_of_values(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);
double distance_of_histograms(const struct histogram *a, const struct histogram *b);

/* Both arrays have QUANTILES values, ascending. */
double distance_of_quantiles(const uint64_t *a, const uint64_t *b);

/* Total variation, for counts of things without an order: half the sum of the differences of their shares. Both sides
 * count the same things. */
double distance_of_shares(const uint64_t *a, const uint64_t *b, size_t count);

#endif
