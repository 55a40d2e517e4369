/* emit/set/share.h: what each rank does, which every rank finds out alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "emit/set/share.h"

enum { ITEMS = 5000, RANKS_MOST = 600 };

/* Weights in bytes, from a few to many. */
static uint64_t weight_at(uint32_t i)
{
    return (random_at(7, i) >> 40) * (i % 100 == 0 ? 50 : 1);
}

/* Asserts that every item is one rank's. Returns the bytes of the rank that has the most, with `first`. */
static uint64_t deal(const uint64_t *weight, uint32_t count, uint64_t first, int ranks)
{
    uint8_t *seen = calloc(count + 1, 1);
    uint64_t most = 0;
    for (int rank = 0; rank < ranks; rank++) {
        struct share s;
        uint64_t bytes = rank ? 0 : first;
        assert_true(share_make(&s, weight, count, first, rank, ranks));
        for (uint32_t i = 0; i < s.count; i++) {
            assert_int_equal(seen[s.item[i]]++, 0);
            assert_true(i == 0 || s.item[i - 1] < s.item[i]);
            assert_true(weight[s.item[i]] != SHARE_FIRST || rank == 0);
            bytes += weight[s.item[i]] == SHARE_FIRST ? 0 : weight[s.item[i]];
        }
        most = bytes > most ? bytes : most;
        share_free(&s);
    }
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
    return most;
}

/* The largest share has at least so many bytes, however items are divided. */
static uint64_t bound(const uint64_t *weight, uint32_t count, uint64_t first, int ranks)
{
    uint64_t sum = first;
    uint64_t most = first;
    for (uint32_t i = 0; i < count; i++) {
        sum += weight[i];
        most = weight[i] > most ? weight[i] : most;
    }
    sum = (sum + (uint64_t)ranks - 1) / (uint64_t)ranks;
    return sum > most ? sum : most;
}

static void test_balance(void **state)
{
    (void)state;
    static const int ranks[] = {1, 2, 3, 4, 7, 64, RANKS_MOST};
    uint64_t weight[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        weight[i] = weight_at(i);
    for (unsigned k = 0; k < sizeof ranks / sizeof ranks[0]; k++) {
        const uint64_t least = bound(weight, ITEMS, 0, ranks[k]);
        assert_true(deal(weight, ITEMS, 0, ranks[k]) <= least + least / 3);
    }
    assert_true(deal(weight, ITEMS, 0, 4) <= bound(weight, ITEMS, 0, 4) * 1001 / 1000);
}

/* Fewer items than ranks, or none. */
static void test_few(void **state)
{
    (void)state;
    const uint64_t weight[] = {5, 0, 5};
    assert_int_equal(deal(weight, 3, 0, 8), 5);
    assert_int_equal(deal(weight, 0, 0, 3), 0);
    assert_int_equal(deal(weight, 3, 0, 1), 10);
}

/* The first rank has other bytes to do besides, and items that are for no other rank. */
static void test_first(void **state)
{
    (void)state;
    const uint64_t weight[] = {10, SHARE_FIRST, 10, 10, SHARE_FIRST, 10};
    struct share s;
    assert_int_equal(deal(weight, 6, 20, 3), 20);
    assert_true(share_make(&s, weight, 6, 20, 0, 3));
    assert_int_equal(s.count, 2);
    assert_int_equal(s.item[0], 1);
    assert_int_equal(s.item[1], 4);
    share_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
