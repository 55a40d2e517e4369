/* base/relr.h: packed relative relocations, read back as the gABI says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/relr.h"

enum { PLACES_MOST = 3000, WORDS_MOST = 2 * PLACES_MOST };

struct places {
    uint64_t at[PLACES_MOST];
    size_t count;
};

/* Packs the places into `room` bytes, and compares them with those that a dynamic linker finds. */
static void check(const struct places *p, uint64_t room)
{
    uint64_t table[WORDS_MOST];
    struct relr_table t = {.p = (uint8_t *)table};
    assert_true(room <= sizeof table);
    for (size_t i = 0; i < p->count; i++)
        relr_add(&t, p->at[i]);
    relr_end(&t, (uint8_t *)table + room);
    assert_ptr_equal(t.p, (uint8_t *)table + room);
    uint64_t where = 0;
    size_t found = 0;
    for (uint64_t i = 0; i < room / sizeof *table; i++) {
        if (!(table[i] & 1)) {
            assert_true(found < p->count);
            assert_int_equal(p->at[found++], table[i]);
            where = table[i] + 8;
            continue;
        }
        for (unsigned bit = 1; bit < 64; bit++) {
            if (table[i] >> bit & 1) {
                assert_true(found < p->count);
                assert_int_equal(p->at[found++], where + 8 * (bit - 1));
            }
        }
        where += UINT64_C(8) * 63;
    }
    assert_int_equal(found, p->count);
    /* Read back by our own reader, too, from where no word is aligned. */
    uint8_t moved[sizeof table + 1];
    memcpy(moved + 1, table, room);
    struct relr_places places = {.table = moved + 1, .size = room};
    uint64_t place;
    for (size_t i = 0; i < p->count; i++) {
        assert_true(relr_next(&places, &place));
        assert_int_equal(place, p->at[i]);
    }
    assert_false(relr_next(&places, &place));
    assert_int_equal(relr_count(moved + 1, room), p->count);
}

static uint64_t most_of(const struct places *p)
{
    return relr_most(p->count, (p->at[p->count - 1] - p->at[0]) / 8);
}

static void add_run(struct places *p, uint64_t at, size_t count, uint64_t pitch)
{
    for (size_t i = 0; i < count; i++)
        p->at[p->count++] = at + i * pitch;
}

/* A run takes one address, and a bit for each further word. A bitmap is full with 63 bits. */
static void test_a_table_is_an_address_and_bits(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        uint64_t bytes;
    } cases[] = {{1, 8}, {2, 16}, {64, 16}, {65, 24}, {127, 24}, {128, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct places p = {.count = 0};
        add_run(&p, 0x3dc0, cases[i].count, 8);
        assert_int_equal(most_of(&p), cases[i].bytes);
        check(&p, cases[i].bytes);
    }
}

/* Words that are further apart than a bitmap reaches have an address each. */
static void test_far_words(void **state)
{
    (void)state;
    for (uint64_t pitch = 8; pitch < 200 * 8; pitch += 8) {
        struct places p = {.count = 0};
        add_run(&p, 0x1000, 50, pitch);
        check(&p, most_of(&p));
    }
}

/* Whatever the gaps between words and between groups are, the sum of relr_most over the groups is enough. */
static void test_any_groups(void **state)
{
    (void)state;
    struct random r = {.state = 42};
    for (unsigned turn = 0; turn < 3000; turn++) {
        struct places p = {.count = 0};
        uint64_t room = 0;
        uint64_t at = 0x4000 + 8 * random_below(random_next(&r), 100);
        for (uint64_t groups = 1 + random_below(random_next(&r), 5); groups; groups--) {
            const size_t first = p.count;
            const uint64_t gap = 1 + random_below(random_next(&r), 150);
            for (uint64_t n = 1 + random_below(random_next(&r), 400); n; n--) {
                p.at[p.count++] = at;
                at += 8 * (1 + random_below(random_next(&r), gap));
            }
            room += relr_most(p.count - first, (p.at[p.count - 1] - p.at[first]) / 8);
            at += 8 * random_below(random_next(&r), 300);
        }
        check(&p, room);
    }
}

/* Groups may come in any order. */
static void test_an_earlier_group(void **state)
{
    (void)state;
    struct places p = {.count = 0};
    add_run(&p, 0x9000, 100, 16);
    add_run(&p, 0x8f00, 10, 8);
    check(&p, relr_most(100, 198) + relr_most(10, 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_table_is_an_address_and_bits),
        cmocka_unit_test(test_far_words),
        cmocka_unit_test(test_any_groups),
        cmocka_unit_test(test_an_earlier_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
