/* See pyelfprobe_cells.h. */
#include "tools/pyelfprobe_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PROBE_NAME(id, name) name,
const char *const tool_names[TOOLS] = {PROBE_TOOLS(PROBE_NAME)};
const char *const step_names[STEPS] = {PROBE_STEPS(PROBE_NAME)};
const char *const cache_names[CACHES] = {PROBE_CACHES(PROBE_NAME)};
const char *const metric_names[METRICS] = {PROBE_METRICS(PROBE_NAME)};
const char *const outcome_names[OUTCOMES] = {"", "done", "absent", "failed", "timeout"};

bool cells_has(enum tool tool, enum step step)
{
    const bool debugger = tool == TOOL_GDB || tool == TOOL_LLDB;
    return debugger == (step != STEP_WHOLE);
}

bool cell_add(struct cell *cell, const struct sample *sample)
{
    struct sample *more = realloc(cell->samples, (cell->count + 1) * sizeof *more);
    if (!more)
        return false;
    cell->samples = more;
    cell->samples[cell->count++] = *sample;
    if (cell->outcome == OUTCOME_NONE)
        cell->outcome = OUTCOME_DONE;
    return true;
}

void cell_miss(struct cell *cell, enum outcome outcome, const char *reason)
{
    struct error printable; /* replaces control characters */
    if (cell->outcome != OUTCOME_NONE && cell->outcome != OUTCOME_DONE)
        return;
    cell->outcome = outcome;
    error_set(&printable, ERROR_INPUT, "%.*s", REASON_SIZE - 1, reason);
    memcpy(cell->reason, printable.text, strlen(printable.text) + 1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cells_median(double *values, size_t count)
{
    if (!count)
        return NAN;
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double cell_median(const struct cell *cell, enum metric metric)
{
    double *values = cell->count ? malloc(cell->count * sizeof *values) : NULL;
    size_t known = 0;
    for (size_t i = 0; i < cell->count && values; i++)
        if (!isnan(cell->samples[i].of[metric]))
            values[known++] = cell->samples[i].of[metric];
    const double median = cells_median(values, known);
    free(values);
    return median;
}

double cells_ratio(const struct cell *a, const struct cell *b, enum metric metric)
{
    if (a->count != b->count) {
        const double below = cell_median(a, metric);
        return below > 0 ? cell_median(b, metric) / below : NAN;
    }
    double *ratios = a->count ? malloc(a->count * sizeof *ratios) : NULL;
    size_t known = 0;
    for (size_t i = 0; i < a->count && ratios; i++) {
        const double below = a->samples[i].of[metric], above = b->samples[i].of[metric];
        if (below > 0 && !isnan(above))
            ratios[known++] = above / below;
    }
    const double ratio = cells_median(ratios, known);
    free(ratios);
    return ratio;
}

void cells_free(struct cells *cells)
{
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS; step++)
            for (int cache = 0; cache < CACHES; cache++)
                for (int app = 0; app < APPS_MOST; app++)
                    free(cells->of[tool][step][cache][app].samples);
}
