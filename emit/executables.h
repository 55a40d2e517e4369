/* Executables of a set: what a plan is told of them. */
#ifndef EMIT_EXECUTABLES_H
#define EMIT_EXECUTABLES_H

#include <stdbool.h>
#include <stdint.h>

/* An executable that has more than EXECUTABLE_WHOLE bytes of its own is written in parts of
 * some EXECUTABLE_PART bytes, of which no more than one for each thread is in memory. */
#define EXECUTABLE_WHOLE UINT64_C(256000000)
#define EXECUTABLE_PART  UINT64_C(16000000)

/* What is made besides the libraries, which are the same with it and without. */
struct plan_executables {
    bool link;             /* pyelf-link, which has all libraries as DT_NEEDED */
    bool joined;           /* pyelf-static, which has them in it */
    bool alone;            /* the latter instead of the libraries, which are no files then */
    const char *libpython; /* SONAME; borrowed */
    uint64_t big;          /* bytes of code, debug information and so on beyond what it needs; 0: none */
};

#endif
