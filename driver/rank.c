/* What every rank runs: `main` of libpyelfrun.so.0. The programs pyelf-vanilla and, of a set, pyelf-link and
 * pyelf-static have it in common.
 *
 * The code below follows the order of the whole run. Each part is in the file that is named after it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/process.h"
#include "driver/alike.h"
#include "driver/counts.h"
#include "driver/crash.h"
#include "driver/memory.h"
#include "driver/mpitest.h"
#include "driver/output.h"
#include "driver/phases.h"
#include "driver/picture.h"
#include "driver/run.h"
#include "driver/watchdog.h"
#include "driver/witness.h"
#include "runtime/clock.h"
#include "runtime/self.h"

int main(int argc, char **argv);

static bool test_mpi(const struct run *run, struct watchdog *dog, struct measured *t)
{
    counts_bind_now(t->counts);
    counts_begin(t->counts);
    bool well = mpitest_run(run, dog, &t->seconds[PHASE_MPI], &t->mpi);
    counts_end(t->counts, COUNTS_MPI);
    return well;
}

/* Under a simulator times are those of the simulator, so they are dropped. */
static bool keep_times(const struct run *run, struct measured *t)
{
    if (!run->options.simulate)
        return true;
    t->untimed = "simulated";
    t->startup = NAN;
    for (unsigned i = 0; i < PHASES; i++)
        t->seconds[i] = NAN;
    return true;
}

/* If the user asked for events that PAPI can read, says why it cannot. */
static void check_published(const struct run *run, const struct counts *counts)
{
    const char *why = counts_unpublished(counts);
    if (run->ranks.rank == 0 && run->options.counters.asked && run->options.counters.sde && *why)
        fprintf(stderr, "pyelfrun: PAPI cannot read the events of sde:::pyelf: %s\n", why);
}

/* Every step is collective, and true on all ranks or on none. So the first step that fails ends all ranks in the same
 * way. */
static bool run_phases(const struct run *run, const struct loader *loader, void **state, struct watchdog *dog,
                       struct measured *t)
{
    const bool *wanted = run->options.phase;
    /* If nothing is visited, the marks can be checked only if there are no modules: then the manifest says that none is
     * set. */
    const bool checked = wanted[PHASE_VISIT] || (wanted[PHASE_IMPORT] && run->manifest.modules == 0);

    /* Do not measure what cannot be saved. */
    return output_possible(run) && (!run->options.picture || picture_possible(run)) &&

           /* Starts an interpreter, or nothing. No clock includes this. */
           phases_start(run, loader, state) &&

           /* After this every library is loaded: what others need is loaded with them. */
           (!wanted[PHASE_IMPORT] || phases_import(run, loader, *state, dog, t)) &&

           /* After this every mark is set and every result compared. */
           (!wanted[PHASE_VISIT] || phases_visit(run, loader, *state, dog, t)) &&

           /* After this the set is known to match the manifest. */
           (!checked || phases_check(run, loader, *state, dog, t)) &&

           (!wanted[PHASE_MPI] || test_mpi(run, dog, t)) &&

           /* After this no time is taken. */
           keep_times(run, t) &&

           /* Before this nothing is printed on standard output. */
           output_results(run, loader, t);
}

/* Finds the mode of this process. How the program was built counts for more than what was asked for. */
static bool find_mode(struct run *run, struct error *e)
{
    const struct executable *x = run->executable;
    const char *bind_now = getenv("LD_BIND_NOW");
    enum mode here = !x                                  ? MODE_VANILLA
                     : x->kind == EXECUTABLE_KIND_STATIC ? MODE_STATIC
                     : bind_now && *bind_now             ? MODE_BIND_NOW
                                                         : MODE_LINK;
    run->mode = here;
    if (run->options.mode_count == 0 || run->options.mode[0] == here)
        return true;
    return error_set(e, ERROR_USAGE, "this program runs mode %s, not %s; start pyelfrun instead", mode_names[here],
                     mode_names[run->options.mode[0]]);
}

/* Prepares what is known before there are ranks. */
static bool prepare(struct run *run, int argc, char **argv, char directory[PATH_MAX], int *status)
{
    struct error e = {0};
    if (!self_executable(&run->executable, &e) || !process_directory(directory, &e)) {
        *status = error_report("pyelfrun", &e);
        return false;
    }
    if (!options_parse(&run->options, argc, argv, run->executable ? directory : NULL, status))
        return false;
    if (!find_mode(run, &e)) {
        *status = error_report("pyelfrun", &e);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    /* This comes first: what came before this line is the startup. */
    struct clock_startup startup = clock_startup();
    struct measured t = {.startup = startup.seconds, .startup_step = startup.step, .seconds = {NAN, NAN, NAN}};

    struct run run = {.begun = time(NULL), .ranks.witness = witness_attach()};
    char directory[PATH_MAX];
    int status;
    process_start();
    if (!prepare(&run, argc, argv, directory, &status)) {
        witness_told(run.ranks.witness);
        return process_printed("pyelfrun") ? status : EXIT_FAILURE;
    }

    /* The startup is counted up to here. It does not include that of MPI. */
    struct error e;
    t.counts = counts_start(&run.options, run.mode, &e);
    if (!t.counts) {
        status = error_report("pyelfrun", &e);
        witness_told(run.ranks.witness);
        return status;
    }

    witness_phase(run.ranks.witness, WITNESS_MPI);
    ranks_start(&run.ranks);
    check_published(&run, t.counts);
    struct watchdog dog = {.run = &run};
    bool well = ranks_agree(&run.ranks, ranks_known(&run.ranks, &e), &e) &&
                ranks_agree(&run.ranks, watchdog_start(&dog, &run, &e), &e) && phases_read(&run) && alike_check(&run) &&
                phases_settle(&run);
    if (well) {
        /* From here on `run` is constant: the manifest is checked and the same on all ranks, and it is settled what is
         * run. */
        const struct loader *loader = run.options.python ? &loader_python : &loader_plain;
        void *state = NULL;
        crash_tell(&dog);
        well = run_phases(&run, loader, &state, &dog, &t);
        loader->stop(state);
    }
    watchdog_phase(&dog, "end");
    crash_forget();
    watchdog_stop(&dog);
    counts_free(t.counts);
    manifest_free(&run.manifest);
    memory_free(run.memory);
    ranks_stop();
    witness_told(run.ranks.witness);
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
