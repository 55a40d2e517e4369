/* The assignment of calls to utility functions; see calls.h. */
#include "emit/plan/calls.h"

#include <assert.h>
#include <string.h>

#include "emit/plan/calls_rows.h"

/* Where layer j begins in a row of n dealt out into k layers. */
static uint64_t layer_start(uint64_t n, uint64_t k, uint64_t j)
{
    uint64_t whole = n / k;
    uint64_t rest = n % k;
    return j * whole + (j < rest ? j : rest);
}

static uint64_t layer_size(uint64_t n, uint64_t k, uint64_t j)
{
    return n / k + (j < n % k ? 1 : 0);
}

/* floor(a * b / c) and the like without overflow. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)((unsigned __int128)a * b / c);
}

static uint64_t scale_up(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)(((unsigned __int128)a * b + c - 1) / c);
}

/* Whether the utility's first chain of this class stands behind `row`. */
static bool begins_behind(const struct plan *plan, unsigned class, uint64_t row, uint32_t utility)
{
    return plan->library[plan_utility(plan, utility)].calls.first[class] > row;
}

/* The utility that holds the chain at `row` of its class. The search begins where the chain would be if all utilities
 * had equally many. It goes on in steps that double until the chain is passed, and then halves the interval. */
static const struct plan_library *utility_at(const struct plan *plan, unsigned class, uint64_t row)
{
    uint32_t low = (uint32_t)scale(row, plan->utilities, plan->assignment.chains[class]);
    uint32_t high = low + 1;
    if (begins_behind(plan, class, row, low)) {
        for (uint32_t step = 1; begins_behind(plan, class, row, low); step *= 2) {
            high = low;
            low = low > step ? low - step : 0;
        }
    } else {
        for (uint32_t step = 1; high < plan->utilities && !begins_behind(plan, class, row, high); step *= 2) {
            low = high;
            high = plan->utilities - high > step ? high + step : plan->utilities;
        }
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (begins_behind(plan, class, row, middle))
            high = middle;
        else
            low = middle;
    }
    return &plan->library[plan_utility(plan, low)];
}

/* The number of the rank-th chain of a class. */
static uint32_t chain_of_rank(const struct plan *plan, const struct plan_library *l, unsigned class, uint32_t rank)
{
    if (plan->coverage == UINT64_C(1) << 32)
        return rank;
    uint32_t low = 0; /* these chains have at most `rank` chains of the class before them */
    uint32_t high = l->calls.chains;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t covered = plan_covered_before(plan, middle);
        if ((class ? covered : middle - covered) <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A run of consecutive calls that meet the same chain. */
struct run {
    const struct plan_library *utility;
    uint32_t chain;
    uint32_t length;     /* functions in the chain */
    uint32_t occurrence; /* calls that met the chain before this run's first */
    uint64_t end;        /* place of the first call that meets the next chain */
};

/* The part of a run that begins with the call at `place` of the dealt row. */
static struct run run_at(const struct plan *plan, unsigned class, uint64_t place)
{
    const struct assignment *a = &plan->assignment;
    uint64_t n = a->calls[class];
    uint64_t chains = a->chains[class];
    uint64_t dealt = scale(place, chains, n);
    uint64_t first = scale_up(dealt, n, chains);
    uint64_t layer = 0;
    uint64_t long_layers = chains % a->layers;
    uint64_t short_size = chains / a->layers;
    if (dealt < long_layers * (short_size + 1))
        layer = dealt / (short_size + 1);
    else
        layer = long_layers + (dealt - long_layers * (short_size + 1)) / short_size;
    uint64_t size = layer_size(chains, a->layers, layer);
    uint64_t turn = scale(layer, size, a->layers) + a->jitter % size;
    uint64_t within = (dealt - layer_start(chains, a->layers, layer) + turn) % size;
    uint64_t row = within * a->layers + layer;
    const struct plan_library *u = utility_at(plan, class, row);
    struct run r = {.utility = u, .end = scale_up(dealt + 1, n, chains)};
    r.chain = chain_of_rank(plan, u, class, (uint32_t)(row - u->calls.first[class]));
    r.length = plan_chain_length(plan, u, r.chain);
    r.occurrence = (uint32_t)(place - first);
    return r;
}

/* A module's calls of one class, layer after layer: a walk over its runs. */
struct walk {
    const struct plan *plan;
    unsigned class;
    uint64_t begin, end; /* the module's calls, [begin, end) of all */
    uint64_t layer;
    uint64_t place, places_end; /* of this layer, in the dealt row */
    struct run run;
};

static struct walk walk_start(const struct plan *plan, const struct plan_library *m, unsigned class, uint64_t calls)
{
    return (struct walk){
        .plan = plan, .class = class, .begin = m->calls.first[class], .end = m->calls.first[class] + calls};
}

/* The first of the module's calls at or after `begin` that is in this layer. */
static uint64_t first_in_layer(const struct walk *w, uint64_t layer)
{
    uint64_t k = w->plan->assignment.layers;
    return w->begin + (layer + k - w->begin % k) % k;
}

/* Consecutive calls of one layer that meet one chain: the number of the first one among all calls, how many there are,
 * `layers` apart, and whether they go on in the run of the piece before. */
struct piece {
    uint64_t call;
    uint64_t count;
    bool goes_on;
};

static bool walk_next(struct walk *w, struct piece *piece)
{
    const struct assignment *a = &w->plan->assignment;
    while (w->place == w->places_end) {
        if (w->layer == a->layers)
            return false;
        uint64_t first = first_in_layer(w, w->layer);
        if (first < w->end) {
            uint64_t count = (w->end - first + a->layers - 1) / a->layers;
            w->place = layer_start(a->calls[w->class], a->layers, w->layer) + first / a->layers;
            w->places_end = w->place + count;
        }
        w->layer++;
    }
    /* Places only grow, and so do the chains that they meet. So if a module meets a chain again in a later layer, it is
     * the chain that it met last. */
    piece->goes_on = w->place < w->run.end;
    if (!piece->goes_on)
        w->run = run_at(w->plan, w->class, w->place);
    uint64_t layer = w->layer - 1;
    uint64_t start = layer_start(a->calls[w->class], a->layers, layer);
    piece->call = (w->place - start) * a->layers + layer;
    uint64_t end = w->run.end < w->places_end ? w->run.end : w->places_end;
    piece->count = end - w->place;
    w->place = end;
    return true;
}

/* Sets how many calls the module's functions of each class make. */
static void class_calls(const struct plan *plan, const struct plan_library *m, uint64_t calls[2])
{
    uint64_t covered = plan_covered_functions(plan, m);
    calls[1] = covered * plan->assignment.per_function;
    calls[0] = (m->functions - covered) * plan->assignment.per_function;
}

/* The function that the p-th call of a run calls: those of its chain in turn. */
static uint32_t run_function(const struct plan *plan, const struct run *r, uint64_t p)
{
    return r->chain * plan->depth + (uint32_t)((r->occurrence + p) % r->length);
}

static void count_name(const struct plan *plan, const struct plan_library *utility, uint32_t function,
                       struct names_tally *t)
{
    const struct names *names = &plan->names;
    t->names++;
    if (names->style == STYLE_ITANIUM)
        mangle_count(&t->mangled, utility, function);
    else
        t->bytes += names_length(names, (uint32_t)strlen(utility->name) + 4 + names_digits(function)) + UINT64_C(1);
}

/* Counts the names of the imports that the run's calls [first, last) add. */
static void count_names(const struct plan *plan, const struct run *r, uint64_t first, uint64_t last,
                        struct names_tally *t)
{
    for (uint64_t p = first; p < last; p++)
        count_name(plan, r->utility, run_function(plan, r, p), t);
}

struct calls_count calls_count(const struct plan *plan, const struct plan_library *m, uint32_t *seen,
                               struct names_tally *names)
{
    assert(!plan->assignment.random);
    struct calls_count count = {0};
    uint64_t calls[2];
    const uint32_t turn = ++seen[plan->utilities];
    class_calls(plan, m, calls);
    for (unsigned class = 0; class < 2; class ++) {
        if (!calls[class] || !plan->assignment.chains[class])
            continue;
        struct walk w = walk_start(plan, m, class, calls[class]);
        uint64_t in_run = 0;
        for (struct piece piece; walk_next(&w, &piece);) {
            if (!piece.goes_on)
                in_run = 0;
            const struct run *r = &w.run;
            if (in_run < r->length) {
                uint64_t until = in_run + piece.count < r->length ? in_run + piece.count : r->length;
                if (names)
                    count_names(plan, r, in_run, until, names);
                count.imports += (uint32_t)(until - in_run);
                in_run = until;
            }
            uint32_t *mark = &seen[r->utility->number];
            if (*mark != turn) {
                *mark = turn;
                count.utilities++;
                count.needed_digits += names_digits(r->utility->number);
            }
        }
    }
    return count;
}

/* The index in its module of the rank-th function of one class. */
static uint32_t function_of_rank(const struct plan *plan, const struct plan_library *m, unsigned class, uint64_t rank)
{
    uint32_t chain = chain_of_rank(plan, m, class, (uint32_t)(rank / plan->depth));
    return chain * plan->depth + (uint32_t)(rank % plan->depth);
}

/* --- random calls ------------------------------------------------------------ */

/* Where x of [0, n) goes in a shuffled row. A Feistel network of four rounds permutes the numbers of the least even
 * number of bits that holds n - 1. It is applied again and again until the result is below n. */
static uint64_t shuffled(uint64_t key, uint64_t n, uint64_t x)
{
    unsigned half = 1;
    while (half < 32 && (n - 1) >> (2 * half))
        half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = x >> half;
        uint64_t right = x & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (random_at(key + round, right) & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= n);
    return x;
}

/* The function that call `call` of all calls of a class goes to. */
static struct import random_target(const struct plan *plan, unsigned class, uint64_t call)
{
    const struct assignment *a = &plan->assignment;
    uint64_t n = a->calls[class];
    uint64_t chains = a->chains[class];
    uint64_t key = random_mix(plan->seed ^ (UINT64_C(0x73687566666c65) + class));
    uint64_t place = shuffled(key, n, call);
    uint64_t row = scale(place, chains, n);
    const struct plan_library *u = utility_at(plan, class, row);
    uint32_t chain = chain_of_rank(plan, u, class, (uint32_t)(row - u->calls.first[class]));
    uint64_t occurrence = place - scale_up(row, n, chains);
    return (struct import){plan_utility(plan, u->number),
                           chain * plan->depth + (uint32_t)(occurrence % plan_chain_length(plan, u, chain))};
}

/* Finds an import among those made so far: a hash table that is at least half empty. It holds numbers of imports, from
 * 1. */
struct import_table {
    uint32_t *number;
    uint64_t mask;
};

/* The number of an import, from 0. Adds the import if it is not in the table. */
static uint32_t import_number(struct calls *out, struct import_table *t, struct import i)
{
    uint64_t place = random_mix((uint64_t)i.library << 32 | i.function) & t->mask;
    for (uint32_t n; (n = t->number[place]); place = (place + 1) & t->mask)
        if (out->import[n - 1].library == i.library && out->import[n - 1].function == i.function)
            return n - 1;
    out->import[out->import_count++] = i;
    t->number[place] = out->import_count;
    return out->import_count - 1;
}

/* The utilities met so far: a hash table that is at least half empty. It holds library + 1. Its size follows from what
 * the module imports and not from the size of the set. */
struct met {
    uint32_t *library;
    uint64_t mask;
};

static bool met_start(struct met *met, const struct plan *plan, uint64_t imports, struct arena *arena)
{
    const uint64_t most = imports < plan->utilities ? imports : plan->utilities;
    uint64_t places = 2;
    while (places < 2 * most)
        places *= 2;
    *met = (struct met){arena_zeroed(arena, places, sizeof *met->library), places - 1};
    return met->library;
}

static void need(struct calls *out, const struct met *met, uint32_t library)
{
    uint64_t place = random_mix(library) & met->mask;
    for (; met->library[place]; place = (place + 1) & met->mask)
        if (met->library[place] == library + 1)
            return;
    met->library[place] = library + 1;
    out->needed[out->needed_count++] = library;
}

/* Makes random calls. All of out->target is CALLS_NONE before; the other arrays are allocated. */
static bool make_random(const struct plan *plan, const struct plan_library *m, const uint64_t calls[2],
                        struct arena *arena, const struct met *met, struct calls *out)
{
    uint32_t per = plan->assignment.per_function;
    uint64_t places = 2;
    while (places < 2 * (calls[0] + calls[1]))
        places *= 2;
    struct import_table table = {arena_zeroed(arena, places, sizeof *table.number), places - 1};
    if (!table.number)
        return false;
    for (unsigned class = 0; class < 2; class ++) {
        if (!plan->assignment.chains[class])
            continue;
        for (uint64_t local = 0; local < calls[class]; local++) {
            struct import i = random_target(plan, class, m->calls.first[class] + local);
            uint32_t function = function_of_rank(plan, m, class, local / per);
            out->target[(uint64_t)function * per + local % per] = import_number(out, &table, i);
            need(out, met, i.library);
        }
    }
    return true;
}

/* --- all calls --------------------------------------------------------------- */

static void make_neighbouring(const struct plan *plan, const struct plan_library *m, const uint64_t calls[2],
                              const struct met *met, struct calls *out)
{
    uint32_t per = plan->assignment.per_function;
    for (unsigned class = 0; class < 2; class ++) {
        if (!calls[class] || !plan->assignment.chains[class])
            continue;
        struct walk w = walk_start(plan, m, class, calls[class]);
        uint64_t in_run = 0;
        uint32_t run_base = 0;
        for (struct piece piece; walk_next(&w, &piece);) {
            const struct run *r = &w.run;
            if (!piece.goes_on) {
                in_run = 0;
                run_base = out->import_count;
            }
            uint64_t local = piece.call - w.begin;
            for (uint64_t i = 0; i < piece.count; i++, in_run++, local += plan->assignment.layers) {
                if (in_run < r->length) {
                    assert(out->import_count < m->imports);
                    out->import[out->import_count++] =
                        (struct import){plan_utility(plan, r->utility->number), run_function(plan, r, in_run)};
                }
                uint32_t function = function_of_rank(plan, m, class, local / per);
                out->target[(uint64_t)function * per + local % per] = run_base + (uint32_t)(in_run % r->length);
            }
            need(out, met, plan_utility(plan, r->utility->number));
        }
    }
}

/* Makes all of a module's calls. `imports` is an upper bound of its imports. */
static bool make(const struct plan *plan, const struct plan_library *m, uint64_t imports, struct arena *arena,
                 struct calls *out)
{
    uint64_t calls[2];
    class_calls(plan, m, calls);
    *out = (struct calls){.per_function = plan->assignment.per_function};
    uint64_t targets = calls[0] + calls[1];
    struct met met;
    out->needed = arena_take(arena, (plan->utilities + 1) * sizeof *out->needed);
    out->import = arena_take(arena, (imports + 1) * sizeof *out->import);
    out->target = arena_take(arena, (targets + 1) * sizeof *out->target);
    if (!met_start(&met, plan, imports, arena) || !out->needed || !out->import || !out->target)
        return false;
    memset(out->target, 0xff, targets * sizeof *out->target);
    if (!plan->assignment.random)
        make_neighbouring(plan, m, calls, &met, out);
    else if (!make_random(plan, m, calls, arena, &met, out))
        return false;
    if (plan->profile->calls.need_all)
        for (out->needed_count = 0; out->needed_count < plan->utilities; out->needed_count++)
            out->needed[out->needed_count] = plan_utility(plan, out->needed_count);
    return true;
}

bool calls_count_random(const struct plan *plan, const struct plan_library *m, struct arena *arena,
                        struct names_tally *names, struct calls_count *count)
{
    struct calls calls;
    arena_reset(arena);
    if (!make(plan, m, (uint64_t)m->functions * plan->assignment.per_function, arena, &calls))
        return false;
    for (uint32_t i = 0; i < calls.import_count; i++)
        count_name(plan, &plan->library[calls.import[i].library], calls.import[i].function, names);
    *count = (struct calls_count){.imports = calls.import_count, .utilities = calls.needed_count};
    for (uint32_t i = 0; i < calls.needed_count; i++)
        count->needed_digits += names_digits(plan->library[calls.needed[i]].number);
    return true;
}

bool calls_make(const struct plan *plan, const struct plan_library *m, struct arena *arena, struct calls *out)
{
    if (m->said)
        return calls_make_rows(plan, m, arena, out);
    if (!make(plan, m, m->imports, arena, out))
        return false;
    assert(out->import_count == m->imports);
    assert(out->needed_count == m->needs.utilities);
    return true;
}
