/* What is counted in each phase: of this rank while it runs, then of all.
 *
 * Who writes results goes through the rows and needs no counter's name:
 *
 *     struct counts_table table;
 *     counts_gather(&table, t->counts, &run->ranks, &e);
 *     for (size_t i = 0; i < table.count; i++)
 *         for (unsigned s = 0; s < COUNTS_SPANS; s++)
 *             if (table.rows[i].of[s].known) ... else table.rows[i].absent[s]
 */
#ifndef DRIVER_COUNTS_H
#define DRIVER_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/options.h"
#include "driver/ranks.h"

/* What is counted apart: the phases, and what came before them. */
enum counts_span { COUNTS_STARTUP, COUNTS_IMPORT, COUNTS_VISIT, COUNTS_MPI, COUNTS_SPANS };
extern const char *const counts_spans[COUNTS_SPANS];

/* The span of a phase. */
static inline enum counts_span counts_span_of(enum phase phase)
{
    return (enum counts_span)(COUNTS_IMPORT + (unsigned)phase);
}

struct counts; /* of this rank */

/* Opens the counters that the options ask for, at the end of the startup; NULL
 * with `e` filled when there is no memory. */
struct counts *counts_start(const struct options *o, enum mode mode, struct error *e);

/* Around what is counted; not for COUNTS_STARTUP, which counts_start has ended. */
void counts_begin(struct counts *c);
void counts_end(struct counts *c, enum counts_span span);

/* One library of the set has been imported or visited. */
void counts_step(struct counts *c, enum phase phase);

/* Takes NULL. */
void counts_free(struct counts *c);

/* One counter, over all ranks. */
struct counts_row {
    char name[64];
    const char *unit, *source;        /* "misses"; "os", "sde", "audit", "papi", "cachegrind" */
    bool level;                       /* what it was at the end, not what it grew by */
    bool wholly_absent;               /* in every span, for the reason absent[COUNTS_STARTUP] */
    struct spread of[COUNTS_SPANS];   /* unknown where absent */
    char absent[COUNTS_SPANS][160];   /* why; "" where there is a figure */
};

struct counts_table {
    struct counts_row *rows; /* owned; NULL where nothing is counted */
    size_t count;
    char unpublished[160]; /* why PAPI's tools cannot read ours, "" when they can */
};

/* Collective; the same on all ranks. False, with `e` filled, when this rank has
 * no memory; the others get their table. To be freed in any case. */
bool counts_gather(struct counts_table *t, const struct counts *c, const struct ranks *r, struct error *e);
void counts_table_free(struct counts_table *t);

/* The table for people, to standard output. */
void counts_print(const struct counts_table *t, const struct options *o, int ranks);

#endif
