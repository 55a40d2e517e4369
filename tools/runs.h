/* pyelfstat --runs: what pyelfrun --json has written, side by side. */
#ifndef TOOLS_RUNS_H
#define TOOLS_RUNS_H

#include <stddef.h>

#include "tools/report.h"

/* Reads the files and prints tables 1 and 2 of the Pynamic paper, the spread
 * over ranks, and which of them are outliers. A file that cannot be read costs
 * its rows and the exit status. */
void runs_report(struct report *r, char **paths, size_t count);

#endif
