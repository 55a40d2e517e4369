/* See counts.h. */
#include "driver/counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/counters.h"

const char *const counts_spans[COUNTS_SPANS] = {"startup", "import", "visit", "mpi"};

/* The values of one span: NAN where there is none. */
struct counts {
    struct counters *counters;
    const struct counter *list;
    size_t count;
    bool ended[COUNTS_SPANS];
    uint64_t *before, *after; /* readings */
    double *values[COUNTS_SPANS];
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

/* What a counter says of a span, from readings before and after it. */
static double value_of(const struct counter *counter, uint64_t before, uint64_t after)
{
    if (after == COUNTERS_UNKNOWN || (before == COUNTERS_UNKNOWN && !counter->level))
        return NAN;
    return counter->level ? (double)after : (double)(int64_t)(after - before);
}

struct counts *counts_start(const struct options *o, enum mode mode, struct error *e)
{
    const struct counters_wish wish = wish_of(o);
    struct counts *c = calloc(1, sizeof *c);
    if (c)
        c->counters = counters_open(&wish, e);
    if (!c || !c->counters) {
        free(c);
        error_set(e, ERROR_MEMORY, "there is no memory left for the counters");
        return NULL;
    }
    c->count = counters_list(c->counters, &c->list);
    bool well = (c->before = calloc(2 * c->count + 1, sizeof *c->before)) != NULL;
    for (unsigned s = 0; s < COUNTS_SPANS && well; s++)
        well = (c->values[s] = calloc(c->count + 1, sizeof *c->values[s])) != NULL;
    if (!well) {
        counts_free(c);
        error_set(e, ERROR_MEMORY, "there is no memory left for the counters");
        return NULL;
    }
    c->after = c->before + c->count;
    for (size_t i = 0; i < c->count; i++)
        c->values[COUNTS_STARTUP][i] = value_of(&c->list[i], 0, counters_startup(c->counters)[i]);
    c->ended[COUNTS_STARTUP] = true;
    counters_bind_now(c->counters, mode == MODE_VANILLA && !o->lazy);
    return c;
}

void counts_begin(struct counts *c)
{
    counters_before(c->counters, c->before);
}

void counts_end(struct counts *c, enum counts_span span)
{
    counters_after(c->counters, c->after);
    for (size_t i = 0; i < c->count; i++)
        c->values[span][i] = value_of(&c->list[i], c->before[i], c->after[i]);
    c->ended[span] = true;
}

void counts_step(struct counts *c, enum phase phase)
{
    counters_add(c->counters, phase == PHASE_IMPORT ? COUNTERS_MODULES_IMPORTED : COUNTERS_ENTRIES_VISITED, 1);
}

void counts_free(struct counts *c)
{
    if (!c)
        return;
    counters_close(c->counters);
    for (unsigned s = 0; s < COUNTS_SPANS; s++)
        free(c->values[s]);
    free(c->before);
    free(c);
}

/* --- over all ranks ------------------------------------------------------------------ */

/* Why this rank has no figure; "" when it has one. */
static const char *why_absent(const struct counts *c, size_t counter, enum counts_span span)
{
    const struct counter *k = &c->list[counter];
    if (k->absent[0])
        return k->absent;
    if (!c->ended[span])
        return "the phase was left out";
    if (!isnan(c->values[span][counter]))
        return "";
    return span == COUNTS_STARTUP && k->late ? "counts from the program's first line on" : "could not be read this time";
}

static void gather_row(struct counts_row *row, const struct counts *c, size_t counter, const struct ranks *r)
{
    const struct counter *k = &c->list[counter];
    *row = (struct counts_row){.unit = k->unit, .source = k->source, .level = k->level};
    snprintf(row->name, sizeof row->name, "%s", k->name);
    /* Where ranks count different events, as on different processors, the first
     * one's are named, and there are no figures over all. */
    char first[sizeof row->name], why[sizeof k->absent], whole[sizeof k->absent];
    snprintf(first, sizeof first, "%s", k->name);
    ranks_text(r, true, first, sizeof first);
    bool same = strcmp(first, k->name) == 0;
    snprintf(row->name, sizeof row->name, "%s", first);
    snprintf(whole, sizeof whole, "%s", same ? k->absent : "another event is counted on some ranks");
    row->wholly_absent = ranks_text(r, whole[0], whole, sizeof whole);
    for (unsigned s = 0; s < COUNTS_SPANS; s++) {
        if (row->wholly_absent) {
            snprintf(row->absent[s], sizeof row->absent[s], "%s", whole);
            continue;
        }
        snprintf(why, sizeof why, "%s", why_absent(c, counter, (enum counts_span)s));
        if (ranks_text(r, why[0], why, sizeof why))
            snprintf(row->absent[s], sizeof row->absent[s], "%s", why);
        else
            row->of[s] = ranks_spread(r, c->values[s][counter]);
    }
}

bool counts_gather(struct counts_table *t, const struct counts *c, const struct ranks *r, struct error *e)
{
    struct counts_row row;
    *t = (struct counts_table){.rows = calloc(c->count + 1, sizeof *t->rows)};
    snprintf(t->unpublished, sizeof t->unpublished, "%s", counters_unpublished(c->counters));
    for (size_t i = 0; i < c->count; i++) {
        gather_row(&row, c, i, r);
        if (t->rows)
            t->rows[t->count++] = row;
    }
    return t->rows || error_set(e, ERROR_MEMORY, "there is no memory left for the counters of all ranks");
}

void counts_table_free(struct counts_table *t)
{
    free(t->rows);
    *t = (struct counts_table){0};
}
