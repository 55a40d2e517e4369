/* What the two halves of pyelfstat --runs share: runs.c and runs_ranks.c. */
#ifndef TOOLS_RUNS_PARTS_H
#define TOOLS_RUNS_PARTS_H

#include <stddef.h>

#include "driver/results.h"
#include "tools/report.h"

struct runs_file {
    const char *path; /* fit to be shown */
    struct results results;
    struct results_case *cases;
    size_t count;
};

/* A row of the report: one mode of one file, with one number of ranks. */
struct runs_row {
    const char *label;
    const struct runs_file *file;
    const struct results_case *is;
};

/* Prints how long the slowest rank and the others took, and the outliers (runs_ranks.c). */
void runs_report_ranks(struct report *r, const struct runs_row *rows, size_t count, int label_width);

#endif
