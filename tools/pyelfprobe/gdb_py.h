/* The text of tools/pyelfprobe/gdb.py, which the build embeds into the program (embed_text in
 * cmake/Rooms.cmake). */
#ifndef TOOLS_PYELFPROBE_GDB_PY_H
#define TOOLS_PYELFPROBE_GDB_PY_H

#include <stddef.h>

extern const char gdb_py[];      /* ends in a zero */
extern const size_t gdb_py_size; /* without the zero */

#endif
