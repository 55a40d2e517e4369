/* Counters of this process: what the machine, the operating system and the
 * dynamic linker count while a set is loaded and visited.
 *
 * Open them once, read them before and after a phase, report the differences.
 * What a machine lacks stays in the list, with the reason: a counter that is
 * absent has no value, which is not the value 0. Processes of one build that
 * open with one wish, and one PAPI_EVENTS, have lists of the same length and order.
 * docs/counters.md has all.
 */
#ifndef RUNTIME_COUNTERS_H
#define RUNTIME_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum counters_source {
    COUNTERS_SDE,       /* sde.c */
    COUNTERS_OS,        /* os.c */
    COUNTERS_AUDIT,     /* linker.c */
    COUNTERS_PAPI,      /* papi.c */
    COUNTERS_SIMULATED, /* simulation.c */
    COUNTERS_SOURCES
};

struct counters_wish {
    bool source[COUNTERS_SOURCES];
    bool asked; /* by name: with what costs something, too */
};

struct counter {
    char name[64];
    const char *unit;   /* what one is: "misses", "bytes" */
    const char *source; /* "sde", "os", "audit", "papi", "cachegrind" */
    bool level;         /* a reading is of interest itself; otherwise what it grew by */
    bool late;          /* did not count yet when the process began */
    char absent[160];   /* why it has no value; "" when it has one */
};

#define COUNTERS_UNKNOWN UINT64_MAX

struct counters;

/* What only the runner knows. PAPI's tools can read it at any time. */
enum counters_event { COUNTERS_MODULES_IMPORTED, COUNTERS_ENTRIES_VISITED, COUNTERS_EVENTS };

/* Finds and starts what there is. That something is missing is no error; NULL
 * with `e` filled when there is no memory. To be opened once in a process, by
 * the thread that runs the phases: PAPI counts only that one. */
struct counters *counters_open(const struct counters_wish *wish, struct error *e);

/* The list belongs to `c` and does not change. */
size_t counters_list(const struct counters *c, const struct counter **list);

/* One value each since the process began, COUNTERS_UNKNOWN for those that are
 * absent or could not be read this time; a difference is to be taken as int64_t.
 * What a reading costs is the least where it is taken before what is counted
 * with counters_before, and after it with counters_after. */
void counters_before(struct counters *c, uint64_t *values);
void counters_after(struct counters *c, uint64_t *values);

/* What counters_open found, before it started anything; belongs to `c`. */
const uint64_t *counters_startup(const struct counters *c);

/* Something of this kind happened. */
void counters_add(struct counters *c, enum counters_event event, uint64_t count);

/* Whether libraries are opened with RTLD_NOW from here on, on which it depends
 * how many symbols have been looked up. Without it only those count as bound
 * at once that ask for it themselves. */
void counters_bind_now(struct counters *c, bool now);

/* Why PAPI's tools cannot read our software-defined events in this process;
 * "" when they can. */
const char *counters_unpublished(const struct counters *c);

/* Takes NULL. */
void counters_close(struct counters *c);

#endif
