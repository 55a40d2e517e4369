/* The visit marks of a loaded library, which prove that its functions ran. */
#ifndef DRIVER_MARKS_H
#define DRIVER_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/run.h"

/* Compares the marks of the manifest's library `index`, which has been loaded, with the manifest. *visited is how many
 * of its numbered functions were visited. */
bool marks_check(const struct run *run, size_t index, uint64_t *visited, struct error *e);

#endif
