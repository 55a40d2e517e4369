/* What a debugger has to do, as a JSON file for the scripts that run inside gdb and lldb, and the marks that these
 * leave.
 */
#ifndef TOOLS_PYELFPROBE_PLAN_H
#define TOOLS_PYELFPROBE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tools/pyelfprobe/probe.h"

enum session { SESSION_LINKED, SESSION_EVENTS, SESSION_ATTACH, SESSIONS };

struct plan {
    enum session session;
    const struct app *app;          /* debug files may stand beside its files */
    const struct started *program;  /* NULL with SESSION_ATTACH */
    pid_t pid;                      /* with SESSION_ATTACH */
    const char *place;              /* function to break at; NULL: none */
    const char *pattern;            /* which functions to list; NULL: none */
    const char *until;              /* function to stop at; NULL: none */
    bool backtrace;                 /* take a backtrace at that stop */
    const char *const *breakpoints; /* functions, set before the program runs */
    size_t breakpoint_count;
};

enum { MARKS_MOST = 16, MISSED_MOST = 4, MARK_NAME = 16 };

/* A point of time in a session. Its values are totals up to then. */
struct mark {
    char name[MARK_NAME];
    double clock, cpu; /* seconds; the clock is child_clock's */
    double rss;        /* bytes */
    double found;      /* NAN: unknown */
};

/* A step that gave no result, such as a search that found nothing. */
struct missed {
    char name[MARK_NAME];
    char reason[REASON_SIZE];
};

struct marks {
    struct mark of[MARKS_MOST];
    size_t count;
    struct missed missed[MISSED_MOST];
    size_t missed_count;
    char error[REASON_SIZE]; /* "": all went well */
};

/* Writes the plan, and removes old marks. `path` has PATH_MAX bytes, and becomes the path of the plan. */
bool plan_write(const struct probe *p, const struct plan *plan, char *path, struct error *e);

/* Reads the marks that a session has left. */
void plan_marks(const struct probe *p, struct marks *marks);

const struct mark *plan_find(const struct marks *marks, const char *name);

/* Why a step gave no result; NULL where it gave one. */
const char *plan_missed(const struct marks *marks, const char *name);

#endif
