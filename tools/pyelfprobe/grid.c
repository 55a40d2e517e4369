/* See grid.h. The loader opens the first M files in an order in which a file comes after all that it needs,
 * so that every library is one event.
 */
#include "tools/pyelfprobe/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pyelfprobe/debugger.h"
#include "tools/pyelfprobe/elf.h"
#include "tools/pyelfprobe/live.h"
#include "tools/pyelfprobe/start.h"

enum { SHARES = 4, BREAKPOINT_STEPS = 3, BREAKPOINTS_MOST = 1000 };

struct work {
    size_t *order;      /* owned */
    const char **names; /* names for breakpoints; of the arena */
    size_t name_count;
    double *seconds[GRID_MOST]; /* of each run of a point; owned */
    size_t runs[GRID_MOST];
};

/* The points have 1 to 4 quarters of the files, and none, half and all of the breakpoints. */
static void make_points(struct grid *g, size_t files, size_t breakpoints)
{
    size_t last_m = 0;
    g->count = 0;
    for (size_t i = 1; i <= SHARES; i++) {
        const size_t m = files * i / SHARES;
        if (m == last_m)
            continue;
        for (size_t j = 0, last_b = SIZE_MAX; j < BREAKPOINT_STEPS; j++) {
            const size_t b = breakpoints * j / (BREAKPOINT_STEPS - 1);
            if (b != last_b)
                g->points[g->count++] = (struct model_point){(double)m, (double)b, NAN};
            last_b = b;
        }
        last_m = m;
    }
}

/* Takes functions of the first quarter of the files, which all points load, evenly. */
static bool find_breakpoints(struct probe *p, const struct app *app, struct work *w, size_t wanted, struct error *e)
{
    const size_t files = app->count / SHARES ? app->count / SHARES : 1;
    w->names = arena_zeroed(&p->arena, wanted + 1, sizeof *w->names);
    if (!w->names)
        return error_set(e, ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < files && w->name_count < wanted; i++) {
        struct object o;
        if (!object_read(app->files[w->order[i]].path, &p->arena, &o))
            return error_set(e, ERROR_MEMORY, "out of memory");
        const size_t left = wanted - w->name_count;
        const size_t take = o.function_count < left ? o.function_count : left;
        for (size_t j = 0; j < take; j++)
            w->names[w->name_count++] = o.functions[(2 * j + 1) * o.function_count / (2 * take)];
    }
    return true;
}

/* Measures a point once. A session that fails sets g->outcome and g->reason; the result is true all the same. */
static bool run_point(struct probe *p, enum tool tool, struct app *app, struct work *w, struct grid *g, size_t i,
                      struct error *e)
{
    const struct start_files files = {w->order, (size_t)g->points[i].libraries};
    struct started program;
    struct session_end end;
    struct page_cache seen;
    if (!app_cache(app, PAGE_CACHE_READ, &seen, e) || !start_prepare(p, app, PURPOSE_EVENTS, &files, &program, e))
        return false;
    const struct plan plan = {.session = SESSION_EVENTS,
                              .app = app,
                              .program = &program,
                              .breakpoints = w->names,
                              .breakpoint_count = (size_t)g->points[i].breakpoints};
    if (!debugger_run(p, tool, &plan, &end, e))
        return false;
    const struct mark *from = plan_find(&end.marks, "entry"), *to = plan_find(&end.marks, "phase2");
    const char *missed = plan_missed(&end.marks, "breakpoints");
    if (missed) {
        g->outcome = OUTCOME_FAILED;
        snprintf(g->reason, sizeof g->reason, "%s", missed);
        return true;
    }
    if (from && to) {
        w->seconds[i][w->runs[i]++] = to->clock - from->clock;
        return true;
    }
    g->outcome = end.outcome == OUTCOME_DONE ? OUTCOME_FAILED : end.outcome;
    memcpy(g->reason, end.reason, sizeof g->reason);
    return true;
}

static void fit(const struct probe *p, const struct app *app, struct grid *g)
{
    const struct probe_options *o = p->options;
    struct error e;
    if (!model_fit(g->points, g->count, false, &g->fit, &e)) {
        g->outcome = OUTCOME_FAILED;
        snprintf(g->reason, sizeof g->reason, "%.*s", REASON_SIZE - 1, e.text);
        return;
    }
    g->outcome = OUTCOME_DONE;
    g->has_grown = model_fit(g->points, g->count, true, &g->grown, NULL);
    g->libraries = o->libraries ? (double)o->libraries : (double)app->count;
    g->tasks = (double)o->tasks;
    g->breakpoints = (double)o->breakpoints;
    g->seconds = model_extrapolate(&g->fit, g->libraries, g->tasks, g->breakpoints);
    if (g->has_grown)
        g->grown_seconds = model_extrapolate(&g->grown, g->libraries, g->tasks, g->breakpoints);
}

/* Remarks on the grid that the application could not open all its files. */
static bool look(struct probe *p, size_t number, struct grid *g, struct error *e)
{
    bool none;
    if (!live_look(p, number, &none, e))
        return false;
    memcpy(g->reason, p->apps[number].unopened, sizeof g->reason);
    if (none)
        g->outcome = OUTCOME_FAILED;
    return true;
}

static bool prepare(struct probe *p, struct app *app, struct work *w, struct grid *g, struct error *e)
{
    *w = (struct work){.order = app_needed_first(app)};
    if (!w->order)
        return error_set(e, ERROR_MEMORY, "out of memory");
    if (!find_breakpoints(p, app, w, (size_t)p->options->breakpoints, e))
        return false;
    make_points(g, app->count, w->name_count);
    for (size_t i = 0; i < g->count; i++)
        if (!(w->seconds[i] = calloc(p->options->repeat, sizeof *w->seconds[i])))
            return error_set(e, ERROR_MEMORY, "out of memory");
    return true;
}

/* Measures each point of all applications once. Applications take turns (A B, B A, ...), and every other turn goes from
 * the last point to the first. */
static bool measure_turn(struct probe *p, enum tool tool, uint64_t turn, struct work *works, struct grid *grids,
                         struct error *e)
{
    for (size_t i = 0; i < GRID_MOST; i++)
        for (size_t n = 0; n < p->app_count; n++) {
            const size_t number = (turn + i) % 2 ? p->app_count - 1 - n : n;
            struct grid *g = &grids[number];
            if (g->outcome != OUTCOME_NONE || i >= g->count)
                continue;
            const size_t point = turn % 2 ? g->count - 1 - i : i;
            probe_progress(p, "model, run %" PRIu64 " of %" PRIu64 ", %zu of %zu: %s on %s", turn + 1,
                           p->options->repeat, i + 1, g->count, tool_names[tool], p->apps[number].label);
            if (!run_point(p, tool, &p->apps[number], &works[number], g, point, e))
                return false;
        }
    return true;
}

/* Measures and fits the grids of a debugger for all applications. */
static bool grid_debugger(struct probe *p, enum tool tool, struct grid *grids, struct error *e)
{
    struct work works[APPS_MOST] = {{0}};
    bool well = true;
    for (size_t n = 0; n < p->app_count && well; n++)
        well = look(p, n, &grids[n], e) && prepare(p, &p->apps[n], &works[n], &grids[n], e);
    for (uint64_t turn = 0; turn < p->options->repeat && well; turn++)
        well = measure_turn(p, tool, turn, works, grids, e);
    for (size_t n = 0; n < p->app_count; n++) {
        for (size_t i = 0; i < grids[n].count && well; i++)
            grids[n].points[i].seconds = cells_median(works[n].seconds[i], works[n].runs[i]);
        if (well && grids[n].outcome == OUTCOME_NONE)
            fit(p, &p->apps[n], &grids[n]);
        free(works[n].order);
        for (size_t i = 0; i < GRID_MOST; i++)
            free(works[n].seconds[i]);
    }
    return well;
}

bool grid_all(struct probe *p, struct grid (*grids)[APPS_MOST], struct error *e)
{
    static const enum tool debuggers[] = {TOOL_GDB, TOOL_LLDB};
    const enum start start = p->start;
    const bool imports = p->imports;
    bool well = true;
    /* The files are opened, not imported, because a grid needs parts of them: by the loader or, without modules, by
     * Python. */
    p->imports = false;
    if (p->start != START_PYTHON || imports)
        p->start = START_LOADER;
    for (size_t i = 0; i < 2 && well; i++) {
        const struct tool_found *tool = &p->tools[debuggers[i]];
        struct grid *g = grids[debuggers[i]];
        if (!p->options->tool[debuggers[i]])
            continue;
        for (size_t n = 0; n < p->app_count && tool->outcome != OUTCOME_DONE; n++) {
            g[n].outcome = tool->outcome;
            memcpy(g[n].reason, tool->reason, sizeof g[n].reason);
        }
        if (tool->outcome == OUTCOME_DONE)
            well = grid_debugger(p, debuggers[i], g, e);
    }
    p->start = start;
    p->imports = imports;
    return well;
}
