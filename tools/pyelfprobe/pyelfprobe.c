/* pyelfprobe: what debuggers and other tools cost on an application, or on two side by side. It measures table 4 of the
 * Pynamic paper, and fits the paper's cost model.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/replacement.h"
#include "base/result_file.h"
#include "tools/pyelfprobe/grid.h"
#include "tools/pyelfprobe/live.h"
#include "tools/pyelfprobe/loader.h"
#include "tools/pyelfprobe/measure.h"
#include "tools/pyelfprobe/python.h"
#include "tools/pyelfprobe/report.h"
#include "tools/pyelfprobe/starter.h"
#include "tools/pyelfprobe/tools.h"

/* The path of this program, which is also the loader. */
static bool find_self(struct probe *p, struct error *e)
{
    char path[PATH_MAX];
    if (!process_program(path, e))
        return false;
    char *self = arena_take(&p->arena, strlen(path) + 1);
    p->self = self ? strcpy(self, path) : NULL;
    return self || error_set(e, ERROR_MEMORY, "out of memory");
}

/* Chooses how all applications are started. They are started alike, because otherwise they could not be compared. */
static bool choose_start(struct probe *p, struct error *e)
{
    const struct probe_options *o = p->options;
    bool sets = true;
    for (size_t i = 0; i < p->app_count; i++)
        sets = sets && app_imports(&p->apps[i]);
    p->start = o->commands ? START_COMMAND : o->start_given ? o->start : sets ? START_PYTHON : START_LOADER;
    for (size_t i = 0; i < p->app_count && p->start == START_LINK; i++)
        if (!app_find_link(&p->apps[i], &p->arena, e))
            return false;
    p->imports = p->start == START_PYTHON && sets;
    if (p->start != START_PYTHON || python_find(p, e))
        return true;
    if (o->start_given || o->python_given || e->code != ERROR_INPUT)
        return false;
    p->start = START_LOADER; /* no Python is needed for that */
    p->imports = false;
    return true;
}

static bool open_applications(struct probe *p, struct error *e)
{
    for (size_t i = 0; i < p->options->apps; i++, p->app_count++)
        if (!app_open(&p->apps[i], p->options, i, &p->arena, e) || !app_is_found(&p->apps[i], e))
            return false;
    return choose_start(p, e);
}

/* Does everything between the command line and the report. */
static bool probe(struct probe *p, struct grid (*grids)[APPS_MOST], struct error *e)
{
    /* From here on signals only end this process through our own code. */
    if (!children_start(&p->children, e) || !find_self(p, e) || !probe_open(p, e) || !open_applications(p, e))
        return false;
    if (p->options->json && !result_file_possible(p->options->json, RESULT_REPORT, e))
        return false;
    if (!tools_find(p, e))
        return false;
    for (size_t i = 0; i < p->app_count; i++)
        if (!live_try(p, i, e))
            return false;
    /* The applications are known to start, and do not change any more. */
    if (!measure_all(p, e))
        return false;
    return !p->options->model || grid_all(p, grids, e);
}

static bool report(const struct probe *p, const struct grid (*grids)[APPS_MOST], struct error *e)
{
    const bool model = p->options->model;
    /* The file first: a closed pipe may end the program while it prints the rest. */
    const bool saved = !p->options->json || report_save(p, model ? grids : NULL, p->options->json, e);
    if (replacement_is_standard(p->options->json))
        return saved;
    report_table(p, stdout);
    if (model)
        report_model(p, grids, stdout);
    return saved;
}

static bool model_well(const struct probe *p, const struct grid (*grids)[APPS_MOST])
{
    bool well = true;
    for (int tool = 0; tool < TOOLS; tool++)
        for (size_t app = 0; app < p->app_count; app++)
            well = well && grids[tool][app].outcome != OUTCOME_FAILED && grids[tool][app].outcome != OUTCOME_TIMEOUT;
    return well;
}

int main(int argc, char **argv)
{
    if (starter_is_meant(argc, argv))
        return starter_run(argc, argv);
    if (loader_is_meant(argc, argv))
        return loader_run(argc, argv);
    struct probe_options options;
    struct error e = {0};
    process_start();
    int status = probe_options_read(&options, argc, argv);
    if (status >= 0)
        return process_printed(PROBE_PROGRAM) ? status : EXIT_FAILURE;
    struct probe *p = calloc(1, sizeof *p);
    struct grid(*grids)[APPS_MOST] = calloc(TOOLS, sizeof *grids);
    if (!p || !grids) {
        error_set(&e, ERROR_MEMORY, "out of memory");
        return error_report(PROBE_PROGRAM, &e);
    }
    p->options = &options;
    p->progress = !options.quiet && isatty(STDERR_FILENO);
    bool well = probe(p, grids, &e);
    probe_progress(p, NULL);
    probe_tidy(p); /* before printing, because a closed pipe ends the program */
    well = well && report(p, grids, &e);
    status = !well ? error_report(PROBE_PROGRAM, &e) : measure_well(p) && model_well(p, grids) ? 0 : 1;
    if (well && !process_printed(PROBE_PROGRAM)) /* otherwise it is said already what failed */
        status = EXIT_FAILURE;
    const int interrupted = p->children.interrupted;
    const sigset_t mask = p->children.mask;
    probe_close(p);
    free(p);
    free(grids);
    if (interrupted) { /* end by the signal, as its sender expects */
        signal(interrupted, SIG_DFL);
        raise(interrupted);
        sigprocmask(SIG_SETMASK, &mask, NULL);
    }
    return status;
}
