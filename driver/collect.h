/* From what each rank has measured to the results of the run. */
#ifndef DRIVER_COLLECT_H
#define DRIVER_COLLECT_H

#include <stdbool.h>

#include "driver/phases.h"
#include "driver/results.h"

/* Collective: *r, to be freed in any case, becomes the results of this one run
 * on rank 0, and stays empty elsewhere. */
bool collect_results(struct results *r, const struct run *run, const struct loader *loader, const struct measured *t);

#endif
