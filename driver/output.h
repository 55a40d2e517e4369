/* What a run shows: the progress bar on a terminal, and the results at the end. */
#ifndef DRIVER_OUTPUT_H
#define DRIVER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/phases.h"

/* The progress bar of rank 0, shown on standard error if that is a terminal. */
struct progress {
    const char *what; /* NULL: nothing is shown */
    size_t count;
    double next; /* time at which the bar is drawn again */
};

struct progress output_progress(const struct run *run, const char *what, size_t count);
void output_advance(struct progress *bar, size_t done);
void output_clear(struct progress *bar);

/* Collective. Whether the results could be written where they are to go. */
bool output_possible(const struct run *run);

/* Collective. Writes the results of all ranks to rank 0's standard output and wherever else they are to go. */
bool output_results(const struct run *run, const struct loader *loader, const struct measured *t);

#endif
