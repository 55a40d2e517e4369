/* What the dynamic linker says of a file that it cannot load (dlerror(3)). */
#ifndef BASE_LOADER_ERROR_H
#define BASE_LOADER_ERROR_H

#include <stdbool.h>
#include <string.h>

/* Whether what is missing is Python, which a program may have linked into itself, as Debian's has. */
static inline bool loader_error_is_python(const char *why)
{
    return strstr(why, "undefined symbol: Py") || strstr(why, "undefined symbol: _Py");
}

#endif
