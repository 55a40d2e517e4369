/* The application without a tool: until it has loaded all, and staying so, for
 * tools that look at a process. */
#ifndef TOOLS_PYELFPROBE_LIVE_H
#define TOOLS_PYELFPROBE_LIVE_H

#include <sys/types.h>

#include "tools/pyelfprobe_probe.h"

struct live {
    pid_t pid;
    enum outcome outcome; /* DONE: it is there, until children_end */
    char reason[REASON_SIZE];
};

/* Starts it and waits until it has loaded all, at most as long as a run of the tool
 * may take. False when the program is to end. */
bool live_begin(struct probe *p, size_t number, enum tool tool, struct live *live, struct error *e);

/* Runs it once and takes what it measures itself, or for a command what wait4(2)
 * says. */
bool live_measure(struct probe *p, enum cache cache, size_t number, struct error *e);

/* Before anything is measured: whether the application can be started at all, and
 * of a command which files it loads. Errors say what to do. */
bool live_try(struct probe *p, size_t number, struct error *e);

#endif
