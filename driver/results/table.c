/* Tables for people. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver/results/results.h"

const char *results_seconds(char *text, double seconds, int digits)
{
    double least = 1.0;
    for (int i = 0; i < digits; i++)
        least /= 10;
    if (isnan(seconds))
        strcpy(text, "-");
    else if (seconds < least)
        snprintf(text, 32, "<%.*f", digits, least);
    else
        snprintf(text, 32, seconds < 1e12 ? "%.*f" : "%.*e", digits, seconds);
    return text;
}

/* As many decimals as the resolution of the clock justifies. */
static int digits_of(const struct results_phase *p)
{
    return p->resolution > 1e-4 ? 2 : 4;
}

static void put_seconds(const struct results_run *run, enum results_part part, FILE *f)
{
    const struct results_phase *p = &run->phase[part];
    const struct results_summary s = results_summarize(&p->seconds, run->ranks);
    const int digits = digits_of(p);
    char text[32];
    fprintf(f, "%-8s", results_part_labels[part]);
    if (s.known < run->ranks) {
        fprintf(f, "   not measured: %s\n", p->seconds.absent);
        return;
    }
    fprintf(f, " %10s", results_seconds(text, s.most, digits));
    fprintf(f, " %10s", results_seconds(text, s.least, digits));
    fprintf(f, " %10s", results_seconds(text, s.mean, digits));
    if (run->ranks > 1)
        fprintf(f, "  rank %zu on %s", s.slowest, run->hosts[run->host[s.slowest]].name);
    putc('\n', f);
}

/* ---- counters: a row for each, a column for each phase ---- */

static bool is_known(const struct results_run *run, const struct results_figure *like)
{
    for (int part = 0; part < RESULTS_PARTS; part++) {
        const struct results_figure *g = results_find_counter(&run->phase[part], like);
        if (g && results_summarize(g, run->ranks).known)
            return true;
    }
    return false;
}

static void put_counter(const struct results_run *run, const struct results_figure *like, FILE *f)
{
    fprintf(f, "%-34s", like->name);
    for (int part = 0; part < RESULTS_PARTS; part++) {
        if (!run->phase[part].ran)
            continue;
        const struct results_figure *g = results_find_counter(&run->phase[part], like);
        const struct results_summary s = g ? results_summarize(g, run->ranks) : (struct results_summary){0};
        if (s.known)
            fprintf(f, " %14.*f", s.most == floor(s.most) ? 0 : 2, s.most);
        else
            fprintf(f, " %14s", "-");
    }
    fprintf(f, "  %s%s\n", like->unit, like->level ? ", at the end" : "");
}

/* Lists every counter once, in the order in which the phases have them. `list` has room for RESULTS_COUNTERS_MOST;
 * *count is how many it gets. */
static void list_counters(const struct results_run *run, const struct results_figure **list, size_t *count)
{
    *count = 0;
    for (int part = 0; part < RESULTS_PARTS; part++) {
        const struct results_phase *p = &run->phase[part];
        for (size_t i = 0; p->ran && i < p->counter_count && *count < RESULTS_COUNTERS_MOST; i++) {
            bool before = false;
            for (int other = 0; other < part && !before; other++)
                before = results_find_counter(&run->phase[other], &p->counters[i]);
            if (!before)
                list[(*count)++] = &p->counters[i];
        }
    }
}

/* Writes one line for all counters that are absent for the same reason, at the first of them. */
static void put_absent(const struct results_run *run, const struct results_figure **list, size_t count, size_t first,
                       FILE *f)
{
    for (size_t i = 0; i < first; i++)
        if (strcmp(list[i]->absent ? list[i]->absent : "", list[first]->absent) == 0 && !is_known(run, list[i]))
            return;
    fputs("not counted: ", f);
    for (size_t i = first; i < count; i++)
        if (list[i]->absent && strcmp(list[i]->absent, list[first]->absent) == 0 && !is_known(run, list[i]))
            fprintf(f, "%s%s", i == first ? "" : ", ", list[i]->name);
    fprintf(f, ": %s\n", list[first]->absent);
}

static void put_counters(const struct results_run *run, FILE *f)
{
    const struct results_figure *list[RESULTS_COUNTERS_MOST];
    size_t count, known = 0;
    list_counters(run, list, &count);
    if (count)
        putc('\n', f);
    for (size_t i = 0; i < count; i++) {
        if (!is_known(run, list[i]))
            continue;
        if (known++ == 0) {
            fprintf(f, "%-34s", run->ranks > 1 ? "counters, of the rank with most" : "counters");
            for (int part = 0; part < RESULTS_PARTS; part++)
                if (run->phase[part].ran)
                    fprintf(f, " %14s", results_part_labels[part]);
            putc('\n', f);
        }
        put_counter(run, list[i], f);
    }
    for (size_t i = 0; i < count; i++)
        if (!is_known(run, list[i]) && list[i]->absent)
            put_absent(run, list, count, i, f);
}

/* ---- one run ---- */

/* In a set without modules the utilities are opened. */
static void put_loaded(const struct results *r, const struct results_run *run, FILE *f)
{
    const struct results_set *s = &r->set;
    const char *flags = results_option(r, "dlopen-flags");
    if (s->modules)
        fprintf(f, ", %" PRIu64 " module%s imported by %s", s->modules, s->modules == 1 ? "" : "s", run->loader);
    else
        fprintf(f, ", %" PRIu64 " librar%s opened by %s", s->utilities, s->utilities == 1 ? "y" : "ies", run->loader);
    if (s->opened)
        fprintf(f, ", %" PRIu64 " other librar%s opened", s->opened, s->opened == 1 ? "y" : "ies");
    if (flags && strstr(flags, "lazy"))
        fputs(", functions bound lazily", f);
}

void results_write_table(const struct results *r, const struct results_run *run, FILE *f)
{
    const struct results_set *s = &r->set;
    fprintf(f, "%s%s%" PRIu64 " module%s, %" PRIu64 " utilit%s\n\n", s->application, *s->application ? ": " : "",
            s->modules, s->modules == 1 ? "" : "s", s->utilities, s->utilities == 1 ? "y" : "ies");
    fprintf(f, "%-8s %10s %10s %10s%s\n", "seconds", "max", "min", "mean", run->ranks > 1 ? "  slowest" : "");
    for (int part = 0; part < RESULTS_PARTS; part++)
        if (run->phase[part].ran)
            put_seconds(run, (enum results_part)part, f);
    put_counters(run, f);
    fprintf(f, "\nmode %s, %zu rank%s", run->mode, run->ranks, run->ranks == 1 ? "" : "s");
    if (run->phase[RESULTS_IMPORT].ran)
        put_loaded(r, run, f);
    putc('\n', f);
    if (!s->modules && s->utilities && !run->phase[RESULTS_IMPORT].ran)
        fputs("no library was loaded: there are no modules, and nothing needs the utilities; phase import with "
              "--no-python opens them\n",
              f);
    if (run->phase[RESULTS_VISIT].ran)
        fprintf(f, "%" PRIu64 " of %" PRIu64 " functions visited%s, every result right\n", run->functions_visited,
                s->functions, run->functions_visited == s->functions ? "" : " as the manifest says");
    if (run->phase[RESULTS_MPI].ran && *run->mpi_test)
        fprintf(f, "MPI test passed, %s\n", run->mpi_test);
}

/* ---- table 1 ---- */

bool results_write_cases(const struct results *r, FILE *f, struct error *e)
{
    size_t count;
    struct results_case *cases = results_cases(r, &count);
    if (!cases)
        return error_set(e, ERROR_MEMORY, "out of memory");
    fprintf(f, "%-8s %10s %10s %10s %10s %6s\n", "seconds", "startup", "import", "visit", "total", "runs");
    for (size_t k = 0; k < count; k++) {
        const struct results_case *c = &cases[k];
        const int digits = digits_of(&c->first->phase[RESULTS_STARTUP]);
        char text[32];
        fprintf(f, "%-8s", c->mode);
        fprintf(f, " %10s", results_seconds(text, c->seconds[RESULTS_STARTUP], digits));
        fprintf(f, " %10s", results_seconds(text, c->seconds[RESULTS_IMPORT], 4));
        fprintf(f, " %10s", results_seconds(text, c->seconds[RESULTS_VISIT], 4));
        fprintf(f, " %10s %6zu\n", results_seconds(text, c->total, digits), c->runs);
    }
    free(cases);
    return true;
}
