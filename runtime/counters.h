/* Counters of this process: what the machine, the operating system and the dynamic linker count while a set is loaded
 * and visited.
 *
 * Open them once, read them before and after a phase, and report the differences. Counters that a machine lacks stay in
 * the list, with the reason. An absent counter has no value, which is not the value 0. Processes of one build that open
 * with the same wish and the same PAPI_EVENTS have lists of the same length and order. See docs/counters.md.
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
    bool asked; /* asked for by name: use sources that cost something, too */
};

struct counter {
    char name[256];     /* names of PAPI's events may be long */
    const char *unit;   /* what is counted: "misses", "bytes" */
    const char *source; /* "sde", "os", "audit", "papi", "cachegrind" */
    bool level;         /* the value itself is of interest; otherwise its growth */
    bool late;          /* did not count yet when the process started */
    char absent[160];   /* why it has no value; "" if it has one */
};

#define COUNTERS_UNKNOWN UINT64_MAX

struct counters;

/* Events that only the runner knows. PAPI's tools can read their counts at any time. */
enum counters_event { COUNTERS_MODULES_IMPORTED, COUNTERS_ENTRIES_VISITED, COUNTERS_EVENTS };

/* Finds and starts the wished counters. A missing counter is no error; NULL with `e` filled only if there is no memory.
 * Open them once in a process, by the thread that runs the phases: PAPI counts only that thread. */
struct counters *counters_open(const struct counters_wish *wish, struct error *e);

/* Sets *list, which belongs to `c` and does not change; returns how many counters it has. */
size_t counters_list(const struct counters *c, const struct counter **list);

/* Read one value for each counter: since the process began, or COUNTERS_UNKNOWN if it is absent or could not be read
 * now. Take a difference as int64_t. Call counters_before before what is counted, and counters_after behind it: then
 * the cost of reading disturbs the counts least. */
void counters_before(struct counters *c, uint64_t *values);
void counters_after(struct counters *c, uint64_t *values);

/* The values that counters_open read before it started anything; belongs to `c`. */
const uint64_t *counters_startup(const struct counters *c);

/* Counts `count` events of this kind. */
void counters_add(struct counters *c, enum counters_event event, uint64_t count);

/* Says whether libraries are opened with RTLD_NOW from now on. The number of symbols looked up depends on it. Without
 * it only those libraries count as bound at once that ask for it themselves. */
void counters_bind_now(struct counters *c, bool now);

/* Why PAPI's tools cannot read our software-defined events in this process; "" if they can. */
const char *counters_unpublished(const struct counters *c);

/* Accepts NULL. */
void counters_close(struct counters *c);

#endif
