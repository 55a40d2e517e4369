/* The length of C++ names in the form of the source, which is the form that debuggers and profilers keep. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include <stdint.h>

enum {
    /* In characters: the longest name that libiberty's demangler takes, which refuses longer ones as they may have too
     * many parts; and the longest result, because every reference in a name can double it */
    DEMANGLE_NAME_MOST = 1024,
    DEMANGLE_SHOWN_MOST = 1 << 16
};

/* Characters of the demangled form of a name (Itanium C++ ABI, 5.1), including parameters, as gdb shows it. At most
 * DEMANGLE_SHOWN_MOST; the time is proportional to the result. 0 if the name is not mangled or is too long. The name
 * may be anything. */
uint32_t demangle_length(const char *name);

#endif
