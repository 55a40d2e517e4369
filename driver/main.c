/* pyelfrun: imports a set, visits every function, tests MPI, says how long it
 * took. The order of what follows is the whole program; each part is in the
 * file that is named after it.
 */
#include <stdlib.h>

#include "driver/clock.h"
#include "driver/mpitest.h"
#include "driver/output.h"
#include "driver/phases.h"
#include "driver/run.h"

/* Every step is collective and true on all ranks or on none, so that the
 * first that fails ends all ranks alike. */
static bool run_phases(const struct run *run, const struct mode *mode, void **state, struct measured *t)
{
    /* An interpreter, or nothing; from here on no clock is stopped for it. */
    return phases_start(run, mode, state) &&

           /* Every library is loaded after this, utilities as their needs. */
           phases_import(run, mode, *state, t) &&

           /* Every mark is set and every result compared after this. */
           phases_visit(run, mode, *state, t) &&

           /* The set is what the manifest says after this. */
           phases_check(run, mode, *state, t) &&

           mpitest_run(&run->ranks, &t->mpi, &t->checksum) &&

           /* Nothing is printed on standard output before this. */
           output_table(run, mode, t);
}

int main(int argc, char **argv)
{
    /* First of all: what came before this line is the startup. */
    struct clock_startup startup = clock_startup();
    struct measured t = {.startup = startup.seconds, .startup_step = startup.step};

    struct run run = {0};
    int status;
    if (!options_parse(&run.options, argc, argv, &status))
        return status;

    ranks_start(&run.ranks);
    bool well = phases_read(&run);
    if (well) {
        /* The manifest is checked and constant after this. */
        const struct mode *mode = run.options.python ? &mode_python : &mode_plain;
        void *state = NULL;
        well = run_phases(&run, mode, &state, &t);
        mode->stop(state);
    }
    manifest_free(&run.manifest);
    ranks_stop();
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
