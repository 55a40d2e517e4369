/* See output.h. */
#include "driver/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/clock.h"

/* Drawing costs a system call: seldom enough not to be seen in the times. */
static const double progress_seconds = 0.1;

struct progress output_progress(const struct run *run, const char *what, size_t count)
{
    bool shown = run->ranks.rank == 0 && !run->options.quiet && isatty(STDERR_FILENO);
    return (struct progress){shown ? what : NULL, count, 0};
}

void output_advance(struct progress *bar, size_t done)
{
    enum { WIDTH = 40 };
    if (!bar->what || clock_now() < bar->next)
        return;
    bar->next = clock_now() + progress_seconds;
    int full = (int)(done * WIDTH / bar->count);
    fprintf(stderr, "\r%-7s [%.*s%*s] %zu of %zu", bar->what, full, "########################################",
            WIDTH - full, "", done, bar->count);
    fflush(stderr);
}

void output_clear(struct progress *bar)
{
    if (bar->what)
        fputs("\r\033[K", stderr);
    bar->what = NULL;
}

struct row {
    const char *name;
    struct spread spread;
    int digits;
    bool wanted;
};

/* A time below what is shown is no zero: "<0.01". */
static void print_seconds(double seconds, int digits)
{
    char text[32];
    double least = 1.0;
    for (int i = 0; i < digits; i++)
        least /= 10;
    bool below = seconds < least;
    snprintf(text, sizeof text, "%s%.*f", below ? "<" : "", digits, below ? least : seconds);
    printf(" %10s", text);
}

static void print_row(const struct row *r, int ranks)
{
    printf("%-8s", r->name);
    if (!r->spread.known) {
        puts("   not measured");
        return;
    }
    print_seconds(r->spread.most, r->digits);
    print_seconds(r->spread.least, r->digits);
    print_seconds(r->spread.mean, r->digits);
    if (ranks > 1)
        printf("  rank %d on %s", r->spread.slowest, r->spread.host);
    putchar('\n');
}

static void print_table(const struct run *run, const struct loader *loader, const struct measured *t,
                        const struct row *rows, size_t row_count)
{
    const struct manifest *m = &run->manifest;
    const int ranks = run->ranks.count;
    char name[64];
    loader->describe(name, sizeof name);
    printf("%s%s%zu modules, %zu utilities\n\n", m->application, *m->application ? ": " : "", m->modules, m->utilities);
    printf("%-8s %10s %10s %10s%s\n", "seconds", "max", "min", "mean", ranks > 1 ? "  slowest" : "");
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].wanted)
            print_row(&rows[i], ranks);
    printf("\nmode %s, %d rank%s", mode_names[run->mode], ranks, ranks == 1 ? "" : "s");
    if (run->options.phase[PHASE_IMPORT])
        printf(", %zu modules imported by %s%s", m->modules, name, run->options.lazy ? ", functions bound lazily" : "");
    putchar('\n');
    if (run->options.phase[PHASE_VISIT])
        printf("%" PRIu64 " of %" PRIu64 " functions visited%s, every result right\n", t->functions_visited,
               m->functions, t->functions_visited == m->functions ? "" : " as the manifest says");
    if (run->options.phase[PHASE_MPI])
        printf("MPI test passed, %s\n", t->mpi.objects);
}

bool output_table(const struct run *run, const struct loader *loader, const struct measured *t)
{
    const bool *phase = run->options.phase;
    const struct row rows[] = {
        {"startup", ranks_spread(&run->ranks, t->startup), t->startup_step > 1e-4 ? 2 : 4, true},
        {"import", ranks_spread(&run->ranks, t->seconds[PHASE_IMPORT]), 4, phase[PHASE_IMPORT]},
        {"visit", ranks_spread(&run->ranks, t->seconds[PHASE_VISIT]), 4, phase[PHASE_VISIT]},
        {"MPI", ranks_spread(&run->ranks, t->seconds[PHASE_MPI]), 4, phase[PHASE_MPI]},
    };
    struct error e;
    bool well = true;
    if (run->ranks.rank == 0) {
        print_table(run, loader, t, rows, sizeof rows / sizeof rows[0]);
        if (fflush(stdout) != 0 || ferror(stdout))
            well = error_errno(&e, "standard output", "the results cannot be written");
    }
    return ranks_agree(&run->ranks, well, &e);
}
