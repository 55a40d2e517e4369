/* Whether all ranks run the same. */
#ifndef DRIVER_ALIKE_H
#define DRIVER_ALIKE_H

#include <stdbool.h>

#include "driver/run.h"

/* Collective, when the manifest has been read: compares set, mode and options with
 * those of rank 0. Ranks that were started with different ones would wait for each
 * other for ever, and ranks with different sets, as where one host's local copy is
 * an old one, are not what rank 0's results say. What differs has been printed. */
bool alike_check(const struct run *run);

#endif
