/* What the parts of pyelfstat --runs share: runs.c, runs_ranks.c and runs_check.c. */
#ifndef TOOLS_PYELFSTAT_RUNS_PARTS_H
#define TOOLS_PYELFSTAT_RUNS_PARTS_H

#include <stddef.h>

#include "driver/results/results.h"
#include "tools/common/report.h"
#include "tools/pyelfstat/runs.h"

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

/* All files that were read, and their rows. */
struct runs_files {
    struct runs_file *file;
    size_t count;
    struct runs_row *row;
    size_t row_count;
};

/* runs.c: how many runs failed; whether a file is of another set than the first one. */
size_t runs_failed(const struct results *r);
bool runs_is_other_set(const struct runs_file *f, const struct runs_file *first);

/* Prints why the results do not pass, or that they do (runs_check.c). `outliers`: how many were found. */
bool runs_check(const struct runs_files *all, const struct runs_limits *limits, size_t outliers);

/* Prints how long the slowest rank and the others took, and the outliers (runs_ranks.c). Returns how many these are. */
size_t runs_report_ranks(struct report *r, const struct runs_row *rows, size_t count, int label_width);

#endif
