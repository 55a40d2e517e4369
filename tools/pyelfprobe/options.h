/* pyelfprobe's command line. */
#ifndef TOOLS_PYELFPROBE_OPTIONS_H
#define TOOLS_PYELFPROBE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tools/pyelfprobe/cells.h"

#define PROBE_PROGRAM "pyelfprobe"
#define PROBE_LOADER  "--loader"  /* first word of the debuggee: loader.h */
#define PROBE_STARTER "--starter" /* first word of what starts it: starter.h */

/* How an application is started. */
#define PROBE_STARTS(X)                                                                                                \
    X(LOADER, "loader")                                                                                                \
    X(PYTHON, "python")                                                                                                \
    X(LINK, "link")                                                                                                    \
    X(COMMAND, "command")
#define PROBE_START(id, name) START_##id,
enum start { PROBE_STARTS(PROBE_START) STARTS };
extern const char *const start_names[STARTS];

enum { PRELOADS_MOST = 512 };

struct probe_options {
    const char *app[APPS_MOST]; /* directories or lists of files; with `commands`, command lines */
    size_t apps;
    bool commands;
    bool start_given; /* false: the applications decide */
    enum start start;
    bool tool[TOOLS];
    bool step[STEPS];
    bool cache[CACHES];
    uint64_t repeat, warm_up; /* runs that count, and runs before them that do not */
    double limit[TOOLS];      /* seconds for a run of each tool */
    const char *preload[PRELOADS_MOST];
    size_t preloads;
    const char *python; /* a path, or a name in PATH */
    bool python_given;
    const char *json;                       /* NULL: no file */
    const char *place;                      /* function to break at; NULL: one of the last library's */
    const char *until;                      /* function where a command has loaded everything; NULL: its end */
    const char *pattern;                    /* for `info functions` */
    const char *model;                      /* the first option that asks for the model; NULL: none does */
    uint64_t breakpoints, libraries, tasks; /* libraries: 0: as many as the application has */
    bool quiet;
};

/* Reads the command line; borrows argv. Returns -1 to go on, otherwise the exit status. */
int probe_options_read(struct probe_options *o, int argc, char **argv);

#endif
