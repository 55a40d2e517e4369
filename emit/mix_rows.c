/* The debug sections of each library with a row: tried one by one until what is asked for
 * goes together. What does not is brought to the nearest that does, or left open, and then
 * differs from the row (differences.h).
 *
 * Libraries of one application are alike: of many, some go first, and where these ended the others that
 * say nearly as much in as many bytes begin. Where they end is decided by themselves.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/describe.h"
#include "emit/large.h"
#include "emit/mix_parts.h"

enum {
    TRIES_MOST = 40,
    ROUNDS_MOST = 4,
    NEARER_MOST = 3,
    MARGIN_MOST = 256,
    TRIED_MOST = 80,
    ROWS_STEPS = 64,     /* parts of rows that are told short, of which one is chosen */
    GUIDES_STEP = 8,     /* of so many libraries one goes first, */
    GUIDES_MOST = 256,   /* of these at most, */
    GUIDED_LEAST = 64,   /* where there are as many libraries */
    GUIDE_NEAR = 16,     /* apart by less than this part of it */
    DENSITY_ONE = 1 << 8 /* a byte for each */
};

/* What a row wants of a section's contents, and where its library ended. */
struct guide {
    uint64_t density; /* bytes of the section for each; 0: it wants none */
    int32_t end;
};

struct rows {
    struct plan *plan;
    const struct stock *stock;
    struct builder *builders; /* of each thread */
    uint32_t guides, step;    /* so many, every so many libraries */
    bool are_settled;         /* guides are */
    struct guide rows[GUIDES_MOST], entries[GUIDES_MOST];
};

/* What one library asks for still. */
struct asked {
    uint64_t *size; /* in plan->mix */
    unsigned nearer[MIX_KINDS];
};

/* Gives up the sections in this order where the sum is wrong: entries first, which can take
 * what others leave. */
static bool leave_one_open(struct asked *a)
{
    static const enum mix_kind order[] = {MIX_INFO,     MIX_STR,    MIX_LINE,    MIX_LOCLISTS,
                                          MIX_RNGLISTS, MIX_ABBREV, MIX_LINE_STR};
    for (unsigned i = 0; i < MIX_KINDS; i++) {
        uint64_t *size = &a->size[mix_section(order[i])];
        if (*size == DEBUG_ANY)
            continue;
        *size = DEBUG_ANY;
        return true;
    }
    return false;
}

/* After a try that failed at `section`, where `possible` bytes would do; false where there is
 * nothing left to give up. */
static bool relent(struct asked *a, enum debug_section section, uint64_t possible)
{
    const enum mix_kind kind = mix_kind_of(section);
    if (section == DEBUG_ARANGES && a->size[section] != DEBUG_ANY) {
        a->size[section] = DEBUG_ANY;
        return true;
    }
    if (kind == MIX_KINDS || kind == MIX_INFO || a->size[section] == DEBUG_ANY)
        return leave_one_open(a);
    uint64_t *size = &a->size[section];
    if (a->nearer[kind]++ >= NEARER_MOST || possible == 0 || possible == *size) {
        *size = DEBUG_ANY;
        return true;
    }
    const bool is_composed = kind == MIX_LINE || kind == MIX_LOCLISTS || kind == MIX_RNGLISTS;
    const uint64_t little = possible / 64 < MARGIN_MOST ? possible / 64 : MARGIN_MOST;
    const uint64_t margin = is_composed ? (little + 15) / 16 * 16 : 0;
    *size = possible > *size ? possible + margin : possible > margin ? possible - margin : 0;
    return true;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* How many a library's row says that it has of what stands in a section; 0 where it says nothing of
 * these, or any size of the section will do. */
static uint64_t wanted_of(const struct rows *r, uint32_t index, enum row_value value, enum debug_section section)
{
    const int64_t said = r->plan->library[index].said->value[value];
    return said > 0 && r->plan->mix[index].size[section] != DEBUG_ANY ? (uint64_t)said : 0;
}

/* What came of sizing a library with its mix, of which nothing but these two changes then. */
struct tried {
    int32_t rows_part, expression;
    bool fits;
    uint64_t entries, rows;
};

/* One library, and all that was tried of it. */
struct library_tries {
    struct rows *r;
    struct builder *b;
    uint32_t index;
    uint32_t count;
    struct tried tried[TRIED_MOST];
};

static const struct tried *note_try(struct library_tries *t, bool fits)
{
    const struct plan_mix *const mix = &t->r->plan->mix[t->index];
    assert(t->count < TRIED_MOST);
    t->tried[t->count] =
        (struct tried){mix->rows_part, mix->expression, fits, t->b->composed.entries, t->b->composed.rows};
    return &t->tried[t->count++];
}

/* With the mix as it is now; never twice with the same. */
static const struct tried *try_mix(struct library_tries *t)
{
    const struct plan_mix *const mix = &t->r->plan->mix[t->index];
    struct error own = {0};
    for (uint32_t i = 0; i < t->count; i++)
        if (t->tried[i].rows_part == mix->rows_part && t->tried[i].expression == mix->expression)
            return &t->tried[i];
    return note_try(t, large_size_again(t->b, t->r->plan, t->r->stock, t->index, &own));
}

/* --- searching ------------------------------------------------------------------ */

/* For the place between two neighbouring numbers where too many become too few. */
struct search {
    int32_t least, most; /* not to be tried */
    int32_t low, high;   /* the nearest that are known, or least and most */
    int32_t from;        /* where it begins: steps of 1, 2, 4, ... from there, or the middle */
    int32_t step;        /* the next; 0: by halves */
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

static int32_t rows_part_of(int32_t step)
{
    return step * DESCRIBE_ROWS_MOST / ROWS_STEPS;
}

/* As many rows as the row says, nearly; from the step `guided`, which fits, where that is not 0. Returns the step. */
static int32_t settle_rows(struct library_tries *t, int32_t guided)
{
    struct plan_mix *mix = &t->r->plan->mix[t->index];
    const uint64_t wanted = wanted_of(t->r, t->index, ROW_DWARF_ROWS, DEBUG_LINE);
    const struct tried *now = wanted ? try_mix(t) : NULL;
    if (!now || !now->fits)
        return 0;
    struct search s = {.most = ROWS_STEPS, .high = ROWS_STEPS, .from = guided, .step = guided ? 1 : 0};
    uint64_t nearest = now->rows;
    int32_t best = guided;
    int32_t at = guided;
    /* Until it is right, not only near: what came out here is to come out again where it is asked for. */
    for (;;) {
        if (now->fits && distance(now->rows, wanted) < distance(nearest, wanted)) {
            nearest = now->rows;
            best = at;
        }
        if (at && now->fits && now->rows > wanted)
            s.high = at;
        else if (at)
            s.low = at;
        if (nearest == wanted || !search_goes_on(&s))
            break;
        at = search_next(&s);
        mix->rows_part = rows_part_of(at);
        now = try_mix(t);
    }
    mix->rows_part = best ? rows_part_of(best) : DESCRIBE_ROWS_ANY;
    return best;
}

/* And as many entries of location lists. Where it begins makes no difference to where it ends. */
static void settle_entries(struct library_tries *t)
{
    enum { LEAST = DESCRIBE_EXPRESSION_LEAST - DESCRIBE_EXPRESSION_PARTS - 1, MOST = DESCRIBE_EXPRESSION_MOST + 1 };
    struct plan_mix *mix = &t->r->plan->mix[t->index];
    const uint64_t wanted = wanted_of(t->r, t->index, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    if (!wanted)
        return;
    struct search s = {LEAST, MOST, LEAST, MOST, mix->expression, 1};
    uint64_t of_low = UINT64_MAX; /* entries */
    uint64_t of_high = 0;
    int32_t sized_best = mix->expression; /* of those that can be sized, as where it begins can */
    uint64_t nearest = UINT64_MAX;
    for (;;) {
        const struct tried *const now = try_mix(t);
        const uint64_t entries = now->fits ? now->entries : UINT64_MAX;
        if (now->fits && distance(entries, wanted) < nearest) {
            nearest = distance(entries, wanted);
            sized_best = mix->expression;
        }
        if (entries > wanted) { /* longer expressions are fewer */
            s.low = mix->expression;
            of_low = entries;
        } else {
            s.high = mix->expression;
            of_high = entries;
        }
        if (!search_goes_on(&s))
            break;
        mix->expression = search_next(&s);
    }
    mix->expression = s.high == MOST ? sized_best : of_low - wanted < wanted - of_high ? s.low : s.high;
}

/* --- where to begin ------------------------------------------------------------- */

static uint64_t density_of(const struct rows *r, uint32_t index, enum row_value value, enum debug_section section)
{
    const uint64_t wanted = wanted_of(r, index, value, section);
    return wanted ? r->plan->mix[index].size[section] * DENSITY_ONE / wanted : 0;
}

/* The guide of about this density; NULL: there is none. */
static const struct guide *guide_for(const struct rows *r, const struct guide *guide, uint64_t density)
{
    const struct guide *best = NULL;
    for (uint32_t i = 0; density && r->are_settled && i < r->guides; i++)
        if (guide[i].density && distance(guide[i].density, density) < density / GUIDE_NEAR &&
            (!best || distance(guide[i].density, density) < distance(best->density, density)))
            best = &guide[i];
    return best;
}

/* Where to begin: what a mix has of these, and the step that stands for its rows. */
struct beginning {
    int32_t expression, rows_step; /* 0: any rows */
};

/* Bytes of expressions that make about as many entries as are wanted. */
static int32_t usual_expression(const struct rows *r, uint32_t index)
{
    enum { OTHERS = 8 }; /* bytes of an entry, with views */
    const uint64_t wanted = wanted_of(r, index, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    const uint64_t each = wanted ? r->plan->mix[index].size[DEBUG_LISTS] / wanted : 0;
    if (each < DESCRIBE_EXPRESSION_LEAST + OTHERS)
        return DESCRIBE_EXPRESSION_LEAST;
    return each - OTHERS < DESCRIBE_EXPRESSION_MOST ? (int32_t)(each - OTHERS) : DESCRIBE_EXPRESSION_MOST;
}

/* Where guides that are like this library ended; whether there are any. */
static bool guided(const struct rows *r, uint32_t index, struct beginning *b)
{
    const struct guide *const rows = guide_for(r, r->rows, density_of(r, index, ROW_DWARF_ROWS, DEBUG_LINE));
    const struct guide *const entries = guide_for(r, r->entries, density_of(r, index, ROW_DWARF_ENTRIES, DEBUG_LISTS));
    b->rows_step = rows ? rows->end : 0;
    b->expression = entries ? entries->end : usual_expression(r, index);
    return rows || entries;
}

static void begin_at(struct plan_mix *mix, const struct beginning *b)
{
    mix->expression = b->expression;
    mix->rows_part = b->rows_step ? rows_part_of(b->rows_step) : DESCRIBE_ROWS_ANY;
}

/* What the row says of debug sections; whether it says anything. */
static bool ask(const struct rows *r, const struct plan_library *l, uint64_t *size)
{
    bool any = false;
    for (enum mix_kind kind = 0; kind < MIX_KINDS && !l->without_debug && !l->hollow; kind++) {
        const int64_t wanted = profile_row_says(r->plan->profile, l->said, ROW_MIX_INFO + kind);
        const bool known = kind != MIX_LINE_STR || l->dwarf_version != 4;
        if (wanted == PROFILE_DERIVED || !known)
            continue;
        size[mix_section(kind)] = (uint64_t)wanted;
        any = true;
    }
    if (any && l->units && l->said->value[ROW_MIX_ARANGES] > 0)
        size[DEBUG_ARANGES] = (uint64_t)l->said->value[ROW_MIX_ARANGES];
    return any;
}

/* Tries until it can be sized, giving up what does not go together; false where nothing is left, or after another
 * failure, which `own` has. Says where it began. */
static bool size_somehow(struct rows *r, struct builder *b, uint32_t index, struct beginning *at, struct error *own)
{
    struct plan_mix *const mix = &r->plan->mix[index];
    struct asked a = {.size = mix->size};
    if (guided(r, index, at)) {
        begin_at(mix, at);
        if (large_size_again(b, r->plan, r->stock, index, own))
            return true;
    }
    *at = (struct beginning){.expression = usual_expression(r, index)};
    begin_at(mix, at);
    for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
        if (large_size_again(b, r->plan, r->stock, index, own))
            return true;
        if (own->code != ERROR_INFEASIBLE ||
            !relent(&a, b->library.debug.failed, own->possible > 0 ? (uint64_t)own->possible : 0))
            return false;
    }
    return false;
}

/* Asks for what was left open or changed as it came out, and whether there is any such: then a twin is composed as it
 * is where just that is asked for. */
static bool ask_again(const struct debug *d, const uint64_t *asked, uint64_t *size)
{
    bool any = false;
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++) {
        any |= asked[i] != size[i];
        size[i] = asked[i] != size[i] ? d->size[i] : size[i];
    }
    return any;
}

static bool is_guide(const struct rows *r, uint32_t index)
{
    return r->guides && index % r->step == 0 && index / r->step < r->guides;
}

/* Where a guide ended, for the others. */
static void leave_guide(struct rows *r, uint32_t index, const struct beginning *end)
{
    if (!is_guide(r, index))
        return;
    const uint32_t number = index / r->step;
    r->rows[number] = (struct guide){density_of(r, index, ROW_DWARF_ROWS, DEBUG_LINE), end->rows_step};
    r->entries[number] = (struct guide){density_of(r, index, ROW_DWARF_ENTRIES, DEBUG_LISTS), end->expression};
}

static bool settle_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct builder *b = &r->builders[worker];
    struct plan_mix *mix = &r->plan->mix[index];
    struct plan_mix well = {0}; /* which can be */
    struct beginning at = {0};
    bool is_last = true; /* it is what the builder has */
    bool any = ask(r, &r->plan->library[index], mix->size);
    for (unsigned rounds = 0; any && rounds < ROUNDS_MOST; rounds++) {
        struct plan_mix before = *mix;
        struct error own = {0};
        if (!size_somehow(r, b, index, &at, &own)) {
            if (own.code != ERROR_INFEASIBLE) {
                if (e)
                    *e = own;
                return false;
            }
            any = rounds;
            is_last = false;
            *mix = well;
            break;
        }
        well = *mix;
        if (!ask_again(&b->library.debug, before.size, mix->size))
            break;
    }
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT && !any; i++)
        mix->size[i] = DEBUG_ANY;
    if (any) {
        struct library_tries t = {.r = r, .b = b, .index = index};
        *mix = well;
        if (is_last)
            note_try(&t, true);
        settle_entries(&t);
        at.rows_step = settle_rows(&t, at.rows_step);
        at.expression = mix->expression;
        leave_guide(r, index, &at);
    }
    return true;
}

static bool settle_guide(void *context, unsigned worker, uint32_t number, struct error *e)
{
    const struct rows *r = context;
    return settle_library(context, worker, number * r->step, e);
}

static bool settle_other(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    return is_guide(r, index) || settle_library(context, worker, index, e);
}

/* Guides are settled before others begin, so that each begins where it would with any number of threads. */
static bool settle_all(struct rows *r, unsigned threads, struct error *e)
{
    const uint32_t count = plan_counted(r->plan);
    if (count >= GUIDED_LEAST) {
        r->guides = count / GUIDES_STEP < GUIDES_MOST ? count / GUIDES_STEP : GUIDES_MOST;
        r->step = count / r->guides;
    }
    if (!workers_run(threads, r->guides, settle_guide, r, e))
        return false;
    r->are_settled = true;
    return workers_run(threads, count, settle_other, r, e);
}

bool mix_settle_rows(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e)
{
    struct rows r = {.plan = plan, .stock = stock};
    bool any = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        for (enum mix_kind kind = 0; kind < MIX_KINDS; kind++)
            any |= plan->library[i].said->value[ROW_MIX_INFO + kind] != PROFILE_DERIVED;
    if (!any)
        return true;
    plan->mix = malloc(plan->library_count * sizeof *plan->mix);
    r.builders = calloc(threads ? threads : 1, sizeof *r.builders);
    bool ok = plan->mix && r.builders;
    if (!ok)
        error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan->library_count);
    for (uint32_t i = 0; ok && i < plan->library_count; i++) {
        plan->mix[i] = (struct plan_mix){.rows_part = DESCRIBE_ROWS_ANY, .expression = DESCRIBE_EXPRESSION_LEAST};
        for (unsigned k = 0; k < DEBUG_SECTION_COUNT; k++)
            plan->mix[i].size[k] = DEBUG_ANY;
    }
    ok = ok && settle_all(&r, threads, e);
    builders_free(r.builders, threads ? threads : 1);
    return ok;
}
