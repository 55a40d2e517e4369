/* See results.h. */
#include "driver/results/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

const char *const results_part_names[RESULTS_PARTS] = {"startup", "import", "visit", "mpi"};
const char *const results_part_labels[RESULTS_PARTS] = {"startup", "import", "visit", "MPI"};

const char *results_text(struct results *r, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = arena_take(&r->arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* Makes room for one more element. The array grows by powers of two, and its old copies stay in the arena: together
 * they take less than the array. */
static void *grow(struct results *r, void *array, size_t count, size_t size)
{
    if (count & (count - 1) || (array && count == 0))
        return array;
    void *grown = arena_zeroed(&r->arena, count ? 2 * count : 1, size);
    if (grown && count)
        memcpy(grown, array, count * size);
    return grown;
}

struct results_run *results_add_run(struct results *r)
{
    struct results_run *runs = grow(r, r->runs, r->run_count, sizeof *runs);
    if (!runs)
        return NULL;
    r->runs = runs;
    struct results_run *run = &runs[r->run_count++];
    *run = (struct results_run){0};
    return run;
}

bool results_add_option(struct results *r, const char *name, const char *value)
{
    struct results_option *options = grow(r, r->options, r->option_count, sizeof *options);
    if (!options)
        return false;
    r->options = options;
    struct results_option *o = &options[r->option_count];
    o->name = results_text(r, name);
    o->value = results_text(r, value);
    if (!o->name || !o->value)
        return false;
    r->option_count++;
    return true;
}

const char *results_option(const struct results *r, const char *name)
{
    for (size_t i = 0; i < r->option_count; i++)
        if (strcmp(r->options[i].name, name) == 0)
            return r->options[i].value;
    return NULL;
}

bool results_is_counter(const struct results_figure *f, const struct results_figure *like)
{
    return strcmp(f->name, like->name) == 0 && strcmp(f->source, like->source) == 0;
}

const struct results_figure *results_find_counter(const struct results_phase *p, const struct results_figure *like)
{
    for (size_t i = 0; p->ran && i < p->counter_count; i++)
        if (results_is_counter(&p->counters[i], like))
            return &p->counters[i];
    return NULL;
}

void results_free(struct results *r)
{
    if (!r)
        return;
    arena_free(&r->arena);
    *r = (struct results){0};
}

/* ---- summing up ---- */

struct results_summary results_summarize(const struct results_figure *f, size_t ranks)
{
    struct results_summary s = {0};
    double sum = 0;
    for (size_t i = 0; i < ranks; i++) {
        const double v = f->value[i];
        if (isnan(v))
            continue;
        if (s.known == 0 || v < s.least)
            s.least = v;
        if (s.known == 0 || v > s.most) {
            s.most = v;
            s.slowest = i;
        }
        sum += v;
        s.known++;
    }
    s.mean = s.known ? sum / (double)s.known : NAN;
    return s;
}

double results_median(double *value, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(value, count, sizeof *value, order_double);
    const double upper = value[count / 2];
    return count % 2 ? upper : value[count / 2 - 1] + (upper - value[count / 2 - 1]) / 2;
}

bool results_case_has(const struct results_case *c, const struct results_run *run)
{
    return run->status == 0 && run->ranks == c->ranks && strcmp(run->mode, c->mode) == 0;
}

/* The time of the slowest rank; NAN if it is unknown for any rank. */
static double slowest(const struct results_run *run, enum results_part part)
{
    const struct results_phase *p = &run->phase[part];
    if (!p->ran)
        return NAN;
    const struct results_summary s = results_summarize(&p->seconds, run->ranks);
    return s.known == run->ranks ? s.most : NAN;
}

static double total(const struct results_run *run)
{
    return slowest(run, RESULTS_STARTUP) + slowest(run, RESULTS_IMPORT) + slowest(run, RESULTS_VISIT);
}

/* Fills the median, the least and the most over the case's runs. `part` is RESULTS_PARTS for the total. */
static void sum_up(const struct results *r, struct results_case *c, int part, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < r->run_count; i++) {
        const struct results_run *run = &r->runs[i];
        if (!results_case_has(c, run))
            continue;
        const double v = part == RESULTS_PARTS ? total(run) : slowest(run, (enum results_part)part);
        if (!isnan(v))
            room[count++] = v;
    }
    *(part == RESULTS_PARTS ? &c->total : &c->seconds[part]) = results_median(room, count); /* this sorts them */
    c->least[part] = count ? room[0] : NAN;
    c->most[part] = count ? room[count - 1] : NAN;
}

struct results_case *results_cases(const struct results *r, size_t *count)
{
    struct results_case *cases = calloc(r->run_count + 1, sizeof *cases);
    double *room = calloc(r->run_count + 1, sizeof *room);
    *count = 0;
    for (size_t i = 0; cases && room && i < r->run_count; i++) {
        const struct results_run *run = &r->runs[i];
        size_t k = 0;
        while (k < *count && !results_case_has(&cases[k], run))
            k++;
        if (run->status != 0)
            continue;
        if (k == *count)
            cases[(*count)++] = (struct results_case){.mode = run->mode, .ranks = run->ranks, .first = run};
        cases[k].runs++;
    }
    for (size_t k = 0; k < *count; k++)
        for (int part = 0; part <= RESULTS_PARTS; part++)
            sum_up(r, &cases[k], part, room);
    if (!room) {
        free(cases);
        cases = NULL;
    }
    free(room);
    return cases;
}
