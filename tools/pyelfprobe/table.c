/* Prints the tables on the standard output; see report.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/pyelfprobe/report.h"

enum { NAME_WIDTH = 10, STEP_WIDTH = 10, NUMBER_WIDTH = 9, TEXT = 32 };

/* A column has the median, the least or the most of a metric. */
enum which { MEDIAN, LEAST, MOST };

struct column {
    enum metric metric;
    enum which which;
    const char *heading;
    double unit;
    int digits, ratio_digits;
};
static const struct column columns[] = {
    {METRIC_WALL, MEDIAN, "seconds", 1, 4, 2}, {METRIC_WALL, LEAST, "least", 1, 4, 2},
    {METRIC_WALL, MOST, "most", 1, 4, 2},      {METRIC_CPU, MEDIAN, "CPU", 1, 4, 2},
    {METRIC_RSS, MEDIAN, "MB", 1e6, 1, 2},     {METRIC_FOUND, MEDIAN, "found", 1, 0, 2},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* What a table shows: one application, two beside one another, or their ratio. */
enum table { TABLE_ONE, TABLE_BOTH, TABLE_RATIO };

/* A single run has no spread. Two applications beside one another leave no room for the spread, nor for `found`. */
static bool is_shown(const struct probe *p, enum table table, const struct column *column)
{
    if (column->which != MEDIAN)
        return table != TABLE_BOTH && p->options->repeat > 1;
    return table != TABLE_BOTH || column->metric != METRIC_FOUND;
}

static void put_number(FILE *f, double value, int digits)
{
    if (isnan(value))
        fprintf(f, " %*s", NUMBER_WIDTH, "-");
    else
        fprintf(f, " %*.*f", NUMBER_WIDTH, digits, value);
}

/* A name from outside, without control characters. */
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

static void put_heading(const struct probe *p, enum table table, enum cache cache, FILE *f)
{
    fprintf(f, "\n%s%-*s", cache_names[cache], NAME_WIDTH + STEP_WIDTH + 1 - (int)strlen(cache_names[cache]),
            table == TABLE_RATIO ? ", B/A" : "");
    for (size_t app = 0; app < (table == TABLE_BOTH ? p->app_count : 1); app++)
        for (size_t c = 0; c < COLUMNS; c++) {
            char text[TEXT];
            snprintf(text, sizeof text, "%s%s", table != TABLE_BOTH ? "" : app ? "B " : "A ", columns[c].heading);
            if (is_shown(p, table, &columns[c]))
                fprintf(f, " %*s", NUMBER_WIDTH, text);
        }
    fputc('\n', f);
}

static double choose(enum which which, double median, const struct spread *spread)
{
    return which == MEDIAN ? median : which == LEAST ? spread->least : spread->most;
}

static double value_of(const struct cell *cell, const struct column *column)
{
    const struct spread spread = cell_spread(cell, column->metric);
    return choose(column->which, cell_median(cell, column->metric), &spread) / column->unit;
}

static double ratio_of(const struct cell *cells, const struct column *column)
{
    const struct spread spread = cells_ratio_spread(&cells[0], &cells[1], column->metric);
    return choose(column->which, cells_ratio(&cells[0], &cells[1], column->metric), &spread);
}

static void put_row(const struct probe *p, enum table table, int tool, int step, const struct cell *cells, FILE *f)
{
    fprintf(f, "%-*s %-*s", NAME_WIDTH, tool_names[tool], STEP_WIDTH, step == STEP_WHOLE ? "" : step_names[step]);
    for (size_t app = 0; app < (table == TABLE_BOTH ? p->app_count : 1); app++)
        for (size_t c = 0; c < COLUMNS; c++) {
            if (!is_shown(p, table, &columns[c]))
                continue;
            if (table == TABLE_RATIO)
                put_number(f, ratio_of(cells, &columns[c]), columns[c].ratio_digits);
            else
                put_number(f, value_of(&cells[app], &columns[c]), columns[c].digits);
        }
    fputc('\n', f);
}

/* Whether the table has the row: a ratio needs measurements of all applications, other tables of one. */
static bool has_row(const struct probe *p, enum table table, const struct cell *cells)
{
    size_t measured = 0;
    for (size_t app = 0; app < p->app_count; app++)
        measured += cells[app].count > 0;
    return table == TABLE_RATIO ? measured == p->app_count : measured > 0;
}

static void put_rows(const struct probe *p, enum table table, enum cache cache, FILE *f)
{
    bool heading = false;
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS; step++) {
            const struct cell *cells = p->cells.of[tool][step][cache];
            if (!has_row(p, table, cells))
                continue;
            if (!heading)
                put_heading(p, table, cache, f);
            heading = true;
            put_row(p, table, tool, step, cells, f);
        }
}

/* Prints the page faults of loading the application without a tool. */
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

/* Prints a blank line before the first remark. */
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

/* The one reason why no tool of this machine has measured anything, as a rule that files cannot be dropped from memory.
 * NULL where some tool has, or reasons differ. */
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

/* Prints "gdb break and backtrace": the tool, and its steps from `step` on as long as outcome and reason are the same.
 * Returns the step behind them. */
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

/* Prints the remarks on a tool's cells. Steps in a row with the same remark share a line. */
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

/* Warns where only one of the two applications is called at a known place: the backtraces are then of different
 * places. */
static void put_places(const struct probe *p, bool *begun, FILE *f)
{
    bool measured = false;
    for (int tool = 0; tool < TOOLS; tool++)
        for (int cache = 0; cache < CACHES; cache++)
            measured |= has_row(p, TABLE_RATIO, p->cells.of[tool][STEP_BACKTRACE][cache]);
    if (p->app_count < 2 || !measured || !p->apps[0].called == !p->apps[1].called)
        return;
    put_gap(begun, f);
    fprintf(f, "backtrace: of %s at the end of a chain of calls, of %s where all is loaded: not to be compared\n",
            p->apps[0].called ? "A" : "B", p->apps[0].called ? "B" : "A");
}

/* Warns where a debugger lists more than twice as many functions of one application as of the other. As a rule one of
 * them has symbol tables or debug information and the other has not, so the times are of different work. */
static void put_functions(const struct probe *p, bool *begun, FILE *f)
{
    for (int tool = 0; tool < TOOLS && p->app_count == 2; tool++)
        for (int cache = 0; cache < CACHES; cache++) {
            const struct cell *cells = p->cells.of[tool][STEP_FUNCTIONS][cache];
            if (!has_row(p, TABLE_RATIO, cells))
                continue;
            const double a = cell_median(&cells[0], METRIC_FOUND);
            const double b = cell_median(&cells[1], METRIC_FOUND);
            if (isnan(a) || isnan(b) || (a <= 2 * b && b <= 2 * a))
                continue;
            put_gap(begun, f);
            fprintf(f, "%s functions: %.0f found in %s, more than twice the %.0f in %s: not to be compared\n",
                    tool_names[tool], a > b ? a : b, a > b ? "A" : "B", a > b ? b : a, a > b ? "B" : "A");
            break;
        }
}

/* Warns where a tool refused more files of one application than of the other, so that it did less there. */
static void put_refused(const struct probe *p, bool *begun, FILE *f)
{
    for (int tool = 0; tool < TOOLS && p->app_count == 2; tool++)
        for (int cache = 0; cache < CACHES; cache++) {
            const struct cell *cells = p->cells.of[tool][STEP_WHOLE][cache];
            if (!has_row(p, TABLE_RATIO, cells) || cells[0].refused == cells[1].refused)
                continue;
            put_gap(begun, f);
            fprintf(f, "%s: %zu refused in A, %zu in B: not to be compared\n", tool_names[tool], cells[0].refused,
                    cells[1].refused);
            break;
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
    put_places(p, &begun, f);
    put_functions(p, &begun, f);
    put_refused(p, &begun, f);
}

void report_table(const struct probe *p, FILE *f)
{
    put_applications(p, f);
    for (int cache = 0; cache < CACHES; cache++) {
        put_rows(p, p->app_count > 1 ? TABLE_BOTH : TABLE_ONE, (enum cache)cache, f);
        if (p->app_count > 1)
            put_rows(p, TABLE_RATIO, (enum cache)cache, f);
    }
    put_faults(p, f);
    put_reasons(p, f);
}
