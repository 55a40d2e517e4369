/* emit/plan/alike: how alike code is, and how much zstd leaves of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emit/plan/alike.h"

static const uint64_t sizes[] = {1, 2000, 2048, 40000, 65536, 65537, 3000000, UINT64_C(1) << 33};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* zstd leaves less of code that is more alike, and a smaller share of more code. */
static void test_less_is_left(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SIZES; i++) {
        uint32_t before = UINT32_MAX;
        for (unsigned level = 0; level < UINT8_MAX + 1 + ALIKE_STEP_MOST; level++) {
            const unsigned step = level > UINT8_MAX ? level - UINT8_MAX : 0;
            const struct alike_code a = {.constants = (uint8_t)(level - step), .step = (uint8_t)step};
            const uint32_t left = alike_packed(a, sizes[i]);
            assert_true(left <= before);
            if (i > 0)
                assert_true(left <= alike_packed(a, sizes[i - 1]));
            before = left;
        }
    }
}

/* The wanted share is left, or the nearest that can be. Only code in which all constants are the same leaves out blocks
 * (steps). */
static void test_what_is_wanted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SIZES; i++) {
        const uint32_t most = alike_packed((struct alike_code){0}, sizes[i]);
        for (uint32_t wanted = 0; wanted < 700; wanted += 7) {
            const struct alike_code a = alike_for(sizes[i], wanted, false);
            const struct alike_code all = alike_for(sizes[i], wanted, true);
            assert_int_equal(all.constants, a.constants);
            assert_true(!all.step && !all.wild);
            assert_true(alike_is_most(a) || !a.step);
            assert_true(!a.constants || !a.wild);
            const uint32_t left = alike_packed(a, sizes[i]);
            if (wanted >= most) {
                assert_int_equal(alike_packed(all, sizes[i]), most);
                assert_true(left <= wanted && (left + 3 >= wanted || a.wild >= UINT8_MAX / 2));
            } else if (!alike_is_most(a)) {
                assert_in_range(left, wanted - 2, wanted + 2);
            } else if (a.step < ALIKE_STEP_MOST) {
                assert_true(left <= wanted);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_less_is_left),
        cmocka_unit_test(test_what_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
