/* The part of the MPI test that sends Python objects, by mpi4py. */
#ifndef DRIVER_MPI_OBJECTS_H
#define DRIVER_MPI_OBJECTS_H

#include "driver/run.h"

enum { MPI_OBJECTS_TEXT = 512 };

/* Collective; the interpreter has been started. If mpi4py is missing on some rank, nothing is sent, and that is no
 * failure. On rank 0 `said` becomes what was done, or why not: "Python objects sent with mpi4py 3.1.4". False, with `e`
 * filled, on a rank where an object did not arrive as it was sent. */
bool mpi_objects_run(const struct run *run, char said[MPI_OBJECTS_TEXT], struct error *e);

#endif
