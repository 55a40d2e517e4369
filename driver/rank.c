/* What every rank runs: `main` of libpyelfrun.so.0, which the programs
 * pyelf-vanilla, and pyelf-link and pyelf-static of a set, have in common.
 *
 * The order of what follows is the whole run; each part is in the file that is
 * named after it.
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
    counts_begin(t->counts);
    bool well = mpitest_run(run, dog, &t->seconds[PHASE_MPI], &t->mpi);
    counts_end(t->counts, COUNTS_MPI);
    return well;
}

/* Those under a simulator are the simulator's. */
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

/* Whoever asked for events that PAPI reads is told why it cannot. */
static void check_published(const struct run *run, const struct counts *counts)
{
    const char *why = counts_unpublished(counts);
    if (run->ranks.rank == 0 && run->options.counters.asked && run->options.counters.sde && *why)
        fprintf(stderr, "pyelfrun: PAPI cannot read the events of sde:::pyelf: %s\n", why);
}

/* Every step is collective and true on all ranks or on none, so that the
 * first that fails ends all ranks alike. */
static bool run_phases(const struct run *run, const struct loader *loader, void **state, struct watchdog *dog,
                       struct measured *t)
{
    const bool *wanted = run->options.phase;
    /* Without a visit no mark may be set, of which the manifest says so only where there are no modules. */
    const bool checked = wanted[PHASE_VISIT] || (wanted[PHASE_IMPORT] && run->manifest.modules == 0);

    /* What cannot be kept is not measured. */
    return output_possible(run) && (!run->options.picture || picture_possible(run)) &&

           /* An interpreter, or nothing; from here on no clock is stopped for it. */
           phases_start(run, loader, state) &&

           /* Every library is loaded after this, utilities as their needs. */
           (!wanted[PHASE_IMPORT] || phases_import(run, loader, *state, dog, t)) &&

           /* Every mark is set and every result compared after this. */
           (!wanted[PHASE_VISIT] || phases_visit(run, loader, *state, dog, t)) &&

           /* The set is what the manifest says after this. */
           (!checked || phases_check(run, loader, *state, t)) &&

           (!wanted[PHASE_MPI] || test_mpi(run, dog, t)) &&

           /* No time is taken after this. */
           keep_times(run, t) &&

           /* Nothing is printed on standard output before this. */
           output_results(run, loader, t);
}

/* Which mode this process is in: what it was built as says more than what was
 * asked for. */
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

/* As far as it is known before there are ranks. */
static bool prepare(struct run *run, int argc, char **argv, char *directory, size_t size, int *status)
{
    struct error e = {0};
    if (!self_executable(&run->executable, &e) || !self_directory(directory, size, &e)) {
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
    /* First of all: what came before this line is the startup. */
    struct clock_startup startup = clock_startup();
    struct measured t = {.startup = startup.seconds, .startup_step = startup.step, .seconds = {NAN, NAN, NAN}};

    struct run run = {.begun = time(NULL), .ranks.witness = witness_attach()};
    char directory[PATH_MAX];
    int status;
    process_start();
    if (!prepare(&run, argc, argv, directory, sizeof directory, &status)) {
        witness_told(run.ranks.witness);
        return process_printed("pyelfrun") ? status : EXIT_FAILURE;
    }

    /* The startup is counted to here; MPI's is not part of it. */
    struct error e;
    t.counts = counts_start(&run.options, run.mode, &e);
    if (!t.counts) {
        status = error_report("pyelfrun", &e);
        witness_told(run.ranks.witness);
        return status;
    }

    ranks_start(&run.ranks);
    check_published(&run, t.counts);
    struct watchdog dog = {.run = &run};
    bool well = ranks_agree(&run.ranks, ranks_known(&run.ranks, &e), &e) &&
                ranks_agree(&run.ranks, watchdog_start(&dog, &run, &e), &e) && phases_read(&run) && alike_check(&run) &&
                phases_settle(&run);
    if (well) {
        /* The manifest is checked and that of all ranks, and what is run is settled: constant after this. */
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
