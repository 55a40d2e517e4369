/* dwarf/rewrite/indexed.c: sections in clang's form are filled by any number of bytes. emit/library/indexed_aim.c:
 * finds sizes in the normal form with which those in clang's form are a little less than wanted. Readers judge the
 * contents of the sections (test_clang.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emit/library/indexed.h"
#include "emit/library/indexed_aim.h"
#include "emit/profile/profile.h"
#include "emit/search/mix.h"
#include "emit/solve/plan_make.h"

#define HEAD  "pyelfgen-profile: 1\nmodules: 2\nutilities: 1\n"
#define SIZES "sections: {text: 200 kB, data: 20 kB, debug: 500 kB, symtab: 20 kB, strtab: 60 kB}\n"

/* --- filling ------------------------------------------------------------------ */

struct made {
    struct profile profile;
    struct stock *stock;
    struct plan plan;
    struct builders builders; /* for settling */
    struct builder builder;
};

static void make(struct made *m, const char *text)
{
    struct error e = {0};
    memset(m, 0, sizeof *m);
    if (!profile_parse(&m->profile, text, strlen(text), "test.prof", &e))
        fail_msg("%s: %s", text, e.text);
    const struct profile *const p = &m->profile;
    const struct manner usual = manner_usual();
    m->stock = stock_make(stock_dialect(p), &usual, p->seed, 2);
    assert_non_null(m->stock);
    if (!builders_start(&m->builders, 1, &e) || !plan_make(&m->plan, p, NULL, &m->stock->corpus, 1, &e) ||
        !mix_settle(&m->plan, m->stock, &m->builders, &e) || !mix_size(&m->builder, &m->plan, m->stock, 0, &e))
        fail_msg("%s: %s", text, e.text);
}

static void unmake(struct made *m)
{
    builder_free(&m->builder);
    builders_free(&m->builders);
    plan_free(&m->plan);
    stock_free(m->stock);
    profile_free(&m->profile);
}

static void fill_by(struct made *m, enum indexed_section section, uint64_t more)
{
    struct indexed *const x = &m->builder.indexed;
    const struct indexed_source from = x->from;
    uint64_t before[INDEXED_SECTIONS];
    uint64_t wanted[INDEXED_SECTIONS] = {0};
    assert_true(indexed_make(x, &from));
    indexed_sizes(&m->builder, before);
    wanted[section] = before[section] + more;
    assert_true(indexed_fill(x, wanted));
    const uint64_t unit = section == INDEXED_STR_OFFSETS ? 4 : section == INDEXED_ADDR ? 8 : 1;
    for (enum indexed_section s = 0; s < INDEXED_SECTIONS; s++)
        assert_int_equal(x->section[s].size, before[s] + (s == section ? more / unit * unit : 0));
}

static void fill_all(const char *text)
{
    static const uint64_t more[] = {127, 128, 129, 1000, 4999, 20000};
    struct made m;
    make(&m, text);
    for (enum indexed_section s = 0; s < INDEXED_SECTIONS; s++) {
        for (uint64_t bytes = 0; bytes < 48; bytes++)
            fill_by(&m, s, bytes);
        for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
            fill_by(&m, s, more[i]);
    }
    unmake(&m);
}

static void test_filled_by_any_number_of_bytes(void **state)
{
    (void)state;
    fill_all(HEAD SIZES "dwarf: {compiler: clang}\n");
    fill_all(HEAD SIZES "names: {style: itanium}\ndwarf: {compiler: clang, language: c++}\n");
}

/* The size pass fills all sections together to the size of the plan. */
static void test_together_they_have_the_size_of_the_plan(void **state)
{
    (void)state;
    struct made m;
    make(&m, HEAD SIZES "dwarf: {compiler: clang}\n");
    assert_true(indexed_is(&m.builder.library));
    assert_int_equal(indexed_total(&m.builder), m.plan.library[0].size[SIZE_DEBUG]);
    assert_int_equal(m.builder.library.layout.section[SECTION_DEBUG_ARANGES].size, 0);
    unmake(&m);
}

/* --- aiming ---------------------------------------------------------------------- */

/* What becomes of sizes in the normal form: some sections get so many hundredths of theirs; `names` bytes are added to
 * .debug_str; the others have fixed sizes. */
struct world {
    unsigned info, lists, ranges; /* hundredths */
    uint64_t names, abbrev, offsets, addresses;
};

static uint64_t translated(const struct world *w, const uint64_t normal[DEBUG_SECTION_COUNT],
                           uint64_t got[INDEXED_SECTIONS])
{
    uint64_t sum = normal[DEBUG_LINE] + normal[DEBUG_LINE_STR];
    got[INDEXED_INFO] = normal[DEBUG_INFO] * w->info / 100;
    got[INDEXED_ABBREV] = w->abbrev;
    got[INDEXED_STR] = normal[DEBUG_STR] + w->names;
    got[INDEXED_LISTS] = normal[DEBUG_LISTS] * w->lists / 100;
    got[INDEXED_RANGES] = normal[DEBUG_RANGES] * w->ranges / 100;
    got[INDEXED_STR_OFFSETS] = w->offsets;
    got[INDEXED_ADDR] = w->addresses;
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        sum += got[i];
    return sum;
}

enum { LINE = 60000, LINE_STR = 900, ARANGES = 480 };

/* Aims at `wanted`. Sets `got` to the best sizes; returns how many tries it took. */
static unsigned aim_at(const struct world *w, const uint64_t wanted[INDEXED_SECTIONS], uint64_t all,
                       uint64_t got[INDEXED_SECTIONS])
{
    struct indexed_aim a;
    unsigned tries = 0;
    indexed_aim_start(&a, all, wanted, LINE, LINE_STR, ARANGES, false);
    for (; indexed_aim_goes_on(&a); tries++) {
        uint64_t now[INDEXED_SECTIONS];
        uint64_t sum = ARANGES;
        for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
            sum += a.size[i] == DEBUG_ANY ? 0 : a.size[i];
        assert_int_equal(a.normal, sum);
        const uint64_t total = translated(w, a.size, now);
        indexed_aim_note(&a, a.size, now, total);
        if (a.is_best) {
            assert_true(total <= all);
            memcpy(got, now, sizeof now);
        }
    }
    return tries;
}

static uint64_t all_of(const uint64_t wanted[INDEXED_SECTIONS])
{
    uint64_t sum = LINE + LINE_STR;
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        sum += wanted[i];
    return sum;
}

static void test_aims_a_little_low(void **state)
{
    (void)state;
    static const struct world worlds[] = {
        {65, 114, 128, 8800, 15000, 37000, 12000}, /* about as clang's form is in C */
        {65, 102, 103, 90000, 15000, 37000, 12000},
        {40, 60, 200, 100, 1000, 2000, 3000},
        {130, 250, 30, 0, 16000, 38000, 13000},
    };
    const uint64_t wanted[INDEXED_SECTIONS] = {
        [INDEXED_INFO] = 180000, [INDEXED_ABBREV] = 17000,      [INDEXED_STR] = 100000, [INDEXED_LISTS] = 70000,
        [INDEXED_RANGES] = 9000, [INDEXED_STR_OFFSETS] = 39000, [INDEXED_ADDR] = 13000};
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        uint64_t got[INDEXED_SECTIONS] = {0};
        assert_in_range(aim_at(&worlds[i], wanted, all_of(wanted), got), 1, 4);
        for (unsigned s = 0; s < INDEXED_SECTIONS; s++)
            assert_true(got[s] <= wanted[s]);
        assert_true(got[INDEXED_INFO] > wanted[INDEXED_INFO] - wanted[INDEXED_INFO] / 500);
        assert_true(got[INDEXED_LISTS] > wanted[INDEXED_LISTS] - wanted[INDEXED_LISTS] / 500);
    }
}

/* Some sections cannot be asked for less, and may come out larger than wanted. Then .debug_info gets as much less. */
static void test_makes_room_for_what_follows(void **state)
{
    (void)state;
    const struct world w = {65, 114, 128, 8800, 15000, 49000, 16000};
    const uint64_t wanted[INDEXED_SECTIONS] = {
        [INDEXED_INFO] = 180000, [INDEXED_ABBREV] = 17000,      [INDEXED_STR] = 100000, [INDEXED_LISTS] = 70000,
        [INDEXED_RANGES] = 9000, [INDEXED_STR_OFFSETS] = 39000, [INDEXED_ADDR] = 13000};
    uint64_t got[INDEXED_SECTIONS] = {0};
    aim_at(&w, wanted, all_of(wanted), got);
    const uint64_t excess = (49000 - 39000) + (16000 - 13000);
    assert_in_range(got[INDEXED_INFO], 180000 - excess - 1000, 180000 - excess);
}

/* Only a size of all sections together is wanted. */
static void test_without_sizes_of_sections(void **state)
{
    (void)state;
    const uint64_t wanted[INDEXED_SECTIONS] = {0};
    const uint64_t all = 1000000;
    struct indexed_aim a;
    uint64_t best = 0;
    indexed_aim_start(&a, all, wanted, 0, 0, 0, false);
    while (indexed_aim_goes_on(&a)) {
        const uint64_t normal[DEBUG_SECTION_COUNT] = {0};
        const uint64_t total = a.normal * 71 / 100 + 5000;
        indexed_aim_note(&a, normal, wanted, total);
        best = a.is_best ? total : best;
    }
    assert_in_range(best, all - all / 500, all);
}

/* The search ends even where every try fails or is too long. */
static void test_ends_where_nothing_fits(void **state)
{
    (void)state;
    const uint64_t wanted[INDEXED_SECTIONS] = {[INDEXED_INFO] = 1000, [INDEXED_STR] = 100};
    const uint64_t normal[DEBUG_SECTION_COUNT] = {[DEBUG_INFO] = 5000, [DEBUG_STR] = 100};
    struct indexed_aim a;
    unsigned tries = 0;
    indexed_aim_start(&a, 1100, wanted, 0, 0, 0, true);
    for (; indexed_aim_goes_on(&a); tries++) {
        if (tries % 2)
            indexed_aim_failed(&a);
        else
            indexed_aim_note(&a, normal, (const uint64_t[INDEXED_SECTIONS]){[INDEXED_INFO] = 1}, UINT64_MAX);
        assert_false(a.is_best);
        assert_true(a.size[DEBUG_INFO] < UINT64_C(1) << 40);
    }
    assert_in_range(tries, 2, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filled_by_any_number_of_bytes),
        cmocka_unit_test(test_together_they_have_the_size_of_the_plan),
        cmocka_unit_test(test_aims_a_little_low),
        cmocka_unit_test(test_makes_room_for_what_follows),
        cmocka_unit_test(test_without_sizes_of_sections),
        cmocka_unit_test(test_ends_where_nothing_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
