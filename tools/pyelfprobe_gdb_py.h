/* The text of tools/pyelfprobe_gdb.py, made part of the program when it is built
 * (embed_text in cmake/Rooms.cmake).
 */
#ifndef TOOLS_PYELFPROBE_GDB_PY_H
#define TOOLS_PYELFPROBE_GDB_PY_H

#include <stddef.h>

extern const char pyelfprobe_gdb_py[];      /* with a terminating zero */
extern const size_t pyelfprobe_gdb_py_size; /* without it */

#endif
