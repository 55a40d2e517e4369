/* What is measured, and what came of it: a cell for each tool, step, state of the
 * page cache and application, with a sample for each run.
 *
 * A cell that was asked for has an outcome, and its reason where there is no
 * measurement. Nothing that was not measured is a number.
 */
#ifndef TOOLS_PYELFPROBE_CELLS_H
#define TOOLS_PYELFPROBE_CELLS_H

#include <stdbool.h>
#include <stddef.h>

enum { APPS_MOST = 2 };

/* The names of the command line, of the table and of JSON. */
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

/* Seconds, seconds, bytes, page faults, things; NAN where unknown. */
struct sample {
    double of[METRICS];
};

enum outcome { OUTCOME_NONE, OUTCOME_DONE, OUTCOME_ABSENT, OUTCOME_FAILED, OUTCOME_TIMEOUT, OUTCOMES };
extern const char *const outcome_names[OUTCOMES];

enum { REASON_SIZE = 256 };

struct cell {
    enum outcome outcome;     /* NONE: was not asked for */
    char reason[REASON_SIZE]; /* why there is no measurement; of one that is done, what is to be said of it, or "" */
    struct sample *samples;   /* owned */
    size_t count;
};

struct cells {
    struct cell of[TOOLS][STEPS][CACHES][APPS_MOST];
};

/* Whether a tool has that step. */
bool cells_has(enum tool tool, enum step step);

/* Adds a sample to the cell, which is done with the first; false when memory ran out. */
bool cell_add(struct cell *cell, const struct sample *sample);

/* There is no (further) measurement, for this reason, whose control characters
 * are replaced. The first reason stays. */
void cell_miss(struct cell *cell, enum outcome outcome, const char *reason);

/* The median of a metric over the samples that know it, NAN where none does. */
double cell_median(const struct cell *cell, enum metric metric);

/* B over A: the median of the ratios of runs that followed one another, so that what
 * changes on the machine meanwhile cancels out; where one has fewer runs, that of the
 * medians. NAN where it is not known. */
double cells_ratio(const struct cell *a, const struct cell *b, enum metric metric);

/* The least and the most of a metric over the samples that know it, and of the ratios
 * of pairs. NAN where less than two are known: one has no spread. */
struct spread {
    double least, most;
};
struct spread cell_spread(const struct cell *cell, enum metric metric);
struct spread cells_ratio_spread(const struct cell *a, const struct cell *b, enum metric metric);

/* Takes back what was done; what failed stays so. */
void cell_forget(struct cell *cell);

/* The median of `count` values, which it sorts; NAN of none. */
double cells_median(double *values, size_t count);

void cells_free(struct cells *cells);

#endif
