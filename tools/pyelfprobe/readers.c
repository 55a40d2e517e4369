/* See readers.h. What the tools print goes to /dev/null, because a file would add its own cost. */
#include "tools/pyelfprobe/readers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pyelfprobe/elf.h"
#include "tools/pyelfprobe/live.h"
#include "tools/pyelfprobe/start.h"

#define LOG_FILE  "tool"
#define OUT_FILE  "output"
#define PERF_FILE "perf.data"

enum { BYTES_MOST = 256 << 10, WORDS_FIRST = 6 };

/* The sums over the processes of one run; rss is the largest. */
struct run {
    double wall, cpu, rss;
    size_t processes, refused;
    bool in_time;
    char why[REASON_SIZE]; /* of the first process that ended with another status than 0 */
};

static struct run run_start(void)
{
    return (struct run){.in_time = true};
}

/* Runs one process, within what is left of the run's time. */
static bool add_process(struct probe *p, enum tool tool, struct run *r, char *const *words, struct error *e)
{
    static const char *const environment[] = {"LC_ALL=C", "DEBUGINFOD_URLS", NULL};
    char log[PATH_MAX];
    struct child_end end;
    probe_path(p, LOG_FILE, log);
    const struct child_order order = {words, environment, NULL, log, p->options->limit[tool] - r->wall};
    if (order.limit <= 0) {
        r->in_time = false;
        return true;
    }
    if (!child_run(&p->children, &order, &end, e))
        return false;
    r->in_time = end.in_time;
    r->wall += end.wall;
    r->cpu += end.cpu;
    r->rss = fmax(r->rss, (double)end.rss);
    r->processes++;
    if (!end.in_time || end.status == 0)
        return true;
    if (!r->refused++) {
        probe_last_line(p, LOG_FILE, r->why);
        if (!*r->why)
            child_how(&end, r->why, sizeof r->why);
    }
    return true;
}

static bool run_finish(struct probe *p, enum tool tool, const struct run *r, struct cell *cell, struct error *e)
{
    char reason[REASON_SIZE];
    if (!r->in_time) {
        snprintf(reason, sizeof reason, "took longer than the time limit of %g s", p->options->limit[tool]);
        cell_miss(cell, OUTCOME_TIMEOUT, reason);
        return true;
    }
    if (!r->processes) {
        cell_miss(cell, OUTCOME_ABSENT, "no file has debug information");
        return true;
    }
    if (r->refused == r->processes) {
        cell_miss(cell, OUTCOME_FAILED, r->why);
        return true;
    }
    cell->refused = r->refused;
    if (r->refused)
        snprintf(cell->reason, sizeof cell->reason, "%zu of %zu refused; the first: %.180s", r->refused, r->processes,
                 r->why);
    const struct sample sample = {.of = {[METRIC_WALL] = r->wall,
                                         [METRIC_CPU] = r->cpu,
                                         [METRIC_RSS] = r->rss,
                                         [METRIC_FAULTS] = NAN,
                                         [METRIC_FOUND] = NAN}};
    return cell_add(cell, &sample) || error_set(e, ERROR_MEMORY, "out of memory");
}

/* ---- files ---- */

/* Gives all files to a tool, in as few processes as the length of a command line allows. */
static bool read_files(struct probe *p, enum tool tool, const struct app *app, struct run *r, struct error *e)
{
    char **words = calloc(app->count + WORDS_FIRST, sizeof *words);
    if (!words)
        return error_set(e, ERROR_MEMORY, "out of memory");
    bool well = true;
    for (size_t i = 0; i < app->count && well && r->in_time;) {
        size_t n = 0, bytes = 0;
        words[n++] = (char *)p->tools[tool].path;
        if (tool == TOOL_READELF)
            words[n++] = "--debug-dump=info";
        for (; i < app->count && bytes < BYTES_MOST; i++) {
            bytes += strlen(app->files[i].path) + 1;
            words[n++] = (char *)app->files[i].path;
        }
        words[n] = NULL;
        well = add_process(p, tool, r, words, e);
    }
    free(words);
    return well;
}

/* Runs dwz on each file with debug information, because it takes one at a time. Its output is thrown away. */
static bool rewrite_files(struct probe *p, const struct app *app, struct run *r, struct error *e)
{
    char out[PATH_MAX];
    probe_path(p, OUT_FILE, out);
    bool well = true;
    for (size_t i = 0; i < app->count && well && r->in_time; i++) {
        if (!object_has_debug(app->files[i].path))
            continue;
        char *const words[] = {(char *)p->tools[TOOL_DWZ].path, "-o", out, (char *)app->files[i].path, NULL};
        well = add_process(p, TOOL_DWZ, r, words, e);
        unlink(out);
    }
    return well;
}

/* ---- processes ---- */

static bool look_at(struct probe *p, size_t number, struct cell *cell, struct error *e)
{
    struct live live;
    struct run r = run_start();
    char pid[16];
    if (!live_begin(p, number, TOOL_EU_STACK, &live, e))
        return false;
    if (live.outcome != OUTCOME_DONE) {
        cell_miss(cell, live.outcome, live.reason);
        return true;
    }
    snprintf(pid, sizeof pid, "%d", live.pid);
    char *const words[] = {(char *)p->tools[TOOL_EU_STACK].path, "-p", pid, NULL};
    return add_process(p, TOOL_EU_STACK, &r, words, e) && run_finish(p, TOOL_EU_STACK, &r, cell, e);
}

/* The command line of perf record, in the arena. LD_PRELOAD is set by env, because it is for the application and not
 * for perf. */
static char *const *record_words(struct probe *p, const struct started *program, const char *data, struct error *e)
{
    const char *const first[] = {
        p->tools[TOOL_PERF].path, "record", "-q", "-e", "cpu-clock", "-F", "2000", "-g", "-o", data, "--"};
    size_t n = sizeof first / sizeof first[0], count = 0;
    while (program->words[count])
        count++;
    const size_t size = sizeof "LD_PRELOAD=" + strlen(program->preload);
    const char **words = arena_zeroed(&p->arena, n + count + 3, sizeof *words);
    char *preload = arena_take(&p->arena, size);
    if (!words || !preload) {
        error_set(e, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    memcpy(words, first, sizeof first);
    if (*program->preload) {
        snprintf(preload, size, "LD_PRELOAD=%s", program->preload);
        words[n++] = "/usr/bin/env";
        words[n++] = preload;
    }
    memcpy(words + n, program->words, count * sizeof *words);
    return (char *const *)words;
}

/* Measures perf script, which looks up the symbols of what was recorded. For a cold cache, what the application has
 * read while it ran is dropped first. */
static bool script(struct probe *p, enum cache cache, size_t number, const char *data, struct cell *cell,
                   struct error *e)
{
    struct run r = run_start();
    struct page_cache seen;
    char *const words[] = {(char *)p->tools[TOOL_PERF].path, "script", "-i", (char *)data, NULL};
    return app_cache(&p->apps[number], cache == CACHE_COLD ? PAGE_CACHE_DROP : PAGE_CACHE_READ, &seen, e) &&
           add_process(p, TOOL_PERF, &r, words, e) && run_finish(p, TOOL_PERF, &r, cell, e);
}

/* Runs perf record, which is not measured, and then perf script. Where perf may not record, it counts as absent. */
static bool symbolise(struct probe *p, enum cache cache, size_t number, struct cell *cell, struct error *e)
{
    struct started program;
    struct run record = run_start();
    struct error reason;
    char data[PATH_MAX], why[REASON_SIZE];
    probe_path(p, PERF_FILE, data);
    if (!start_prepare(p, &p->apps[number], PURPOSE_LOAD, NULL, &program, &reason)) {
        *e = reason;
        cell_miss(cell, OUTCOME_ABSENT, reason.text);
        return reason.code == ERROR_INPUT;
    }
    char *const *words = record_words(p, &program, data, e);
    bool well = words && add_process(p, TOOL_PERF, &record, words, e);
    if (well && (record.refused || !record.in_time)) {
        snprintf(why, sizeof why, "perf cannot record here: %.200s",
                 record.in_time ? record.why : "longer than the time limit");
        cell_miss(cell, record.in_time ? OUTCOME_ABSENT : OUTCOME_TIMEOUT, why);
    } else if (well) {
        well = script(p, cache, number, data, cell, e);
    }
    unlink(data);
    return well;
}

bool readers_measure(struct probe *p, enum tool tool, enum cache cache, size_t number, struct error *e)
{
    struct cell *cell = &p->cells.of[tool][STEP_WHOLE][cache][number];
    struct run r = run_start();
    if (cell->outcome != OUTCOME_NONE && cell->outcome != OUTCOME_DONE)
        return true;
    bool well;
    if (tool == TOOL_EU_STACK)
        well = look_at(p, number, cell, e);
    else if (tool == TOOL_PERF)
        well = symbolise(p, cache, number, cell, e);
    else if (tool == TOOL_DWZ)
        well = rewrite_files(p, &p->apps[number], &r, e) && run_finish(p, tool, &r, cell, e);
    else
        well = read_files(p, tool, &p->apps[number], &r, e) && run_finish(p, tool, &r, cell, e);
    if (tool == TOOL_EU_STACK || tool == TOOL_PERF)
        live_remark(&p->apps[number], cell);
    if (well)
        children_end();
    return well;
}
