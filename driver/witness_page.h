/* What a rank shows to its witness (launch_witness.h): a page of memory that both
 * map. Only the rank writes; the witness reads when the rank is no more. */
#ifndef DRIVER_WITNESS_PAGE_H
#define DRIVER_WITNESS_PAGE_H

#include <stdatomic.h>

#include "base/manifest.h"
#include "driver/ranks.h"

/* In the environment of the rank: the descriptor of the page, and that of the
 * pipe whose end tells the end of the rank. */
#define WITNESS_VARIABLE "PYELFRUN_WITNESS"

/* The phase before the rank has said in which it is. */
#define WITNESS_STARTUP "startup"

struct witness_page {
    atomic_int told; /* the end of this rank has been explained */
    int rank;
    char host[HOST_NAME_MOST];
    char phase[16];
    char library[MANIFEST_NAME_MOST + 1]; /* its stem, or "" */
};

#endif
