/* How long names of C++ are when they are shown as in the source, which is what debuggers and profilers keep of them.
 */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include <stdint.h>

enum {
    /* Characters: of longer names libiberty's demangler says nothing, as they may have too many parts; and what a name
     * becomes at most, as every reference in it can double what there was. */
    DEMANGLE_NAME_MOST = 1024,
    DEMANGLE_SHOWN_MOST = 1 << 16
};

/* Characters of the demangled form of a name (Itanium C++ ABI, 5.1), parameters and all, as gdb shows it: at most
 * DEMANGLE_SHOWN_MOST, which it takes as long to find as there are. 0 for what is no such name, or is too long. The
 * name may be anything. */
uint32_t demangle_length(const char *name);

#endif
