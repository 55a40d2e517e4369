/* pyelfstat --runs: puts side by side what pyelfrun --json has written. */
#ifndef TOOLS_PYELFSTAT_RUNS_H
#define TOOLS_PYELFSTAT_RUNS_H

#include <stddef.h>

#include "driver/results/results.h"
#include "tools/common/report.h"

/* How results are judged. `of`: seconds that the slowest rank may take in each part and, last, in all but MPI; of
 * several runs the median counts. 0: no limit. */
struct runs_limits {
    bool check;
    size_t count;
    double of[RESULTS_PARTS + 1];
};

/* Reads a limit from text such as "total=2.5". */
bool runs_limit_read(struct runs_limits *limits, const char *text, struct error *e);

/* Reads the files and prints tables 1 and 2 of the Pynamic paper, the spread over ranks, and which ranks are outliers.
 * A file that cannot be read loses its rows and makes the exit status a failure. So do results that are to be checked
 * and do not pass: a run failed, a file is of another set, a rank or host is an outlier, or a limit is exceeded. */
void runs_report(struct report *r, char **paths, size_t count, const struct runs_limits *limits);

#endif
