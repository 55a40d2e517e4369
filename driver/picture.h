/* The picture of the MPI test as a PNG file. */
#ifndef DRIVER_PICTURE_H
#define DRIVER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/run.h"

/* Collective. Whether rank 0 will be able to write --picture, as far as that can be found out without writing. If not,
 * it has said why. */
bool picture_possible(const struct run *run);

/* Called on one rank. `points` has side by side points of one byte each, top row first. The file appears when it is
 * complete. */
bool picture_write(const char *path, const uint8_t *points, int side, struct error *e);

#endif
