/* Prints what --model has found; see report.h. */
#include <math.h>
#include <stdio.h>

#include "tools/pyelfprobe/report.h"

/* Prints a time in seconds, minutes or hours. */
static void put_time(FILE *f, double seconds)
{
    if (fabs(seconds) < 120)
        fprintf(f, "%.3g s", seconds);
    else if (fabs(seconds) < 7200)
        fprintf(f, "%.1f min", seconds / 60);
    else
        fprintf(f, "%.1f h", seconds / 3600);
}

static void put_points(const struct grid *g, FILE *f)
{
    fprintf(f, "%10s %12s %10s %10s %10s %12s\n", "libraries", "breakpoints", "seconds", "fit", "residual",
            "of seconds");
    for (size_t i = 0; i < g->count; i++) {
        const struct model_point *p = &g->points[i];
        const double fit = model_predict(&g->fit, p->libraries, p->breakpoints);
        fprintf(f, "%10.0f %12.0f %10.4f %10.4f %+10.4f %+11.1f%%\n", p->libraries, p->breakpoints, p->seconds, fit,
                p->seconds - fit, (p->seconds - fit) / p->seconds * 100);
    }
}

/* Prints "T1 5.9672 (+-0.9) ms": with the standard error, where that is known. */
static void put_cost(FILE *f, const char *name, double seconds, double error, const char *of)
{
    fprintf(f, "%s %.4f", name, seconds * 1e3);
    if (!isnan(error))
        fprintf(f, " (+-%.2g)", error * 1e3);
    fprintf(f, " ms for each %s", of);
}

/* Says so where a cost is less than twice its error, and may as well be nothing. */
static void put_doubt(FILE *f, const char *name, double seconds, double error, const char *more)
{
    if (!isnan(error) && seconds < 2 * error)
        fprintf(f, "%s is lost in the scatter of the measurements; --repeat more, or give more %s\n", name, more);
}

static void put_fit(const struct model_fit *fit, FILE *f)
{
    fprintf(f, "T0 %.4f s, ", fit->t0);
    put_cost(f, "T1", fit->t1, fit->t1_error, "library");
    fputs(", ", f);
    put_cost(f, "T2", fit->t2, fit->t2_error, "breakpoint and library");
    fprintf(f, "; residuals %.4f s RMS, R^2 %.4f\n", fit->residual, fit->determined);
    put_doubt(f, "T1", fit->t1, fit->t1_error, "libraries");
    put_doubt(f, "T2", fit->t2, fit->t2_error, "--breakpoints");
}

static void put_reason(const struct grid *g, FILE *f)
{
    struct error text; /* error_set replaces control characters */
    error_set(&text, ERROR_INPUT, "%s", g->reason);
    fprintf(f, ": %s%s%s", g->outcome == OUTCOME_DONE ? "" : outcome_names[g->outcome],
            g->outcome == OUTCOME_DONE ? "" : ": ", text.text);
}

static void put_grid(const struct grid *g, FILE *f)
{
    const bool grows = g->has_grown && model_grows(&g->fit, &g->grown, g->count);
    put_points(g, f);
    put_fit(&g->fit, f);
    if (grows) {
        fprintf(f,
                "growing with the libraries: T1 %.4f ms and %.4f ms more for each 100, T2 %.4f ms and %.4f ms more; ",
                g->grown.t1 * 1e3, g->grown.t1_growth * 2e5, g->grown.t2 * 1e3, g->grown.t2_growth * 2e5);
        fprintf(f, "residuals %.4f s RMS, R^2 %.4f\n", g->grown.residual, g->grown.determined);
    } else if (g->has_grown) {
        fprintf(f,
                "whether T1 and T2 grow with the libraries is lost in the scatter: residuals %.4f s RMS if they do\n",
                g->grown.residual);
    }
    fprintf(f, "%.0f %s x %.0f task%s x (T1 + %.0f breakpoint%s x T2): ", g->libraries,
            g->libraries == 1 ? "library" : "libraries", g->tasks, g->tasks == 1 ? "" : "s", g->breakpoints,
            g->breakpoints == 1 ? "" : "s");
    put_time(f, g->seconds);
    if (grows) {
        fprintf(f, "; with T1 and T2 that grow: ");
        put_time(f, g->grown_seconds);
    }
    fputc('\n', f);
}

void report_model(const struct probe *p, const struct grid (*grids)[APPS_MOST], FILE *f)
{
    for (int tool = 0; tool < TOOLS; tool++)
        for (size_t app = 0; app < p->app_count; app++) {
            const struct grid *g = &grids[tool][app];
            if (g->outcome == OUTCOME_NONE)
                continue;
            fprintf(f, "\nmodel, %s%s", tool_names[tool], p->app_count == 1 ? "" : app ? ", B" : ", A");
            if (g->outcome != OUTCOME_DONE || *g->reason)
                put_reason(g, f);
            fputc('\n', f);
            if (g->outcome == OUTCOME_DONE)
                put_grid(g, f);
        }
}
