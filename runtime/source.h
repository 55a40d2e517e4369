/* One source of counters: what each of sde.c, os.c, linker.c, papi.c and
 * simulation.c is. */
#ifndef RUNTIME_SOURCE_H
#define RUNTIME_SOURCE_H

#include "runtime/counters.h"

enum { SOURCE_MOST = 16 }; /* counters of one source */

/* A reading, and the list, have room for SOURCE_MOST; what is in the list
 * after starting stays. */
struct source {
    const char *name;
    /* Describes its counters, those that are not absent can be read after this;
     * *state is its own. False only when there is no memory, without a state. */
    bool (*open)(void **state, struct counter *list, size_t *count, struct error *e);
    /* What it does to the process and should not be counted; NULL for nothing. */
    void (*start)(void *state, struct counter *list, size_t count, bool asked);
    /* Sets the values of those that are not absent; the others stay. */
    void (*read)(void *state, uint64_t *values);
    void (*close)(void *state);
};

extern const struct source source_sde;        /* sde.c */
extern const struct source source_os;         /* os.c */
extern const struct source source_audit;      /* linker.c */
extern const struct source source_papi;       /* papi.c */
extern const struct source source_simulation; /* simulation.c */

/* Says why; the text is cut to what `c` has room for. */
void source_absent(struct counter *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The state of source_sde, for what counters.h lets the runner say. */
void sde_add(void *state, enum counters_event event, uint64_t count);
void sde_bind_now(void *state, bool now);
const char *sde_unpublished(const void *state);

#endif
