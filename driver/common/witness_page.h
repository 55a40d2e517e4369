/* What a rank shows to its witness (driver/launch/witness.h): a page of memory that both map. Only the rank writes. The
 * witness reads when the rank has ended. */
#ifndef DRIVER_COMMON_WITNESS_PAGE_H
#define DRIVER_COMMON_WITNESS_PAGE_H

#include <stdatomic.h>

#include "base/manifest.h"

/* Environment variable of the rank: the descriptors of the page and of the pipe. When that end of the pipe closes, the
 * rank has ended. */
#define WITNESS_VARIABLE "PYELFRUN_WITNESS"

/* The phase until the rank sets one; and while MPI starts, before there are ranks. */
#define WITNESS_STARTUP "startup"
#define WITNESS_MPI     "MPI_Init"

enum { HOST_NAME_MOST = 256 };

struct witness_page {
    atomic_int told; /* the end of this rank has been explained */
    int rank;
    char host[HOST_NAME_MOST];
    char phase[16];
    char library[MANIFEST_NAME_MOST + 1]; /* stem of the library, or "" */
};

#endif
