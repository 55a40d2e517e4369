/* What an emitted executable tells the runtime library that runs it.
 *
 * The executable is pyelf-link or pyelf-static in the set's directory. It has the runtime library in DT_NEEDED, starts
 * the library's `main`, and exports one object, `pyelf_executable`. Both sides use the layout below. The dynamic linker
 * relocates every pointer in it before anything runs.
 */
#ifndef BASE_EXECUTABLE_H
#define BASE_EXECUTABLE_H

#include <stdint.h>

#define EXECUTABLE_SYMBOL  "pyelf_executable"
#define EXECUTABLE_LINK    "pyelf-link" /* file names within a set */
#define EXECUTABLE_STATIC  "pyelf-static"
#define EXECUTABLE_RUNTIME "libpyelfrun.so.0" /* SONAME of the runtime library */

enum { EXECUTABLE_VERSION = 1 };
enum executable_kind { EXECUTABLE_KIND_LINK = 1, EXECUTABLE_KIND_STATIC = 2 };

/* A library of the set that is part of the executable. Libraries are in the manifest's order. */
struct executable_object {
    const char *stem;             /* "libmodule0" */
    void *(*init)(void);          /* PyInit_libmodule0; NULL for a utility */
    unsigned long (*entry)(void); /* what a visit without Python calls; NULL for a utility */
    const unsigned char *visits;  /* libmodule0_visits */
    uint64_t visits_size;         /* bytes */
};

struct executable {
    uint32_t version;      /* EXECUTABLE_VERSION */
    uint32_t kind;         /* enum executable_kind */
    uint64_t digest[2];    /* digest of the profile, as in the manifest: high, low */
    uint64_t object_count; /* 0 in pyelf-link, whose libraries are files */
    const struct executable_object *objects;
};

#endif
