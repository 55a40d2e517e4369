/* See distance.h. */
#include "tools/compare/distance.h"

#include <math.h>

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The distance where at least one side is empty. */
static double of_nothing(double a, double b)
{
    return a == 0 && b == 0 ? 0 : 1;
}

double distance_of_values(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count)
{
    if (a_count == 0 || b_count == 0)
        return of_nothing((double)a_count, (double)b_count);
    double most = 0;
    size_t i = 0;
    size_t j = 0;
    while (i < a_count && j < b_count) {
        uint32_t value = a[i] < b[j] ? a[i] : b[j];
        while (i < a_count && a[i] == value)
            i++;
        while (j < b_count && b[j] == value)
            j++;
        most = larger(most, fabs((double)i / (double)a_count - (double)j / (double)b_count));
    }
    return most;
}

static double sum_of(const uint64_t *counts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)counts[i];
    return sum;
}

double distance_of_histograms(const struct histogram *a, const struct histogram *b)
{
    const double all[2] = {sum_of(a->count, HISTOGRAM_BUCKETS), sum_of(b->count, HISTOGRAM_BUCKETS)};
    if (all[0] == 0 || all[1] == 0)
        return of_nothing(all[0], all[1]);
    double below[2] = {0, 0};
    double most = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        below[0] += (double)a->count[i];
        below[1] += (double)b->count[i];
        most = larger(most, fabs(below[0] / all[0] - below[1] / all[1]));
    }
    return most;
}

/* The share of values below `at`, and the share of values up to it. */
static void shares_at(const uint64_t *q, uint64_t at, double *below, double *up_to)
{
    const double step = 1.0 / (QUANTILES - 1);
    int first = 0; /* the first quantile that is not below */
    int next = 0;  /* the first quantile that is above */
    while (first < QUANTILES && q[first] < at)
        first++;
    while (next < QUANTILES && q[next] <= at)
        next++;
    if (first < next) {
        *below = first * step;
        *up_to = (next - 1) * step;
    } else if (first == 0 || first == QUANTILES) {
        *below = *up_to = first == 0 ? 0 : 1;
    } else {
        double within = (double)(at - q[first - 1]) / (double)(q[first] - q[first - 1]);
        *below = *up_to = (first - 1 + within) * step;
    }
}

double distance_of_quantiles(const uint64_t *a, const uint64_t *b)
{
    const uint64_t *const both[2] = {a, b};
    double most = 0;
    /* Both are straight between quantiles, so the largest difference is at one. */
    for (int i = 0; i < 2 * QUANTILES; i++) {
        uint64_t at = both[i % 2][i / 2];
        double below[2], up_to[2];
        shares_at(a, at, &below[0], &up_to[0]);
        shares_at(b, at, &below[1], &up_to[1]);
        most = larger(most, fabs(below[0] - below[1]));
        most = larger(most, fabs(up_to[0] - up_to[1]));
    }
    return most;
}

double distance_of_shares(const uint64_t *a, const uint64_t *b, size_t count)
{
    const double all[2] = {sum_of(a, count), sum_of(b, count)};
    if (all[0] == 0 || all[1] == 0)
        return of_nothing(all[0], all[1]);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs((double)a[i] / all[0] - (double)b[i] / all[1]);
    return sum / 2;
}
