/* See counts.h. */
#include "driver/counts.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/counters.h"

struct counts {
    struct counters *counters;
    const struct counter *list;
    size_t count;
    uint64_t *before, *after; /* readings; `after` is in the memory of `before` */
    struct counted *spans[COUNTS_SPANS];
};

static struct counters_wish wish_of(const struct options *o)
{
    struct counters_wish wish = {.asked = o->counters.asked};
    wish.source[COUNTERS_SDE] = o->counters.sde;
    wish.source[COUNTERS_OS] = o->counters.os;
    wish.source[COUNTERS_PAPI] = o->counters.papi;
    wish.source[COUNTERS_AUDIT] = o->audit;
    wish.source[COUNTERS_SIMULATED] = o->simulate;
    return wish;
}

/* Why a counter of this machine has no value here. */
static const char *why_absent(const struct counter *counter, enum counts_span span)
{
    if (counter->absent[0])
        return counter->absent;
    return span == COUNTS_STARTUP && counter->late ? "counts from the program's first line on"
                                                   : "could not be read this time";
}

/* Fills the counts of a span from readings before and after it. `before` is NULL for the startup, which begins with the
 * process. */
static void set_values(struct counts *c, enum counts_span span, const uint64_t *before, const uint64_t *after)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct counter *k = &c->list[i];
        const uint64_t from = k->level || !before ? 0 : before[i];
        const bool known = from != COUNTERS_UNKNOWN && after[i] != COUNTERS_UNKNOWN;
        c->spans[span][i] = (struct counted){k->name,
                                             k->unit,
                                             k->source,
                                             k->level,
                                             known ? (double)(int64_t)(after[i] - from) : NAN,
                                             known ? "" : why_absent(k, span)};
    }
}

struct counts *counts_start(const struct options *o, enum mode mode, struct error *e)
{
    const struct counters_wish wish = wish_of(o);
    struct counts *c = calloc(1, sizeof *c);
    if (!c) {
        error_set(e, ERROR_MEMORY, "there is no memory left for the counters");
        return NULL;
    }
    c->counters = counters_open(&wish, e);
    if (!c->counters) {
        free(c);
        return NULL;
    }
    c->count = counters_list(c->counters, &c->list);
    bool well = (c->before = calloc(2 * c->count + 1, sizeof *c->before)) != NULL;
    for (unsigned s = 0; s < COUNTS_SPANS && well; s++)
        well = (c->spans[s] = calloc(c->count + 1, sizeof *c->spans[s])) != NULL;
    if (!well) {
        counts_free(c);
        error_set(e, ERROR_MEMORY, "there is no memory left for the counters");
        return NULL;
    }
    c->after = c->before + c->count;
    set_values(c, COUNTS_STARTUP, NULL, counters_startup(c->counters));
    counters_bind_now(c->counters, mode == MODE_VANILLA && !o->lazy);
    return c;
}

const char *counts_unpublished(const struct counts *c)
{
    return counters_unpublished(c->counters);
}

void counts_bind_now(struct counts *c)
{
    counters_bind_now(c->counters, true);
}

void counts_begin(struct counts *c)
{
    counters_before(c->counters, c->before);
}

void counts_end(struct counts *c, enum counts_span span)
{
    counters_after(c->counters, c->after);
    set_values(c, span, c->before, c->after);
}

void counts_step(struct counts *c, enum phase phase)
{
    counters_add(c->counters, phase == PHASE_IMPORT ? COUNTERS_MODULES_IMPORTED : COUNTERS_ENTRIES_VISITED, 1);
}

const struct counted *counts_values(const struct counts *c, enum counts_span span, size_t *count)
{
    *count = c->count;
    return c->spans[span];
}

void counts_free(struct counts *c)
{
    if (!c)
        return;
    counters_close(c->counters);
    for (unsigned s = 0; s < COUNTS_SPANS; s++)
        free(c->spans[s]);
    free(c->before);
    free(c);
}
