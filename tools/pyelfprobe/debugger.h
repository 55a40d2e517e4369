/* One session of gdb or lldb. */
#ifndef TOOLS_PYELFPROBE_DEBUGGER_H
#define TOOLS_PYELFPROBE_DEBUGGER_H

#include "tools/pyelfprobe/plan.h"

/* How a session went. The marks that are there were measured; where some are missing, `outcome` and `reason` say
 * why. */
struct session_end {
    struct marks marks;
    double begun; /* when the debugger was started, by child_clock */
    enum outcome outcome;
    char reason[REASON_SIZE];
};

/* Runs gdb or lldb with a plan. False where the program has to end, because of a signal or a failure of its own. */
bool debugger_run(struct probe *p, enum tool tool, const struct plan *plan, struct session_end *end, struct error *e);

/* Runs a session with an application, and puts all steps that are wanted into the cells of `cache` and `number`. */
bool debugger_measure(struct probe *p, enum tool tool, enum session session, enum cache cache, size_t number,
                      struct error *e);

/* Whether both steps belong to one session. `start` belongs to none, because each session has one. */
bool debugger_same_session(enum step a, enum step b);

/* Whether any step of the session is wanted. */
bool debugger_wants(const struct probe *p, enum session session);

#endif
