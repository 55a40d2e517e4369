/* What is counted in each phase on this rank, by the counters that the options ask for. collect.c gathers the counts of
 * all ranks without knowing their names. */
#ifndef DRIVER_COUNTS_H
#define DRIVER_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "driver/common/options.h"

/* What is counted separately: the time before the phases, and each phase. */
enum counts_span { COUNTS_STARTUP, COUNTS_IMPORT, COUNTS_VISIT, COUNTS_MPI, COUNTS_SPANS };

/* What one counter says of one phase. */
struct counted {
    const char *name, *unit, *source;
    bool level;         /* `value` is the reading at the end, not its growth */
    double value;       /* NAN: absent */
    const char *absent; /* why it is absent */
};

struct counts;

/* Opens the counters; this ends the startup. NULL with `e` filled if there is no memory. */
struct counts *counts_start(const struct options *o, enum mode mode, struct error *e);

/* Why PAPI's tools cannot read our software-defined events in this process; "" if they can. */
const char *counts_unpublished(const struct counts *c);

/* Says that libraries are opened with RTLD_NOW from now on, whatever the options say, as mpi4py is. */
void counts_bind_now(struct counts *c);

/* Call these around what is counted, for the spans from COUNTS_IMPORT on. */
void counts_begin(struct counts *c);
void counts_end(struct counts *c, enum counts_span span);

/* Says that one library of the set has been imported or visited. */
void counts_step(struct counts *c, enum phase phase);

/* The counts of a span that was counted; they belong to `c`. Every span has the same number of them in the same order.
 */
const struct counted *counts_values(const struct counts *c, enum counts_span span, size_t *count);

/* Accepts NULL. */
void counts_free(struct counts *c);

#endif
