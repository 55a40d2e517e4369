/* Writes the JSON of docs/probe.md; see report.h. What is unknown is left out, and never 0. */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/result_file.h"
#include "base/utf8.h"
#include "base/version.h"
#include "tools/pyelfprobe/report.h"

/* ---- values ---- */

static json_object *must(json_object *object)
{
    if (!object) {
        fputs(PROBE_PROGRAM ": out of memory\n", stderr);
        exit(1);
    }
    return object;
}

/* Text from outside. A control character, or what is not UTF-8, becomes `?`. */
static json_object *text(const char *s)
{
    char *copy = malloc(strlen(s) + 1);
    if (copy)
        utf8_printable(copy, s);
    json_object *object = copy ? json_object_new_string(copy) : NULL;
    free(copy);
    return must(object);
}

static void add(json_object *to, const char *name, json_object *value)
{
    json_object_object_add(to, name, must(value));
}

static void add_number(json_object *to, const char *name, double value, bool whole)
{
    if (isfinite(value))
        add(to, name, whole ? json_object_new_int64((int64_t)llround(value)) : json_object_new_double(value));
}

/* ---- parts ---- */

static json_object *json_application(const struct probe *p, const struct app *app)
{
    json_object *object = must(json_object_new_object());
    add(object, "path", text(app->label));
    add(object, "start", text(start_names[p->start]));
    add(object, "set", json_object_new_boolean(app->set));
    add(object, "files", json_object_new_int64((int64_t)app->count));
    add(object, "bytes", json_object_new_int64((int64_t)app->bytes));
    if (app->place)
        add(object, "break", text(app->place));
    return object;
}

static json_object *json_tool(const struct probe *p, enum tool id)
{
    const struct tool_found *tool = &p->tools[id];
    json_object *object = must(json_object_new_object());
    add(object, "name", text(tool_names[id]));
    add(object, "status", text(outcome_names[tool->outcome]));
    if (tool->outcome != OUTCOME_DONE)
        add(object, "reason", text(tool->reason));
    if (tool->path)
        add(object, "path", text(tool->path));
    if (*tool->version)
        add(object, "version", text(tool->version));
    add_number(object, "timeout", p->options->limit[id], false);
    return object;
}

static json_object *json_sample(const struct sample *sample)
{
    static const char *const names[METRICS] = {"wall-seconds", "cpu-seconds", "peak-bytes", "page-faults", "found"};
    json_object *object = must(json_object_new_object());
    for (int m = 0; m < METRICS; m++)
        add_number(object, names[m], sample->of[m], m != METRIC_WALL && m != METRIC_CPU);
    return object;
}

static struct sample medians(const struct cell *cell)
{
    struct sample sample;
    for (int m = 0; m < METRICS; m++)
        sample.of[m] = cell_median(cell, (enum metric)m);
    return sample;
}

static json_object *json_cell(const struct cell *cell, int tool, int step, int cache, size_t app)
{
    json_object *object = must(json_object_new_object());
    add(object, "tool", text(tool_names[tool]));
    add(object, "step", text(step_names[step]));
    add(object, "cache", text(cache_names[cache]));
    add(object, "application", json_object_new_int64((int64_t)app));
    add(object, "status", text(outcome_names[cell->outcome]));
    if (*cell->reason || cell->outcome != OUTCOME_DONE)
        add(object, "reason", text(*cell->reason ? cell->reason : "no reason is known"));
    if (!cell->count)
        return object;
    const struct sample median = medians(cell);
    json_object *runs = must(json_object_new_array());
    for (size_t i = 0; i < cell->count; i++)
        json_object_array_add(runs, json_sample(&cell->samples[i]));
    add(object, "runs", runs);
    add(object, "median", json_sample(&median));
    return object;
}

/* Adds the least and the most of the ratios of wall times. */
static void add_spread(json_object *ratio, const struct cell *cells)
{
    const struct spread spread = cells_ratio_spread(&cells[0], &cells[1], METRIC_WALL);
    if (isnan(spread.least))
        return;
    add_number(ratio, "wall-least", spread.least, false);
    add_number(ratio, "wall-most", spread.most, false);
}

static void add_ratio(json_object *ratios, const struct cell *cells, int tool, int step, int cache)
{
    static const char *const names[METRICS] = {"wall", "cpu", "peak", "page-faults", "found"};
    json_object *object = must(json_object_new_object());
    add(object, "tool", text(tool_names[tool]));
    add(object, "step", text(step_names[step]));
    add(object, "cache", text(cache_names[cache]));
    for (int m = 0; m < METRICS; m++)
        add_number(object, names[m], cells_ratio(&cells[0], &cells[1], (enum metric)m), false);
    add_spread(object, cells);
    json_object_array_add(ratios, object);
}

static void add_cells(json_object *root, const struct probe *p)
{
    json_object *measurements = must(json_object_new_array()), *ratios = must(json_object_new_array());
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS; step++)
            for (int cache = 0; cache < CACHES; cache++) {
                const struct cell *cells = p->cells.of[tool][step][cache];
                for (size_t app = 0; app < p->app_count; app++)
                    if (cells[app].outcome != OUTCOME_NONE)
                        json_object_array_add(measurements, json_cell(&cells[app], tool, step, cache, app));
                if (p->app_count > 1 && cells[0].count && cells[1].count)
                    add_ratio(ratios, cells, tool, step, cache);
            }
    add(root, "measurements", measurements);
    if (p->app_count > 1)
        add(root, "ratios", ratios);
    else
        json_object_put(ratios);
}

static json_object *json_fit(const struct model_fit *fit, double seconds, bool grown)
{
    json_object *object = must(json_object_new_object());
    add_number(object, "t0", fit->t0, false);
    add_number(object, "t1", fit->t1, false);
    add_number(object, "t2", fit->t2, false);
    add_number(object, "t1-error", fit->t1_error, false);
    add_number(object, "t2-error", fit->t2_error, false);
    if (grown) {
        add_number(object, "t1-growth", fit->t1_growth, false);
        add_number(object, "t2-growth", fit->t2_growth, false);
    }
    add_number(object, "residual", fit->residual, false);
    add_number(object, "r-squared", fit->determined, false);
    add_number(object, "extrapolated-seconds", seconds, false);
    return object;
}

static json_object *json_grid(const struct grid *g, int tool, size_t app)
{
    json_object *object = must(json_object_new_object()), *points = must(json_object_new_array());
    add(object, "tool", text(tool_names[tool]));
    add(object, "application", json_object_new_int64((int64_t)app));
    add(object, "status", text(outcome_names[g->outcome]));
    if (g->outcome != OUTCOME_DONE || *g->reason)
        add(object, "reason", text(g->reason));
    if (g->outcome != OUTCOME_DONE) {
        json_object_put(points);
        return object;
    }
    for (size_t i = 0; i < g->count; i++) {
        const struct model_point *p = &g->points[i];
        json_object *point = must(json_object_new_object());
        add_number(point, "libraries", p->libraries, true);
        add_number(point, "breakpoints", p->breakpoints, true);
        add_number(point, "seconds", p->seconds, false);
        add_number(point, "residual", p->seconds - model_predict(&g->fit, p->libraries, p->breakpoints), false);
        json_object_array_add(points, point);
    }
    add(object, "points", points);
    add_number(object, "libraries", g->libraries, true);
    add_number(object, "tasks", g->tasks, true);
    add_number(object, "breakpoints", g->breakpoints, true);
    add(object, "fit", json_fit(&g->fit, g->seconds, false));
    if (g->has_grown)
        add(object, "fit-with-growth", json_fit(&g->grown, g->grown_seconds, true));
    return object;
}

static void add_model(json_object *root, const struct probe *p, const struct grid (*grids)[APPS_MOST])
{
    json_object *model = must(json_object_new_array());
    for (int tool = 0; tool < TOOLS; tool++)
        for (size_t app = 0; app < p->app_count; app++)
            if (grids[tool][app].outcome != OUTCOME_NONE)
                json_object_array_add(model, json_grid(&grids[tool][app], tool, app));
    add(root, "model", model);
}

static json_object *json_all(const struct probe *p, const struct grid (*grids)[APPS_MOST])
{
    json_object *root = must(json_object_new_object());
    json_object *applications = must(json_object_new_array()), *tools = must(json_object_new_array());
    add(root, "pyelfprobe", json_object_new_int64(REPORT_VERSION));
    add(root, "version", text(PYELFGEN_VERSION));
    add(root, "repeat", json_object_new_int64((int64_t)p->options->repeat));
    add(root, "warm-up", json_object_new_int64((int64_t)p->options->warm_up));
    add(root, "pattern", text(p->options->pattern));
    for (size_t i = 0; i < p->app_count; i++)
        json_object_array_add(applications, json_application(p, &p->apps[i]));
    add(root, "applications", applications);
    for (int tool = 0; tool < TOOLS; tool++)
        if (p->options->tool[tool])
            json_object_array_add(tools, json_tool(p, (enum tool)tool));
    add(root, "tools", tools);
    add_cells(root, p);
    if (grids)
        add_model(root, p, grids);
    return root;
}

static bool write_json(FILE *to, void *context, struct error *e)
{
    const char *text =
        json_object_to_json_string_ext(context, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
    if (!text)
        return error_set(e, ERROR_MEMORY, "out of memory");
    fprintf(to, "%s\n", text);
    return true;
}

bool report_save(const struct probe *p, const struct grid (*grids)[APPS_MOST], const char *path, struct error *e)
{
    json_object *root = json_all(p, grids);
    const bool well = result_file_write(path, RESULT_REPORT, write_json, root, e);
    json_object_put(root);
    return well;
}
