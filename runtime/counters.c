/* All sources as one list; see counters.h. */
#include "runtime/counters.h"

#include <stdlib.h>

#include "runtime/source.h"

/* The last source is read closest to what is counted. So the simulation and PAPI see the least of what a reading costs.
 */
static const struct source *const sources[COUNTERS_SOURCES] = {
    [COUNTERS_SDE] = &source_sde,
    [COUNTERS_OS] = &source_os,
    [COUNTERS_AUDIT] = &source_audit,
    [COUNTERS_PAPI] = &source_papi,
    [COUNTERS_SIMULATED] = &source_simulation,
};

/* A source that is not wished for has no state and no counters. */
struct counters {
    size_t count;
    void *states[COUNTERS_SOURCES];
    size_t first[COUNTERS_SOURCES], counts[COUNTERS_SOURCES]; /* counters of each source */
    uint64_t startup[COUNTERS_SOURCES * SOURCE_MOST];
    struct counter list[COUNTERS_SOURCES * SOURCE_MOST];
};

static bool open_source(struct counters *c, size_t source, struct error *e)
{
    size_t count = 0;
    c->first[source] = c->count;
    if (!sources[source]->open(&c->states[source], c->list + c->count, &count, e))
        return false;
    for (size_t k = 0; k < count; k++)
        c->list[c->count + k].source = sources[source]->name;
    c->counts[source] = count;
    c->count += count;
    return true;
}

static void forget(const struct counters *c, uint64_t *values)
{
    for (size_t i = 0; i < c->count; i++)
        values[i] = COUNTERS_UNKNOWN;
}

static void read_source(struct counters *c, size_t source, uint64_t *values)
{
    if (c->states[source])
        sources[source]->read(c->states[source], values + c->first[source]);
}

struct counters *counters_open(const struct counters_wish *wish, struct error *e)
{
    struct counters *c = calloc(1, sizeof *c);
    if (!c) {
        error_set(e, ERROR_MEMORY, "there is no memory left for the counters");
        return NULL;
    }
    for (size_t i = 0; i < COUNTERS_SOURCES; i++) {
        if (wish->source[i] && !open_source(c, i, e)) {
            counters_close(c);
            return NULL;
        }
    }
    counters_after(c, c->startup);
    for (size_t i = 0; i < COUNTERS_SOURCES; i++)
        if (c->states[i] && sources[i]->start)
            sources[i]->start(c->states[i], c->list + c->first[i], c->counts[i], wish->asked);
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].late)
            c->startup[i] = COUNTERS_UNKNOWN;
    return c;
}

size_t counters_list(const struct counters *c, const struct counter **list)
{
    *list = c->list;
    return c->count;
}

void counters_before(struct counters *c, uint64_t *values)
{
    forget(c, values);
    for (size_t i = 0; i < COUNTERS_SOURCES; i++)
        read_source(c, i, values);
}

void counters_after(struct counters *c, uint64_t *values)
{
    forget(c, values);
    for (size_t i = COUNTERS_SOURCES; i > 0; i--)
        read_source(c, i - 1, values);
}

const uint64_t *counters_startup(const struct counters *c)
{
    return c->startup;
}

void counters_add(struct counters *c, enum counters_event event, uint64_t count)
{
    if (c->states[COUNTERS_SDE])
        sde_add(c->states[COUNTERS_SDE], event, count);
}

void counters_bind_now(struct counters *c, bool now)
{
    if (c->states[COUNTERS_SDE])
        sde_bind_now(c->states[COUNTERS_SDE], now);
}

const char *counters_unpublished(const struct counters *c)
{
    return c->states[COUNTERS_SDE] ? sde_unpublished(c->states[COUNTERS_SDE]) : "they are not counted";
}

void counters_close(struct counters *c)
{
    if (!c)
        return;
    for (size_t i = COUNTERS_SOURCES; i > 0; i--)
        if (c->states[i - 1])
            sources[i - 1]->close(c->states[i - 1]);
    free(c);
}
