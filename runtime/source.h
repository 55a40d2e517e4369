/* One source of counters. sde.c, os.c, linker.c, papi.c and simulation.c have one each. */
#ifndef RUNTIME_SOURCE_H
#define RUNTIME_SOURCE_H

#include "runtime/counters.h"

enum { SOURCE_MOST = 17 }; /* counters of one source */

/* The list and a reading have room for SOURCE_MOST counters. The list does not change after `start`. */
struct source {
    const char *name;
    /* Describes the counters; those that are not absent can be read afterwards. *state belongs to the source. False
     * only if there is no memory; then there is no state. */
    bool (*open)(void **state, struct counter *list, size_t *count, struct error *e);
    /* Does what affects the process, and so should not be counted; NULL: nothing to do. */
    void (*start)(void *state, struct counter *list, size_t count, bool asked);
    /* Sets the values of the counters that are not absent. The others keep theirs. */
    void (*read)(void *state, uint64_t *values);
    void (*close)(void *state);
};

extern const struct source source_sde;        /* sde.c */
extern const struct source source_os;         /* os.c */
extern const struct source source_audit;      /* linker.c */
extern const struct source source_papi;       /* papi.c */
extern const struct source source_simulation; /* simulation.c */

/* Marks a counter as absent and says why; the text is cut to the room in `c`. */
void source_absent(struct counter *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What counters.h offers to the runner, for the state of source_sde. */
void sde_add(void *state, enum counters_event event, uint64_t count);
void sde_bind_now(void *state, bool now);
const char *sde_unpublished(const void *state);

#endif
