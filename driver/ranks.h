/* The ranks of one run: who we are, agreeing, and figures over all of them.
 *
 * The rule that keeps a run from hanging: between two collective calls a rank
 * may fail on its own, and every such stretch ends in ranks_agree, after which
 * all ranks know whether all went well and take the same way. Without mpirun
 * there is one rank, 0 of 1.
 */
#ifndef DRIVER_RANKS_H
#define DRIVER_RANKS_H

#include <stdbool.h>

#include "base/error.h"

struct ranks {
    int rank;
    int count;
    char host[256];
};

/* Seconds over all ranks. Unknown when one rank did not measure (NAN). */
struct spread {
    bool known;
    double most, least, mean;
};

/* Starts MPI. An error of MPI itself, which cannot be agreed on, ends all ranks
 * with MPI_Abort: there and in every later call. */
void ranks_start(struct ranks *r);

/* Collective, and a barrier. A rank on which it is not `well` first prints
 * `e`; true when it was well on every rank. */
bool ranks_agree(const struct ranks *r, bool well, const struct error *e);

/* Collective. */
struct spread ranks_spread(const struct ranks *r, double seconds);

void ranks_stop(void);

#endif
