/* Tries of a library's rows and entries; see mix_tries.h. */
#include "emit/mix_tries.h"

#include <assert.h>

#include "emit/describe.h"
#include "emit/large.h"

enum {
    ROWS_STEPS = 64,   /* parts of rows that are told short, of which one is chosen */
    NEAR_ONE = 1 << 16 /* the whole number */
};

uint64_t mix_wanted(const struct plan *plan, uint32_t index, enum row_value value, enum debug_section section)
{
    const int64_t said = plan->library[index].said->value[value];
    return said > 0 && plan->mix[index].size[section] != DEBUG_ANY ? (uint64_t)said : 0;
}

static const struct mix_tried *note_try(struct mix_tries *t, bool fits)
{
    const struct plan_mix *const mix = &t->plan->mix[t->index];
    const struct composed *const c = &t->builder->composed;
    assert(t->count < MIX_TRIES_MOST);
    t->tried[t->count] = (struct mix_tried){
        mix->rows_part, mix->expression, fits, c->entries, c->rows, t->builder->library.debug.dies, c->defined};
    return &t->tried[t->count++];
}

void mix_note(struct mix_tries *t)
{
    note_try(t, true);
}

const struct mix_tried *mix_now(const struct mix_tries *t)
{
    const struct plan_mix *const mix = &t->plan->mix[t->index];
    for (uint32_t i = 0; i < t->count; i++)
        if (t->tried[i].rows_part == mix->rows_part && t->tried[i].expression == mix->expression)
            return &t->tried[i];
    return NULL;
}

/* With the mix as it is now; never twice with the same. */
static const struct mix_tried *try_mix(struct mix_tries *t)
{
    struct error own = {0};
    const struct mix_tried *const known = mix_now(t);
    return known ? known : note_try(t, large_size_again(t->builder, t->plan, t->stock, t->index, &own));
}

/* --- searching ------------------------------------------------------------------ */

/* For the place between two neighbouring numbers where too many become too few. */
struct search {
    int32_t least, most;      /* not to be tried */
    int32_t low, high;        /* the nearest that are known, or least and most */
    int32_t from;             /* where it begins: steps of 1, 2, 4, ... from there, or the middle */
    int32_t step;             /* the next; 0: by halves */
    uint64_t of_low, of_high; /* how many there are */
};

static bool search_goes_on(const struct search *s)
{
    return s->high - s->low > 1;
}

static int32_t search_next(struct search *s)
{
    const int32_t step = s->step;
    s->step *= 2;
    if (step && s->low == s->least)
        return s->from - step > s->low ? s->from - step : s->low + 1;
    if (step && s->high == s->most)
        return s->from + step < s->high ? s->from + step : s->high - 1;
    return s->low + (s->high - s->low) / 2;
}

/* `count` of them at this place, which is to be below where it ends, or above. */
static void search_note(struct search *s, bool below, int32_t at, uint64_t count)
{
    *(below ? &s->low : &s->high) = at;
    *(below ? &s->of_low : &s->of_high) = count;
}

int32_t mix_rows_part(int32_t step)
{
    return step * DESCRIBE_ROWS_MOST / ROWS_STEPS;
}

/* Whether no other place is nearer to what is wanted than this one, where there are so many. */
static bool is_near(const struct mix_place *p, uint64_t count, uint64_t wanted)
{
    return mix_distance(count, wanted) * NEAR_ONE < p->near * wanted;
}

/* How many places to go on at first from one that is not near: one at least. */
static int32_t first_step(const struct mix_place *p, uint64_t count, uint64_t wanted)
{
    enum { MOST = 1 << 10 };
    const uint64_t steps =
        p->near ? (mix_distance(count, wanted) * NEAR_ONE / wanted + p->near) / (2 * (uint64_t)p->near) : 1;
    return steps < MOST ? (int32_t)steps : MOST;
}

/* Of the place where the search has ended. */
static uint32_t search_near(const struct search *s, uint64_t wanted)
{
    const bool known = s->low != s->least && s->high != s->most && s->of_low != UINT64_MAX && !search_goes_on(s);
    const uint64_t near = known ? mix_distance(s->of_low, s->of_high) * NEAR_ONE / 2 / wanted : 0;
    return near < NEAR_ONE ? (uint32_t)near : NEAR_ONE;
}

struct mix_place mix_settle_lines(struct mix_tries *t, struct mix_place from)
{
    struct plan_mix *mix = &t->plan->mix[t->index];
    const uint64_t wanted = mix_wanted(t->plan, t->index, ROW_DWARF_ROWS, DEBUG_LINE);
    const struct mix_tried *now = wanted ? try_mix(t) : NULL;
    if (!now || !now->fits)
        return from;
    struct search s = {.most = ROWS_STEPS, .high = ROWS_STEPS, .from = from.at};
    s.step = from.at ? first_step(&from, now->rows, wanted) : 0;
    uint64_t nearest = now->rows;
    int32_t best = from.at;
    int32_t at = from.at;
    /* Until it is right, not only near: what came out here is to come out again where it is asked for. */
    for (;;) {
        if (now->fits && is_near(&from, now->rows, wanted))
            return (struct mix_place){at, from.near};
        if (now->fits && mix_distance(now->rows, wanted) < mix_distance(nearest, wanted)) {
            nearest = now->rows;
            best = at;
        }
        if (at)
            search_note(&s, !now->fits || now->rows <= wanted, at, now->fits ? now->rows : UINT64_MAX);
        if (nearest == wanted || !search_goes_on(&s))
            break;
        at = search_next(&s);
        mix->rows_part = mix_rows_part(at);
        now = try_mix(t);
    }
    mix->rows_part = best ? mix_rows_part(best) : DESCRIBE_ROWS_ANY;
    return (struct mix_place){best, search_near(&s, wanted)};
}

struct mix_place mix_settle_entries(struct mix_tries *t, struct mix_place from)
{
    enum { LEAST = DESCRIBE_EXPRESSION_LEAST - DESCRIBE_EXPRESSION_PARTS - 1, MOST = DESCRIBE_EXPRESSION_MOST + 1 };
    struct plan_mix *mix = &t->plan->mix[t->index];
    const uint64_t wanted = mix_wanted(t->plan, t->index, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    if (!wanted)
        return from;
    struct search s = {LEAST, MOST, LEAST, MOST, from.at, 1, UINT64_MAX, 0};
    int32_t sized_best = from.at; /* of those that can be sized, as where it begins can */
    uint64_t nearest = UINT64_MAX;
    for (;;) {
        const struct mix_tried *const now = try_mix(t);
        const uint64_t entries = now->fits ? now->entries : UINT64_MAX;
        if (now->fits && is_near(&from, entries, wanted))
            return (struct mix_place){mix->expression, from.near};
        if (now->fits && mix->expression == from.at)
            s.step = first_step(&from, entries, wanted);
        if (now->fits && mix_distance(entries, wanted) < nearest) {
            nearest = mix_distance(entries, wanted);
            sized_best = mix->expression;
        }
        search_note(&s, entries > wanted, mix->expression, entries); /* longer expressions are fewer */
        if (!search_goes_on(&s))
            break;
        mix->expression = search_next(&s);
    }
    mix->expression = s.high == MOST ? sized_best : s.of_low - wanted < wanted - s.of_high ? s.low : s.high;
    return (struct mix_place){mix->expression, search_near(&s, wanted)};
}
