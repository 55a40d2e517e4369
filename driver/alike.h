/* Checks that all ranks run the same. */
#ifndef DRIVER_ALIKE_H
#define DRIVER_ALIKE_H

#include <stdbool.h>

#include "driver/run.h"

/* Collective; call it when the manifest has been read. Compares set, mode and options with those of rank 0. Ranks with
 * different options would wait for each other for ever. Ranks with different sets, such as an old copy on one host, are
 * not what rank 0's results describe. Differences have been printed. */
bool alike_check(const struct run *run);

#endif
