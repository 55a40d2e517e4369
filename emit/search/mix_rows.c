/* Settles the debug sections of each library with a row: section by section, until the sizes that the row asks for
 * go together (mix_sections.c) and the library has as many entries as the row says (mix_told.c). What cannot be met
 * is listed as a difference from the row (differences.h).
 *
 * Libraries of one application are alike. So where there are many, some of them, the guides, are settled before any
 * library is made. A library whose row asks for nearly the same densities as a guide's begins its search where the
 * guide's ended. Each library's own search decides where it ends, on the one thread of one rank that makes the
 * library.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/workers.h"
#include "emit/library/describe.h"
#include "emit/library/indexed.h"
#include "emit/library/large.h"
#include "emit/search/mix.h"
#include "emit/search/mix_indexed.h"
#include "emit/search/mix_rows_parts.h"

enum {
    GUIDES_STEP = 8,   /* one library in so many is a guide, and one guide in so many goes first, */
    GUIDED_LEAST = 64, /* where there are at least so many libraries */
};

/* A mix that asks for nothing. */
static struct plan_mix mix_open(void)
{
    struct plan_mix mix = {
        .rows_part = DESCRIBE_ROWS_ANY, .expression = DESCRIBE_EXPRESSION_LEAST, .told = DESCRIBE_TOLD_ALL};
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        mix.size[i] = DEBUG_ANY;
    return mix;
}

/* Puts the sizes that the row states for debug sections into the mix; whether it states any. */
static bool ask(const struct plan *plan, uint32_t index, struct plan_mix *mix)
{
    const struct plan_library *const l = &plan->library[index];
    bool any = false;
    if (!l->said)
        return false;
    for (enum mix_kind kind = 0; kind < MIX_KINDS && !l->debug.none && !l->debug.hollow; kind++) {
        const int64_t wanted = profile_row_says(plan->profile, l->said, ROW_MIX_INFO + kind);
        const bool known = kind != MIX_LINE_STR || l->debug.version != 4;
        if (wanted == PROFILE_DERIVED || !known)
            continue;
        mix->size[mix_section(kind)] = (uint64_t)wanted;
        any = true;
    }
    if (any && l->debug.units && l->said->value[ROW_MIX_ARANGES] > 0)
        mix->size[DEBUG_ARANGES] = (uint64_t)l->said->value[ROW_MIX_ARANGES];
    return any;
}

struct plan_mix mix_asked(const struct plan *plan, uint32_t index)
{
    struct plan_mix mix = mix_open();
    (void)ask(plan, index, &mix);
    return mix;
}

/* Whether entries have room with the present mix, and as much told of functions as was best otherwise. */
static bool helps(const struct settling *s, const struct settled *best, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    struct settling again = *s;
    struct settled now;
    again.only_room = true;
    s->mix->letters = best->mix.letters;
    s->mix->told = best->mix.told;
    s->mix->besides = best->mix.besides;
    const bool fits = mix_settle_sections(&again, &now, own);
    *s->mix = asked;
    return fits && mix_has_room(now.mix.expression);
}

/* Settles the library. At first code is dealt out to units as unevenly as the units' sizes are to be. Large units
 * have offsets of more bytes, so the wanted number of entries may then fit only in a few lists, with the shortest
 * expressions. In this case less uneven code is tried, and taken if it helps. */
static bool settle_units(const struct settling *s, struct settled *best, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    const bool is_uneven = !s->builder->is_normal && mix_wanted(s, ROW_DWARF_UNEVEN, DEBUG_INFO) > UNEVEN_ONE &&
                           mix_wanted(s, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    if (!mix_settle_told(s, best, own))
        return false;
    bool is_well = !is_uneven || mix_has_room(best->mix.expression);
    for (uint32_t even = 1; !is_well && even < PLAN_EVEN_STEPS; even++) {
        struct settled other;
        *s->mix = asked;
        s->mix->even = (uint8_t)even;
        is_well = helps(s, best, own) && mix_settle_told(s, &other, own) && mix_has_room(other.mix.expression);
        if (is_well)
            *best = other;
        else if (own->code && own->code != ERROR_INFEASIBLE)
            return false;
    }
    *s->mix = best->mix;
    return true;
}

/* How the library was settled with another stock; NULL where that is not followed. */
static struct mix_before *before_of(const struct settling *s)
{
    return s->plan->before && s->index < plan_counted(s->plan) ? &s->plan->before[s->index] : NULL;
}

/* Settles the library in full, beginning with how it was settled with another stock. */
static bool settle_after(const struct settling *s, const struct mix_before *before, struct settled *best,
                         struct error *own)
{
    struct settling guided = *s;
    if (before->is_settled) {
        guided.start = &before->settled.end;
        guided.guide = &before->settled;
    }
    return settle_units(&guided, best, own);
}

/* Keeps how the library was settled nearly as before: how much is told of it or, after another scale, all. */
static void keep(const struct settling *s, struct mix_before *before, const struct settled *now)
{
    if (mix_is_scaled(s, before))
        before->settled = *now;
    before->settled.mix.told = now->mix.told;
    before->scale = s->plan->library[s->index].said->scale;
}

/* Settles the library nearly as before or, where it was not settled before or that does not go, in full. */
static bool settle_somehow(const struct settling *s, struct settled *best, struct error *own)
{
    struct mix_before *const before = before_of(s);
    if (before && s->plan->is_final)
        return settle_after(s, before, best, own);
    if (before && before->is_open && !mix_is_scaled(s, before))
        return error_set(own, ERROR_INFEASIBLE, "sizes of debug sections do not go together");
    if (before && before->is_settled) {
        const struct plan_mix asked = *s->mix;
        if (mix_settle_as_before(s, before, best, own)) {
            keep(s, before, best);
            return true;
        }
        if (own->code != ERROR_INFEASIBLE)
            return false;
        *s->mix = asked;
    }
    const bool ok = settle_units(s, best, own);
    if (before && ok)
        before->settled = *best;
    if (before) {
        before->scale = s->plan->library[s->index].said->scale;
        before->is_settled = ok;
        before->is_open = !ok && !s->builder->is_normal;
    }
    return ok;
}

/* Settles what the mix asks for; if that does not go together, leaves all sections open. */
static bool settle_asked(const struct settling *s, bool any, struct error *e)
{
    struct plan_mix *mix = s->mix;
    struct settled settled;
    struct error own = {0};
    if (any && !settle_somehow(s, &settled, &own)) {
        if (own.code != ERROR_INFEASIBLE) {
            if (e)
                *e = own;
            return false;
        }
        any = false;
    }
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT && !any; i++)
        mix->size[i] = DEBUG_ANY;
    if (any)
        mix_leave_guide(s, &settled.end);
    return true;
}

/* The `settle` of struct mix_indexed. */
static bool settle_in_normal_form(const void *settling, bool any, struct error *e)
{
    return settle_asked(settling, any, e);
}

static bool settle_library(const struct settling *s, struct error *e)
{
    const struct mix_indexed indexed = {s->plan, s->stock, s->builder, s->index, settle_in_normal_form, s};
    const bool is_indexed =
        indexed_row_is(stock_of(s->stock, &s->plan->library[s->index]), &s->plan->library[s->index]);
    s->mix->is_settled =
        is_indexed ? mix_settle_indexed(&indexed, e) : settle_asked(s, ask(s->plan, s->index, s->mix), e);
    return s->mix->is_settled;
}

/* --- when a library is made --------------------------------------------------------- */

bool mix_settle_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                        struct error *e)
{
    struct large *const large = b->large;
    const bool only_sizes = b->only_sizes;
    assert(!b->joined);
    b->loaded.row = NULL;
    if (!plan->mix || plan->mix[index].is_settled)
        return true;
    struct mix_tries tries;
    tries.count = 0; /* no try is read before it is made */
    const struct settling settling = {
        .plan = plan, .stock = stock, .builder = b, .index = index, .mix = &plan->mix[index], .tries = &tries};
    const bool ok = settle_library(&settling, e);
    b->large = large;
    b->only_sizes = only_sizes;
    return ok;
}

bool mix_size_settled(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                      struct error *e)
{
    if (b->loaded.row != &plan->library[index] || b->large)
        return library_size(b, plan, stock, index, e);
    b->loaded.only_sizes = b->only_sizes;
    return library_size_again(b, e);
}

/* Sets `e` to why a library whose mix is settled cannot be sized. */
static bool size_failed(const struct plan *plan, uint32_t index, const struct error *own, struct error *e)
{
    if (own->code == ERROR_INFEASIBLE && plan->is_found)
        return error_set(e, ERROR_INPUT, "settled: %s cannot be made so: %.300s; remove 'settled' from the profile",
                         plan->library[index].name, own->text);
    if (e)
        *e = *own;
    return false;
}

bool mix_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e)
{
    struct error own = {0};
    return mix_settle_library(b, plan, stock, index, e) &&
           (mix_size_settled(b, plan, stock, index, &own) || size_failed(plan, index, &own, e));
}

bool mix_size_only(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                   struct error *e)
{
    struct error own = {0};
    return mix_settle_library(b, plan, stock, index, e) &&
           (large_size_again(b, plan, stock, index, &own) || size_failed(plan, index, &own, e));
}

/* --- before any library is made ----------------------------------------------------- */

/* Context of the threads that settle guides. */
struct guiding {
    const struct plan *plan;
    const struct stock *stock;
    struct builders *builders;
    uint32_t step; /* every so many guides */
};

/* Settles a guide, unless it is settled already. */
static bool settle_guide(void *context, unsigned worker, uint32_t number, struct error *e)
{
    const struct guiding *g = context;
    const uint32_t index = number * g->step * g->plan->guides->step;
    return mix_settle_library(&g->builders->of[worker], g->plan, g->stock, index, e);
}

/* Settles the guides before all others, and some of them before the rest, so that where a library's search begins does
 * not depend on the number of threads. */
static bool settle_guides(struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e)
{
    struct mix_guides *const g = plan->guides;
    struct guiding guiding = {plan, stock, builders, GUIDES_STEP};
    const uint32_t count = plan_counted(plan);
    if (count >= GUIDED_LEAST) {
        g->count = count / GUIDES_STEP < MIX_GUIDES_MOST ? count / GUIDES_STEP : MIX_GUIDES_MOST;
        g->step = count / g->count;
    }
    bool ok = workers_run(builders->count, (g->count + GUIDES_STEP - 1) / GUIDES_STEP, settle_guide, &guiding, e);
    g->settled = guiding.step;
    guiding.step = 1;
    ok = ok && workers_run(builders->count, g->count, settle_guide, &guiding, e);
    g->settled = 1;
    return ok;
}

static uint64_t average_dies(const struct plan *plan)
{
    uint64_t sum = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct profile_row *const said = plan->library[i].said;
        const int64_t dies = said ? said->value[ROW_DWARF_DIES] : 0;
        sum += dies > 0 ? (uint64_t)dies : 0;
        count += dies > 0;
    }
    return count ? sum / count : 0;
}

bool mix_settle_rows(struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e)
{
    bool any = stock->corpus.dialect.clang;
    for (uint32_t i = 0; i < plan_counted(plan) && !any; i++)
        for (enum mix_kind kind = 0; kind < MIX_KINDS; kind++)
            any |= plan->library[i].said->value[ROW_MIX_INFO + kind] != PROFILE_DERIVED;
    if (!any)
        return true;
    plan->mix = malloc(plan->library_count * sizeof *plan->mix);
    plan->guides = calloc(1, sizeof *plan->guides);
    if (!plan->mix || !plan->guides)
        return error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan->library_count);
    for (uint32_t i = 0; i < plan->library_count; i++) {
        const bool is_indexed = indexed_row_is(stock_of(stock, &plan->library[i]), &plan->library[i]);
        if (is_indexed && !mix_indexed_check(&plan->library[i], e))
            return false;
        plan->mix[i] = mix_open();
        plan->mix[i].is_settled = i >= plan_counted(plan) && !is_indexed;
    }
    plan->guides->average = average_dies(plan);
    return plan->is_found || settle_guides(plan, stock, builders, e);
}

struct mix_before *mix_before_none(const struct profile *profile)
{
    return calloc((size_t)(profile->modules + profile->utilities), sizeof(struct mix_before));
}
