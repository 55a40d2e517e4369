/* The text of tools/pyelfprobe/lldb.py, which the build embeds into the program (embed_text in
 * cmake/Rooms.cmake). */
#ifndef TOOLS_PYELFPROBE_LLDB_PY_H
#define TOOLS_PYELFPROBE_LLDB_PY_H

#include <stddef.h>

extern const char lldb_py[];      /* ends in a zero */
extern const size_t lldb_py_size; /* without the zero */

#endif
