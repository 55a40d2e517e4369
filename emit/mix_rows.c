/* The debug sections of each library with a row: tried one by one until what is asked for
 * goes together. What does not is brought to the nearest that does, or left open, and then
 * differs from the row (differences.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/describe.h"
#include "emit/large.h"
#include "emit/mix_parts.h"

enum { TRIES_MOST = 40, ROUNDS_MOST = 4, NEARER_MOST = 3, MARGIN_MOST = 256, ROWS_TRIES = 6, TRIED_MOST = 64 };

struct rows {
    struct plan *plan;
    const struct stock *stock;
    struct builder *builders; /* of each thread */
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

/* As many rows as the row says, nearly, by halving what is known to be too few and too many. */
static void settle_rows(struct library_tries *t)
{
    struct plan_mix *mix = &t->r->plan->mix[t->index];
    const uint64_t wanted = wanted_of(t->r, t->index, ROW_DWARF_ROWS, DEBUG_LINE);
    const struct tried *const usual = wanted ? try_mix(t) : NULL;
    if (!usual || !usual->fits)
        return;
    uint64_t nearest = usual->rows;
    int32_t best = DESCRIBE_ROWS_ANY;
    int32_t low = 0;
    int32_t high = DESCRIBE_ROWS_MOST;
    /* Until it is right, not only near: what came out here is to come out again where it is asked for. */
    for (unsigned tries = 0; tries < ROWS_TRIES && nearest != wanted; tries++) {
        mix->rows_part = (low + high) / 2;
        const struct tried *const now = try_mix(t);
        if (now->fits && now->rows > wanted)
            high = mix->rows_part;
        else
            low = mix->rows_part;
        if (now->fits && distance(now->rows, wanted) < distance(nearest, wanted)) {
            nearest = now->rows;
            best = mix->rows_part;
        }
    }
    mix->rows_part = best;
}

/* Between the shortest expressions with at most as many entries as are wanted, and the next shorter ones. */
struct bracket {
    int32_t many, few;
    uint64_t entries_of_many, entries_of_few;
};

enum { EXPRESSION_LEAST = DESCRIBE_EXPRESSION_LEAST - DESCRIBE_EXPRESSION_PARTS };

/* The next to try, `step` from where it began as long as nothing bounds it there. */
static int32_t next_expression(const struct bracket *k, int32_t from, int32_t step)
{
    if (k->many < EXPRESSION_LEAST)
        return from - step > k->many ? from - step : k->many + 1;
    if (k->few > DESCRIBE_EXPRESSION_MOST)
        return from + step < k->few ? from + step : k->few - 1;
    return k->many + (k->few - k->many) / 2;
}

/* And as many entries of location lists. Where it begins makes no difference to where it ends. */
static void settle_entries(struct library_tries *t)
{
    struct plan_mix *mix = &t->r->plan->mix[t->index];
    const uint64_t wanted = wanted_of(t->r, t->index, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    if (!wanted)
        return;
    struct bracket k = {EXPRESSION_LEAST - 1, DESCRIBE_EXPRESSION_MOST + 1, UINT64_MAX, 0};
    const int32_t from = mix->expression;
    int32_t sized_best = from; /* of those that can be sized, as where it begins can */
    uint64_t nearest = UINT64_MAX;
    for (int32_t step = 1; k.few - k.many > 1; step *= 2) {
        const struct tried *const now = try_mix(t);
        const uint64_t entries = now->fits ? now->entries : UINT64_MAX;
        if (now->fits && distance(entries, wanted) < nearest) {
            nearest = distance(entries, wanted);
            sized_best = mix->expression;
        }
        if (entries > wanted) {
            k.many = mix->expression;
            k.entries_of_many = entries;
        } else {
            k.few = mix->expression;
            k.entries_of_few = entries;
        }
        mix->expression = next_expression(&k, from, step);
    }
    const bool none_few = k.few > DESCRIBE_EXPRESSION_MOST;
    mix->expression = none_few ? sized_best : k.entries_of_many - wanted < wanted - k.entries_of_few ? k.many : k.few;
}

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
 * failure, which `own` has. */
static bool size_somehow(struct rows *r, struct builder *b, uint32_t index, struct error *own)
{
    struct asked a = {.size = r->plan->mix[index].size};
    r->plan->mix[index].expression = usual_expression(r, index);
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

static bool settle_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct builder *b = &r->builders[worker];
    struct plan_mix *mix = &r->plan->mix[index];
    struct plan_mix well = {0}; /* which can be */
    bool is_last = true;        /* it is what the builder has */
    bool any = ask(r, &r->plan->library[index], mix->size);
    for (unsigned rounds = 0; any && rounds < ROUNDS_MOST; rounds++) {
        struct plan_mix before = *mix;
        struct error own = {0};
        if (!size_somehow(r, b, index, &own)) {
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
        settle_rows(&t);
    }
    return true;
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
    ok = ok && workers_run(threads, plan_counted(plan), settle_library, &r, e);
    builders_free(r.builders, threads ? threads : 1);
    return ok;
}
