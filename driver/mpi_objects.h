/* The part of the MPI test that sends Python objects, by mpi4py. */
#ifndef DRIVER_MPI_OBJECTS_H
#define DRIVER_MPI_OBJECTS_H

#include "driver/run.h"

enum { MPI_OBJECTS_TEXT = 512 };

/* Collective; the interpreter has been started. Where mpi4py is absent on some
 * rank, nothing is sent and nothing has failed. `said` becomes, on rank 0, what
 * was done or why not: "Python objects sent with mpi4py 3.1.4". False, with `e`
 * filled, on a rank where an object did not come as it was sent. */
bool mpi_objects_run(const struct run *run, char said[MPI_OBJECTS_TEXT], struct error *e);

#endif
