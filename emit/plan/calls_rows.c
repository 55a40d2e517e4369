/* See calls_rows.h. */
#include "emit/plan/calls_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emit/plan/names_row.h"

static bool calls_any(const struct plan_library *from, const struct plan_library *to)
{
    return from->kind == LIBRARY_MODULE && to->kind == LIBRARY_UTILITY;
}

/* How many numbered functions of `to` the library `from` may call. */
static uint32_t callable_numbered(const struct plan_library *from, const struct plan_library *to)
{
    if (calls_any(from, to))
        return to->exported;
    return to->exported > to->calls.leaf ? to->exported - to->calls.leaf : 0;
}

uint32_t calls_row_callable(const struct plan_library *from, const struct plan_library *to)
{
    return callable_numbered(from, to) + to->small.leaves;
}

/* The function at `rank` of n functions, in this order: the first of each chain of `depth`, the second of each, and so
 * on. */
static uint32_t function_at_rank(uint32_t n, uint32_t depth, uint32_t rank)
{
    const uint32_t chains = (n + depth - 1) / depth;
    const uint32_t last = n - (chains - 1) * depth; /* functions in the last chain */
    if (rank < last * chains)
        return rank % chains * depth + rank / chains;
    rank -= last * chains;
    return rank % (chains - 1) * depth + last + rank / (chains - 1);
}

static uint32_t first_import(const struct plan_edge *edge)
{
    return edge->first;
}

static uint32_t first_call(const struct plan_edge *edge)
{
    return edge->call;
}

static uint32_t first_uncalled(const struct plan_edge *edge)
{
    return edge->first - edge->call;
}

/* The last edge whose `first` is not behind `number`. */
static const struct plan_edge *edge_of(const struct plan_library *l, uint32_t (*first)(const struct plan_edge *),
                                       uint32_t number)
{
    uint32_t low = 0;
    uint32_t high = l->needs.edges;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (first(&l->needs.edge[middle]) <= number)
            low = middle;
        else
            high = middle;
    }
    return &l->needs.edge[low];
}

/* The function at `place` among those that may be called along an edge: `numbered` numbered ones, evenly mixed with
 * small ones. */
static uint32_t callable(const struct plan *plan, const struct plan_library *l, const struct plan_edge *edge,
                         uint32_t numbered, uint32_t place)
{
    const struct plan_library *to = &plan->library[edge->library];
    const uint32_t n = numbered + to->small.leaves;
    const uint32_t used = to->calls.used > edge->symbols ? to->calls.used : edge->symbols;
    const uint64_t of_all = ((uint64_t)edge->rank + place) % (used < n ? used : n);
    const uint32_t small = (uint32_t)(of_all * to->small.leaves / n);
    if ((of_all + 1) * to->small.leaves / n > small)
        return to->exported + to->small.leaf + small;
    const uint32_t rank = (uint32_t)of_all - small;
    return calls_any(l, to) ? function_at_rank(numbered, plan->depth, rank) : to->calls.leaf + rank;
}

/* The function or object at `place` among those that may not be called along an edge: numbered functions other than the
 * `numbered` callable ones, small functions without code, and objects. */
static uint32_t not_callable(const struct plan_library *to, uint32_t numbered, uint32_t place)
{
    const uint32_t others = to->exported - numbered;
    uint32_t function = place < others ? place : place + numbered;
    function += function < to->exported + to->small.leaf ? 0 : to->small.leaves;
    return function;
}

bool calls_row_import(const struct plan *plan, const struct plan_library *l, uint32_t number, struct import *import)
{
    if (number >= l->imports)
        return false;
    const struct plan_edge *edge = edge_of(l, first_import, number);
    const struct plan_library *to = &plan->library[edge->library];
    const uint32_t place = number - edge->first;
    const uint32_t numbered = callable_numbered(l, to);
    const uint32_t n = numbered + to->small.leaves;
    assert(place < edge->symbols);
    import->library = edge->library;
    import->function = place < n ? callable(plan, l, edge, numbered, place) : not_callable(to, numbered, place - n);
    return true;
}

uint32_t calls_row_called(const struct plan_library *l, uint32_t call)
{
    const struct plan_edge *edge = edge_of(l, first_call, call);
    return edge->first + call - edge->call;
}

uint32_t calls_row_uncalled(const struct plan_library *l, uint32_t index)
{
    const struct plan_edge *edge = edge_of(l, first_uncalled, index);
    return edge->first + edge->calls + index - first_uncalled(edge);
}

bool calls_make_rows(const struct plan *plan, const struct plan_library *l, struct arena *arena, struct calls *out)
{
    const uint64_t targets = (uint64_t)l->functions * l->calls.per_function;
    *out = (struct calls){
        .per_function = l->calls.per_function, .import_count = l->imports, .needed_count = l->needs.edges};
    out->needed = arena_take(arena, (l->needs.edges + UINT64_C(1)) * sizeof *out->needed);
    out->import = arena_take(arena, (l->imports + UINT64_C(1)) * sizeof *out->import);
    out->target = arena_take(arena, (targets + 1) * sizeof *out->target);
    if (!out->needed || !out->import || !out->target)
        return false;
    for (uint32_t i = 0; i < l->needs.edges; i++)
        out->needed[i] = l->needs.edge[i].library;
    for (uint32_t i = 0; i < l->imports; i++)
        calls_row_import(plan, l, i, &out->import[i]);
    memset(out->target, 0xff, targets * sizeof *out->target);
    assert(l->calls.called <= targets);
    for (uint32_t i = 0; i < l->calls.called; i++)
        out->target[i] = calls_row_called(l, i);
    return true;
}

/* Which functions of all libraries have been reached: function i of a library at function[first[library] + i]. */
struct reached {
    uint64_t *first;
    uint8_t *function;
};

/* Marks a function of a utility and the rest of its chain, and what these call. */
static void reach(struct plan *plan, const struct reached *r, uint32_t library, uint32_t function)
{
    struct plan_library *l = &plan->library[library];
    if (l->kind != LIBRARY_UTILITY || plan_is_small(l, function))
        return;
    uint8_t *at = r->function + r->first[library];
    do {
        if (at[function])
            return; /* so is the rest of the chain */
        at[function] = 1;
        l->calls.visited++;
        for (uint32_t t = 0; function < l->calls.callers && t < l->calls.per_function; t++) {
            const uint32_t call = function * l->calls.per_function + t;
            struct import import;
            if (call < l->calls.called && calls_row_import(plan, l, calls_row_called(l, call), &import))
                reach(plan, r, import.library, import.function); /* this is a leaf, so that recursion ends here */
        }
        function++;
    } while (function < l->functions && function % plan->depth);
}

bool calls_row_visits(struct plan *plan)
{
    uint64_t functions = 0;
    struct reached r = {.first = malloc((plan_counted(plan) + (size_t)1) * sizeof *r.first)};
    for (uint32_t i = 0; r.first && i < plan_counted(plan); i++) {
        plan->library[i].calls.visited = 0;
        r.first[i] = functions;
        functions += plan->library[i].functions;
    }
    r.function = calloc(functions + 1, 1);
    const bool ok = r.first && r.function;
    for (uint32_t i = 0; ok && i < plan->modules; i++) {
        struct plan_library *l = &plan->library[i];
        l->calls.visited = l->functions;
        struct import import;
        for (uint32_t n = 0; n < l->calls.called && calls_row_import(plan, l, calls_row_called(l, n), &import); n++)
            reach(plan, &r, import.library, import.function);
    }
    free(r.first);
    free(r.function);
    return ok;
}

bool calls_row_uses(struct plan *plan)
{
    const uint32_t count = plan_counted(plan);
    uint64_t *first = malloc((count + (size_t)1) * sizeof *first);
    uint64_t symbols = 0;
    for (uint32_t i = 0; first && i < count; i++) {
        first[i] = symbols;
        symbols += plan->library[i].exported + (uint64_t)names_row_others(&plan->library[i]);
    }
    uint8_t *taken = calloc(symbols + 1, 1);
    const bool ok = first && taken;
    for (uint32_t i = 0; ok && i < count; i++)
        plan->library[i].calls.imported = 0;
    for (uint32_t i = 0; ok && i < count; i++) {
        struct import import;
        for (uint32_t n = 0; calls_row_import(plan, &plan->library[i], n, &import); n++) {
            uint8_t *const at = &taken[first[import.library] + import.function];
            plan->library[import.library].calls.imported += !*at;
            *at = 1;
        }
    }
    free(first);
    free(taken);
    return ok;
}
