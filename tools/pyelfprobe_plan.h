/* What a debugger is to do: a JSON file for the scripts that run inside gdb and
 * lldb, and the marks that they leave. */
#ifndef TOOLS_PYELFPROBE_PLAN_H
#define TOOLS_PYELFPROBE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tools/pyelfprobe_probe.h"

enum session { SESSION_LINKED, SESSION_EVENTS, SESSION_ATTACH, SESSIONS };

struct plan {
    enum session session;
    const struct app *app;          /* beside whose files debug files may be */
    const struct started *program;  /* NULL for SESSION_ATTACH */
    pid_t pid;                      /* of SESSION_ATTACH */
    const char *place;              /* to break at, and */
    const char *pattern;            /* which functions to list: NULL for neither */
    const char *until;              /* where a stop is what is waited for; NULL: nowhere */
    bool backtrace;                 /* when it has come there */
    const char *const *breakpoints; /* to be set before the program runs */
    size_t breakpoint_count;
};

enum { MARKS_MOST = 16, MISSED_MOST = 4, MARK_NAME = 16 };

/* Absolute: what was used when the mark was made. */
struct mark {
    char name[MARK_NAME];
    double clock, cpu; /* seconds; the clock is child_clock's */
    double rss;        /* bytes */
    double found;      /* NAN where it is not known */
};

/* A step that came to nothing: what it looks for is not there, say. */
struct missed {
    char name[MARK_NAME];
    char reason[REASON_SIZE];
};

struct marks {
    struct mark of[MARKS_MOST];
    size_t count;
    struct missed missed[MISSED_MOST];
    size_t missed_count;
    char error[REASON_SIZE]; /* "" where all went well */
};

/* Writes the plan, and sees to it that there are no marks yet; `path`, of PATH_MAX
 * bytes, is where the plan is. */
bool plan_write(const struct probe *p, const struct plan *plan, char *path, struct error *e);

/* What a session has left. */
void plan_marks(const struct probe *p, struct marks *marks);

const struct mark *plan_find(const struct marks *marks, const char *name);

/* Why a step came to nothing; NULL where it did not. */
const char *plan_missed(const struct marks *marks, const char *name);

#endif
