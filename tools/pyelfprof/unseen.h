/* Processes of a command that the audit library is not in, so that what they load is not in its log. The environment
 * of such a process was reset, as by `env -i` or by what starts it, and LD_AUDIT with it.
 *
 * Nothing tells of them when they start. So they are looked for ever again while the command runs, and one that has
 * ended before goes unnoticed.
 */
#ifndef TOOLS_PYELFPROF_UNSEEN_H
#define TOOLS_PYELFPROF_UNSEEN_H

#include <limits.h>
#include <sys/types.h>

struct unseen {
    pid_t *process; /* malloc */
    size_t count, capacity;
    char first[PATH_MAX]; /* the program of one of them; empty: none was found */
};

/* Looks for such processes among all descendants. `unseen` is a struct unseen. */
void unseen_look(void *unseen);

#endif
