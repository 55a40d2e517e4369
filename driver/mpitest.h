/* A test that MPI works beside the loaded set. */
#ifndef DRIVER_MPITEST_H
#define DRIVER_MPITEST_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/ranks.h"

/* Collective. `seconds` is what the ranks took on this rank, without checking;
 * `checksum`, of the whole picture, is rank 0's. False when it failed on any
 * rank; what went wrong has then been printed. */
bool mpitest_run(const struct ranks *r, double *seconds, uint64_t *checksum);

#endif
