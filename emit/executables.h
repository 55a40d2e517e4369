/* Executables of a set: what a plan is told of them. */
#ifndef EMIT_EXECUTABLES_H
#define EMIT_EXECUTABLES_H

#include <stdbool.h>
#include <stdint.h>

/* What is made besides the libraries, which are the same with it and without. */
struct plan_executables {
    bool link;             /* pyelf-link, which has all libraries as DT_NEEDED */
    const char *libpython; /* SONAME; borrowed */
    uint64_t big;          /* bytes of code, debug information and so on beyond what it needs; 0: none */
};

#endif
