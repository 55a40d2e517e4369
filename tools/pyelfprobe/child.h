/* Processes that are measured. Each has a process group of its own and a time limit, and is gone with all its
 * descendants afterwards.
 *
 * A debugger puts its debuggee into another process group, and lldb its server too. So this process adopts orphans
 * (PR_SET_CHILD_SUBREAPER), and ends every descendant, whatever its group, when a measurement is over. SIGINT, SIGTERM
 * and SIGHUP are blocked from children_start on, and noticed while a child is waited for: then the children are ended,
 * and the caller is told.
 */
#ifndef TOOLS_PYELFPROBE_CHILD_H
#define TOOLS_PYELFPROBE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum { CHILD_NOT_EXECUTED = 127 }; /* exit status, as with shells */

struct children {
    sigset_t awaited; /* the signals that are blocked here */
    sigset_t mask;    /* what was blocked before, and is in children */
    int interrupted;  /* the signal that ends the program; 0: none */
};

struct child_order {
    char *const *words;             /* ended by NULL; the first is a path */
    const char *const *environment; /* "NAME=VALUE", or "NAME" to remove it; ended by NULL; may be NULL */
    const char *out;                /* file for the standard output; NULL: /dev/null */
    const char *log;                /* file for the standard error, `out` too if the same; NULL: /dev/null */
    double limit;                   /* seconds; 0: none */
};

struct child_end {
    bool in_time; /* false: killed at the limit; then only `begun` and `wall` are known */
    int status;   /* as waitpid(2) has it */
    double begun; /* seconds, CLOCK_MONOTONIC */
    double wall;  /* seconds from before it was made to the end */
    double cpu;   /* seconds, user and system, with descendants that the process has waited for */
    uint64_t rss; /* bytes, the peak of the process or of any such descendant */
};

bool children_start(struct children *c, struct error *e);

/* Starts a process, which runs until child_wait or children_end. *begun becomes the time of the start. */
bool child_begin(const struct children *c, const struct child_order *order, pid_t *child, double *begun,
                 struct error *e);

/* Waits for the end of the child, and kills its group and all descendants at the limit. end->begun must be the time of
 * the start. False where a signal has come (c->interrupted) and all children are gone, or where waiting failed. */
bool child_wait(struct children *c, pid_t child, const struct child_order *order, struct child_end *end,
                struct error *e);

/* Does what child_begin and child_wait do. */
bool child_run(struct children *c, const struct child_order *order, struct child_end *end, struct error *e);

/* Waits at most so many seconds for a signal. The end of a child makes it return earlier. False where a signal has
 * come, as above. */
bool children_pause(struct children *c, double seconds, struct error *e);

/* Kills every descendant of this process, and waits for them all. */
void children_end(void);

/* The time now in seconds, on the clock of struct child_end. */
double child_clock(void);

/* Whether the program could not be executed, or the dynamic linker could not load it. Both have the status
 * CHILD_NOT_EXECUTED. */
bool child_was_not_executed(const struct child_end *end);

/* Says in words how a process ended that did not exit with status 0. */
void child_how(const struct child_end *end, char *text, size_t size);

#endif
