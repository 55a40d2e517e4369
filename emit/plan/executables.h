/* What a plan is told of the executables of a set. */
#ifndef EMIT_PLAN_EXECUTABLES_H
#define EMIT_PLAN_EXECUTABLES_H

#include <stdbool.h>
#include <stdint.h>

/* An executable with more than EXECUTABLE_WHOLE bytes of its own is written in parts of some EXECUTABLE_PART bytes.
 * Only one part for each thread is in memory at a time. */
#define EXECUTABLE_WHOLE UINT64_C(256000000)
#define EXECUTABLE_PART  UINT64_C(16000000)

/* No executable has more bytes than this: it may load 2 GiB, and have 4 GiB each of debug information, symbols and
 * names. */
#define EXECUTABLE_MOST (UINT64_C(14) << 30)

/* Which executables are made besides the libraries. The libraries are the same whatever this says. */
struct plan_executables {
    bool link;             /* make pyelf-link, which needs all libraries (DT_NEEDED) */
    bool joined;           /* make pyelf-static, which contains all libraries */
    bool alone;            /* make pyelf-static only: the libraries do not become files */
    const char *libpython; /* SONAME; borrowed */
    uint64_t big; /* pyelf-link's own code, debug information and so on, in bytes, beyond what it needs; 0: none */
};

#endif
