/* The text of driver/driver.py, made part of the program when it is built
 * (embed_text in cmake/Rooms.cmake).
 */
#ifndef EMIT_DRIVER_PY_H
#define EMIT_DRIVER_PY_H

#include <stddef.h>

/* What it is called in a set. */
#define DRIVER_FILE "driver.py"

extern const char driver_py[];      /* with a terminating zero */
extern const size_t driver_py_size; /* without it */

#endif
