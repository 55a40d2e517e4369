/* See cells.h. */
#include "tools/pyelfprobe/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

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
    struct error printable; /* error_set replaces control characters */
    if (cell->outcome != OUTCOME_NONE && cell->outcome != OUTCOME_DONE)
        return;
    cell->outcome = outcome;
    error_set(&printable, ERROR_INPUT, "%.*s", REASON_SIZE - 1, reason);
    memcpy(cell->reason, printable.text, strlen(printable.text) + 1);
}

double cells_median(double *values, size_t count)
{
    if (!count || !values)
        return NAN;
    qsort(values, count, sizeof *values, order_double);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The values of a metric that are known or, with `b`, the ratios of pairs. malloc; NULL where memory ran out. */
static double *gather(const struct cell *a, const struct cell *b, enum metric metric, size_t *known)
{
    double *values = malloc((a->count + 1) * sizeof *values);
    *known = 0;
    for (size_t i = 0; i < a->count && values; i++) {
        const double below = a->samples[i].of[metric], above = b ? b->samples[i].of[metric] : 0;
        if (b ? below > 0 && !isnan(above) : !isnan(below))
            values[(*known)++] = b ? above / below : below;
    }
    return values;
}

static double median_of(const struct cell *a, const struct cell *b, enum metric metric)
{
    size_t known;
    double *values = gather(a, b, metric, &known);
    const double median = cells_median(values, known);
    free(values);
    return median;
}

static struct spread spread_of(const struct cell *a, const struct cell *b, enum metric metric)
{
    size_t known;
    double *values = gather(a, b, metric, &known);
    struct spread spread = {NAN, NAN};
    for (size_t i = 0; i < known && known > 1; i++) {
        spread.least = fmin(spread.least, values[i]); /* fmin of NAN and a number is the number */
        spread.most = fmax(spread.most, values[i]);
    }
    free(values);
    return spread;
}

double cell_median(const struct cell *cell, enum metric metric)
{
    return median_of(cell, NULL, metric);
}

struct spread cell_spread(const struct cell *cell, enum metric metric)
{
    return spread_of(cell, NULL, metric);
}

double cells_ratio(const struct cell *a, const struct cell *b, enum metric metric)
{
    if (a->count == b->count)
        return median_of(a, b, metric);
    const double below = cell_median(a, metric);
    return below > 0 ? cell_median(b, metric) / below : NAN;
}

struct spread cells_ratio_spread(const struct cell *a, const struct cell *b, enum metric metric)
{
    return a->count == b->count ? spread_of(a, b, metric) : (struct spread){NAN, NAN};
}

void cell_forget(struct cell *cell)
{
    free(cell->samples);
    cell->samples = NULL;
    cell->count = 0;
    if (cell->outcome != OUTCOME_DONE)
        return;
    cell->outcome = OUTCOME_NONE;
    cell->reason[0] = '\0';
}

void cells_free(struct cells *cells)
{
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS; step++)
            for (int cache = 0; cache < CACHES; cache++)
                for (int app = 0; app < APPS_MOST; app++)
                    free(cells->of[tool][step][cache][app].samples);
}
