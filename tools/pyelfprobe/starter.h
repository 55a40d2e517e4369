/* A small process from which pyelfprobe starts what it measures.
 *
 *     pyelfprobe --starter FD PARENT OUT|"" LOG|"" COUNT [NAME=VALUE|NAME]... PROGRAM [ARGUMENT]...
 *
 * A process that is forked has the memory of its parent, and its peak (ru_maxrss) stays when it executes a program.
 * pyelfprobe has read files and may be larger than what it measures. So what it forks executes pyelfprobe afresh, which
 * is small: the starter. This makes a process that becomes PROGRAM, in the environment that the COUNT words before it
 * change. It is a child of pyelfprobe and not of the starter, so that pyelfprobe waits for it and adopts nothing. The
 * starter tells the number of that process through the descriptor FD, and ends.
 */
#ifndef TOOLS_PYELFPROBE_STARTER_H
#define TOOLS_PYELFPROBE_STARTER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "tools/pyelfprobe/child.h"

/* Starts a process in which the signals of `mask` are blocked. *begun becomes the time just before. False with errno
 * where it could not. */
bool starter_begin(const struct child_order *order, const sigset_t *mask, pid_t *child, double *begun);

/* Whether this is the command line of a starter. */
bool starter_is_meant(int argc, char **argv);

/* Runs the starter, and returns its exit status. */
int starter_run(int argc, char **argv);

#endif
