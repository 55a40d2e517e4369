/* The text of tools/pyelfprobe/load.py, which the build embeds into the program (embed_text in
 * cmake/Rooms.cmake). */
#ifndef TOOLS_PYELFPROBE_LOAD_PY_H
#define TOOLS_PYELFPROBE_LOAD_PY_H

#include <stddef.h>

extern const char load_py[];      /* ends in a zero */
extern const size_t load_py_size; /* without the zero */

#endif
