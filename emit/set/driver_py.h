/* The text of driver/driver.py, which the build makes part of the program (embed_text in cmake/Rooms.cmake). */
#ifndef EMIT_SET_DRIVER_PY_H
#define EMIT_SET_DRIVER_PY_H

#include <stddef.h>

/* Its file name in a set. */
#define DRIVER_FILE "driver.py"

extern const char driver_py[];      /* with a terminating zero */
extern const size_t driver_py_size; /* without it */

#endif
