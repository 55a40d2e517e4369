/* What the two halves of pyelfstat --runs share; for runs.c and runs_ranks.c. */
#ifndef TOOLS_RUNS_PARTS_H
#define TOOLS_RUNS_PARTS_H

#include <stddef.h>

#include "driver/results.h"
#include "tools/report.h"

struct runs_file {
    const char *path; /* as it may be shown */
    struct results results;
    struct results_case *cases;
    size_t count;
};

/* A row of the report: a mode of a file. */
struct runs_row {
    const char *label;
    const struct runs_file *file;
    const struct results_case *is;
};

/* How long the slowest and the others took (runs_ranks.c). */
void runs_report_ranks(struct report *r, const struct runs_row *rows, size_t count, int label_width);

#endif
