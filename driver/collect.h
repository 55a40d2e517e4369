/* Makes the results of the run from what each rank has measured. */
#ifndef DRIVER_COLLECT_H
#define DRIVER_COLLECT_H

#include <stdbool.h>

#include "driver/phases.h"
#include "driver/results/results.h"

/* Collective. On rank 0 *r becomes the results of this one run; elsewhere it stays empty. Free it in any case. */
bool collect_results(struct results *r, const struct run *run, const struct loader *loader, const struct measured *t);

#endif
