/* pyelfstat --runs: puts side by side what pyelfrun --json has written. */
#ifndef TOOLS_RUNS_H
#define TOOLS_RUNS_H

#include <stddef.h>

#include "tools/report.h"

/* Reads the files and prints tables 1 and 2 of the Pynamic paper, the spread over ranks, and which ranks are outliers.
 * A file that cannot be read loses its rows and makes the exit status a failure. */
void runs_report(struct report *r, char **paths, size_t count);

#endif
