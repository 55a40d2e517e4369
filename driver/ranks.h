/* The ranks of one run: who we are, and agreeing.
 *
 * The rule that keeps a run from hanging: between two collective calls a rank
 * may fail on its own, and every such stretch ends in ranks_agree, after which
 * all ranks know whether all went well and take the same way. A rank that failed
 * does not wait long for the others: when they are far from the agreement it
 * ends all of them. Without mpirun there is one rank, 0 of 1.
 */
#ifndef DRIVER_RANKS_H
#define DRIVER_RANKS_H

#include <stdbool.h>

#include "base/error.h"

struct witness_page;

enum { HOST_NAME_MOST = 256 };

struct ranks {
    int rank;
    int count;
    char host[HOST_NAME_MOST];
    struct witness_page *witness; /* witness.h; NULL where there is none */
};

/* Starts MPI. An error of MPI itself, which cannot be agreed on, ends all ranks
 * with MPI_Abort: there and in every later call. */
void ranks_start(struct ranks *r);

/* Whether MPI knows of the ranks that were launched. One rank of an srun or mpirun
 * that belongs to another MPI takes itself for the only one. */
bool ranks_known(const struct ranks *r, struct error *e);

/* Collective, and a barrier. A rank on which it is not `well` first prints
 * `e`; true when it was well on every rank. Does not return where a rank failed
 * and others did not come within seconds. */
bool ranks_agree(const struct ranks *r, bool well, const struct error *e);

/* Prints "pyelfrun: rank 3 on host: what is wrong". */
void ranks_report(const struct ranks *r, const struct error *e);

void ranks_stop(void);

#endif
