/* Tests that MPI works beside the loaded set. */
#ifndef DRIVER_MPITEST_H
#define DRIVER_MPITEST_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/mpi_objects.h"
#include "driver/run.h"
#include "driver/watchdog.h"

enum { MPITEST_SIDE = 400 }; /* side of the picture, in points */

/* What the test found. Known on rank 0 only. */
struct mpitest {
    uint64_t checksum; /* of the whole picture */
    char objects[MPI_OBJECTS_TEXT];
};

/* Collective. *seconds is the time that drawing the picture took on this rank, without the check. False if the test
 * failed on any rank; the error has then been printed. */
bool mpitest_run(const struct run *run, struct watchdog *dog, double *seconds, struct mpitest *test);

#endif
