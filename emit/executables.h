/* Executables of a set: what a plan is told of them. */
#ifndef EMIT_EXECUTABLES_H
#define EMIT_EXECUTABLES_H

#include <stdbool.h>
#include <stdint.h>

/* Most that an executable has of its own: it is made in memory, in one piece. */
#define EXECUTABLE_BIG_MOST UINT64_C(1000000000)

/* What is made besides the libraries, which are the same with it and without. */
struct plan_executables {
    bool link;             /* pyelf-link, which has all libraries as DT_NEEDED */
    bool joined;           /* pyelf-static, which has them in it */
    bool alone;            /* the latter instead of the libraries, which are no files then */
    const char *libpython; /* SONAME; borrowed */
    uint64_t big;          /* bytes of code, debug information and so on beyond what it needs; 0: none */
};

#endif
