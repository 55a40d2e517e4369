/* See output.h. */
#include "driver/output.h"

#include <stdio.h>
#include <unistd.h>

#include "base/result_file.h"
#include "driver/collect.h"
#include "driver/results/results.h"
#include "runtime/clock.h"

/* Seconds between two drawings. Each costs a system call, so they are too rare to show in the times. */
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

bool output_possible(const struct run *run)
{
    struct error e;
    bool well = true;
    if (run->ranks.rank == 0 && run->options.json && !run->options.tree)
        well = result_file_possible(run->options.json, RESULT_REPORT, &e);
    /* The launcher has made the file. If it is not visible here, that matters only if the user has asked for its
     * contents. */
    if (run->ranks.rank == 0 && run->options.part && run->options.json && access(run->options.part, W_OK) != 0)
        well = error_errno(&e, run->options.part,
                           "is where pyelfrun waits for the results, but not on this host; give --json a directory "
                           "that all hosts share");
    return ranks_agree(&run->ranks, well, &e);
}

/* Called on rank 0. */
static bool show(const struct results *r, const struct options *o, struct error *e)
{
    if (options_print_json(o))
        return true;
    if (o->pynamic)
        results_write_pynamic(&r->runs[0], stdout);
    else
        results_write_table(r, &r->runs[0], stdout);
    return results_printed(e);
}

static bool save(const struct results *r, const struct options *o, struct error *e)
{
    if (o->part)
        return access(o->part, W_OK) != 0 || results_save(r, o->part, e);
    return !o->json || o->tree || results_save_for_user(r, o->json, e);
}

/* What cannot be saved is shown all the same: else nobody would have it. */
static bool report(const struct results *r, const struct options *o, struct error *e)
{
    struct error second;
    const bool saved = save(r, o, e);
    return show(r, o, saved ? e : &second) && saved;
}

bool output_results(const struct run *run, const struct loader *loader, const struct measured *t)
{
    struct results r;
    struct error e;
    bool well = collect_results(&r, run, loader, t);
    if (well) {
        if (run->ranks.rank == 0)
            well = report(&r, &run->options, &e);
        well = ranks_agree(&run->ranks, well, &e);
    }
    results_free(&r);
    return well;
}
