/* See options_launcher.h. Open MPI's mpirun sets the variables of the first row,
 * MPICH's mpiexec and srun with PMI those of the second, srun in any case those of
 * the last. */
#include "driver/options_launcher.h"

#include <stddef.h>
#include <stdlib.h>

struct launched launched_by(void)
{
    static const struct {
        const char *by, *rank, *count;
    } launchers[] = {
        {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"mpiexec", "PMI_RANK", "PMI_SIZE"},
        {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *count = getenv(launchers[i].count);
        const char *rank = getenv(launchers[i].rank);
        if (count)
            return (struct launched){launchers[i].by, rank ? strtol(rank, NULL, 10) : 0, strtol(count, NULL, 10)};
    }
    return (struct launched){NULL, 0, 1};
}
