/* What is counted in each phase on this rank, by the counters that the options
 * ask for. collect.c gathers them from all ranks, without knowing their names. */
#ifndef DRIVER_COUNTS_H
#define DRIVER_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "driver/options.h"

/* What is counted apart: what came before the phases, and these. */
enum counts_span { COUNTS_STARTUP, COUNTS_IMPORT, COUNTS_VISIT, COUNTS_MPI, COUNTS_SPANS };

/* What one counter says of one phase. */
struct counted {
    const char *name, *unit, *source;
    bool level;         /* a reading at the end, not what it grew by */
    double value;       /* NAN: absent */
    const char *absent; /* why */
};

struct counts;

/* Opens the counters, which ends the startup; NULL with `e` filled when there is
 * no memory. */
struct counts *counts_start(const struct options *o, enum mode mode, struct error *e);

/* Why PAPI's tools cannot read our software-defined events in this process; "" when
 * they can. */
const char *counts_unpublished(const struct counts *c);

/* Around what is counted, COUNTS_IMPORT and later. */
void counts_begin(struct counts *c);
void counts_end(struct counts *c, enum counts_span span);

/* One library of the set has been imported or visited. */
void counts_step(struct counts *c, enum phase phase);

/* Of a span that was counted: as many, in the same order, as of the others. They
 * belong to `c`. */
const struct counted *counts_values(const struct counts *c, enum counts_span span, size_t *count);

/* Takes NULL. */
void counts_free(struct counts *c);

#endif
