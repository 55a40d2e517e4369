/* A test that MPI works beside the loaded set. */
#ifndef DRIVER_MPITEST_H
#define DRIVER_MPITEST_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/mpi_objects.h"
#include "driver/run.h"
#include "driver/watchdog.h"

enum { MPITEST_SIDE = 400 }; /* of the picture, in points */

/* What the test found; rank 0's, on others unknown. */
struct mpitest {
    uint64_t checksum; /* of the whole picture */
    char objects[MPI_OBJECTS_TEXT];
};

/* Collective. `seconds` is what the ranks took on this rank for the picture,
 * without checking. False when it failed on any rank; what went wrong has then
 * been printed. */
bool mpitest_run(const struct run *run, struct watchdog *dog, double *seconds, struct mpitest *test);

#endif
