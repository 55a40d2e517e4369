/* tools/pyelfprobe/cells.h: medians, and reasons where there is no measurement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pyelfprobe/cells.h"

static void test_medians(void **state)
{
    (void)state;
    double odd[] = {5, 1, 3}, even[] = {4, 1, 8, 2};
    assert_true(cells_median(odd, 3) == 3);
    assert_true(cells_median(even, 4) == 3);
    assert_true(isnan(cells_median(NULL, 0)));
}

/* A run that does not know a metric is left out. It does not count as 0. */
static void test_unknown(void **state)
{
    (void)state;
    static const double walls[] = {3, 1, NAN, 2};
    struct cell cell = {0};
    for (size_t i = 0; i < 4; i++) {
        const struct sample sample = {.of = {[METRIC_WALL] = walls[i], [METRIC_CPU] = NAN}};
        assert_true(cell_add(&cell, &sample));
    }
    assert_int_equal(cell.outcome, OUTCOME_DONE);
    assert_true(cell_median(&cell, METRIC_WALL) == 2);
    assert_true(isnan(cell_median(&cell, METRIC_CPU)));
    free(cell.samples);
}

static void add_walls(struct cell *cell, const double *walls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(cell_add(cell, &(struct sample){.of = {[METRIC_WALL] = walls[i], [METRIC_CPU] = NAN}}));
}

/* The machine becomes ten times slower between the runs. The ratio of B to A stays 2. */
static void test_ratio_of_pairs(void **state)
{
    (void)state;
    static const double a_walls[] = {1, 10, 11}, b_walls[] = {2, 20, 33};
    struct cell a = {0}, b = {0};
    add_walls(&a, a_walls, 3);
    add_walls(&b, b_walls, 3);
    assert_true(cells_ratio(&a, &b, METRIC_WALL) == 2);
    assert_true(isnan(cells_ratio(&a, &b, METRIC_CPU)));
    add_walls(&b, b_walls, 1); /* other numbers of runs are no pairs: medians 10 and 11 */
    assert_true(cells_ratio(&a, &b, METRIC_WALL) == 1.1);
    assert_true(isnan(cells_ratio(&(struct cell){0}, &b, METRIC_WALL)));
    assert_true(isnan(cells_ratio(&(struct cell){0}, &(struct cell){0}, METRIC_WALL)));
    free(a.samples);
    free(b.samples);
}

/* The spread of runs, and of the ratios of pairs. A single run has none. */
static void test_spread(void **state)
{
    (void)state;
    static const double a_walls[] = {2, 4, 5}, b_walls[] = {4, 4, 20};
    struct cell a = {0}, b = {0};
    add_walls(&a, a_walls, 1);
    add_walls(&b, b_walls, 1);
    assert_true(isnan(cell_spread(&a, METRIC_WALL).least));
    assert_true(isnan(cells_ratio_spread(&a, &b, METRIC_WALL).most));
    add_walls(&a, a_walls + 1, 2);
    assert_true(cell_spread(&a, METRIC_WALL).least == 2 && cell_spread(&a, METRIC_WALL).most == 5);
    assert_true(isnan(cells_ratio_spread(&a, &b, METRIC_WALL).least)); /* no pairs */
    add_walls(&b, b_walls + 1, 2);
    assert_true(cells_ratio_spread(&a, &b, METRIC_WALL).least == 1);
    assert_true(cells_ratio_spread(&a, &b, METRIC_WALL).most == 4);
    assert_true(isnan(cell_spread(&a, METRIC_CPU).least));
    free(a.samples);
    free(b.samples);
}

/* Of a warm-up only a failure is kept. */
static void test_forget(void **state)
{
    (void)state;
    static const double walls[] = {1, 2};
    struct cell done = {0}, failed = {0};
    add_walls(&done, walls, 2);
    add_walls(&failed, walls, 1);
    cell_miss(&failed, OUTCOME_FAILED, "broken");
    cell_forget(&done);
    cell_forget(&failed);
    assert_true(done.outcome == OUTCOME_NONE && done.count == 0 && !done.samples);
    assert_true(failed.outcome == OUTCOME_FAILED && failed.count == 0 && !failed.samples);
    assert_string_equal(failed.reason, "broken");
}

static void test_reasons(void **state)
{
    (void)state;
    struct cell cell = {0};
    char long_reason[2 * REASON_SIZE];
    cell_miss(&cell, OUTCOME_TIMEOUT, "too \033[31mlong\n");
    assert_string_equal(cell.reason, "too ?[31mlong?");
    cell_miss(&cell, OUTCOME_FAILED, "another");
    assert_int_equal(cell.outcome, OUTCOME_TIMEOUT);
    assert_string_equal(cell.reason, "too ?[31mlong?");

    /* A reason that is cut within a character of two bytes is still UTF-8. */
    for (size_t i = 0; i + 1 < sizeof long_reason; i += 2)
        memcpy(long_reason + i, "\u00e4", 2);
    long_reason[sizeof long_reason - 1] = '\0';
    cell = (struct cell){0};
    cell_miss(&cell, OUTCOME_ABSENT, long_reason);
    assert_int_equal(strlen(cell.reason), REASON_SIZE - 1);
    assert_int_equal(cell.reason[REASON_SIZE - 2], '?');
}

static void test_which_steps(void **state)
{
    (void)state;
    assert_true(cells_has(TOOL_GDB, STEP_PHASE1) && cells_has(TOOL_LLDB, STEP_BEGIN));
    assert_false(cells_has(TOOL_GDB, STEP_WHOLE) || cells_has(TOOL_NM, STEP_PHASE1));
    assert_true(cells_has(TOOL_NM, STEP_WHOLE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_medians), cmocka_unit_test(test_unknown),     cmocka_unit_test(test_ratio_of_pairs),
        cmocka_unit_test(test_reasons), cmocka_unit_test(test_which_steps), cmocka_unit_test(test_spread),
        cmocka_unit_test(test_forget),
    };
    return cmocka_run_group_tests_name("probe cells", tests, NULL, NULL);
}
