/* Pynamic's lines, for scripts that look for them. Their choice, order and separators are those of its release 1.3.3. A
 * phase that did not run has no lines. Times are those of the slowest rank, as in Pynamic, which has a barrier after
 * every phase. */
#include <time.h>

#include "driver/results/results.h"

static bool ran(const struct results_run *run, enum results_part part)
{
    return run->phase[part].ran;
}

static void put_seconds(const struct results_run *run, enum results_part part, const char *label, FILE *f)
{
    if (!ran(run, part))
        return;
    const struct results_summary s = results_summarize(&run->phase[part].seconds, run->ranks);
    if (s.known == run->ranks)
        fprintf(f, "Pynamic: %s time = %.9f secs\n", label, s.most);
}

void results_write_pynamic(const struct results_run *run, FILE *f)
{
    char when[64] = "";
    const time_t begun = (time_t)run->begun;
    struct tm local;
    if (localtime_r(&begun, &local))
        strftime(when, sizeof when, "%m/%d/%y %H:%M:%S", &local);
    fprintf(f, "Pynamic: Version 1.3.3\nPynamic: run on %s with %zu MPI tasks\n\n", when, run->ranks);
    put_seconds(run, RESULTS_STARTUP, "startup", f);
    fputs("Pynamic: driver beginning... now importing modules\n", f);
    if (ran(run, RESULTS_IMPORT))
        fputs("Pynamic: driver finished importing all modules... visiting all module functions\n", f);
    put_seconds(run, RESULTS_IMPORT, "module import", f);
    put_seconds(run, RESULTS_VISIT, "module visit", f);
    if (ran(run, RESULTS_VISIT))
        fputs("Pynamic: module test passed!\n\n", f);
    if (ran(run, RESULTS_MPI)) {
        fputs("Pynamic: testing mpi capability...\n\n\n", f);
        put_seconds(run, RESULTS_MPI, "fractal mpi", f);
        fputs("Pynamic: mpi test passed!\n\n", f);
    }
}
