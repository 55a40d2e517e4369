/* base/uneven.h: units are as unlike as is wanted, be they few or many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/uneven.h"

static uint64_t measured(const struct uneven *u, uint32_t count)
{
    struct uneven_sum sum = {0};
    for (uint32_t i = 0; i < count; i++)
        uneven_add(&sum, uneven_weight(u, i));
    return uneven_hundredths(&sum);
}

static void test_as_unlike_as_is_wanted(void **state)
{
    (void)state;
    static const uint32_t counts[] = {9, 146, 1507, 100000};
    static const uint32_t wanted[] = {102, 105, 120, 347, 670};
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (unsigned j = 0; j < sizeof wanted / sizeof wanted[0]; j++) {
            const struct uneven u = uneven_make(counts[i], wanted[j], 7 * i + j);
            assert_in_range(measured(&u, counts[i]), wanted[j] - 1, wanted[j] + 1);
        }
}

/* So few units cannot be that unlike: one is as large as all, then. Where there are fewer than two units, weights are
 * of about one size. */
static void test_few(void **state)
{
    (void)state;
    const struct uneven two = uneven_make(2, 100000, 1);
    assert_in_range(measured(&two, 2), 190, 200);
    for (uint32_t count = 0; count < 2; count++) {
        const struct uneven none = uneven_make(count, 500, 1);
        assert_in_range(uneven_weight(&none, 0), 64, 191);
    }
}

/* Half of the units are far below the mean, and the largest is far above it. */
static void test_lognormal(void **state)
{
    (void)state;
    enum { COUNT = 1507 };
    const struct uneven u = uneven_make(COUNT, 670, 3);
    uint64_t sum = 0;
    uint64_t most = 0;
    uint32_t below = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t weight = uneven_weight(&u, i);
        sum += weight;
        most = weight > most ? weight : most;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        below += uneven_weight(&u, i) < sum / COUNT / 2;
    assert_in_range(below, COUNT / 2, COUNT * 3 / 4);
    assert_in_range(most, sum / COUNT * 20, sum / COUNT * 80);
}

static void test_sums(void **state)
{
    (void)state;
    struct uneven_sum sum = {0};
    assert_int_equal(uneven_hundredths(&sum), 0);
    uneven_add(&sum, 10);
    assert_int_equal(uneven_hundredths(&sum), 100);
    uneven_add(&sum, 30);
    assert_int_equal(uneven_hundredths(&sum), 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_unlike_as_is_wanted),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_lognormal),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
