/* The ranks of one run: which one this is, and how they agree.
 *
 * This rule keeps a run from hanging: between two collective calls a rank may fail on its own, but every such stretch
 * ends in ranks_agree. After it all ranks know whether all went well, and continue in the same way. A rank that failed
 * does not wait long for the others: if they are far from the agreement, it ends all of them. Without mpirun there is
 * one rank, 0 of 1.
 */
#ifndef DRIVER_RANKS_H
#define DRIVER_RANKS_H

#include <stdbool.h>

#include "base/error.h"
#include "driver/common/witness_page.h"

struct witness_page;

struct ranks {
    int rank;
    int count;
    char host[HOST_NAME_MOST];
    struct witness_page *witness; /* witness.h; NULL: there is none */
};

/* Starts MPI. An error of MPI itself cannot be agreed on: here and in every later call it ends all ranks with
 * MPI_Abort. */
void ranks_start(struct ranks *r);

/* Whether MPI knows of the ranks that were launched. A rank started by an srun or mpirun of another MPI takes itself
 * for the only one. */
bool ranks_known(const struct ranks *r, struct error *e);

/* Collective, and a barrier. A rank that is not `well` first prints `e`. Returns whether all ranks were well. Does not
 * return if a rank failed and the others did not come within seconds. */
bool ranks_agree(const struct ranks *r, bool well, const struct error *e);

/* Prints "pyelfrun: rank 3 on host: what is wrong". */
void ranks_report(const struct ranks *r, const struct error *e);

void ranks_stop(void);

#endif
