/* emit/solve/plan_make: a plan of a profile with rows is kept while headers are made in one manner after another
 * (plan_goes_with). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "emit/plan/plan.h"
#include "emit/profile/profile.h"
#include "emit/solve/plan_make.h"
#include "emit/stock/stock.h"

#define ROWS                                                                                                           \
    "pyelfgen-profile: 1\nlibraries:\n"                                                                                \
    "- {kind: module, text: 90 kB, data: 1500, bss: 8, debug: 100 kB, symtab: 960, strtab: 900, functions: 26, "       \
    "mix: {abbrev: 9000}, dwarf: {version: 5, units: 10, dies: 4000}}\n"                                               \
    "- {kind: utility, text: 90 kB, data: 1500, bss: 8, debug: %u, symtab: 960, strtab: 900, functions: 9, "           \
    "dwarf: {version: 5, units: 6}}\n"

enum { FEW = 32, MANY = CORPUS_NAMES }; /* names of parameters and locals, which every library has */

struct made {
    struct profile profile;
    struct plan plan;
};

static struct stock *make_stock(const struct profile *p, uint16_t names)
{
    struct manner m = manner_usual();
    m.names = names;
    struct stock *const s = stock_make(stock_dialect(p), &m, p->seed, 1);
    assert_non_null(s);
    assert_true(stock_add_rows(s, p, &(struct manners){{m, m, m}}, 1));
    return s;
}

static void parse_rows(struct profile *p, unsigned debug)
{
    char text[1024];
    struct error e = {0};
    snprintf(text, sizeof text, ROWS, debug);
    if (!profile_parse(p, text, strlen(text), "test.prof", &e))
        fail_msg("%s", e.text);
}

/* Whether there is a plan of rows whose second library has so many bytes of debug information. */
static bool make(struct made *m, unsigned debug, const struct stock *stock)
{
    struct error e = {0};
    memset(m, 0, sizeof *m);
    parse_rows(&m->profile, debug);
    const bool made = plan_make(&m->plan, &m->profile, NULL, &stock->corpus, 1, &e);
    assert_true(made || e.code == ERROR_INFEASIBLE);
    return made;
}

static void unmake(struct made *m)
{
    plan_free(&m->plan);
    profile_free(&m->profile);
}

static void are_the_same(const struct plan *a, const struct plan *b)
{
    assert_int_equal(a->library_count, b->library_count);
    for (uint32_t i = 0; i < a->library_count; i++) {
        const struct plan_library *const x = &a->library[i];
        const struct plan_library *const y = &b->library[i];
        assert_memory_equal(x->size, y->size, sizeof x->size);
        assert_int_equal(x->debug.units, y->debug.units);
        assert_int_equal(x->debug.units_all, y->debug.units_all);
        assert_int_equal(x->debug.tables, y->debug.tables);
    }
}

/* From too little debug information for the many names, to enough for one unit and to enough for all. */
static void a_kept_plan_is_that_which_would_be_made(void **state)
{
    enum { LEAST = 6000, MOST = 24000, STEP = 500 };
    unsigned refused = 0, fewer = 0, same = 0;
    struct profile p = {0};
    (void)state;
    parse_rows(&p, LEAST); /* the stocks of all are the same */
    struct stock *const with_few = make_stock(&p, FEW);
    struct stock *const with_many = make_stock(&p, MANY);
    for (unsigned debug = LEAST; debug < MOST; debug += STEP) {
        struct made few, many;
        if (make(&few, debug, with_few)) {
            const uint32_t units = few.plan.library[1].debug.units_all;
            const bool is_possible = make(&many, debug, with_many);
            const bool is_kept = plan_goes_with(&few.plan, &with_many->corpus);
            assert_true(is_possible || !is_kept);
            if (is_kept)
                are_the_same(&few.plan, &many.plan);
            refused += !is_kept;
            fewer += is_kept && many.plan.library[1].debug.units_all < units;
            same += is_kept && many.plan.library[1].debug.units_all == units;
            unmake(&many);
        }
        unmake(&few);
    }
    stock_free(with_few);
    stock_free(with_many);
    profile_free(&p);
    assert_true(refused && fewer && same);
}

/* There, sizes follow from how many functions go into what is left of debug information. */
static void a_plan_without_rows_is_not_kept(void **state)
{
    const char text[] = "pyelfgen-profile: 1\nmodules: 2\nutilities: 1\nfunctions: 50\n";
    struct made m;
    struct error e = {0};
    (void)state;
    memset(&m, 0, sizeof m);
    assert_true(profile_parse(&m.profile, text, strlen(text), "test.prof", &e));
    struct stock *const stock = make_stock(&m.profile, FEW);
    assert_true(plan_make(&m.plan, &m.profile, NULL, &stock->corpus, 1, &e));
    assert_false(plan_goes_with(&m.plan, &stock->corpus));
    stock_free(stock);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_plan_is_that_which_would_be_made),
        cmocka_unit_test(a_plan_without_rows_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
