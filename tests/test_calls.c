/* emit/plan/calls.c: who calls whom, over many plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "emit/plan/calls.h"
#include "emit/plan/plan.h"
#include "emit/solve/plan_make.h"
#include "emit/stock/stock.h"

enum { PLANS = 300 };

/* What one plan is made from. */
struct counts {
    uint32_t modules, utilities, functions, utility_functions;
    uint32_t depth, utility, per_module; /* 0: derived */
    double coverage;
    bool need_all, random;
    uint64_t seed;
};

struct made {
    struct profile profile;
    struct plan plan;
    struct arena arena;
};

static const struct stock *stock;

static int make_stock(void **state)
{
    (void)state;
    const struct manner usual = manner_usual();
    stock = stock_make((struct dialect){.version = 5, .language = DWARF_C}, &usual, 42, 2);
    return stock ? 0 : -1;
}

static void make(struct made *m, const struct counts *c)
{
    struct error e = {0};
    memset(m, 0, sizeof *m);
    assert_true(profile_init(&m->profile, &e));
    struct profile *p = &m->profile;
    p->seed = c->seed;
    p->modules = c->modules;
    p->utilities = c->utilities;
    p->functions = c->functions;
    if (c->utility_functions)
        p->utility_functions = c->utility_functions;
    p->calls.depth = c->depth;
    p->calls.utility = c->utility;
    if (c->per_module)
        p->calls.utilities_per_module = c->per_module;
    p->calls.coverage = c->coverage;
    p->calls.need_all = c->need_all;
    p->calls.repeat = 1;
    p->calls.random = c->random;
    if (!plan_make(&m->plan, p, NULL, &stock->corpus, 1, &e))
        fail_msg("%u modules, %u utilities, %u functions, depth %u, coverage %g: %s", c->modules, c->utilities,
                 c->functions, c->depth, c->coverage, e.text);
}

static void unmake(struct made *m)
{
    plan_free(&m->plan);
    profile_free(&m->profile);
    arena_free(&m->arena);
}

static struct counts by_chance(uint64_t seed)
{
    struct random r = {seed};
    struct counts c = {.seed = seed};
    c.modules = 1 + random_below(random_next(&r), 40);
    c.utilities = 1 + random_below(random_next(&r), 40);
    c.functions = 1 + random_below(random_next(&r), 1 + random_below(random_next(&r), 300));
    c.utility_functions = random_below(random_next(&r), 2) ? 0 : 1 + random_below(random_next(&r), 300);
    static const uint32_t depths[] = {1, 2, 3, 10, 10, 10, 1000};
    c.depth = depths[random_below(random_next(&r), sizeof depths / sizeof depths[0])];
    c.utility = 1 + random_below(random_next(&r), 3);
    c.per_module = random_below(random_next(&r), 2) ? 0 : 1 + random_below(random_next(&r), 50);
    c.random = !c.per_module && random_below(random_next(&r), 2);
    c.need_all = random_below(random_next(&r), 4) == 0;
    static const double coverages[] = {1, 1, 0.5, 0.1, 0.9};
    c.coverage = coverages[random_below(random_next(&r), sizeof coverages / sizeof coverages[0])];
    return c;
}

/* Calls `check` with each of PLANS plans, which are made from random counts. */
static void each_plan(void (*check)(struct made *m))
{
    for (uint64_t seed = 0; seed < PLANS; seed++) {
        struct counts c = by_chance(seed);
        struct made m;
        make(&m, &c);
        check(&m);
        unmake(&m);
    }
}

static struct calls calls_of(struct made *m, uint32_t module)
{
    struct calls calls;
    arena_reset(&m->arena);
    assert_true(calls_make(&m->plan, &m->plan.library[module], &m->arena, &calls));
    return calls;
}

static const struct plan_library *utility_of(const struct plan *plan, const struct import *i)
{
    return &plan->library[i->library];
}

/* Returns for each utility an array with 1 for each function that some module calls. The caller frees all of them. */
static uint8_t **mark_called(struct made *m)
{
    const struct plan *plan = &m->plan;
    uint8_t **called = calloc(plan->utilities, sizeof *called);
    assert_non_null(called);
    for (uint32_t u = 0; u < plan->utilities; u++)
        assert_non_null(called[u] = calloc(plan->library[plan_utility(plan, u)].functions, 1));
    for (uint32_t i = 0; i < plan->modules; i++) {
        struct calls calls = calls_of(m, i);
        uint64_t count = (uint64_t)plan->library[i].functions * plan->assignment.per_function;
        for (uint64_t t = 0; t < count; t++) {
            if (calls.target[t] == CALLS_NONE)
                continue;
            assert_true(calls.target[t] < calls.import_count);
            const struct import *import = &calls.import[calls.target[t]];
            assert_true(import->function < utility_of(plan, import)->functions);
            called[import->library - plan_utility(plan, 0)][import->function] = 1;
        }
    }
    return called;
}

/* Sets any[1] if any module's function is covered, and any[0] if any is not. */
static void classes_of(const struct plan *plan, bool any[2])
{
    any[0] = any[1] = false;
    for (uint32_t i = 0; i < plan->modules; i++)
        for (uint32_t chain = 0; chain < plan->library[i].calls.chains; chain++)
            any[plan_chain_covered(plan, chain)] = true;
}

static void check_every_chain(struct made *m)
{
    const struct plan *plan = &m->plan;
    uint8_t **called = mark_called(m);
    bool any[2];
    classes_of(plan, any);
    for (uint32_t u = 0; u < plan->utilities; u++) {
        const struct plan_library *l = &plan->library[plan_utility(plan, u)];
        for (uint32_t chain = 0; chain < l->calls.chains; chain++)
            if (any[plan_chain_covered(plan, chain)] && !called[u][chain * plan->depth])
                fail_msg("seed %llu: nobody calls the first of chain %u of %s", (unsigned long long)plan->seed, chain,
                         l->name);
        free(called[u]);
    }
    free(called);
}

static void test_every_chain_is_called_from_its_head(void **state)
{
    (void)state;
    each_plan(check_every_chain);
}

static void check_classes(struct made *m)
{
    const struct plan *plan = &m->plan;
    uint32_t per = plan->assignment.per_function;
    for (uint32_t i = 0; i < plan->modules; i++) {
        struct calls calls = calls_of(m, i);
        for (uint32_t f = 0; f < plan->library[i].functions; f++) {
            bool covered = plan_chain_covered(plan, f / plan->depth);
            for (uint32_t t = 0; t < per; t++) {
                uint32_t target = calls.target[(uint64_t)f * per + t];
                if (target == CALLS_NONE)
                    assert_true(plan->assignment.chains[covered] == 0);
                else
                    assert_true(plan_chain_covered(plan, calls.import[target].function / plan->depth) == covered);
            }
        }
    }
}

static void test_covered_functions_call_covered_ones_only(void **state)
{
    (void)state;
    each_plan(check_classes);
}

static int by_value(const void *a, const void *b)
{
    const struct import *x = a;
    const struct import *y = b;
    if (x->library != y->library)
        return x->library < y->library ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static void check_imports(struct made *m)
{
    const struct plan *plan = &m->plan;
    uint32_t per = plan->assignment.per_function;
    for (uint32_t i = 0; i < plan->modules; i++) {
        const struct plan_library *row = &plan->library[i];
        struct calls calls = calls_of(m, i);
        assert_int_equal(calls.import_count, row->imports);
        uint8_t *used = calloc(calls.import_count + 1, 1);
        assert_non_null(used);
        for (uint64_t t = 0; t < (uint64_t)row->functions * per; t++)
            if (calls.target[t] != CALLS_NONE)
                used[calls.target[t]] = 1;
        for (uint32_t n = 0; n < calls.import_count; n++)
            assert_true(used[n]);
        free(used);
        qsort(calls.import, calls.import_count, sizeof *calls.import, by_value);
        for (uint32_t n = 1; n < calls.import_count; n++)
            assert_true(by_value(&calls.import[n - 1], &calls.import[n]) < 0);
    }
}

static void test_imports_are_used_and_different(void **state)
{
    (void)state;
    each_plan(check_imports);
}

static void check_needed(struct made *m)
{
    const struct plan *plan = &m->plan;
    uint8_t *state = calloc(plan->utilities, 1);
    assert_non_null(state);
    for (uint32_t i = 0; i < plan->modules; i++) {
        const struct plan_library *row = &plan->library[i];
        struct calls calls = calls_of(m, i);
        memset(state, 0, plan->utilities);
        uint64_t digits = 0;
        assert_int_equal(calls.needed_count, row->needs.utilities);
        for (uint32_t n = 0; n < calls.needed_count; n++) {
            const uint32_t number = calls.needed[n] - plan_utility(plan, 0);
            assert_true(number < plan->utilities);
            assert_false(state[number]); /* none twice */
            state[number] = 1;
            digits += names_digits(number);
        }
        assert_int_equal(digits, row->needs.digits);
        uint64_t names = 0;
        for (uint32_t n = 0; n < calls.import_count; n++) {
            const struct plan_library *u = utility_of(plan, &calls.import[n]);
            assert_true(state[u->number]);
            state[u->number] = 2;
            struct function f = function_of(u->key, calls.import[n].function);
            names += names_function(&plan->names, u, calls.import[n].function, &f) + 1;
        }
        assert_int_equal(names, row->names.imports);
        for (uint32_t u = 0; u < plan->utilities; u++)
            assert_true(state[u] != 1 || m->profile.calls.need_all); /* each needed utility is called */
    }
    free(state);
}

static void test_needed_are_those_that_are_called(void **state)
{
    (void)state;
    each_plan(check_needed);
}

static void check_limit(struct made *m)
{
    int64_t limit = m->profile.calls.utilities_per_module;
    uint32_t most = limit > 0 ? (uint32_t)limit : 32;
    if (m->plan.assignment.layers == 1 || m->profile.calls.need_all)
        return; /* as few as there can be, or all */
    for (uint32_t i = 0; i < m->plan.modules; i++)
        assert_in_range(m->plan.library[i].needs.utilities, 0, most);
}

static void test_no_more_utilities_than_the_limit(void **state)
{
    (void)state;
    each_plan(check_limit);
}

static void test_need_all(void **state)
{
    (void)state;
    struct counts c = {
        .modules = 6, .utilities = 50, .functions = 20, .depth = 5, .utility = 1, .per_module = 50, .coverage = 1};
    c.need_all = true;
    struct made m;
    make(&m, &c);
    for (uint32_t i = 0; i < c.modules; i++) {
        struct calls calls = calls_of(&m, i);
        assert_int_equal(calls.needed_count, 50);
        for (uint32_t n = 0; n < calls.needed_count; n++)
            assert_int_equal(calls.needed[n], plan_utility(&m.plan, n));
    }
    unmake(&m);
}

/* A module calls as many different functions as if each call chose one by chance: about n (1 - (1 - 1/n)^k) of n by k
 * calls. With neighbourhoods these would be of 32 utilities only. */
static void test_random_calls_go_everywhere(void **state)
{
    (void)state;
    const struct counts c = {
        .modules = 20, .utilities = 60, .functions = 200, .depth = 10, .utility = 1, .coverage = 1, .random = true};
    struct made m;
    make(&m, &c);
    for (uint32_t i = 0; i < c.modules; i++) {
        struct calls calls = calls_of(&m, i);
        uint32_t functions = m.plan.library[i].functions;
        assert_in_range(calls.import_count, functions * 9 / 10, functions);
        uint32_t reached[60] = {0};
        for (uint32_t n = 0; n < calls.import_count; n++)
            reached[calls.import[n].library - plan_utility(&m.plan, 0)]++;
        for (uint32_t u = 0; u < c.utilities; u++)
            assert_in_range(reached[u], 0, functions / 60 + 20);
        assert_in_range(calls.needed_count, 40, 60);
    }
    check_every_chain(&m);
    unmake(&m);
}

/* A module calls neighbouring utilities only. So each module needs few of them, even if there are many of both, and its
 * data need not hold a table of every utility. */
static void test_neighbourhood_is_small(void **state)
{
    (void)state;
    struct counts c = {.modules = 100, .utilities = 400, .functions = 100, .depth = 10, .utility = 1, .coverage = 1};
    struct made m;
    make(&m, &c);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c.modules; i++)
        sum += m.plan.library[i].needs.utilities;
    assert_in_range(sum, 400, 32 * 100);
    check_every_chain(&m);
    unmake(&m);
}

static void test_without_utilities(void **state)
{
    (void)state;
    struct counts c = {.modules = 3, .functions = 30, .depth = 10, .utility = 5, .coverage = 1};
    struct made m;
    make(&m, &c);
    assert_int_equal(m.plan.assignment.per_function, 0);
    struct calls calls = calls_of(&m, 1);
    assert_int_equal(calls.import_count, 0);
    assert_int_equal(calls.needed_count, 0);
    unmake(&m);
}

/* A single module with few functions calls more often than asked, so that each chain of the utilities is called. */
static void test_many_utilities_of_few_functions(void **state)
{
    (void)state;
    struct counts c = {.modules = 1,
                       .utilities = 30,
                       .functions = 3,
                       .utility_functions = 100,
                       .depth = 10,
                       .utility = 1,
                       .coverage = 1};
    struct made m;
    make(&m, &c);
    assert_true(m.plan.assignment.per_function > 1);
    check_every_chain(&m);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_chain_is_called_from_its_head),
        cmocka_unit_test(test_covered_functions_call_covered_ones_only),
        cmocka_unit_test(test_imports_are_used_and_different),
        cmocka_unit_test(test_needed_are_those_that_are_called),
        cmocka_unit_test(test_no_more_utilities_than_the_limit),
        cmocka_unit_test(test_need_all),
        cmocka_unit_test(test_random_calls_go_everywhere),
        cmocka_unit_test(test_neighbourhood_is_small),
        cmocka_unit_test(test_without_utilities),
        cmocka_unit_test(test_many_utilities_of_few_functions),
    };
    return cmocka_run_group_tests(tests, make_stock, NULL);
}
