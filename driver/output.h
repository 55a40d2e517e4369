/* What a run shows: the progress bar on a terminal, the results at the
 * end. */
#ifndef DRIVER_OUTPUT_H
#define DRIVER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/phases.h"

/* On standard error, of rank 0, only where that is a terminal. */
struct progress {
    const char *what; /* NULL when nothing is shown */
    size_t count;
    double next; /* when the bar is drawn again */
};

struct progress output_progress(const struct run *run, const char *what, size_t count);
void output_advance(struct progress *bar, size_t done);
void output_clear(struct progress *bar);

/* Collective: whether the results could be written where they are to go. */
bool output_possible(const struct run *run);

/* Collective: the results of all ranks, on rank 0's standard output and where
 * else they are to go. */
bool output_results(const struct run *run, const struct loader *loader, const struct measured *t);

#endif
