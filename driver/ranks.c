/* MPI as far as a run needs it for itself; see ranks.h. MPI's own errors are
 * fatal to all ranks (MPI_ERRORS_ARE_FATAL), so no return value is looked at. */
#include "driver/ranks.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include <mpi.h>

void ranks_start(struct ranks *r)
{
    static_assert(sizeof r->host >= MPI_MAX_PROCESSOR_NAME, "MPI writes its longest host name");
    int length;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->count);
    MPI_Get_processor_name(r->host, &length);
}

static void report(const struct ranks *r, const struct error *e)
{
    char who[sizeof r->host + 64];
    snprintf(who, sizeof who, "pyelfrun: rank %d on %s", r->rank, r->host);
    error_report(who, e);
    fflush(stderr);
}

bool ranks_agree(const struct ranks *r, bool well, const struct error *e)
{
    /* At once: another rank may be minutes away from the agreement. */
    if (!well)
        report(r, e);
    int mine = well;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

struct spread ranks_spread(const struct ranks *r, double seconds)
{
    struct spread s;
    int mine = !isnan(seconds);
    int all = 0;
    double sum;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Allreduce(&seconds, &s.most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&seconds, &s.least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    s.known = all;
    s.mean = sum / r->count;
    return s;
}

void ranks_stop(void)
{
    MPI_Finalize();
}
