/* base/histogram: buckets, quantiles, sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/histogram.h"
#include "base/random.h"

static void buckets_follow_one_another(void **state)
{
    (void)state;
    for (unsigned b = 0; b + 41 < HISTOGRAM_BUCKETS; b++) {
        uint64_t least = histogram_least(b);
        assert_true(histogram_least(b + 1) > least);
        assert_int_equal(histogram_bucket(least), b);
        assert_int_equal(histogram_bucket(histogram_least(b + 1) - 1), b);
    }
    /* Four buckets on, a value is twice as large, but for what was rounded down. */
    for (unsigned b = 12; b + 45 < HISTOGRAM_BUCKETS; b++) {
        assert_true(histogram_least(b + 4) >= 2 * histogram_least(b));
        assert_true(histogram_least(b + 4) <= 2 * histogram_least(b) + 1);
    }
    assert_int_equal(histogram_least(8), 8);
    assert_int_equal(histogram_least(12), 16);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Compared with the C library's sort, for values of all widths, and for counts that samples_take sorts in one way and
 * in the other. */
static void quantiles_are_of_sorted_values(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 32; shift += 5) {
        for (size_t count = 1; count < 3000; count = count * 3 + 1) {
            uint32_t *values = malloc(count * sizeof *values);
            uint32_t *sorted = malloc(count * sizeof *sorted);
            assert_non_null(values);
            assert_non_null(sorted);
            for (size_t i = 0; i < count; i++)
                values[i] = sorted[i] = (uint32_t)random_at(shift, i) >> shift;
            qsort(sorted, count, sizeof *sorted, compare);
            struct samples s = {0};
            assert_true(samples_take(&s, values, count));
            assert_int_equal(s.count, count);
            for (size_t of = QUANTILES_FEW; of <= QUANTILES_MOST; of += 10)
                for (size_t q = 0; q < of && (QUANTILES_MOST - 1) % (of - 1) == 0; q++)
                    assert_int_equal(samples_quantile(&s, q, of), sorted[(count - 1) * q / (of - 1)]);
            struct histogram h = {0};
            histogram_add(&h, &s);
            histogram_add(&h, &s);
            uint64_t wanted[HISTOGRAM_BUCKETS] = {0};
            for (size_t i = 0; i < count; i++)
                wanted[histogram_bucket(sorted[i])] += 2;
            assert_memory_equal(h.count, wanted, sizeof wanted);
            samples_free(&s);
            free(values);
            free(sorted);
        }
    }
}

static void nothing_is_a_distribution_too(void **state)
{
    (void)state;
    struct samples s = {0};
    struct histogram h = {0};
    assert_true(samples_take(&s, NULL, 0));
    histogram_add(&h, &s);
    assert_int_equal(s.count, 0);
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        assert_int_equal(h.count[b], 0);
    samples_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_follow_one_another),
        cmocka_unit_test(quantiles_are_of_sorted_values),
        cmocka_unit_test(nothing_is_a_distribution_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
