/* See model.h. The fit uses Householder's QR: the columns of 1, M and M^2 x B have very different sizes, and
 * their squares in normal equations even more so.
 */
#include "tools/pyelfprobe/model.h"

#include <math.h>
#include <stdlib.h>

enum { UNKNOWNS = 3, UNKNOWNS_MOST = 5 };

/* A row of the system: the factors of the unknowns, and behind them the sum that they should give. */
typedef double equation[UNKNOWNS_MOST + 1];

static void make_row(double *row, const struct model_point *p, size_t unknowns)
{
    const double events = p->libraries, stops = p->libraries * p->breakpoints;
    const double all[UNKNOWNS_MOST] = {1, events, stops, events * events, stops * events};
    for (size_t i = 0; i < unknowns; i++)
        row[i] = all[i];
    row[unknowns] = p->seconds;
}

/* Reflects the columns from `k` on, so that column `k` is zero below row `k`. Returns what is left of that column on
 * the diagonal. */
static double reflect(equation *a, size_t rows, size_t k, size_t unknowns)
{
    double norm = 0;
    for (size_t i = k; i < rows; i++)
        norm += a[i][k] * a[i][k];
    norm = sqrt(norm);
    if (norm == 0)
        return 0;
    const double diagonal = a[k][k] > 0 ? -norm : norm;
    a[k][k] -= diagonal; /* the column is now the vector that defines the reflection */
    const double square = norm * norm * 2 - 2 * diagonal * (a[k][k] + diagonal);
    for (size_t j = k + 1; j <= unknowns; j++) {
        double product = 0;
        for (size_t i = k; i < rows; i++)
            product += a[i][k] * a[i][j];
        for (size_t i = k; i < rows; i++)
            a[i][j] -= 2 * product / square * a[i][k];
    }
    return diagonal;
}

/* Scales the columns to length 1, so that a value near zero can be recognised. False where a column has no finite
 * length above 0. */
static bool scale(equation *a, size_t rows, size_t unknowns, double *lengths)
{
    for (size_t j = 0; j < unknowns; j++) {
        lengths[j] = 0;
        for (size_t i = 0; i < rows; i++)
            lengths[j] += a[i][j] * a[i][j];
        lengths[j] = sqrt(lengths[j]);
        if (!isfinite(lengths[j]) || lengths[j] == 0)
            return false;
        for (size_t i = 0; i < rows; i++)
            a[i][j] /= lengths[j];
    }
    return true;
}

static bool solve(equation *a, size_t rows, size_t unknowns, double *solution)
{
    double lengths[UNKNOWNS_MOST], diagonal[UNKNOWNS_MOST];
    if (rows < unknowns || !scale(a, rows, unknowns, lengths))
        return false;
    for (size_t k = 0; k < unknowns; k++) {
        diagonal[k] = reflect(a, rows, k, unknowns);
        if (fabs(diagonal[k]) < 1e-9)
            return false;
    }
    for (size_t k = unknowns; k-- > 0;) {
        double value = a[k][unknowns];
        for (size_t j = k + 1; j < unknowns; j++)
            value -= a[k][j] * solution[j];
        solution[k] = value / diagonal[k];
    }
    bool finite = true;
    for (size_t k = 0; k < unknowns; k++) {
        solution[k] /= lengths[k];
        finite = finite && isfinite(solution[k]);
    }
    return finite;
}

static void judge(const struct model_point *points, size_t count, struct model_fit *fit)
{
    double mean = 0, off = 0, spread = 0;
    for (size_t i = 0; i < count; i++)
        mean += points[i].seconds / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double residual = points[i].seconds - model_predict(fit, points[i].libraries, points[i].breakpoints);
        off += residual * residual;
        spread += (points[i].seconds - mean) * (points[i].seconds - mean);
    }
    fit->residual = sqrt(off / (double)count);
    fit->determined = spread > 0 ? 1 - off / spread : NAN;
}

/* Finds the standard errors of T1 and T2. For each point it solves for one second at that point alone, which gives the
 * weight of the point in T1 and T2. The squares of the weights add up, times the variance of the residuals. */
static void find_errors(equation *rows, const struct model_point *points, size_t count, size_t unknowns,
                        struct model_fit *fit)
{
    double sum[UNKNOWNS] = {0};
    fit->t1_error = fit->t2_error = NAN;
    if (count <= unknowns)
        return;
    const double square = fit->residual * fit->residual * (double)count / (double)(count - unknowns);
    for (size_t i = 0; i < count; i++) {
        double solution[UNKNOWNS_MOST] = {0};
        for (size_t j = 0; j < count; j++) {
            make_row(rows[j], &points[j], unknowns);
            rows[j][unknowns] = i == j;
        }
        if (!solve(rows, count, unknowns, solution))
            return;
        for (size_t k = 0; k < UNKNOWNS; k++)
            sum[k] += solution[k] * solution[k];
    }
    fit->t1_error = sqrt(square * sum[1]);
    fit->t2_error = sqrt(square * sum[2]);
}

bool model_fit(const struct model_point *points, size_t count, bool growth, struct model_fit *fit, struct error *e)
{
    const size_t unknowns = growth ? UNKNOWNS_MOST : UNKNOWNS;
    double solution[UNKNOWNS_MOST] = {0};
    equation *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return error_set(e, ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        make_row(rows[i], &points[i], unknowns);
    if (!solve(rows, count, unknowns, solution)) {
        free(rows);
        return error_set(e, ERROR_INPUT,
                         "%zu measurements do not determine %s; at least %s numbers of libraries and two "
                         "of breakpoints are needed",
                         count, growth ? "T1, T2 and how they grow" : "T1 and T2", growth ? "three" : "two");
    }
    *fit = (struct model_fit){
        .t0 = solution[0], .t1 = solution[1], .t2 = solution[2], .t1_growth = solution[3], .t2_growth = solution[4]};
    judge(points, count, fit);
    find_errors(rows, points, count, unknowns, fit);
    free(rows);
    return true;
}

bool model_grows(const struct model_fit *straight, const struct model_fit *grown, size_t count)
{
    const double likely = 5; /* 5 % by chance, for some ten points */
    const double before = straight->residual * straight->residual, after = grown->residual * grown->residual;
    if (count <= UNKNOWNS_MOST)
        return false;
    return (before - after) * (double)(count - UNKNOWNS_MOST) > likely * (UNKNOWNS_MOST - UNKNOWNS) * after;
}

double model_predict(const struct model_fit *fit, double libraries, double breakpoints)
{
    return fit->t0 + model_extrapolate(fit, libraries, 1, breakpoints);
}

double model_extrapolate(const struct model_fit *fit, double libraries, double tasks, double breakpoints)
{
    return model_time(libraries, tasks, fit->t1 + libraries * fit->t1_growth, breakpoints,
                      fit->t2 + libraries * fit->t2_growth);
}

double model_time(double libraries, double tasks, double t1, double breakpoints, double t2)
{
    return libraries * tasks * (t1 + breakpoints * t2);
}
