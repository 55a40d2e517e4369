/* The tables on standard output; see pyelfprobe_report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/pyelfprobe_report.h"

enum { NAME_WIDTH = 10, STEP_WIDTH = 10, NUMBER_WIDTH = 9, TEXT = 32 };

struct column {
    enum metric metric;
    const char *heading;
    double unit;
    int digits;
};
static const struct column columns[] = {
    {METRIC_WALL, "seconds", 1, 4}, {METRIC_CPU, "CPU", 1, 4}, {METRIC_RSS, "MB", 1e6, 1}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void put_number(FILE *f, double value, int digits)
{
    if (isnan(value))
        fprintf(f, " %*s", NUMBER_WIDTH, "-");
    else
        fprintf(f, " %*.*f", NUMBER_WIDTH, digits, value);
}

/* Foreign names on a terminal. */
static const char *printable(const char *text, struct error *e)
{
    error_set(e, ERROR_INPUT, "%s", text);
    return e->text;
}

static void put_applications(const struct probe *p, FILE *f)
{
    for (size_t i = 0; i < p->app_count; i++) {
        const struct app *app = &p->apps[i];
        struct error text;
        fprintf(f, "%s%s: %zu file%s, %.3f MB, started by %s\n", p->app_count > 1 ? (i ? "B: " : "A: ") : "",
                printable(app->label, &text), app->count, app->count == 1 ? "" : "s", (double)app->bytes / 1e6,
                p->start == START_COMMAND ? "itself" : start_names[p->start]);
    }
}

static void put_heading(const struct probe *p, enum cache cache, FILE *f)
{
    fprintf(f, "\n%-*s", NAME_WIDTH + STEP_WIDTH + 1, cache_names[cache]);
    for (size_t app = 0; app < p->app_count; app++)
        for (size_t c = 0; c < COLUMNS; c++) {
            char text[TEXT];
            snprintf(text, sizeof text, "%s%s", p->app_count > 1 ? (app ? "B " : "A ") : "", columns[c].heading);
            fprintf(f, " %*s", NUMBER_WIDTH, text);
        }
    for (size_t c = 0; c < COLUMNS && p->app_count > 1; c++) {
        char text[TEXT];
        snprintf(text, sizeof text, "%s%s", c ? "" : "B/A ", c ? columns[c].heading : "s");
        fprintf(f, " %*s", NUMBER_WIDTH, text);
    }
    fputc('\n', f);
}

static void put_row(const struct probe *p, const char *name, const char *step, const struct cell *cells, FILE *f)
{
    fprintf(f, "%-*s %-*s", NAME_WIDTH, name, STEP_WIDTH, step);
    for (size_t app = 0; app < p->app_count; app++)
        for (size_t c = 0; c < COLUMNS; c++)
            put_number(f, cell_median(&cells[app], columns[c].metric) / columns[c].unit, columns[c].digits);
    for (size_t c = 0; c < COLUMNS && p->app_count > 1; c++)
        put_number(f, cells_ratio(&cells[0], &cells[1], columns[c].metric), 2);
    fputc('\n', f);
}

static bool was_done(const struct probe *p, const struct cell *cells)
{
    for (size_t app = 0; app < p->app_count; app++)
        if (cells[app].count)
            return true;
    return false;
}

static void put_rows(const struct probe *p, enum cache cache, FILE *f)
{
    bool heading = false;
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS; step++) {
            const struct cell *cells = p->cells.of[tool][step][cache];
            if (!was_done(p, cells))
                continue;
            if (!heading)
                put_heading(p, cache, f);
            heading = true;
            put_row(p, tool_names[tool], step == STEP_WHOLE ? "" : step_names[step], cells, f);
        }
}

/* Page faults while the application loads, without a tool. */
static void put_faults(const struct probe *p, FILE *f)
{
    const char *before = "\n";
    for (int cache = 0; cache < CACHES; cache++) {
        const struct cell *cells = p->cells.of[TOOL_LOAD][STEP_WHOLE][cache];
        double faults[APPS_MOST];
        bool all = p->app_count > 0;
        for (size_t app = 0; app < p->app_count; app++)
            all = !isnan(faults[app] = cell_median(&cells[app], METRIC_FAULTS)) && all;
        if (!all)
            continue;
        fprintf(f, "%spage faults of load, %s: %.0f", before, cache_names[cache], faults[0]);
        if (p->app_count > 1)
            fprintf(f, " and %.0f, B/A %.2f", faults[1], cells_ratio(&cells[0], &cells[1], METRIC_FAULTS));
        fputc('\n', f);
        before = "";
    }
}

/* A blank line before the first. */
static void put_gap(bool *begun, FILE *f)
{
    if (!*begun)
        fputc('\n', f);
    *begun = true;
}

static void put_of(const struct probe *p, int cache, size_t app, enum outcome outcome, const char *reason, FILE *f)
{
    fprintf(f, "%s%s: ", cache_names[cache], p->app_count == 1 ? "" : app ? ", B" : ", A");
    if (outcome != OUTCOME_DONE)
        fprintf(f, "%s: ", outcome_names[outcome]);
    struct error text;
    fprintf(f, "%s\n", printable(reason, &text));
}

/* Why none of the tools that are there has measured anything: as a rule because files
 * cannot be dropped. NULL where some have, or for several reasons. */
static const char *find_common(const struct probe *p, int cache, size_t app)
{
    const char *reason = NULL;
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS && p->tools[tool].outcome == OUTCOME_DONE; step++) {
            const struct cell *cell = &p->cells.of[tool][step][cache][app];
            if (cell->outcome == OUTCOME_NONE)
                continue;
            if (cell->outcome != OUTCOME_ABSENT || (reason && strcmp(reason, cell->reason) != 0))
                return NULL;
            reason = cell->reason;
        }
    return reason;
}

static bool is_said(const struct cell *cell)
{
    return cell->outcome != OUTCOME_NONE && *cell->reason;
}

/* "gdb break and backtrace": the tool, and those of its steps from `step` on of which
 * the same is to be said as of that. The step behind the last. */
static int put_steps(const struct probe *p, int tool, int step, int cache, size_t app, FILE *f)
{
    const struct cell *first = &p->cells.of[tool][step][cache][app];
    int with[STEPS], count = 0;
    for (; step < STEPS; step++) {
        const struct cell *cell = &p->cells.of[tool][step][cache][app];
        if (cell->outcome == OUTCOME_NONE)
            continue;
        if (cell->outcome != first->outcome || strcmp(cell->reason, first->reason) != 0)
            break;
        with[count++] = step;
    }
    fputs(tool_names[tool], f);
    for (int i = 0; i < count && with[i] != STEP_WHOLE; i++)
        fprintf(f, "%s%s", i == 0 ? " " : i + 1 < count ? ", " : " and ", step_names[with[i]]);
    return step;
}

/* What there is to say of a tool's cells; the same of steps in a row is said once. */
static void put_reason(const struct probe *p, int tool, int cache, size_t app, bool *begun, FILE *f)
{
    for (int step = 0; step < STEPS;) {
        const struct cell *cell = &p->cells.of[tool][step][cache][app];
        if (!is_said(cell)) {
            step++;
            continue;
        }
        put_gap(begun, f);
        step = put_steps(p, tool, step, cache, app, f);
        fputs(", ", f);
        put_of(p, cache, app, cell->outcome, cell->reason, f);
    }
}

static void put_reasons(const struct probe *p, FILE *f)
{
    bool begun = false;
    for (int tool = 0; tool < TOOLS; tool++)
        if (p->options->tool[tool] && p->tools[tool].outcome != OUTCOME_DONE) {
            struct error text;
            put_gap(&begun, f);
            fprintf(f, "%s: %s: %s\n", tool_names[tool], outcome_names[p->tools[tool].outcome],
                    printable(p->tools[tool].reason, &text));
        }
    for (int cache = 0; cache < CACHES; cache++)
        for (size_t app = 0; app < p->app_count; app++) {
            const char *common = find_common(p, cache, app);
            if (common) {
                put_gap(&begun, f);
                put_of(p, cache, app, OUTCOME_ABSENT, common, f);
            }
            for (int tool = 0; tool < TOOLS && !common; tool++)
                if (p->tools[tool].outcome == OUTCOME_DONE)
                    put_reason(p, tool, cache, app, &begun, f);
        }
}

void report_table(const struct probe *p, FILE *f)
{
    put_applications(p, f);
    for (int cache = 0; cache < CACHES; cache++)
        put_rows(p, (enum cache)cache, f);
    put_faults(p, f);
    put_reasons(p, f);
}
