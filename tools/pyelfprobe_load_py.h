/* The text of tools/pyelfprobe_load.py, made part of the program when it is built
 * (embed_text in cmake/Rooms.cmake).
 */
#ifndef TOOLS_PYELFPROBE_LOAD_PY_H
#define TOOLS_PYELFPROBE_LOAD_PY_H

#include <stddef.h>

extern const char pyelfprobe_load_py[];      /* with a terminating zero */
extern const size_t pyelfprobe_load_py_size; /* without it */

#endif
