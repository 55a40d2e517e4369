/* A progress bar on a terminal, nothing elsewhere. */
#ifndef EMIT_SET_PROGRESS_H
#define EMIT_SET_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown;
    const char *what, *of; /* what is done, of what: libraries, unless it is set after progress_start */
    uint32_t total;
    atomic_uint done;
    atomic_uint percent; /* last shown */
};

/* Shows the bar on stderr, if that is a terminal and `quiet` is false. */
void progress_start(struct progress *p, const char *what, uint32_t total, bool quiet);
/* Counts one more as done. Any thread may call it. */
void progress_step(struct progress *p);
/* Clears the line. */
void progress_end(struct progress *p);

#endif
