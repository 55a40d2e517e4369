/* Decides which of a library's exported functions has which of the lengths that are drawn for its names. Functions that
 * other libraries import get lengths that these libraries' rows want; see rows_exported.c.
 *
 * The functions that a library imports are names in its own .dynsym, too, and may be most of these. Its row does not
 * say which names they are, only how long all its names are. So functions that are imported exchange lengths with
 * functions that nobody imports: first those that several libraries import, whose wishes are averaged, then those that
 * a single library imports. Mangled names cannot be as short as others and exchange lengths only among themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/stride.h"
#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows_lengths.h"

/* Who imports a function: nobody, several libraries or, from 1 on, one library. */
enum { CALLER_NONE, CALLER_MANY = UINT32_MAX };

/* What is wanted of those functions of a library that several others import: their lengths from the shortest to the
 * longest, each summed over the importing libraries. A library counts as often as it imports symbols. */
struct wishes {
    uint64_t *sum;
    uint64_t symbols;
    uint32_t many; /* how many functions several libraries import */
};

struct matching {
    const struct plan *plan;
    uint32_t **caller; /* by library and exported function: CALLER_NONE, CALLER_MANY or 1 + the library's index */
    struct wishes *wishes;
    uint32_t *room;
    uint64_t *sums;
    uint32_t *wanted;                      /* scratch: as many lengths as the library with the most names has */
    uint32_t count[PROFILE_NAME_MOST + 1]; /* of names of each length that may be exchanged */
};

/* Functions that exchange lengths with one another: those in [first, end) whose names are not shorter than `least`. */
struct exchanging {
    uint32_t first, end, least;
};

/* Which functions of a library these are, among mangled names or among the others. */
static struct exchanging exchanging_of(const struct plan *plan, const struct plan_library *l, bool mangled)
{
    if (!l->stripped || names_are_mangled(&plan->names, l))
        return (struct exchanging){0};
    const uint32_t between =
        l->names.mangled < l->names.function_lengths ? l->names.mangled : l->names.function_lengths;
    struct exchanging x = {.first = mangled ? 0 : between, .end = mangled ? between : l->names.function_lengths};
    if (x.first < x.end)
        x.least = names_row_shortest(l, x.end - 1);
    return x;
}

static bool can_change(const struct plan_library *l, uint32_t function, const struct exchanging *x)
{
    return l->names.function_length[function] >= x->least;
}

/* Takes the length nearest to `wanted` out of m->count. */
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

/* A step that meets all numbers below `count`, and any few of them in a row evenly spread: near the golden section. */
static uint32_t step_of(uint32_t count)
{
    uint32_t step = (uint32_t)((uint64_t)count * 618 / 1000);
    while (step && !stride_meets_all(step, count))
        step--;
    return step ? step : 1;
}

/* Gives the functions that `who` imports the lengths nearest to what is wanted, which are the first `names` of
 * m->wanted, ascending. The functions that nobody imports get the lengths that are left. Only mangled names take part,
 * or only the others. */
static void match_some(struct matching *m, struct plan_library *to, const uint32_t *caller, uint32_t who,
                       uint32_t names, bool mangled)
{
    const struct exchanging x = exchanging_of(m->plan, to, mangled);
    uint32_t called = 0;
    if (x.first == x.end)
        return;
    memset(m->count, 0, sizeof m->count);
    for (uint32_t i = x.first; i < x.end; i++) {
        const bool own = caller[i] == who;
        if ((own || caller[i] == CALLER_NONE) && can_change(to, i, &x))
            m->count[to->names.function_length[i]]++;
        called += own && can_change(to, i, &x);
    }
    const uint32_t step = step_of(called); /* each of several libraries imports some that follow one another */
    uint64_t k = 0;
    for (uint32_t i = x.first; i < x.end; i++)
        if (caller[i] == who && can_change(to, i, &x)) {
            const uint32_t wanted = m->wanted[(2 * k + 1) * names / (2 * (uint64_t)called)];
            to->names.function_length[i] = (uint16_t)take_nearest(m, wanted);
            k = (k + step) % called;
        }
    uint32_t next = 0;
    for (uint32_t i = x.first; i < x.end; i++)
        if (caller[i] == CALLER_NONE && can_change(to, i, &x)) {
            while (!m->count[next])
                next++;
            m->count[next]--;
            to->names.function_length[i] = (uint16_t)next;
        }
}

static void match(struct matching *m, struct plan_library *to, const uint32_t *caller, uint32_t who, uint32_t names)
{
    match_some(m, to, caller, who, names, false);
    match_some(m, to, caller, who, names, true);
}

static bool make_room(struct matching *m)
{
    const uint32_t count = plan_counted(m->plan);
    uint64_t exported = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct shape s = shape_of_symbols(m->plan, &m->plan->library[i]);
        exported += m->plan->library[i].exported;
        most = s.undefined + (uint64_t)s.defined > most ? s.undefined + (uint64_t)s.defined : most;
    }
    m->room = calloc(exported + 1, sizeof *m->room);
    m->sums = calloc(exported + 1, sizeof *m->sums);
    m->caller = malloc((count + (size_t)1) * sizeof *m->caller);
    m->wishes = calloc(count + (size_t)1, sizeof *m->wishes);
    m->wanted = malloc((most + 1) * sizeof *m->wanted);
    return m->room && m->sums && m->caller && m->wishes && m->wanted;
}

static bool begin(struct matching *m, struct error *e)
{
    const uint32_t count = plan_counted(m->plan);
    if (!make_room(m))
        return error_set(e, ERROR_MEMORY, "out of memory for the names of a plan of %u libraries", count);
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        m->caller[i] = m->room + before;
        m->wishes[i].sum = m->sums + before;
        before += m->plan->library[i].exported;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct import import;
        for (uint32_t n = 0; calls_row_import(m->plan, &m->plan->library[i], n, &import); n++) {
            if (import.function >= m->plan->library[import.library].exported)
                continue;
            uint32_t *caller = &m->caller[import.library][import.function];
            m->wishes[import.library].many += *caller != CALLER_NONE && *caller != CALLER_MANY;
            *caller = *caller == CALLER_NONE ? i + 1 : (uint32_t)CALLER_MANY;
        }
    }
    return true;
}

/* Sets m->wanted to the wanted lengths of all names in the library's .dynsym. Returns how many these are, or 0 where
 * they are not known or the library imports nothing. */
static uint32_t draw(struct matching *m, uint32_t index)
{
    const struct plan_library *l = &m->plan->library[index];
    const struct shape s = shape_of_symbols(m->plan, l);
    const uint32_t names = s.undefined + s.defined;
    const bool is_said = l->stripped && l->imports && l->said->text[ROW_TEXT_NAME_LENGTHS];
    return is_said && lengths_draw(m->plan, l, names, m->wanted) ? names : 0;
}

/* Adds what a library with `names` wanted lengths wants of the one that `edge` leads to. */
static void add_wishes(struct matching *m, const struct plan_edge *edge, uint32_t names)
{
    struct wishes *const w = &m->wishes[edge->library];
    w->symbols += edge->symbols;
    for (uint32_t k = 0; k < w->many; k++)
        w->sum[k] += (uint64_t)edge->symbols * m->wanted[(2 * (uint64_t)k + 1) * names / (2 * (uint64_t)w->many)];
}

static void match_many(struct matching *m, struct plan_library *to, uint32_t index)
{
    const struct wishes *const w = &m->wishes[index];
    if (!w->symbols || !w->many)
        return;
    for (uint32_t k = 0; k < w->many; k++)
        m->wanted[k] = (uint32_t)(w->sum[k] / w->symbols);
    match(m, to, m->caller[index], CALLER_MANY, w->many);
}

bool rows_match_imports(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    struct matching m = {.plan = plan};
    const bool ok = begin(&m, e);
    const uint32_t count = ok ? plan_counted(plan) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_library *l = &plan->library[i];
        const uint32_t names = draw(&m, i);
        for (uint32_t n = 0; names && n < l->needs.edges; n++)
            add_wishes(&m, &l->needs.edge[n], names);
    }
    for (uint32_t i = 0; i < count; i++)
        match_many(&m, &plan->library[i], i);
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_library *l = &plan->library[i];
        const uint32_t names = draw(&m, i);
        for (uint32_t n = 0; names && n < l->needs.edges; n++)
            if (l->needs.edge[n].symbols)
                match(&m, &plan->library[l->needs.edge[n].library], m.caller[l->needs.edge[n].library], i + 1, names);
    }
    free(m.room);
    free(m.sums);
    free(m.caller);
    free(m.wishes);
    free(m.wanted);
    return ok;
}
