/* What is measured, and the results: a cell for each tool, step, state of the page cache and application, with a sample
 * for each run.
 *
 * A cell that was asked for has an outcome, and a reason where there is no measurement. What was not measured is never
 * a number.
 */
#ifndef TOOLS_PYELFPROBE_CELLS_H
#define TOOLS_PYELFPROBE_CELLS_H

#include <stdbool.h>
#include <stddef.h>

enum { APPS_MOST = 2 };

/* The names are those of the command line, of the table and of JSON. */
#define PROBE_TOOLS(X)                                                                                                 \
    X(LOAD, "load")                                                                                                    \
    X(GDB, "gdb")                                                                                                      \
    X(LLDB, "lldb")                                                                                                    \
    X(EU_STACK, "eu-stack")                                                                                            \
    X(PERF, "perf")                                                                                                    \
    X(NM, "nm")                                                                                                        \
    X(READELF, "readelf")                                                                                              \
    X(DWZ, "dwz")
#define PROBE_STEPS(X)                                                                                                 \
    X(WHOLE, "whole")                                                                                                  \
    X(BEGIN, "start")                                                                                                  \
    X(PHASE1, "phase1")                                                                                                \
    X(BREAK, "break")                                                                                                  \
    X(FUNCTIONS, "functions")                                                                                          \
    X(BACKTRACE, "backtrace")                                                                                          \
    X(PHASE2, "phase2")                                                                                                \
    X(ATTACH, "attach")
#define PROBE_CACHES(X)                                                                                                \
    X(WARM, "warm")                                                                                                    \
    X(COLD, "cold")
#define PROBE_METRICS(X)                                                                                               \
    X(WALL, "wall")                                                                                                    \
    X(CPU, "cpu")                                                                                                      \
    X(RSS, "rss")                                                                                                      \
    X(FAULTS, "faults")                                                                                                \
    X(FOUND, "found")

#define PROBE_TOOL(id, name)   TOOL_##id,
#define PROBE_STEP(id, name)   STEP_##id,
#define PROBE_CACHE(id, name)  CACHE_##id,
#define PROBE_METRIC(id, name) METRIC_##id,
enum tool { PROBE_TOOLS(PROBE_TOOL) TOOLS };
enum step { PROBE_STEPS(PROBE_STEP) STEPS };
enum cache { PROBE_CACHES(PROBE_CACHE) CACHES };
enum metric { PROBE_METRICS(PROBE_METRIC) METRICS };
extern const char *const tool_names[TOOLS];
extern const char *const step_names[STEPS];
extern const char *const cache_names[CACHES];
extern const char *const metric_names[METRICS];

/* In seconds, seconds, bytes, page faults, and things found; NAN: unknown. */
struct sample {
    double of[METRICS];
};

enum outcome { OUTCOME_NONE, OUTCOME_DONE, OUTCOME_ABSENT, OUTCOME_FAILED, OUTCOME_TIMEOUT, OUTCOMES };
extern const char *const outcome_names[OUTCOMES];

enum { REASON_SIZE = 256 };

struct cell {
    enum outcome outcome;     /* NONE: not asked for */
    char reason[REASON_SIZE]; /* why there is no measurement; of a measured cell a remark, or "" */
    struct sample *samples;   /* owned, malloc */
    size_t count;
    size_t refused; /* how many processes of the tool, each for a file or some, ended with another status than 0 */
};

struct cells {
    struct cell of[TOOLS][STEPS][CACHES][APPS_MOST];
};

/* Whether the tool has the step: debuggers have all but `whole`, other tools only that. */
bool cells_has(enum tool tool, enum step step);

/* Adds a sample to the cell, whose outcome becomes DONE with the first one. False where memory ran out. */
bool cell_add(struct cell *cell, const struct sample *sample);

/* Notes that there is no measurement, or no further one, and why. Control characters in the reason are replaced. The
 * first reason stays. */
void cell_miss(struct cell *cell, enum outcome outcome, const char *reason);

/* The median of a metric over the samples that have it; NAN where none has. */
double cell_median(const struct cell *cell, enum metric metric);

/* B over A: the median of the ratios of runs that followed one another, so that changes on the machine meanwhile cancel
 * out. Where one has fewer runs, the ratio of the medians. NAN where it is unknown. */
double cells_ratio(const struct cell *a, const struct cell *b, enum metric metric);

/* The least and the most of a metric over the samples that have it, and of the ratios of pairs. NAN where there are
 * fewer than two: one value has no spread. */
struct spread {
    double least, most;
};
struct spread cell_spread(const struct cell *cell, enum metric metric);
struct spread cells_ratio_spread(const struct cell *a, const struct cell *b, enum metric metric);

/* Drops the samples, and makes a measured cell one without outcome. A cell that failed stays so. */
void cell_forget(struct cell *cell);

/* The median of `count` values, which it sorts; NAN where there are none. */
double cells_median(double *values, size_t count);

void cells_free(struct cells *cells);

#endif
