/* Tries of a library's rows and entries; see mix_tries.h. */
#include "emit/search/mix_tries.h"

#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "emit/library/describe.h"
#include "emit/library/large.h"

enum {
    ROWS_STEPS = 64, /* rows_part has so many steps */
    NEAR_LEAST = 1,
    NEAR_ONE = 1 << 16 /* a near of the whole wanted number */
};

uint64_t mix_wanted(const struct settling *s, enum row_value value, enum debug_section section)
{
    const int64_t said = s->plan->library[s->index].said->value[value];
    return said > 0 && s->mix->size[section] != DEBUG_ANY ? (uint64_t)said : 0;
}

/* Whether two mixes ask for the same. */
static bool is_same(const struct plan_mix *a, const struct plan_mix *b)
{
    return a->rows_part == b->rows_part && a->expression == b->expression && a->letters == b->letters &&
           a->told == b->told && a->besides == b->besides && a->normal == b->normal && a->even == b->even &&
           memcmp(a->size, b->size, sizeof a->size) == 0;
}

/* The try with a mix; NULL if there is none. */
static const struct mix_tried *find_try(const struct mix_tries *t, const struct plan_mix *mix)
{
    const uint32_t kept = t->count < MIX_TRIES_KEPT ? t->count : MIX_TRIES_KEPT;
    for (uint32_t i = 0; i < kept; i++) {
        const struct mix_tried *const tried = &t->tried[(t->count - 1 - i) % MIX_TRIES_KEPT];
        if (is_same(&tried->mix, mix) && (!tried->code || tried->code == ERROR_INFEASIBLE))
            return tried;
    }
    return NULL;
}

const struct mix_tried *mix_try(const struct settling *s, struct error *own)
{
    struct mix_tries *const t = s->tries;
    const struct mix_tried *const known = find_try(t, s->mix);
    struct error e = {0};
    if (known && known->code)
        error_set(own, known->code, "sizes of debug sections do not go together");
    if (known)
        return known;
    const bool fits = large_size_again(s->builder, s->plan, s->stock, s->index, &e);
    const struct composed *const c = &s->builder->composed;
    const struct debug *const d = &s->builder->library.debug;
    struct mix_tried *const tried = &t->tried[t->count++ % MIX_TRIES_KEPT];
    *tried = (struct mix_tried){.mix = *s->mix,
                                .code = fits ? ERROR_NONE : e.code,
                                .failed = d->failed,
                                .possible = e.possible > 0 ? (uint64_t)e.possible : 0,
                                .entries = c->entries,
                                .rows = c->rows,
                                .dies = d->dies,
                                .defined = c->defined};
    memcpy(tried->size, d->size, sizeof tried->size);
    if (!fits && own)
        *own = e;
    return tried;
}

/* --- searching ------------------------------------------------------------------ */

/* A search over whole numbers for the two neighbours between which the count changes from too many to too few. */
struct search {
    int32_t least, most;      /* exclusive bounds: never tried themselves */
    int32_t low, high;        /* the nearest places tried on each side, or least and most */
    int32_t from;             /* where the search begins; from there it goes on by steps that double, or further */
    int32_t step;             /* the next such step; 0: the search only goes on between low and high */
    uint64_t of_low, of_high; /* the counts at low and high; UINT64_MAX: too many to fit */
    int32_t before;           /* the place that low or high (whichever was set last) had before */
    uint64_t of_before;       /* UINT64_MAX: unknown */
    uint64_t wanted;
    bool halve; /* the next place is the middle between low and high */
};

static bool search_goes_on(const struct search *s)
{
    return s->high - s->low > 1;
}

/* Whether both neighbours were tried and both can be sized. A place that cannot be sized is always the lower one. */
static bool search_is_between(const struct search *s)
{
    return s->low != s->least && s->high != s->most && s->of_low != UINT64_MAX;
}

/* The next place between low and high: in turns, the place where a straight line through their counts has the wanted
 * number, and the middle. Where the counts are far from a line, this takes no longer than halving alone. */
static int32_t search_between(struct search *s)
{
    const int32_t middle = s->low + (s->high - s->low) / 2;
    const uint64_t whole = apart(s->of_low, s->of_high);
    const uint64_t part = apart(s->of_low, s->wanted);
    if (!search_is_between(s) || part >= whole)
        return middle;
    s->halve = !s->halve;
    if (!s->halve)
        return middle;
    const int32_t at = s->low + (int32_t)((uint64_t)(s->high - s->low) * part / whole);
    return at <= s->low ? s->low + 1 : at;
}

/* How far to go from `last`, the nearest place on its side, to reach the other side: the distance that a straight
 * line through the last two places says, and half of that on top. At most as far as `edge`, and that far where the
 * last step came no nearer. 0: unknown. */
static int32_t search_reach(const struct search *s, int32_t last, uint64_t of_last, int32_t edge)
{
    const uint64_t most = (uint64_t)abs(last - edge);
    const uint64_t off = apart(of_last, s->wanted);
    const uint64_t before = apart(s->of_before, s->wanted);
    const uint64_t moved = (uint64_t)abs(last - s->before);
    if (s->of_before == UINT64_MAX || of_last == UINT64_MAX)
        return 0;
    if (before <= off || off > (before - off) * most)
        return (int32_t)most;
    const uint64_t reach = off * moved * 3 / (2 * (before - off)) + 1;
    return (int32_t)(reach < most ? reach : most);
}

static int32_t search_next(struct search *s)
{
    const int32_t step = s->step;
    s->step *= 2;
    if (step && s->low == s->least) {
        const int32_t reached = s->high - search_reach(s, s->high, s->of_high, s->least + 1);
        const int32_t at = s->from - step < reached ? s->from - step : reached;
        return at > s->low ? at : s->low + 1;
    }
    if (step && s->high == s->most) {
        const int32_t reached = s->low + search_reach(s, s->low, s->of_low, s->most - 1);
        const int32_t at = s->from + step > reached ? s->from + step : reached;
        return at < s->high ? at : s->high - 1;
    }
    return search_between(s);
}

/* Notes a place with its count as the new low (`below`) or high. */
static void search_note(struct search *s, bool below, int32_t at, uint64_t count)
{
    int32_t *const side = below ? &s->low : &s->high;
    uint64_t *const of = below ? &s->of_low : &s->of_high;
    s->before = *side;
    s->of_before = *side == (below ? s->least : s->most) ? UINT64_MAX : *of;
    *side = at;
    *of = count;
}

int32_t mix_rows_part(int32_t step)
{
    return step * DESCRIBE_ROWS_MOST / ROWS_STEPS;
}

/* Whether no other place can be nearer to the wanted number than one with this count. */
static bool is_near(const struct mix_place *p, uint64_t count, uint64_t wanted)
{
    return apart(count, wanted) * NEAR_ONE < p->near * wanted;
}

/* How many places the first step goes, from a place whose count is not near: one at least. */
static int32_t first_step(const struct mix_place *p, uint64_t count, uint64_t wanted)
{
    enum { MOST = 1 << 10 };
    const uint64_t steps = p->near ? (apart(count, wanted) * NEAR_ONE / wanted + p->near) / (2 * (uint64_t)p->near) : 1;
    return steps < MOST ? (int32_t)steps : MOST;
}

/* The `near` of the place where the search has ended. */
static uint32_t search_near(const struct search *s, uint64_t wanted)
{
    const bool known = search_is_between(s) && !search_goes_on(s);
    const uint64_t near = known ? apart(s->of_low, s->of_high) * NEAR_ONE / 2 / wanted : 0;
    return near < NEAR_ONE ? (uint32_t)near : NEAR_ONE;
}

struct mix_place mix_settle_lines(const struct settling *s, struct mix_place from)
{
    struct plan_mix *const mix = s->mix;
    const uint64_t wanted = mix_wanted(s, ROW_DWARF_ROWS, DEBUG_LINE);
    const struct mix_tried *now = wanted ? mix_try(s, NULL) : NULL;
    if (!now || now->code)
        return from;
    struct search search = {
        .most = ROWS_STEPS, .high = ROWS_STEPS, .from = from.at, .of_before = UINT64_MAX, .wanted = wanted};
    search.step = from.at ? first_step(&from, now->rows, wanted) : 0;
    uint64_t nearest = now->rows;
    int32_t best = from.at;
    int32_t at = from.at;
    /* The search goes on until the number is exact, not only near: a profile captured from this library asks for the
     * number that comes out here, and has to get it again. */
    for (;;) {
        if (!now->code && is_near(&from, now->rows, wanted))
            return (struct mix_place){at, from.near};
        if (!now->code && apart(now->rows, wanted) < apart(nearest, wanted)) {
            nearest = now->rows;
            best = at;
        }
        if (at)
            search_note(&search, now->code || now->rows <= wanted, at, !now->code ? now->rows : UINT64_MAX);
        if (nearest == wanted || !search_goes_on(&search))
            break;
        at = search_next(&search);
        mix->rows_part = mix_rows_part(at);
        now = mix_try(s, NULL);
    }
    mix->rows_part = best ? mix_rows_part(best) : DESCRIBE_ROWS_ANY;
    return (struct mix_place){best, search_near(&search, wanted)};
}

bool mix_has_room(int32_t expression)
{
    return expression >= DESCRIBE_EXPRESSION_LEAST;
}

struct mix_place mix_settle_entries(const struct settling *s, struct mix_place from)
{
    enum { LEAST = DESCRIBE_EXPRESSION_LEAST - DESCRIBE_EXPRESSION_PARTS - 1, MOST = DESCRIBE_EXPRESSION_MOST + 1 };
    struct plan_mix *const mix = s->mix;
    const uint64_t wanted = mix_wanted(s, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    if (!wanted)
        return from;
    struct search search = {.least = LEAST,
                            .most = MOST,
                            .low = LEAST,
                            .high = MOST,
                            .from = from.at,
                            .step = 1,
                            .of_low = UINT64_MAX,
                            .of_before = UINT64_MAX,
                            .wanted = wanted};
    int32_t sized_best = from.at; /* the best place that can be sized; the first place can be */
    uint64_t nearest = UINT64_MAX;
    for (;;) {
        const struct mix_tried *const now = mix_try(s, NULL);
        const uint64_t entries = !now->code ? now->entries : UINT64_MAX;
        if (!now->code && is_near(&from, entries, wanted))
            return (struct mix_place){mix->expression, from.near};
        if (entries == wanted)
            return (struct mix_place){mix->expression, NEAR_LEAST};
        if (!now->code && mix->expression == from.at)
            search.step = first_step(&from, entries, wanted);
        if (!now->code && apart(entries, wanted) < nearest) {
            nearest = apart(entries, wanted);
            sized_best = mix->expression;
        }
        search_note(&search, entries > wanted, mix->expression, entries); /* longer expressions mean fewer entries */
        if (!search_goes_on(&search) || (s->only_room && !mix_has_room(search.high)))
            break;
        mix->expression = search_next(&search);
    }
    mix->expression = search.high == MOST                                ? sized_best
                      : search.of_low - wanted < wanted - search.of_high ? search.low
                                                                         : search.high;
    return (struct mix_place){mix->expression, search_near(&search, wanted)};
}
