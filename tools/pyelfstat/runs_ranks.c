/* The spread of times over ranks, and which ranks and hosts are outliers.
 *
 * Outliers would distort the mean and the standard deviation by which they are to be found. They leave the median and
 * the median absolute deviation (MAD) as most ranks have them. A rank is an outlier when its time is above all of
 *
 *     median + 6 MAD      4 standard deviations, if times were normally distributed
 *     1.1 median          where nearly all take the same time, MAD is next to nothing
 *     median + 1 ms       what an operating system may take at any time
 *
 * The same rule finds outliers among hosts, by the medians of their ranks. Among fewer than four, nobody can say which
 * is out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pyelfstat/runs_parts.h"

enum { FEWEST = 4, SHOWN_MOST = 10 };

static const double mads_most = 6, share_most = 1.1, seconds_most = 1e-3;

/* A time, and whose it is: a rank's, or that of a host's ranks. */
struct taker {
    size_t rank;
    size_t ranks;
    const char *host;
    double seconds;
};

struct centre {
    double median, mad;
};

static struct centre centre_of(const struct taker *takers, size_t count)
{
    double *value = report_must(calloc(count + 1, sizeof *value));
    struct centre c;
    for (size_t i = 0; i < count; i++)
        value[i] = takers[i].seconds;
    c.median = results_median(value, count);
    for (size_t i = 0; i < count; i++)
        value[i] = fabs(takers[i].seconds - c.median);
    c.mad = results_median(value, count);
    free(value);
    return c;
}

static bool is_out(const struct taker *t, const struct centre *c)
{
    return t->seconds > c->median + mads_most * c->mad && t->seconds > share_most * c->median &&
           t->seconds > c->median + seconds_most;
}

/* ---- ranks and hosts ---- */

/* Every rank that has times, with their median over the runs. The caller frees the array. */
static struct taker *make_ranks(const struct runs_row *row, enum results_part part, size_t *count)
{
    const struct results *r = &row->file->results;
    const struct results_run *first = row->is->first;
    struct taker *ranks = report_must(calloc(row->is->ranks + 1, sizeof *ranks));
    const double **times = report_must(calloc(r->run_count + 1, sizeof *times)); /* those of each run that has some */
    double *value = report_must(calloc(r->run_count + 1, sizeof *value));
    size_t runs = 0;
    for (size_t i = 0; i < r->run_count; i++)
        if (results_case_has(row->is, &r->runs[i]) && r->runs[i].phase[part].ran)
            times[runs++] = r->runs[i].phase[part].seconds.value;
    *count = 0;
    for (size_t rank = 0; rank < row->is->ranks && runs; rank++) {
        size_t known = 0;
        for (size_t i = 0; i < runs; i++)
            if (!isnan(times[i][rank]))
                value[known++] = times[i][rank];
        if (known)
            ranks[(*count)++] =
                (struct taker){rank, 1, first->hosts[first->host[rank]].name, results_median(value, known)};
    }
    free(times);
    free(value);
    return ranks;
}

static int compare_hosts(const void *a, const void *b)
{
    return strcmp(((const struct taker *)a)->host, ((const struct taker *)b)->host);
}

/* Every host, with the median of its ranks. Sorts the ranks by host. */
static struct taker *make_hosts(struct taker *ranks, size_t rank_count, size_t *count)
{
    struct taker *hosts = report_must(calloc(rank_count + 1, sizeof *hosts));
    qsort(ranks, rank_count, sizeof *ranks, compare_hosts);
    *count = 0;
    for (size_t i = 0, next; i < rank_count; i = next) {
        for (next = i + 1; next < rank_count && compare_hosts(&ranks[i], &ranks[next]) == 0; next++)
            continue;
        hosts[(*count)++] =
            (struct taker){ranks[i].rank, next - i, ranks[i].host, centre_of(&ranks[i], next - i).median};
    }
    return hosts;
}

/* ---- what is printed ---- */

static void put_spread(const struct runs_row *row, enum results_part part, const struct taker *ranks, size_t count,
                       int width)
{
    char text[32];
    const struct taker *least = ranks, *most = ranks;
    for (size_t i = 1; i < count; i++) {
        least = ranks[i].seconds < least->seconds ? &ranks[i] : least;
        most = ranks[i].seconds > most->seconds ? &ranks[i] : most;
    }
    const struct centre c = centre_of(ranks, count);
    printf("%-*s %8s", width, row->label, results_part_labels[part]);
    printf(" %10s", results_seconds(text, least->seconds, 4));
    printf(" %10s", results_seconds(text, c.median, 4));
    printf(" %10s", results_seconds(text, most->seconds, 4));
    printf(" %10s  rank %zu on %s\n", results_seconds(text, c.mad, 4), most->rank, most->host);
}

static size_t count_outliers(const struct taker *takers, size_t count, const struct centre *c)
{
    size_t out = 0;
    for (size_t i = 0; i < count && count >= FEWEST; i++)
        out += is_out(&takers[i], c);
    return out;
}

static int compare_slowest(const void *a, const void *b)
{
    const struct taker *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Prints the outliers, slowest first, and sorts `takers`. Returns how many there are. */
static size_t put_outliers(const struct runs_row *row, enum results_part part, struct taker *takers, size_t count,
                           bool hosts)
{
    const struct centre c = centre_of(takers, count);
    const size_t out = count_outliers(takers, count, &c);
    qsort(takers, count, sizeof *takers, compare_slowest);
    for (size_t i = 0; i < out && i < SHOWN_MOST; i++) {
        char text[32];
        const struct taker *t = &takers[i];
        printf("%s, %s: ", row->label, results_part_labels[part]);
        if (hosts)
            printf("host %s, median of its %zu rank%s", t->host, t->ranks, t->ranks == 1 ? "" : "s");
        else
            printf("rank %zu on %s", t->rank, t->host);
        printf(" %s s", results_seconds(text, t->seconds, 4));
        printf(", median of all %s %s s\n", hosts ? "hosts" : "ranks", results_seconds(text, c.median, 4));
    }
    if (out > SHOWN_MOST)
        printf("%s, %s: and %zu %s more\n", row->label, results_part_labels[part], out - SHOWN_MOST,
               out - SHOWN_MOST == 1 ? (hosts ? "host" : "rank")
               : hosts               ? "hosts"
                                     : "ranks");
    return out;
}

static size_t look_at(const struct runs_row *row, enum results_part part)
{
    size_t rank_count, host_count;
    struct taker *ranks = make_ranks(row, part, &rank_count);
    struct taker *hosts = make_hosts(ranks, rank_count, &host_count);
    size_t out = 0;
    if (host_count < rank_count)
        out += put_outliers(row, part, hosts, host_count, true);
    out += put_outliers(row, part, ranks, rank_count, false);
    free(hosts);
    free(ranks);
    return out;
}

size_t runs_report_ranks(struct report *r, const struct runs_row *rows, size_t count, int label_width)
{
    bool heading = false, enough = false;
    size_t out = 0;
    for (size_t i = 0; i < count; i++)
        for (int part = 0; part < RESULTS_PARTS; part++) {
            size_t known;
            struct taker *ranks = make_ranks(&rows[i], (enum results_part)part, &known);
            if (known > 1) {
                if (!heading) {
                    report_gap(r);
                    printf("%-*s %8s %10s %10s %10s %10s  %s\n", label_width, "seconds over ranks", "", "min", "median",
                           "max", "MAD", "slowest");
                }
                heading = true;
                put_spread(&rows[i], (enum results_part)part, ranks, known, label_width);
            }
            enough = enough || known >= FEWEST;
            free(ranks);
        }
    if (!enough)
        return 0;
    report_gap(r);
    puts("outliers, above the median by 6 MAD, by a tenth and by 1 ms:");
    for (size_t i = 0; i < count; i++)
        for (int part = 0; part < RESULTS_PARTS; part++)
            out += look_at(&rows[i], (enum results_part)part);
    if (out == 0)
        puts("none");
    return out;
}
