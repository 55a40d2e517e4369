/* Which libraries of a profile with rows call which: the edges of the graph, what follows from them for the libraries
 * at their ends, and which libraries are bare.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/library/shape.h"
#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/solve/rows_parts.h"

enum {
    CALLS_NATURAL = 4, /* functions that a library calls of another one */
    EXTERN_CHAIN = 10, /* modules in a chain of calls */
};

static void add_edge(struct rows *r, uint32_t *count, uint32_t from, uint32_t to, uint32_t symbols)
{
    struct plan *plan = r->s->plan;
    struct plan_library *l = &plan->library[from];
    if (plan->edge) {
        if (!l->needs.edges)
            l->needs.edge = &plan->edge[*count];
        l->needs.edge[l->needs.edges++] = (struct plan_edge){.library = to, .symbols = symbols};
    }
    ++*count;
}

/* Lists the edges of every library, one library after the other, and returns their number. While plan->edge is NULL it
 * only counts them. Without a graph each module needs some utility, each utility is needed by a module, and modules
 * call each other in chains. */
static uint32_t list_edges(struct rows *r)
{
    const struct plan *plan = r->s->plan;
    const struct profile *p = plan->profile;
    const uint32_t symbols = profile_is_captured(p) ? 0 : CALLS_NATURAL;
    uint32_t count = 0;
    for (uint32_t i = 0; p->graph && i < plan_counted(plan); i++) {
        const struct profile_row *row = &p->row[r->want[i].row];
        for (uint32_t e = 0; e < row->edges; e++)
            add_edge(r, &count, i, r->index[row->edge[e].row], row->edge[e].symbols ? row->edge[e].symbols : symbols);
    }
    for (uint32_t i = 0; !p->graph && i < plan->modules; i++) {
        if (plan->utilities)
            add_edge(r, &count, i, plan_utility(plan, i % plan->utilities), CALLS_NATURAL);
        for (uint64_t u = i + (uint64_t)plan->modules; u < plan->utilities; u += plan->modules)
            add_edge(r, &count, i, plan_utility(plan, (uint32_t)u), CALLS_NATURAL);
        if (i % EXTERN_CHAIN)
            add_edge(r, &count, i, i - 1, 1);
    }
    return count;
}

static bool calls_leaf(const struct plan_library *from, const struct plan_library *to)
{
    return from->kind != LIBRARY_MODULE || to->kind != LIBRARY_UTILITY;
}

/* Whether the library should be bare: its row has fewer relative relocations than constants need, and no location
 * lists, as code that was compiled without optimisation. Debug information describes no blocks of such code, so the
 * library loses nothing but types of arguments. */
static bool wants_bare(const struct plan *plan, const struct plan_library *l)
{
    struct plan_library plain = *l;
    plain.level = LEVEL_PLAIN;
    const struct shape shape = shape_of(plan, &plain);
    return profile_is_captured(plan->profile) && l->said->value[ROW_TEXT] != PROFILE_DERIVED &&
           profile_row_says(plan->profile, l->said, ROW_MIX_LOCLISTS) == 0 &&
           profile_row_relative(plan->profile, l->said) < (int64_t)shape.relative - shape.pointers + NAME_POINTERS;
}

static bool calls_bare_alone(const struct plan *plan, const struct plan_library *l)
{
    for (uint32_t n = 0; n < l->needs.edges; n++)
        if (!plan->library[l->needs.edge[n].library].bare)
            return false;
    return true;
}

/* Chooses the libraries that are bare from the beginning. A bare library has no constants to pass, so it may only call
 * libraries whose functions take none: all that it calls must be bare, too. */
static void choose_bare(struct plan *plan)
{
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        plan->library[i].bare = wants_bare(plan, &plan->library[i]);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < plan_counted(plan); i++) {
            struct plan_library *l = &plan->library[i];
            const bool stays = l->bare && calls_bare_alone(plan, l);
            again |= stays != l->bare;
            l->bare = stays;
        }
    }
}

/* Marks `from` and all that it needs, and what these need, as loaded. `next` has room for all libraries. */
static void load(const struct plan *plan, uint32_t from, bool *is_loaded, uint32_t *next)
{
    uint32_t count = 0;
    if (!is_loaded[from])
        next[count++] = from;
    is_loaded[from] = true;
    while (count) {
        const struct plan_library *l = &plan->library[next[--count]];
        for (uint32_t n = 0; n < l->needs.edges; n++) {
            const uint32_t to = l->needs.edge[n].library;
            if (!is_loaded[to])
                next[count++] = to;
            is_loaded[to] = true;
        }
    }
}

/* Opens the utilities among those that are not loaded that nothing needs or, if `any`, all that are not loaded then. */
static void open_rest(struct plan *plan, const bool *is_needed, bool any, bool *is_loaded, uint32_t *next)
{
    for (uint32_t i = plan->modules; i < plan_counted(plan); i++) {
        if (is_loaded[i] || (is_needed[i] && !any))
            continue;
        plan->library[i].opened = true;
        load(plan, i, is_loaded, next);
    }
}

/* Chooses the utilities that the driver opens: no module needs them, be it by way of others, nor does another of them.
 * In an application they are what it opens itself, such as plugins, and what its program needs. Of several that need
 * one another, the first is opened. A set without modules is opened as a whole. */
static bool choose_opened(struct plan *plan, struct error *e)
{
    const uint32_t count = plan->modules ? plan_counted(plan) : 0;
    bool *is_loaded = calloc(2 * (size_t)count + 1, sizeof *is_loaded);
    uint32_t *next = malloc((count + (size_t)1) * sizeof *next);
    bool *const is_needed = is_loaded ? is_loaded + count : NULL;
    const bool ok = is_loaded && next;
    if (ok && count) {
        for (uint32_t i = 0; i < plan->modules; i++)
            load(plan, i, is_loaded, next);
        for (uint32_t i = plan->modules; i < count; i++)
            for (uint32_t n = 0; n < plan->library[i].needs.edges && !is_loaded[i]; n++)
                is_needed[plan->library[i].needs.edge[n].library] |= plan->library[i].needs.edge[n].library != i;
        open_rest(plan, is_needed, false, is_loaded, next);
        open_rest(plan, is_needed, true, is_loaded, next);
    }
    free(is_loaded);
    free(next);
    return ok || error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", count);
}

bool rows_make_edges(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    const uint32_t count = list_edges(r);
    plan->edge = calloc(count + (size_t)1, sizeof *plan->edge);
    if (!plan->edge)
        return error_set(e, ERROR_MEMORY, "out of memory for a graph of %u edges", count);
    list_edges(r);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        for (uint32_t n = 0; n < l->needs.edges; n++) {
            const struct plan_edge *edge = &l->needs.edge[n];
            const struct plan_library *to = &plan->library[edge->library];
            struct want *w = &r->want[edge->library];
            r->want[i].imports += edge->symbols;
            w->called |= edge->symbols > 0;
            if (calls_leaf(l, to) && edge->symbols > w->leaves)
                w->leaves = edge->symbols;
            l->needs.digits += names_digits(to->number) - (to->kind == LIBRARY_MODULE ? 1 : 0);
        }
        l->needs.utilities = l->needs.edges;
        l->runpath = l->needs.edges || rows_value_or(l->said, ROW_RUNPATH, profile_is_captured(plan->profile) ? 0 : 1);
    }
    for (uint32_t i = 0; i < plan_counted(plan); i++) { /* several libraries import different leaves */
        struct want *w = &r->want[i];
        const uint32_t used = plan->library[i].calls.used < UINT32_MAX ? plan->library[i].calls.used : 0;
        w->leaves = w->leaves ? rows_larger(w->leaves, used) : 0;
    }
    choose_bare(plan);
    return choose_opened(plan, e);
}

/* Divides the calls of a library over its edges, in proportion to the imports of each. An edge has no more calls than
 * there are callable functions, and a library without functions calls nothing. */
static void count_calls(const struct plan *plan, struct plan_library *l)
{
    const uint64_t most = l->functions ? l->imports : 0;
    const uint64_t calls = l->calls.called < most ? l->calls.called : most;
    l->calls.called = 0;
    for (uint32_t n = 0; n < l->needs.edges; n++) {
        struct plan_edge *edge = &l->needs.edge[n];
        const uint64_t until = (edge->first + (uint64_t)edge->symbols) * calls / (l->imports ? l->imports : 1);
        const uint32_t callable = calls_row_callable(l, &plan->library[edge->library]);
        const uint32_t may = callable < edge->symbols ? callable : edge->symbols;
        edge->call = l->calls.called;
        edge->calls = until - l->calls.called < may ? (uint32_t)until - l->calls.called : may;
        l->calls.called += edge->calls;
    }
}

void rows_count_imports(struct rows *r)
{
    struct plan *plan = r->s->plan;
    memset(r->rank, 0, plan_counted(plan) * sizeof *r->rank);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        const struct want *w = &r->want[i];
        const struct profile_row *row = l->said;
        l->imports = 0;
        for (uint32_t n = 0; n < l->needs.edges; n++) {
            struct plan_edge *edge = &l->needs.edge[n];
            const struct plan_library *to = &plan->library[edge->library];
            uint32_t wanted = profile_is_captured(plan->profile) ? 0 : CALLS_NATURAL;
            if (!plan->profile->graph && calls_leaf(l, to))
                wanted = 1;
            if (plan->profile->graph && row->edge[n].symbols)
                wanted = row->edge[n].symbols;
            const uint32_t others = names_row_others(to) - to->unbound;
            const uint32_t others_most = r->want[edge->library].bound_most;
            const uint32_t most = to->exported + (others < others_most ? others : others_most);
            edge->symbols = w->silent ? 0 : wanted < most ? wanted : most;
            if (edge->symbols > to->exported + r->want[edge->library].bound)
                r->want[edge->library].bound = edge->symbols - to->exported;
            edge->first = l->imports;
            edge->rank = r->rank[edge->library];
            r->rank[edge->library] += edge->symbols;
            l->imports += edge->symbols;
        }
        count_calls(plan, l);
        rows_set_edge_versions(plan, l);
    }
}
