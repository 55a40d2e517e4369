/* Which of a library's exported functions have which of the lengths that its names have: those that another library
 * calls have such as that one's row says; see plan_rows_exported.c.
 *
 * What a library calls of another are names of its own .dynsym, too, and may be most of these. Nothing says which names
 * of the other library they are; but how long all names of this one are. So functions that one library alone calls
 * exchange the lengths of their names with those that none calls.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/calls_rows.h"
#include "emit/distribution.h"
#include "emit/names_row.h"
#include "emit/plan_rows_lengths.h"

/* Who calls a library's functions. */
enum { CALLER_NONE, CALLER_MANY = UINT32_MAX };

struct matching {
    const struct plan *plan;
    uint32_t **caller; /* of each library's exported functions: number of the library from 1 on */
    uint32_t *room;
    uint32_t *wanted;                      /* scratch: as many lengths as the library with the most names has */
    uint32_t count[PROFILE_NAME_MOST + 1]; /* of names of each length that may be exchanged */
};

/* Whether its names can be as long as another one's. */
static bool can_change(const struct plan *plan, const struct plan_library *l, uint32_t function)
{
    return l->stripped && !names_are_mangled(&plan->names, l) && function >= l->mangled && function < l->lengths &&
           l->function_length[function] >= names_row_shortest(l, l->lengths - 1);
}

/* Takes the length that is nearest to what is wanted. */
static uint32_t take_nearest(struct matching *m, uint32_t wanted)
{
    for (uint32_t apart = 0; apart <= PROFILE_NAME_MOST; apart++) {
        if (wanted + apart <= PROFILE_NAME_MOST && m->count[wanted + apart])
            return m->count[wanted + apart]--, wanted + apart;
        if (apart <= wanted && m->count[wanted - apart])
            return m->count[wanted - apart]--, wanted - apart;
    }
    return 0;
}

/* Gives the functions that library `from` alone calls those of the lengths that are nearest to what is wanted, which
 * are `names` ascending ones, and all others that nobody calls what is left. */
static void match(struct matching *m, uint32_t from, struct plan_library *to, const uint32_t *caller, uint32_t names)
{
    uint32_t called = 0;
    memset(m->count, 0, sizeof m->count);
    for (uint32_t i = 0; i < to->lengths; i++) {
        const bool own = caller[i] == from + 1;
        if ((own || caller[i] == CALLER_NONE) && can_change(m->plan, to, i))
            m->count[to->function_length[i]]++;
        called += own && can_change(m->plan, to, i);
    }
    uint32_t k = 0;
    for (uint32_t i = 0; i < to->lengths; i++)
        if (caller[i] == from + 1 && can_change(m->plan, to, i)) {
            const uint32_t wanted = m->wanted[(2 * (uint64_t)k++ + 1) * names / (2 * (uint64_t)called)];
            to->function_length[i] = (uint16_t)take_nearest(m, wanted);
        }
    uint32_t next = 0;
    for (uint32_t i = 0; i < to->lengths; i++)
        if (caller[i] == CALLER_NONE && can_change(m->plan, to, i)) {
            while (!m->count[next])
                next++;
            m->count[next]--;
            to->function_length[i] = (uint16_t)next;
        }
}

static bool begin(struct matching *m, struct error *e)
{
    const uint32_t count = plan_counted(m->plan);
    uint64_t exported = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct shape s = shape_of(m->plan, &m->plan->library[i]);
        exported += m->plan->library[i].exported;
        most = s.undefined + (uint64_t)s.defined > most ? s.undefined + (uint64_t)s.defined : most;
    }
    m->room = calloc(exported + 1, sizeof *m->room);
    m->caller = malloc((count + (size_t)1) * sizeof *m->caller);
    m->wanted = malloc((most + 1) * sizeof *m->wanted);
    if (!m->room || !m->caller || !m->wanted)
        return error_set(e, ERROR_MEMORY, "out of memory for the names of a plan of %u libraries", count);
    uint32_t *room = m->room;
    for (uint32_t i = 0; i < count; i++) {
        m->caller[i] = room;
        room += m->plan->library[i].exported;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct import import;
        for (uint32_t n = 0; calls_row_import(m->plan, &m->plan->library[i], n, &import); n++) {
            if (import.function >= m->plan->library[import.library].exported)
                continue;
            uint32_t *caller = &m->caller[import.library][import.function];
            *caller = *caller == CALLER_NONE ? i + 1 : (uint32_t)CALLER_MANY;
        }
    }
    return true;
}

bool rows_match_imports(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    struct matching m = {.plan = plan};
    const bool ok = begin(&m, e);
    for (uint32_t i = 0; ok && i < plan_counted(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        const struct shape s = shape_of(plan, l);
        const uint32_t names = s.undefined + s.defined;
        if (!l->stripped || !l->imports || !l->said->text[ROW_TEXT_NAME_LENGTHS] ||
            !lengths_draw(plan, l, names, m.wanted))
            continue;
        for (uint32_t n = 0; n < l->edges; n++)
            if (l->edge[n].symbols)
                match(&m, i, &plan->library[l->edge[n].library], m.caller[l->edge[n].library], names);
    }
    free(m.room);
    free(m.caller);
    free(m.wanted);
    return ok;
}
