/* tools/pyelfprobe/model.h: the paper's arithmetic, and the fit of what it needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "tools/pyelfprobe/model.h"

enum { NUMBERS = 4, STEPS = 3, POINTS = NUMBERS * STEPS };

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= fabs(expected) * relative))
        fail_msg("%.12g is not %.12g", value, expected);
}

/* Times of a debugger with these costs, each off by at most `noise` seconds. */
static void make_points(struct model_point *points, const struct model_fit *costs, double noise)
{
    static const double libraries[NUMBERS] = {125, 250, 375, 500}, breakpoints[STEPS] = {0, 5, 10};
    for (size_t i = 0; i < POINTS; i++) {
        struct model_point *p = &points[i];
        *p = (struct model_point){libraries[i / STEPS], breakpoints[i % STEPS], 0};
        const double random = (double)(random_at(7, i) >> 11) / 0x1p53 * 2 - 1;
        p->seconds = model_predict(costs, p->libraries, p->breakpoints) + noise * random;
    }
}

static void test_paper(void **state)
{
    (void)state;
    const double seconds = model_time(500, 500, 0.010, 10, 0.001);
    assert_near(seconds, 5000, 1e-12);
    assert_int_equal((int)(seconds / 60), 83);
    assert_near(model_time(500, 500, 0.010, 0, 0.001), 2500, 1e-12);
}

static void test_exact_points(void **state)
{
    (void)state;
    const struct model_fit costs = {.t0 = 0.3, .t1 = 0.010, .t2 = 0.001};
    struct model_point points[POINTS];
    struct model_fit fit;
    struct error e;
    assert_near(model_extrapolate(&costs, 500, 500, 10), 5000, 1e-12);
    make_points(points, &costs, 0);
    assert_true(model_fit(points, POINTS, false, &fit, &e));
    assert_near(fit.t0, costs.t0, 1e-9);
    assert_near(fit.t1, costs.t1, 1e-9);
    assert_near(fit.t2, costs.t2, 1e-9);
    assert_true(fit.t1_growth == 0 && fit.t2_growth == 0);
    assert_true(fit.residual < 1e-12);
    assert_near(fit.determined, 1, 1e-12);
}

/* A debugger that looks through all libraries at each event, and for each breakpoint. */
static void test_growth(void **state)
{
    (void)state;
    const struct model_fit costs = {.t0 = 0.5, .t1 = 0.004, .t2 = 0.0002, .t1_growth = 0.00003, .t2_growth = 0.000004};
    struct model_point points[POINTS];
    struct model_fit straight, grown;
    struct error e;
    make_points(points, &costs, 0);
    assert_true(model_fit(points, POINTS, false, &straight, &e));
    assert_true(model_fit(points, POINTS, true, &grown, &e));
    assert_near(grown.t0, costs.t0, 1e-7);
    assert_near(grown.t1, costs.t1, 1e-7);
    assert_near(grown.t2, costs.t2, 1e-7);
    assert_near(grown.t1_growth, costs.t1_growth, 1e-7);
    assert_near(grown.t2_growth, costs.t2_growth, 1e-7);
    assert_near(model_extrapolate(&grown, 1000, 8, 10), 8 * (model_predict(&costs, 1000, 10) - costs.t0), 1e-7);
    assert_true(straight.residual > 0.1 && grown.residual < 1e-9);
}

/* Least squares of four points, whose normal equations are written out by hand:
 * 0, 1, 2 and 4 s for (M, B) of (1, 0), (2, 0), (1, 1), (2, 1). */
static void test_by_hand(void **state)
{
    (void)state;
    static const struct model_point points[] = {{1, 0, 0}, {2, 0, 1}, {1, 1, 2}, {2, 1, 4}};
    struct model_fit fit;
    struct error e;
    assert_true(model_fit(points, 4, false, &fit, &e));
    /* Columns 1, M, MB: with u = MB the sums are 4 6 3 | 7; 6 10 5 | 12; 3 5 5 | 10. */
    assert_near(4 * fit.t0 + 6 * fit.t1 + 3 * fit.t2, 7, 1e-12);
    assert_near(6 * fit.t0 + 10 * fit.t1 + 5 * fit.t2, 12, 1e-12);
    assert_near(3 * fit.t0 + 5 * fit.t1 + 5 * fit.t2, 10, 1e-12);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 4; i++) {
        const double residual = points[i].seconds - model_predict(&fit, points[i].libraries, points[i].breakpoints);
        sum += residual;
        squares += residual * residual;
    }
    assert_true(fabs(sum) < 1e-12);
    assert_near(fit.residual, sqrt(squares / 4), 1e-12);
    assert_near(fit.determined, 1 - squares / 8.75, 1e-12);
}

static void test_noise(void **state)
{
    (void)state;
    const struct model_fit costs = {.t0 = 0.3, .t1 = 0.010, .t2 = 0.001};
    struct model_point points[POINTS];
    struct model_fit fit;
    struct error e;
    make_points(points, &costs, 0.05);
    assert_true(model_fit(points, POINTS, false, &fit, &e));
    assert_near(fit.t1, costs.t1, 0.05);
    assert_near(fit.t2, costs.t2, 0.05);
    assert_true(fit.residual > 0.005 && fit.residual < 0.05);
}

/* Errors are as large as those of many fits of points with noise. Points on a line have none. */
static void test_errors(void **state)
{
    (void)state;
    static const struct model_point hand[] = {{1, 0, 0}, {2, 0, 1}, {1, 1, 2}, {2, 1, 4}};
    struct model_fit fit;
    struct error e;
    /* There is one point more than unknowns, and the inverse of the matrix in test_by_hand has 11/10 and 4/10 on its
     * diagonal. */
    assert_true(model_fit(hand, 4, false, &fit, &e));
    const double square = fit.residual * fit.residual * 4;
    assert_near(fit.t1_error, sqrt(square * 1.1), 1e-9);
    assert_near(fit.t2_error, sqrt(square * 0.4), 1e-9);
    assert_true(model_fit(hand, 3, false, &fit, &e));
    assert_true(isnan(fit.t1_error) && isnan(fit.t2_error));
    const struct model_fit costs = {.t0 = 0.3, .t1 = 0.010, .t2 = 0.001};
    struct model_point points[POINTS];
    make_points(points, &costs, 0);
    assert_true(model_fit(points, POINTS, false, &fit, &e));
    assert_true(fit.t1_error < 1e-9 && fit.t2_error < 1e-9);
    make_points(points, &costs, 0.05);
    assert_true(model_fit(points, POINTS, false, &fit, &e));
    assert_true(fabs(fit.t1 - costs.t1) < 3 * fit.t1_error && fabs(fit.t2 - costs.t2) < 3 * fit.t2_error);
}

static void test_grows(void **state)
{
    (void)state;
    const struct model_fit level = {.t0 = 0.3, .t1 = 0.010, .t2 = 0.001};
    const struct model_fit steep = {.t0 = 0.5, .t1 = 0.004, .t2 = 0.0002, .t1_growth = 0.00003, .t2_growth = 0.000004};
    const struct model_fit *const costs[] = {&level, &steep};
    for (int i = 0; i < 2; i++) {
        struct model_point points[POINTS];
        struct model_fit straight, grown;
        struct error e;
        make_points(points, costs[i], 0.05);
        assert_true(model_fit(points, POINTS, false, &straight, &e) && model_fit(points, POINTS, true, &grown, &e));
        assert_true(grown.residual <= straight.residual);
        assert_int_equal(model_grows(&straight, &grown, POINTS), i);
        assert_false(model_grows(&straight, &grown, 5));
    }
}

static void check_undetermined(const struct model_point *points, size_t count, bool growth, const char *says)
{
    struct model_fit fit;
    struct error e;
    assert_false(model_fit(points, count, growth, &fit, &e));
    assert_int_equal(e.code, ERROR_INPUT);
    assert_non_null(strstr(e.text, says));
}

static void test_undetermined(void **state)
{
    (void)state;
    static const struct model_point no_breakpoints[] = {{1, 0, 1}, {2, 0, 2}, {3, 0, 3}, {4, 0, 4}};
    static const struct model_point one_number[] = {{5, 0, 1}, {5, 1, 2}, {5, 2, 3}};
    static const struct model_point two_numbers[] = {{5, 0, 1}, {5, 1, 2}, {9, 0, 3}, {9, 1, 5}};
    check_undetermined(NULL, 0, false, "0 measurements do not determine T1 and T2");
    check_undetermined(two_numbers, 2, false, "2 measurements");
    check_undetermined(no_breakpoints, 4, false, "two of breakpoints");
    check_undetermined(one_number, 3, false, "two numbers of libraries");
    static const struct model_point six[] = {{5, 0, 1}, {5, 1, 2}, {5, 2, 3}, {9, 0, 3}, {9, 1, 5}, {9, 2, 6}};
    check_undetermined(six, 6, true, "three numbers of libraries");
    const struct model_point unknown[] = {{5, 0, NAN}, {5, 1, 2}, {9, 0, 3}, {9, 1, 5}};
    check_undetermined(unknown, 4, false, "do not determine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),   cmocka_unit_test(test_exact_points), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_noise),        cmocka_unit_test(test_undetermined),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_grows),
    };
    return cmocka_run_group_tests_name("probe model", tests, NULL, NULL);
}
