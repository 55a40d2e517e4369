/* A progress bar on a terminal, nothing elsewhere. */
#ifndef EMIT_PROGRESS_H
#define EMIT_PROGRESS_H

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

/* Shows itself on stderr where that is a terminal and `quiet` is not asked for. */
void progress_start(struct progress *p, const char *what, uint32_t total, bool quiet);
/* One more is done; from any thread. */
void progress_step(struct progress *p);
/* Clears the line. */
void progress_end(struct progress *p);

#endif
