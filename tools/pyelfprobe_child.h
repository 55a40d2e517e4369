/* Processes that are measured: each in a process group of its own, with a time
 * limit, and gone with all its descendants afterwards.
 *
 * Debuggers put their debuggee into another process group, and lldb its server
 * too: so this process adopts orphans (PR_SET_CHILD_SUBREAPER) and ends every
 * descendant, whatever its group, when a measurement is over. SIGINT, SIGTERM and
 * SIGHUP are blocked from children_start on and noticed while a child is waited
 * for: the children are ended, and the caller is told.
 */
#ifndef TOOLS_PYELFPROBE_CHILD_H
#define TOOLS_PYELFPROBE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct children {
    sigset_t awaited; /* blocked here */
    sigset_t mask;    /* what was blocked before: the children's */
    int interrupted;  /* the signal that ends the program; 0: none */
};

struct child_order {
    char *const *words;             /* ended by NULL; the first is a path */
    const char *const *environment; /* "NAME=VALUE", or "NAME" that is removed; ended by NULL; may be NULL */
    const char *out;                /* file for standard output; NULL: /dev/null */
    const char *log;                /* file for standard error, may be `out` too; NULL: /dev/null */
    double limit;                   /* seconds; 0: none */
};

struct child_end {
    bool in_time; /* false: ended by us; the other members are unknown but `begun` and `wall` */
    int status;   /* as waitpid(2) has it */
    double begun; /* seconds, CLOCK_MONOTONIC */
    double wall;  /* seconds, from fork to the end */
    double cpu;   /* seconds, user and system, with descendants that it has waited for */
    uint64_t rss; /* bytes, most of it and of any such descendant */
};

bool children_start(struct children *c, struct error *e);

/* Starts a process, which runs until child_wait or children_end. */
bool child_begin(const struct children *c, const struct child_order *order, pid_t *child, double *begun,
                 struct error *e);

/* To its end, or until the limit: then it and its group are killed. False when a
 * signal has come (c->interrupted); all children are gone then. */
bool child_wait(struct children *c, pid_t child, const struct child_order *order, struct child_end *end,
                struct error *e);

/* Both. */
bool child_run(struct children *c, const struct child_order *order, struct child_end *end, struct error *e);

/* Waits so many seconds, at most, for a signal; false when one has come, as above.
 * A child's end makes it return earlier. */
bool children_pause(struct children *c, double seconds, struct error *e);

/* Kills every descendant of this process, and buries them. */
void children_end(void);

/* Now, in seconds, on the clock of struct child_end. */
double child_clock(void);

/* Whether it could not be executed, or the dynamic linker could not load it: shells have the same status for both. */
bool child_was_not_executed(const struct child_end *end);

/* How a process that did not exit with status 0 ended, in words. */
void child_how(const struct child_end *end, char *text, size_t size);

#endif
