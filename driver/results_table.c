/* Tables for people. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver/results.h"

static const char *const labels[RESULTS_PARTS] = {"startup", "import", "visit", "MPI"};

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

/* As many digits as the clock has told. */
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
    fprintf(f, "%-8s", labels[part]);
    if (s.known < run->ranks) {
        fputs("   not measured\n", f);
        return;
    }
    fprintf(f, " %10s", results_seconds(text, s.most, digits));
    fprintf(f, " %10s", results_seconds(text, s.least, digits));
    fprintf(f, " %10s", results_seconds(text, s.mean, digits));
    if (run->ranks > 1)
        fprintf(f, "  rank %zu on %s", s.slowest, run->hosts[run->host[s.slowest]].name);
    putc('\n', f);
}

/* ---- counters: a row for each, a column for each phase that has it ---- */

static const struct results_figure *find_counter(const struct results_phase *p, const struct results_figure *like)
{
    for (size_t i = 0; p->ran && i < p->counter_count; i++)
        if (strcmp(p->counters[i].name, like->name) == 0 && strcmp(p->counters[i].source, like->source) == 0)
            return &p->counters[i];
    return NULL;
}

static void put_counter(const struct results_run *run, const struct results_figure *like, FILE *f)
{
    const char *absent = NULL;
    bool any = false;
    char cell[RESULTS_PARTS][32];
    for (int part = 0; part < RESULTS_PARTS; part++) {
        const struct results_figure *g = find_counter(&run->phase[part], like);
        const struct results_summary s = g ? results_summarize(g, run->ranks) : (struct results_summary){0};
        strcpy(cell[part], "-");
        if (s.known)
            snprintf(cell[part], sizeof cell[part], "%.*f", s.mean < 1e6 && s.mean != floor(s.mean) ? 1 : 0, s.mean);
        any = any || s.known;
        absent = g && g->absent ? g->absent : absent;
    }
    fprintf(f, "%-24s", like->name);
    if (!any) {
        fprintf(f, "  absent: %s\n", absent ? absent : "not counted");
        return;
    }
    for (int part = 0; part < RESULTS_PARTS; part++)
        if (run->phase[part].ran)
            fprintf(f, " %14s", cell[part]);
    fprintf(f, "  %s%s\n", like->unit, like->level ? ", at the end" : "");
}

static void put_counters(const struct results_run *run, FILE *f)
{
    bool heading = false;
    for (int part = 0; part < RESULTS_PARTS; part++) {
        const struct results_phase *p = &run->phase[part];
        for (size_t i = 0; p->ran && i < p->counter_count; i++) {
            bool before = false;
            for (int other = 0; other < part; other++)
                before = before || find_counter(&run->phase[other], &p->counters[i]);
            if (before)
                continue;
            if (!heading) {
                fprintf(f, "\n%-24s", run->ranks > 1 ? "counters, mean of ranks" : "counters");
                for (int column = 0; column < RESULTS_PARTS; column++)
                    if (run->phase[column].ran)
                        fprintf(f, " %14s", labels[column]);
                putc('\n', f);
                heading = true;
            }
            put_counter(run, &p->counters[i], f);
        }
    }
}

/* ---- one run ---- */

static const char *option(const struct results *r, const char *name)
{
    for (size_t i = 0; i < r->option_count; i++)
        if (strcmp(r->options[i].name, name) == 0)
            return r->options[i].value;
    return "";
}

void results_write_table(const struct results *r, const struct results_run *run, FILE *f)
{
    const struct results_set *s = &r->set;
    const bool lazy = strstr(option(r, "dlopen-flags"), "lazy") != NULL;
    fprintf(f, "%s%s%" PRIu64 " modules, %" PRIu64 " utilities\n\n", s->application, *s->application ? ": " : "",
            s->modules, s->utilities);
    fprintf(f, "%-8s %10s %10s %10s%s\n", "seconds", "max", "min", "mean", run->ranks > 1 ? "  slowest" : "");
    for (int part = 0; part < RESULTS_PARTS; part++)
        if (run->phase[part].ran)
            put_seconds(run, (enum results_part)part, f);
    put_counters(run, f);
    fprintf(f, "\nmode %s, %zu rank%s", run->mode, run->ranks, run->ranks == 1 ? "" : "s");
    if (run->phase[RESULTS_IMPORT].ran)
        fprintf(f, ", %" PRIu64 " modules imported by %s%s", s->modules, run->loader,
                lazy ? ", functions bound lazily" : "");
    putc('\n', f);
    if (run->phase[RESULTS_VISIT].ran)
        fprintf(f, "%" PRIu64 " of %" PRIu64 " functions visited%s, every result right\n", run->functions_visited,
                s->functions, run->functions_visited == s->functions ? "" : " as the manifest says");
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
