/* Recognises messages of the dynamic linker about a file that it cannot load (dlerror(3)). */
#ifndef BASE_LOADER_ERROR_H
#define BASE_LOADER_ERROR_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether Python is missing. A program may have Python linked into itself, as that of Debian has. */
static inline bool loader_error_is_python(const char *why)
{
    return strstr(why, "undefined symbol: Py") || strstr(why, "undefined symbol: _Py");
}

/* The minor version of the Python that a module is for which a text names: 12 for "x.cpython-312-x86_64-linux-gnu.so";
 * 0 where it names none. */
static inline unsigned loader_error_python(const char *text)
{
    static const char tag[] = ".cpython-3";
    const char *at = strstr(text, tag);
    return at ? (unsigned)strtoul(at + sizeof tag - 1, NULL, 10) : 0;
}

#endif
