/* dwarf/rewrite/numbers.h: keys get numbers in the order in which they are met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "dwarf/rewrite/numbers.h"

enum { KEYS = 100000 };

/* Half of the keys are close to each other, as offsets are. */
static uint64_t key_of(uint64_t round, uint32_t i)
{
    return i % 2 ? random_at(round, i) : 4 * (uint64_t)i;
}

static void test_order(void **state)
{
    (void)state;
    struct numbers n = {0};
    for (uint64_t round = 0; round < 3; round++) {
        assert_int_equal(numbers_count(&n), 0);
        for (uint32_t i = 0; i < KEYS; i++) {
            assert_int_equal(numbers_of(&n, key_of(round, i)), i);
            assert_int_equal(numbers_of(&n, key_of(round, i / 3)), i / 3);
        }
        assert_int_equal(numbers_count(&n), KEYS);
        for (uint32_t i = 0; i < KEYS; i++)
            assert_true(numbers_key(&n, i) == key_of(round, i));
        assert_false(numbers_failed(&n));
        numbers_clear(&n);
    }
    numbers_free(&n);
}

static void test_extreme_keys(void **state)
{
    (void)state;
    struct numbers n = {0};
    assert_int_equal(numbers_of(&n, UINT64_MAX), 0);
    assert_int_equal(numbers_of(&n, 0), 1);
    assert_int_equal(numbers_of(&n, UINT64_MAX), 0);
    assert_int_equal(numbers_of(&n, 0), 1);
    numbers_free(&n);
    numbers_clear(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_extreme_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
