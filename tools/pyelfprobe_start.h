/* How an application is started for a measurement. */
#ifndef TOOLS_PYELFPROBE_START_H
#define TOOLS_PYELFPROBE_START_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/pyelfprobe_probe.h"

enum purpose {
    PURPOSE_LOAD,   /* loads all, reports, ends */
    PURPOSE_LINKED, /* is linked with all, and calls what leads to app->place */
    PURPOSE_EVENTS, /* is linked with nothing, loads all and sends itself SIGUSR1 */
    PURPOSE_LIVE,   /* loads all, reports and stays */
};

/* Which files, and in which order: NULL for all as they are. */
struct start_files {
    const size_t *order;
    size_t count;
};

struct started {
    char *const *words;  /* the program's path, its arguments, NULL */
    const char *preload; /* LD_PRELOAD, "" where there is none */
    bool signals;        /* it sends itself SIGUSR1 when all is loaded */
    bool calls;          /* it comes to app->place */
    bool reports;        /* into the temporary file START_REPORT */
};

#define START_REPORT "report"

/* Everything in *s is of the arena or of the application. False with a reason in `e`
 * where that application cannot be started so (ERROR_INPUT), or something broke. */
bool start_prepare(struct probe *p, const struct app *app, enum purpose purpose, const struct start_files *files,
                   struct started *s, struct error *e);

/* What the loader has reported; false where there is no report. The metrics are
 * those of PURPOSE_LOAD; *failed files could not be opened, for the first of which
 * `why`, of REASON_SIZE bytes, says why. */
bool start_report(const struct probe *p, struct sample *sample, unsigned long *failed, char *why);

#endif
