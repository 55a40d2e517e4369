/* Says how an application is started for a measurement. */
#ifndef TOOLS_PYELFPROBE_START_H
#define TOOLS_PYELFPROBE_START_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/pyelfprobe/probe.h"

enum purpose {
    PURPOSE_LOAD,   /* loads everything, reports, ends */
    PURPOSE_LINKED, /* is linked with everything, and calls what leads to app->place */
    PURPOSE_EVENTS, /* is linked with nothing, loads everything, sends itself SIGUSR1 */
    PURPOSE_LIVE,   /* loads everything, reports, stays */
};

/* Which files are loaded, in which order. Without this, all files in their own order. */
struct start_files {
    const size_t *order;
    size_t count;
};

struct started {
    char *const *words;  /* the program's path, its arguments, NULL */
    const char *preload; /* LD_PRELOAD; "": none */
    bool signals;        /* sends itself SIGUSR1 when everything is loaded, and what it calls has returned */
    bool calls;          /* calls what leads to app->place */
    bool reports;        /* writes a report into the temporary file START_REPORT */
};

#define START_REPORT "report"

/* Fills *s, which points into the arena and the application. False with a reason where the application cannot be
 * started in this way (ERROR_INPUT), or something broke. */
bool start_prepare(struct probe *p, const struct app *app, enum purpose purpose, const struct start_files *files,
                   struct started *s, struct error *e);

/* Reads what the loader has reported; false where there is no report. The metrics are those of PURPOSE_LOAD. *failed
 * files could not be opened; `why`, of REASON_SIZE bytes, says why the first could not. */
bool start_report(const struct probe *p, struct sample *sample, unsigned long *failed, char *why);

#endif
