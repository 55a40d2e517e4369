/* Runs the application without a tool: to its end, or until it has loaded everything and stays, for tools that look at
 * a process.
 */
#ifndef TOOLS_PYELFPROBE_LIVE_H
#define TOOLS_PYELFPROBE_LIVE_H

#include <sys/types.h>

#include "tools/pyelfprobe/probe.h"

struct live {
    pid_t pid;
    enum outcome outcome; /* DONE: the process is there, until children_end */
    char reason[REASON_SIZE];
};

/* Starts the application and waits until it has loaded everything, at most for the time limit of the tool. False where
 * the program has to end. */
bool live_begin(struct probe *p, size_t number, enum tool tool, struct live *live, struct error *e);

/* Runs the application once, and takes what it measures itself or, for a command, what wait4(2) says. */
bool live_measure(struct probe *p, enum cache cache, size_t number, struct error *e);

/* Remarks on a measured cell that the application could not open all its files, as live_try found out. */
void live_remark(const struct app *app, struct cell *cell);

/* Finds out anew which files the application cannot open, as it is started now. *none: it opens no file. */
bool live_look(struct probe *p, size_t number, bool *none, struct error *e);

/* Before any measurement: finds out whether the application can be started, and which files a command loads. Errors say
 * what to do. */
bool live_try(struct probe *p, size_t number, struct error *e);

#endif
