/* The section of counters in the table for people; see counts.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "driver/counts.h"

static bool span_wanted(const struct options *o, unsigned span)
{
    return span == COUNTS_STARTUP || o->phase[span - COUNTS_IMPORT];
}

static void print_heading(const struct options *o, int ranks)
{
    printf("\n%-34s", ranks > 1 ? "counters, of the rank with most" : "counters");
    for (unsigned s = 0; s < COUNTS_SPANS; s++)
        if (span_wanted(o, s))
            printf(" %14s", s == COUNTS_MPI ? "MPI" : counts_spans[s]);
    putchar('\n');
}

static void print_row(const struct counts_row *row, const struct options *o)
{
    printf("%-34s", row->name);
    for (unsigned s = 0; s < COUNTS_SPANS; s++) {
        if (!span_wanted(o, s))
            continue;
        if (row->of[s].known)
            printf(" %14.0f", row->of[s].most);
        else
            printf(" %14s", "-");
    }
    printf("  %s\n", row->unit);
}

/* Counters that are absent for one reason, as one line. */
static void print_absent(const struct counts_table *t, size_t first)
{
    const char *why = t->rows[first].absent[COUNTS_STARTUP];
    for (size_t i = 0; i < first; i++)
        if (t->rows[i].wholly_absent && strcmp(t->rows[i].absent[COUNTS_STARTUP], why) == 0)
            return;
    printf("not counted: ");
    for (size_t i = first; i < t->count; i++)
        if (t->rows[i].wholly_absent && strcmp(t->rows[i].absent[COUNTS_STARTUP], why) == 0)
            printf("%s%s", i == first ? "" : ", ", t->rows[i].name);
    printf(": %s\n", why);
}

void counts_print(const struct counts_table *t, const struct options *o, int ranks)
{
    bool headed = false;
    for (size_t i = 0; i < t->count; i++) {
        if (t->rows[i].wholly_absent)
            continue;
        if (!headed)
            print_heading(o, ranks);
        headed = true;
        print_row(&t->rows[i], o);
    }
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].wholly_absent)
            print_absent(t, i);
    if (o->simulate)
        puts("simulated by cachegrind: I1 and D1 of 32 KiB, 8 ways; LL of 32 MiB, 16 ways; lines of 64 bytes");
    if (o->counters.asked && o->counters.sde && t->unpublished[0])
        printf("PAPI's tools do not see sde:::pyelf: %s\n", t->unpublished);
}
