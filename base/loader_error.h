/* Recognises messages of the dynamic linker about a file that it cannot load (dlerror(3)). */
#ifndef BASE_LOADER_ERROR_H
#define BASE_LOADER_ERROR_H

#include <stdbool.h>
#include <string.h>

/* Whether Python is missing. A program may have Python linked into itself, as that of Debian has. */
static inline bool loader_error_is_python(const char *why)
{
    return strstr(why, "undefined symbol: Py") || strstr(why, "undefined symbol: _Py");
}

#endif
