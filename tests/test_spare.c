/* dwarf/unit/spare_fit.h: finds spare entries that have given numbers of bytes, entries and attributes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "dwarf/unit/spare_fit.h"

enum { ROUND = 64 }; /* so many rounds have each[i] items of a sort; fractions are cut off */

static const struct spare_item of_rounds[] = {{62, 6, 33}, {12, 1, 5}, {5, 1, 2}, {19, 2, 4}};
static const uint32_t each[] = {64, 50, 70, 21};

static void add(struct spare_item *sum, struct spare_item of, uint64_t times)
{
    sum->bytes += of.bytes * times;
    sum->dies += of.dies * times;
    sum->attributes += of.attributes * times;
}

static struct spare_item rounds(const void *context, uint64_t count)
{
    struct spare_item sum = {0};
    (void)context;
    for (unsigned i = 0; i < sizeof each / sizeof each[0]; i++)
        add(&sum, of_rounds[i], count * each[i] / ROUND);
    return sum;
}

/* Items as gcc's entries in DWARF 5 are. */
static struct spare_wanted usual(struct spare_item all)
{
    return (struct spare_wanted){
        .all = all,
        .sort = {{5, 1, 1}, {5, 1, 2}, {11, 1, 7}, {109, 9, 54}, {64, 9, 24}, {55, 10, 13}, {61, 10, 18}},
        .named = {13, 1, 7},
        .usual = 12,
        .most = 40,
        .named_most = all.dies,
        .few_most = all.dies / 4,
        .sort_most = all.dies,
        .rounds = rounds,
        .rounds_most = all.bytes / rounds(NULL, ROUND).bytes * ROUND + 1};
}

static void check(const struct spare_wanted *w, const struct spare_fitted *f)
{
    struct spare_item sum = rounds(NULL, f->rounds);
    for (unsigned i = 0; i < SPARE_SORTS; i++)
        add(&sum, w->sort[i], f->sort[i]);
    add(&sum, w->named, f->named);
    assert_true(f->named > 0 && f->extra <= w->most * f->named);
    assert_int_equal(sum.bytes + f->extra, w->all.bytes);
    assert_int_equal(sum.dies, w->all.dies);
    assert_int_equal(sum.attributes, w->all.attributes);
}

/* What some items of each sort take can be met again, though maybe with other numbers of items. */
static void test_what_there_can_be_is_found(void **state)
{
    struct random r = {1};
    unsigned found = 0;
    enum { CASES = 500, MUCH = 60 };
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        struct spare_item all = rounds(NULL, 20 + random_below(random_next(&r), 1000));
        struct spare_wanted w = usual(all);
        struct spare_fitted fitted;
        for (unsigned k = 0; k < SPARE_SORTS; k++)
            add(&all, w.sort[k], random_below(random_next(&r), MUCH));
        const uint64_t named = 8 + random_below(random_next(&r), MUCH);
        add(&all, w.named, named);
        all.bytes += named * (6 + random_below(random_next(&r), 16));
        w = usual(all);
        if (!spare_fit(&w, &fitted))
            continue;
        check(&w, &fitted);
        found++;
    }
    assert_true(found > CASES - CASES / 50);
}

/* Where there is room, every number of attributes can be met. */
static void test_any_number_of_attributes_is_met(void **state)
{
    (void)state;
    for (uint64_t attributes = 3000; attributes < 4000; attributes++) {
        const struct spare_wanted w = usual((struct spare_item){10000, 900, attributes});
        struct spare_fitted fitted;
        assert_true(spare_fit(&w, &fitted));
        check(&w, &fitted);
    }
}

static void test_what_cannot_be_is_not_found(void **state)
{
    static const struct spare_item none[] = {
        {10000, 900, 100},  /* fewer attributes than entries */
        {10000, 900, 9000}, /* more than any entries have */
        {1000, 900, 3000},  /* entries of one byte */
        {100000, 100, 500}, /* entries of a thousand bytes */
        {0, 0, 0},          {12, 1, 7},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++) {
        const struct spare_wanted w = usual(none[i]);
        struct spare_fitted fitted;
        assert_false(spare_fit(&w, &fitted));
    }
    struct spare_wanted w = usual((struct spare_item){10000, 900, 3500});
    struct spare_fitted fitted;
    w.sort[SPARE_SORT_CONST] = (struct spare_item){0};
    assert_false(spare_fit(&w, &fitted));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_there_can_be_is_found),
        cmocka_unit_test(test_any_number_of_attributes_is_met),
        cmocka_unit_test(test_what_cannot_be_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
