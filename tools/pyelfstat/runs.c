/* See runs.h. This file reads the results and prints tables 1 and 2. */
#include "tools/pyelfstat/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pyelfstat/runs_parts.h"

struct runs {
    struct report *r;
    struct runs_files of;
    int label_width;
};

/* ---- rows with a ratio ---- */

enum { COLUMNS_MOST = RESULTS_PARTS + 1 };

/* A table, which is printed twice: as it is, and as ratios. */
struct grid {
    const char *title;
    const char *column[COLUMNS_MOST];
    int columns;
    double (*cell)[COLUMNS_MOST]; /* of every row; NAN: unknown */
    bool seconds;
};

/* The row with which a row is compared. With several files that is the first row of the same mode in an earlier file,
 * of as many ranks where there is one; with one file, its first row. The row itself where there is none. */
static size_t base_of(const struct runs *all, size_t row)
{
    const struct runs_row *const is = &all->of.row[row];
    size_t base = row;
    if (all->of.count == 1)
        return 0;
    for (size_t i = 0; i < row; i++) {
        const struct runs_row *const other = &all->of.row[i];
        if (other->file == is->file || strcmp(other->is->mode, is->is->mode) != 0)
            continue;
        if (other->is->ranks == is->is->ranks)
            return i;
        base = base == row ? i : base;
    }
    return base;
}

static void put_cell(double v, bool seconds)
{
    char text[32];
    if (isnan(v))
        printf(" %12s", "-");
    else if (seconds)
        printf(" %12s", results_seconds(text, v, 4));
    else
        printf(fabs(v) < 1e12 ? " %12.0f" : " %12.4g", v);
}

static void put_heading(const struct runs *all, const struct grid *g, const char *corner)
{
    /* A heading longer than the labels gets a line of its own, so that the columns stay in place. */
    const bool above = strlen(corner) > (size_t)all->label_width;
    printf("%-*s%s", all->label_width, corner, above ? "\n" : "");
    printf("%*s", above ? all->label_width : 0, "");
    for (int c = 0; c < g->columns; c++)
        printf(" %12s", g->column[c]);
    putchar('\n');
}

static void put_grid(const struct runs *all, const struct grid *g)
{
    bool ratios = false;
    put_heading(all, g, g->title);
    for (size_t i = 0; i < all->of.row_count; i++) {
        printf("%-*s", all->label_width, all->of.row[i].label);
        for (int c = 0; c < g->columns; c++)
            put_cell(g->cell[i][c], g->seconds);
        putchar('\n');
        ratios = ratios || base_of(all, i) != i;
    }
    if (!ratios)
        return;
    put_heading(all, g, "ratio");
    for (size_t i = 0; i < all->of.row_count; i++) {
        const size_t base = base_of(all, i);
        if (base == i)
            continue;
        printf("%-*s", all->label_width, all->of.row[i].label);
        for (int c = 0; c < g->columns; c++) {
            const double ratio = g->cell[i][c] / g->cell[base][c];
            if (isfinite(ratio))
                printf(fabs(ratio) < 1e6 ? " %12.2f" : " %12.3g", ratio);
            else
                printf(" %12s", "-");
        }
        printf("  to %s\n", all->of.row[base].label);
    }
}

static void *rows_of(const struct runs *all, size_t size)
{
    return report_must(calloc(all->of.row_count + 1, size));
}

static void put_table_1(const struct runs *all)
{
    double(*cell)[COLUMNS_MOST] = rows_of(all, sizeof *cell);
    const struct grid g = {"seconds", {"startup", "import", "visit", "total", "MPI"}, 5, cell, true};
    for (size_t i = 0; i < all->of.row_count; i++) {
        const struct results_case *c = all->of.row[i].is;
        cell[i][0] = c->seconds[RESULTS_STARTUP];
        cell[i][1] = c->seconds[RESULTS_IMPORT];
        cell[i][2] = c->seconds[RESULTS_VISIT];
        cell[i][3] = c->total;
        cell[i][4] = c->seconds[RESULTS_MPI];
    }
    report_gap(all->r);
    put_grid(all, &g);
    free(cell);
}

/* Prints how far repeated runs are apart, by the slowest rank of each. The median does not show that. */
static void put_over_runs(const struct runs *all)
{
    static const int part[] = {RESULTS_STARTUP, RESULTS_IMPORT, RESULTS_VISIT, RESULTS_PARTS, RESULTS_MPI};
    const struct grid g = {"seconds over runs", {"startup", "import", "visit", "total", "MPI"}, 5, NULL, true};
    bool any = false;
    for (size_t i = 0; i < all->of.row_count; i++) {
        const struct results_case *c = all->of.row[i].is;
        if (c->runs < 2)
            continue;
        if (!any) {
            report_gap(all->r);
            put_heading(all, &g, g.title);
        }
        any = true;
        for (int most = 0; most < 2; most++) {
            printf("%-*s", all->label_width, all->of.row[i].label);
            for (size_t k = 0; k < sizeof part / sizeof part[0]; k++)
                put_cell((most ? c->most : c->least)[part[k]], true);
            printf("  %s of %zu\n", most ? "most" : "least", c->runs);
        }
    }
}

/* ---- table 2 ---- */

/* The mean over the ranks; of several runs, the median of their means. NAN where it is unknown. *absent becomes a
 * reason why a run has none, if one is given. */
static double count_of(const struct runs_row *row, enum results_part part, const struct results_figure *like,
                       const char **absent)
{
    const struct results *r = &row->file->results;
    double *value = report_must(calloc(r->run_count + 1, sizeof *value));
    size_t count = 0;
    for (size_t i = 0; i < r->run_count; i++) {
        if (!results_case_has(row->is, &r->runs[i]))
            continue;
        const struct results_figure *f = results_find_counter(&r->runs[i].phase[part], like);
        const struct results_summary s = f ? results_summarize(f, r->runs[i].ranks) : (struct results_summary){0};
        if (s.known)
            value[count++] = s.mean;
        else if (f && f->absent)
            *absent = f->absent;
    }
    const double median = results_median(value, count);
    free(value);
    return median;
}

/* Prints a counter. *apart says whether the next line needs a gap before it. */
static void put_counter(const struct runs *all, const struct results_figure *like, bool *apart)
{
    double(*cell)[COLUMNS_MOST] = rows_of(all, sizeof *cell);
    const char **absent = rows_of(all, sizeof *absent);
    char title[256];
    bool any = false;
    snprintf(title, sizeof title, "%.100s, %.100s", like->name, like->unit);
    const struct grid g = {title, {"startup", "import", "visit", "MPI"}, RESULTS_PARTS, cell, false};
    for (size_t i = 0; i < all->of.row_count; i++) {
        bool known = false;
        for (int part = 0; part < RESULTS_PARTS; part++) {
            cell[i][part] = count_of(&all->of.row[i], (enum results_part)part, like, &absent[i]);
            known = known || !isnan(cell[i][part]);
        }
        any = any || known;
        if (known)
            absent[i] = NULL;
    }
    if (any || *apart)
        report_gap(all->r);
    if (any)
        put_grid(all, &g);
    *apart = any;
    const char *said = "";
    for (size_t i = 0; i < all->of.row_count; i++) {
        if (absent[i] && (any || strcmp(said, absent[i]) != 0))
            printf("%s absent%s%s: %s\n", like->name, any ? " in " : "", any ? all->of.row[i].label : "", absent[i]);
        said = absent[i] ? absent[i] : said;
    }
    free(absent);
    free(cell);
}

/* Whether the counter is none of those seen, and there is room for it. */
static bool is_new(const struct results_figure *f, const struct results_figure **seen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results_is_counter(f, seen[i]))
            return false;
    return count < RESULTS_COUNTERS_MOST;
}

static void put_table_2(const struct runs *all)
{
    const struct results_figure *seen[RESULTS_COUNTERS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < all->of.row_count; i++)
        for (int part = 0; part < RESULTS_PARTS; part++) {
            const struct results_phase *p = &all->of.row[i].is->first->phase[part];
            for (size_t k = 0; p->ran && k < p->counter_count; k++)
                if (is_new(&p->counters[k], seen, count))
                    seen[count++] = &p->counters[k];
        }
    bool apart = true;
    for (size_t i = 0; i < count; i++)
        put_counter(all, seen[i], &apart);
}

/* ---- the files ---- */

size_t runs_failed(const struct results *r)
{
    size_t failed = 0;
    for (size_t i = 0; i < r->run_count; i++)
        failed += r->runs[i].status != 0;
    return failed;
}

bool runs_is_other_set(const struct runs_file *f, const struct runs_file *first)
{
    return strcmp(f->results.set.manifest, first->results.set.manifest) != 0;
}

static void put_file(const struct runs_file *f)
{
    const struct results *r = &f->results;
    const struct results_set *s = &r->set;
    printf("%s: %s%s%" PRIu64 " module%s, %" PRIu64 " utilit%s\n", f->path, s->application, *s->application ? ", " : "",
           s->modules, s->modules == 1 ? "" : "s", s->utilities, s->utilities == 1 ? "y" : "ies");
    const size_t failed = runs_failed(r);
    if (failed)
        printf("  %zu of %zu runs failed\n", failed, r->run_count);
    for (size_t i = 0; i < f->count; i++) {
        const struct results_case *c = &f->cases[i];
        const struct results_host *h = &c->first->hosts[0];
        printf("  %s: %zu run%s of %zu rank%s on %zu host%s, %s, glibc %s, %s, %.*s\n", c->mode, c->runs,
               c->runs == 1 ? "" : "s", c->ranks, c->ranks == 1 ? "" : "s", c->first->host_count,
               c->first->host_count == 1 ? "" : "s", h->kernel, h->glibc, c->first->loader,
               (int)strcspn(c->first->mpi, ","), c->first->mpi);
    }
}

/* Prints which options of two files differ, such as a cold cache or an audited linker. How often a set ran, and whether
 * a wish was met, makes no difference. */
static void put_other_options(const struct runs_file *f, const struct runs_file *first)
{
    static const char *const told[] = {"phases", "import-order", "visit-order", "cache",    "dlopen-flags",
                                       "python", "counters",     "audit",       "simulate", "memory"};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        const char *here = results_option(&f->results, told[i]);
        const char *there = results_option(&first->results, told[i]);
        if (here && there && strcmp(here, there) != 0)
            printf("%s has run with %s '%s', %s with '%s'\n", f->path, told[i], here, first->path, there);
    }
}

/* Warns where files are of different sets or options: their figures do not compare what ran them. */
static void put_difference(const struct runs *all)
{
    for (size_t i = 1; i < all->of.count; i++)
        if (runs_is_other_set(&all->of.file[i], &all->of.file[0]))
            printf("%s has run another set than %s\n", all->of.file[i].path, all->of.file[0].path);
    for (size_t i = 1; i < all->of.count; i++)
        put_other_options(&all->of.file[i], &all->of.file[0]);
}

static void read_file(struct runs *all, const char *path)
{
    struct runs_file *f = &all->of.file[all->of.count];
    struct error e;
    if (!results_read(&f->results, path, &e)) {
        report_complain(all->r, &e);
        return;
    }
    f->path = report_text(all->r, path);
    f->cases = report_must(results_cases(&f->results, &f->count));
    all->of.count++;
    all->of.row_count += f->count;
}

static const char *label_of(struct report *r, const struct runs_file *f, const struct results_case *c)
{
    const size_t size = strlen(f->path) + strlen(c->mode) + 64;
    char *label = report_must(arena_take(&r->arena, size));
    bool several = false; /* the file has several numbers of ranks */
    for (size_t i = 0; i < f->count; i++)
        several = several || f->cases[i].ranks != c->ranks;
    const int n = snprintf(label, size, "%s %s", f->path, c->mode);
    if (several)
        snprintf(label + n, size - (size_t)n, " %zu", c->ranks);
    return label;
}

static void make_rows(struct runs *all)
{
    size_t at = 0;
    all->of.row = report_must(arena_zeroed(&all->r->arena, all->of.row_count + 1, sizeof *all->of.row));
    all->label_width = 24;
    for (size_t i = 0; i < all->of.count; i++)
        for (size_t k = 0; k < all->of.file[i].count; k++) {
            const struct runs_file *f = &all->of.file[i];
            struct runs_row *row = &all->of.row[at++];
            *row = (struct runs_row){label_of(all->r, f, &f->cases[k]), f, &f->cases[k]};
            const int width = (int)strlen(row->label);
            all->label_width = width > all->label_width ? width : all->label_width;
        }
}

void runs_report(struct report *r, char **paths, size_t count, const struct runs_limits *limits)
{
    struct runs all = {.r = r};
    size_t outliers = 0;
    all.of.file = report_must(arena_zeroed(&r->arena, count + 1, sizeof *all.of.file));
    for (size_t i = 0; i < count; i++)
        read_file(&all, paths[i]);
    make_rows(&all);
    for (size_t i = 0; i < all.of.count; i++)
        put_file(&all.of.file[i]);
    put_difference(&all);
    r->begun = r->begun || all.of.count > 0;
    if (all.of.row_count > 0) {
        put_table_1(&all);
        put_over_runs(&all);
        outliers = runs_report_ranks(r, all.of.row, all.of.row_count, all.label_width);
        put_table_2(&all);
    }
    if (limits->check && all.of.count > 0) {
        report_gap(r);
        r->failed = !runs_check(&all.of, limits, outliers) || r->failed;
    }
    for (size_t i = 0; i < all.of.count; i++) {
        free(all.of.file[i].cases);
        results_free(&all.of.file[i].results);
    }
}
