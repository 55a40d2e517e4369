/* The text of driver/mpi_objects.py, which the build embeds in the library (embed_text in cmake/Rooms.cmake). */
#ifndef DRIVER_MPI_OBJECTS_PY_H
#define DRIVER_MPI_OBJECTS_PY_H

#include <stddef.h>

extern const char mpi_objects_py[];      /* with a terminating zero */
extern const size_t mpi_objects_py_size; /* without it */

#endif
