/* All sources as one list; see counters.h. */
#include "runtime/counters.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/source.h"

/* The last is read closest to the phase: of what a reading itself costs, PAPI
 * sees the least. */
enum { SDE, OS, AUDIT, PAPI, SOURCES };
static const struct source *const sources[SOURCES] = {
    [SDE] = &source_sde,
    [OS] = &source_os,
    [AUDIT] = &source_audit,
    [PAPI] = &source_papi,
};

struct counters {
    size_t count, opened; /* counters, sources */
    void *states[SOURCES];
    size_t first[SOURCES]; /* counter of each source */
    struct counter list[SOURCES * SOURCE_MOST];
};

struct counters *counters_open(struct error *e)
{
    struct counters *c = calloc(1, sizeof *c);
    if (!c) {
        error_set(e, ERROR_MEMORY, "there is no memory left for the counters");
        return NULL;
    }
    for (size_t i = 0; i < SOURCES; i++) {
        size_t count = 0;
        c->first[i] = c->count;
        if (!sources[i]->open(&c->states[i], c->list + c->count, &count, e)) {
            counters_close(c);
            return NULL;
        }
        for (size_t k = 0; k < count; k++)
            c->list[c->count + k].source = sources[i]->name;
        c->opened++;
        c->count += count;
    }
    return c;
}

size_t counters_list(const struct counters *c, const struct counter **list)
{
    *list = c->list;
    return c->count;
}

void counters_read(struct counters *c, uint64_t *values)
{
    for (size_t i = 0; i < c->count; i++)
        values[i] = COUNTERS_UNKNOWN;
    for (size_t i = 0; i < SOURCES; i++)
        sources[i]->read(c->states[i], values + c->first[i]);
}

void counters_add(struct counters *c, enum counters_event event, uint64_t count)
{
    sde_add(c->states[SDE], event, count);
}

void counters_bind_now(struct counters *c, bool now)
{
    sde_bind_now(c->states[SDE], now);
}

const char *counters_unpublished(const struct counters *c)
{
    return sde_unpublished(c->states[SDE]);
}

void counters_close(struct counters *c)
{
    if (!c)
        return;
    for (size_t i = c->opened; i > 0; i--)
        sources[i - 1]->close(c->states[i - 1]);
    free(c);
}

void source_absent(struct counter *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->absent, sizeof c->absent, format, arguments);
    va_end(arguments);
}
