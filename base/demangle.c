/* libiberty's demangler, as gdb and binutils use it; see demangle.h. */
#include "base/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

struct shown {
    size_t length;
    jmp_buf enough;
};

/* The demangler passes its output to this function piece by piece. It keeps nothing on the heap, so longjmp may leave
 * it. */
static void count(const char *piece, size_t length, void *context)
{
    struct shown *shown = context;
    (void)piece;
    shown->length += length;
    if (shown->length > DEMANGLE_SHOWN_MOST)
        longjmp(shown->enough, 1);
}

uint32_t demangle_length(const char *name)
{
    struct shown shown = {.length = 0};
    if (strnlen(name, DEMANGLE_NAME_MOST + 1) > DEMANGLE_NAME_MOST)
        return 0;
    if (setjmp(shown.enough))
        return DEMANGLE_SHOWN_MOST;
    return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, count, &shown) ? (uint32_t)shown.length : 0;
}
