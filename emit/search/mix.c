/* Settles the mix of profiles without rows, by trying; see mix.h. */
#include "emit/search/mix.h"

#include <stdlib.h>
#include <string.h>

#include "base/shares.h"
#include "base/workers.h"
#include "emit/library/large.h"
#include "emit/search/mix_parts.h"

enum {
    ROUNDS_MOST = 24,
    BISECTIONS = 9,
    MARGIN_MOST = 256,
    RANGE_BYTES = 16 /* .debug_ranges is a multiple of this */
};

static const struct {
    enum debug_section section;
    const char *key;
} kinds[MIX_KINDS] = {
    [MIX_INFO] = {DEBUG_INFO, "info"},
    [MIX_ABBREV] = {DEBUG_ABBREV, "abbrev"},
    [MIX_LINE] = {DEBUG_LINE, "line"},
    [MIX_STR] = {DEBUG_STR, "str"},
    [MIX_LINE_STR] = {DEBUG_LINE_STR, "line_str"},
    [MIX_LOCLISTS] = {DEBUG_LISTS, "loclists"},
    [MIX_RNGLISTS] = {DEBUG_RANGES, "rnglists"},
};

/* How one library's size pass ended. */
struct trial {
    bool dirty, fits;
    enum debug_section failed; /* DEBUG_SECTION_COUNT: all of them together */
    uint64_t possible;
    uint64_t size[DEBUG_SECTION_COUNT]; /* of each section, as composed */
};

/* The sizes of one kind that a library can have, as far as known. */
struct bounds {
    uint64_t least, most;
};

struct settling {
    struct plan *plan;
    const struct stock *stock;
    struct builders *builders;
    struct trial *trial;   /* of each library */
    struct bounds *bounds; /* of each library and kind */
    uint64_t wanted[MIX_KINDS];
    bool given[MIX_KINDS];
    enum mix_kind wrong; /* after a failure: the kind that was in the way, or MIX_KINDS */
};

static uint64_t *share_at(const struct settling *s, uint32_t library, enum mix_kind kind)
{
    return &s->plan->mix[library].size[kinds[kind].section];
}

static struct bounds *bounds_at(const struct settling *s, uint32_t library, enum mix_kind kind)
{
    return &s->bounds[(size_t)library * MIX_KINDS + kind];
}

static uint64_t granule(const struct settling *s, enum mix_kind kind)
{
    return kind == MIX_RNGLISTS && dialect_is_4(s->stock->corpus.dialect) ? RANGE_BYTES : 1;
}

static uint64_t clamp(uint64_t value, const struct bounds *b)
{
    return value < b->least ? b->least : value > b->most ? b->most : value;
}

/* --- sharing ---------------------------------------------------------------------- */

/* Gives each library its share of a kind, within the library's bounds. Returns how many bytes are left over or, if
 * negative, missing. */
static int64_t share_kind(const struct settling *s, enum mix_kind kind)
{
    const struct plan *plan = s->plan;
    const uint64_t unit = granule(s, kind);
    struct shares units = {.sum = s->wanted[kind] / unit};
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        units.weights += plan->library[i].size[SIZE_DEBUG];
    int64_t rest = (int64_t)s->wanted[kind];
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        uint64_t natural = shares_next(&units, plan->library[i].size[SIZE_DEBUG]) * unit;
        uint64_t share = clamp(natural, bounds_at(s, i, kind));
        uint64_t *at = share_at(s, i, kind);
        s->trial[i].dirty |= *at != share;
        *at = share;
        rest -= (int64_t)share;
    }
    return rest;
}

/* How many libraries can have more of a kind, or less. */
static uint32_t with_room(const struct settling *s, enum mix_kind kind, bool more)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan_counted(s->plan); i++) {
        const struct bounds *b = bounds_at(s, i, kind);
        const uint64_t now = *share_at(s, i, kind);
        count += more ? now < b->most : now > b->least;
    }
    return count;
}

/* Shares the rest that the bounds left over (missing if negative) among libraries with room; returns what remains.
 * Each pass gives the same to each of them. Where that leaves something, one more library has no room left. */
static int64_t balance(const struct settling *s, enum mix_kind kind, int64_t rest)
{
    enum { LAST = 8 }; /* further passes for a rest that does not divide evenly */
    const int64_t unit = (int64_t)granule(s, kind);
    const uint32_t count = plan_counted(s->plan);
    for (unsigned pass = 0; pass < count + LAST && rest / unit != 0; pass++) {
        const uint32_t room = with_room(s, kind, rest > 0);
        int64_t each = room ? rest / unit / (int64_t)room : 0;
        each = (each ? each : rest > 0 ? 1 : -1) * unit;
        int64_t before = rest;
        for (uint32_t i = 0; i < count && rest / unit != 0; i++) {
            uint64_t *at = share_at(s, i, kind);
            int64_t now = (int64_t)*at + each;
            uint64_t then = clamp(now < 0 ? 0 : (uint64_t)now, bounds_at(s, i, kind));
            s->trial[i].dirty |= then != *at;
            rest -= (int64_t)then - (int64_t)*at;
            *at = then;
        }
        if (rest == before)
            break;
    }
    return rest;
}

/* Reports a total that cannot be shared out, and notes its kind in s->wrong. */
static bool out_of_reach(struct settling *s, enum mix_kind kind, struct error *e)
{
    s->wrong = kind;
    return error_set(e, ERROR_INFEASIBLE, "dwarf: mix: %s: %llu bytes cannot be shared out; change it, or leave it out",
                     kinds[kind].key, (unsigned long long)s->wanted[kind]);
}

static bool share_all(struct settling *s, struct error *e)
{
    for (enum mix_kind kind = 0; kind < MIX_KINDS; kind++) {
        if (!s->given[kind])
            continue;
        int64_t rest = balance(s, kind, share_kind(s, kind));
        if (rest)
            return out_of_reach(s, kind, e);
    }
    return true;
}

/* --- trying ------------------------------------------------------------------------- */

static bool try_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct settling *s = context;
    struct trial *t = &s->trial[index];
    struct builder *b = &s->builders->of[worker];
    if (!t->dirty)
        return true;
    struct error own = {0};
    t->fits = large_size(b, s->plan, s->stock, index, &own);
    t->dirty = false;
    const struct debug *d = &b->library.debug;
    memcpy(t->size, d->size, sizeof t->size);
    t->size[DEBUG_INFO] += d->size[DEBUG_TYPES]; /* MIX_INFO stands for both */
    t->failed = d->failed;
    t->possible = own.possible > 0 ? (uint64_t)own.possible : 0;
    if (t->fits || own.code == ERROR_INFEASIBLE)
        return true;
    if (e)
        *e = own;
    return false;
}

enum debug_section mix_section(enum mix_kind kind)
{
    return kinds[kind].section;
}

enum mix_kind mix_kind_of(enum debug_section section)
{
    for (enum mix_kind kind = 0; kind < MIX_KINDS; kind++)
        if (kinds[kind].section == section)
            return kind;
    return MIX_KINDS;
}

/* A kind that the profile leaves open. It takes the difference where .debug_info and .debug_str are both given. */
static enum mix_kind open_kind(const struct settling *s)
{
    static const enum mix_kind order[] = {MIX_LINE, MIX_LOCLISTS, MIX_RNGLISTS, MIX_ABBREV};
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
        if (!s->given[order[i]])
            return order[i];
    return MIX_KINDS;
}

/* Where the given sections do not add up to the library's debug information, lets a section that is not given take
 * the difference. False where no section can. */
static bool absorb(const struct settling *s, uint32_t index, int64_t missing)
{
    const struct trial *t = &s->trial[index];
    enum mix_kind open = open_kind(s);
    if (open == MIX_KINDS)
        return false;
    enum debug_section section = kinds[open].section;
    int64_t size = (int64_t)t->size[section] + missing;
    *share_at(s, index, open) = size > 0 ? (uint64_t)size : 0;
    s->trial[index].dirty = true;
    return size > 0;
}

/* Narrows the library's bounds, or its open section, after a failed trial. False where nothing can be done. */
static bool learn(const struct settling *s, uint32_t index)
{
    const struct trial *t = &s->trial[index];
    enum mix_kind kind = mix_kind_of(t->failed);
    if (kind == MIX_KINDS)
        return absorb(s, index, (int64_t)(s->plan->library[index].size[SIZE_DEBUG] - t->possible));
    if (!s->given[kind]) { /* absorb chose this size, and it is not possible */
        uint64_t *share = share_at(s, index, kind);
        if (*share == DEBUG_ANY)
            return false;
        *share = t->possible;
        return true;
    }
    const uint64_t wanted = *share_at(s, index, kind);
    struct bounds *b = bounds_at(s, index, kind);
    if (kind == MIX_INFO && s->given[MIX_STR] && t->possible != wanted)
        return absorb(s, index, (int64_t)(t->possible - wanted));
    /* the bound has a margin: the next trial composes slightly other sizes */
    const uint64_t unit = granule(s, kind);
    const bool is_composed = t->failed == DEBUG_LINE || t->failed == DEBUG_LISTS || t->failed == DEBUG_RANGES;
    const uint64_t little = t->possible / 64 < MARGIN_MOST ? t->possible / 64 : MARGIN_MOST;
    const uint64_t margin = is_composed ? (little + unit - 1) / unit * unit : 0;
    if (t->possible > wanted)
        b->least = t->possible + margin;
    else
        b->most = t->possible > margin ? t->possible - margin : 0;
    return b->least <= b->most;
}

static bool refuse_library(struct settling *s, uint32_t index, struct error *e)
{
    const struct trial *t = &s->trial[index];
    enum mix_kind kind = mix_kind_of(t->failed);
    if (kind != MIX_KINDS && s->given[kind])
        s->wrong = kind;
    return error_set(
        e, ERROR_INFEASIBLE,
        "dwarf: mix: these sizes do not go together: %s.so cannot have them (%s: nearest %llu bytes); leave "
        "some of them out, or change them",
        s->plan->library[index].name, kind == MIX_KINDS ? "all of its debug information" : kinds[kind].key,
        (unsigned long long)t->possible);
}

/* Settles all libraries from the beginning, for the totals that are now given. */
static bool settle(struct settling *s, struct error *e)
{
    const uint32_t count = plan_counted(s->plan);
    s->wrong = MIX_KINDS;
    for (uint32_t i = 0; i < s->plan->library_count; i++) {
        s->plan->mix[i] = (struct plan_mix){.is_settled = true};
        for (unsigned k = 0; k < DEBUG_SECTION_COUNT; k++)
            s->plan->mix[i].size[k] = DEBUG_ANY;
        for (unsigned k = 0; k < MIX_KINDS; k++)
            *bounds_at(s, i, k) = (struct bounds){0, UINT64_MAX};
        s->trial[i] = (struct trial){.dirty = true};
    }
    if (!share_all(s, e))
        return false;
    for (unsigned round = 0; round < ROUNDS_MOST; round++) {
        bool learnt = false;
        if (!workers_run(s->builders->count, count, try_library, s, e))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (s->trial[i].fits)
                continue;
            if (!learn(s, i))
                return refuse_library(s, i, e);
            s->trial[i].dirty = true;
            learnt = true;
        }
        if (!learnt)
            return true;
        if (!share_all(s, e))
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!s->trial[i].fits)
            return refuse_library(s, i, e);
    return true;
}

/* Bytes of a section over all libraries in the last trials. */
static uint64_t total_of(const struct settling *s, enum mix_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < plan_counted(s->plan); i++)
        sum += s->trial[i].size[kinds[kind].section];
    return sum;
}

/* Finds the nearest possible total of a kind, or nearly: bisects between the wanted total and what the kind takes
 * when it is left open. False where even that does not go with the other kinds. */
static bool nearest(struct settling *s, enum mix_kind kind, uint64_t *total)
{
    const uint64_t wanted = s->wanted[kind];
    const uint64_t unit = granule(s, kind);
    uint64_t wrong = wanted;
    s->given[kind] = false;
    bool found = settle(s, NULL);
    s->given[kind] = true;
    *total = s->wanted[kind] = total_of(s, kind) / unit * unit;
    found = found && settle(s, NULL);
    for (unsigned step = 0; found && step < BISECTIONS; step++) {
        s->wanted[kind] = (wrong / 2 + *total / 2) / unit * unit;
        if (settle(s, NULL))
            *total = s->wanted[kind];
        else
            wrong = s->wanted[kind];
    }
    s->wanted[kind] = wanted;
    return found;
}

/* Reports the nearest possible total of a kind; false where there is none, or where it is the wanted one. */
static bool refuse_total(struct settling *s, enum mix_kind kind, const char *beside, struct error *e)
{
    const uint64_t wanted = s->wanted[kind];
    uint64_t total;
    if (!nearest(s, kind, &total) || total == wanted)
        return false;
    error_set(e, ERROR_INFEASIBLE, "dwarf: mix: %s: %llu bytes are too %s for this code%s; the nearest is %llu",
              kinds[kind].key, (unsigned long long)wanted, wanted > total ? "many" : "few", beside,
              (unsigned long long)total);
    if (e) {
        e->wanted = (int64_t)wanted;
        e->possible = (int64_t)total;
    }
    return true;
}

/* Reports which total one section can have beside the others, first for the section in the way. If more than one is
 * wrong, reports what the section in the way can have alone. */
static void explain(struct settling *s, struct error *e)
{
    const enum mix_kind first = s->wrong;
    if (first != MIX_KINDS && refuse_total(s, first, " and the other sections", e))
        return;
    for (enum mix_kind kind = 0; kind < MIX_KINDS; kind++)
        if (s->given[kind] && kind != first && refuse_total(s, kind, " and the other sections", e))
            return;
    for (enum mix_kind kind = 0; kind < MIX_KINDS; kind++)
        s->given[kind] &= kind == first;
    if (first != MIX_KINDS)
        refuse_total(s, first, "", e);
}

static bool read_profile(struct settling *s, struct error *e)
{
    const struct profile *p = s->plan->profile;
    for (enum mix_kind kind = 0; kind < MIX_KINDS; kind++) {
        s->given[kind] = p->dwarf.mix[kind] != PROFILE_DERIVED;
        s->wanted[kind] = s->given[kind] ? (uint64_t)p->dwarf.mix[kind] : 0;
        uint64_t unit = granule(s, kind);
        if (s->wanted[kind] % unit)
            return error_set(
                e, ERROR_INFEASIBLE,
                "dwarf: mix: %s: %llu bytes are no multiple of %llu, as version 4 has them; the nearest is "
                "%llu",
                kinds[kind].key, (unsigned long long)s->wanted[kind], (unsigned long long)unit,
                (unsigned long long)(s->wanted[kind] / unit * unit));
    }
    return true;
}

bool mix_is_wanted(const struct profile *profile)
{
    return profile->rows || profile_has_mix(profile);
}

bool mix_settle(struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e)
{
    struct settling s = {.plan = plan, .stock = stock, .builders = builders};
    builders_forget(builders);
    if (plan->profile->rows || (stock->corpus.dialect.clang && !plan->without_debug))
        return mix_settle_rows(plan, stock, builders, e);
    if (!mix_is_wanted(plan->profile) || plan->without_debug)
        return true;
    if (!read_profile(&s, e))
        return false;
    plan->mix = malloc(plan->library_count * sizeof *plan->mix);
    s.trial = calloc(plan->library_count, sizeof *s.trial);
    s.bounds = malloc(plan->library_count * sizeof *s.bounds * MIX_KINDS);
    bool ok = plan->mix && s.trial && s.bounds;
    if (!ok)
        error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan->library_count);
    struct error own = {0};
    if (ok && !settle(&s, &own)) {
        if (e)
            *e = own;
        if (own.code == ERROR_INFEASIBLE)
            explain(&s, e);
        ok = false;
    }
    free(s.trial);
    free(s.bounds);
    return ok;
}

void mix_forget(struct plan *plan)
{
    free(plan->mix);
    free(plan->guides);
    plan->mix = NULL;
    plan->guides = NULL;
}
