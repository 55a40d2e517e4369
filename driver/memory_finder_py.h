/* The text of driver/memory_finder.py, which the build embeds in the library (embed_text in cmake/Rooms.cmake). */
#ifndef DRIVER_MEMORY_FINDER_PY_H
#define DRIVER_MEMORY_FINDER_PY_H

#include <stddef.h>

extern const char memory_finder_py[];      /* with a terminating zero */
extern const size_t memory_finder_py_size; /* without it */

#endif
