/* pyelfprobe's command line. */
#ifndef TOOLS_PYELFPROBE_OPTIONS_H
#define TOOLS_PYELFPROBE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tools/pyelfprobe_cells.h"

#define PROBE_PROGRAM "pyelfprobe"
#define PROBE_LOADER  "--loader" /* the mode in which this program is the debuggee: pyelfprobe_loader.h */

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
    const char *app[APPS_MOST]; /* directories and lists of files; or, with `commands`, command lines */
    size_t apps;
    bool commands;
    bool start_given; /* else by what the applications are */
    enum start start;
    bool tool[TOOLS];
    bool step[STEPS];
    bool cache[CACHES];
    uint64_t repeat, warm_up; /* runs that count, and before them some that do not */
    double limit[TOOLS];      /* seconds for each run */
    const char *preload[PRELOADS_MOST];
    size_t preloads;
    const char *python; /* a path, or a name in PATH */
    bool python_given;
    const char *json;    /* NULL: no file */
    const char *place;   /* to break at; NULL: one of the last library's functions */
    const char *until;   /* where a command has loaded all; NULL: its end */
    const char *pattern; /* for `info functions` */
    bool model;
    uint64_t breakpoints, libraries, tasks; /* libraries: 0 for as many as the application has */
    bool quiet;
};

/* Borrows argv. -1 to go on, otherwise the exit status. */
int probe_options_read(struct probe_options *o, int argc, char **argv);

#endif
