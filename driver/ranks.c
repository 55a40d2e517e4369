/* What a run itself needs of MPI; see ranks.h. Errors of MPI are fatal to all ranks (MPI_ERRORS_ARE_FATAL), so no
 * return value is checked. */
#include "driver/ranks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include "base/launched.h"
#include "driver/witness.h"
#include "runtime/clock.h"

/* How long a rank that failed waits for the others, in seconds: long enough for all to end together if all fail in the
 * same way. */
static const double grace = 2;

void ranks_start(struct ranks *r)
{
    static_assert(sizeof r->host >= MPI_MAX_PROCESSOR_NAME, "MPI writes its longest host name");
    int length;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->count);
    MPI_Get_processor_name(r->host, &length);
    witness_rank(r->witness, r);
}

bool ranks_known(const struct ranks *r, struct error *e)
{
    const struct launched launched = launched_by();
    if (r->count > 1 || launched.count <= 1)
        return true;
    return error_set(e, ERROR_SYSTEM,
                     "%s has started %ld processes, of which MPI knows nothing: each would run alone; use the launcher "
                     "of the MPI that pyelfrun was built with, or srun with one of --mpi=list",
                     launched.by, launched.count);
}

void ranks_report(const struct ranks *r, const struct error *e)
{
    char who[sizeof r->host + 64];
    snprintf(who, sizeof who, "pyelfrun: rank %d on %s", r->rank, r->host);
    error_report(who, e);
    witness_told(r->witness);
    fflush(stderr);
}

/* Waits for the request, at most `grace` seconds; returns whether it is complete. */
static bool comes(MPI_Request *request)
{
    const struct timespec step = {.tv_nsec = 10000000};
    const double until = clock_now() + grace;
    int done = 0;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done && clock_now() < until;
         MPI_Test(request, &done, MPI_STATUS_IGNORE))
        nanosleep(&step, NULL);
    return done;
}

bool ranks_agree(const struct ranks *r, bool well, const struct error *e)
{
    int mine = well;
    int all = 0;
    MPI_Request request;
    if (!well)
        ranks_report(r, e);
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD, &request);
    if (well)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (!comes(&request))
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return all;
}

void ranks_stop(void)
{
    MPI_Finalize();
}
