/* One session of gdb or lldb. */
#ifndef TOOLS_PYELFPROBE_DEBUGGER_H
#define TOOLS_PYELFPROBE_DEBUGGER_H

#include "tools/pyelfprobe_plan.h"

/* How it went: what of `marks` is there was measured, and where something is missing
 * `outcome` and `reason` say why. */
struct session_end {
    struct marks marks;
    double begun; /* when the debugger was started, child_clock */
    enum outcome outcome;
    char reason[REASON_SIZE];
};

/* Runs gdb or lldb with a plan. False when the program is to end, by a signal or
 * because something of its own is broken. */
bool debugger_run(struct probe *p, enum tool tool, const struct plan *plan, struct session_end *end, struct error *e);

/* The session with an application, all of whose steps that are wanted go into the
 * cells of `cache` and `number`. */
bool debugger_measure(struct probe *p, enum tool tool, enum session session, enum cache cache, size_t number,
                      struct error *e);

/* Whether both are steps of one session; `start`, of which each has one, is of none. */
bool debugger_same_session(enum step a, enum step b);

/* Whether any step of the session is wanted. */
bool debugger_wants(const struct probe *p, enum session session);

#endif
