/* See launched.h. Open MPI's mpirun sets the variables of the first row. MPICH's mpiexec, and srun with PMI, set those
 * of the second. srun always sets those of the last. SLURM_NTASKS proves nothing, because a batch script has it too. */
#include "base/launched.h"

#include <stddef.h>
#include <stdlib.h>

static long number_of(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strtol(value, NULL, 10) : 0;
}

struct launched launched_by(void)
{
    static const struct {
        const char *by, *rank, *count, *local;
    } launchers[] = {
        {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
        {"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
        {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        if (getenv(launchers[i].count))
            return (struct launched){launchers[i].by, number_of(launchers[i].rank), number_of(launchers[i].count),
                                     number_of(launchers[i].local)};
    return (struct launched){NULL, 0, 1, 0};
}

/* Rank 0 cannot be recognised: a program that has started MPI by itself passes PMIX_RANK=0 on to its children. */
bool launched_uncounted(void)
{
    return !launched_by().by && number_of("PMIX_RANK") > 0;
}
