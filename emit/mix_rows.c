/* The debug sections of each library with a row: tried one by one until what is asked for
 * goes together. What does not is brought to the nearest that does, or left open, and then
 * differs from the row (differences.h).
 *
 * Libraries of one application are alike: of many, some go first, and where these ended the others that
 * say nearly as much in as many bytes begin. Where they end is decided by themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/describe.h"
#include "emit/large.h"
#include "emit/mix_parts.h"
#include "emit/mix_tries.h"

enum {
    TRIES_MOST = 40,
    ROUNDS_MOST = 4,
    NEARER_MOST = 3,
    MARGIN_MOST = 256,
    GUIDES_STEP = 8,     /* of so many libraries one goes first, */
    GUIDES_MOST = 256,   /* of these at most, */
    GUIDED_LEAST = 64,   /* where there are as many libraries */
    GUIDE_NEAR = 16,     /* apart by less than this part of it */
    DENSITY_ONE = 1 << 8 /* a byte for each */
};

/* What a row wants of a section's contents, and where its library ended. */
struct guide {
    uint64_t density; /* bytes of the section for each; 0: it wants none */
    struct mix_place end;
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

/* --- where to begin ------------------------------------------------------------- */

static uint64_t density_of(const struct rows *r, uint32_t index, enum row_value value, enum debug_section section)
{
    const uint64_t wanted = mix_wanted(r->plan, index, value, section);
    return wanted ? r->plan->mix[index].size[section] * DENSITY_ONE / wanted : 0;
}

/* The guide of about this density; NULL: there is none. */
static const struct guide *guide_for(const struct rows *r, const struct guide *guide, uint64_t density)
{
    const struct guide *best = NULL;
    for (uint32_t i = 0; density && r->are_settled && i < r->guides; i++)
        if (guide[i].density && mix_distance(guide[i].density, density) < density / GUIDE_NEAR &&
            (!best || mix_distance(guide[i].density, density) < mix_distance(best->density, density)))
            best = &guide[i];
    return best;
}

/* Of both: the expression, and the step that stands for the part of rows; 0: any. */
struct places {
    struct mix_place entries, rows;
};

/* Bytes of expressions that make about as many entries as are wanted. */
static int32_t usual_expression(const struct rows *r, uint32_t index)
{
    enum { OTHERS = 8 }; /* bytes of an entry, with views */
    const uint64_t wanted = mix_wanted(r->plan, index, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    const uint64_t each = wanted ? r->plan->mix[index].size[DEBUG_LISTS] / wanted : 0;
    if (each < DESCRIBE_EXPRESSION_LEAST + OTHERS)
        return DESCRIBE_EXPRESSION_LEAST;
    return each - OTHERS < DESCRIBE_EXPRESSION_MOST ? (int32_t)(each - OTHERS) : DESCRIBE_EXPRESSION_MOST;
}

/* Where guides that are like this library ended; whether there are any. */
static bool guided(const struct rows *r, uint32_t index, struct places *b)
{
    const struct guide *const rows = guide_for(r, r->rows, density_of(r, index, ROW_DWARF_ROWS, DEBUG_LINE));
    const struct guide *const entries = guide_for(r, r->entries, density_of(r, index, ROW_DWARF_ENTRIES, DEBUG_LISTS));
    b->rows = rows ? rows->end : (struct mix_place){0};
    b->entries = entries ? entries->end : (struct mix_place){usual_expression(r, index), 0};
    return rows || entries;
}

static void begin_at(struct plan_mix *mix, const struct places *b)
{
    mix->expression = b->entries.at;
    mix->rows_part = b->rows.at ? mix_rows_part(b->rows.at) : DESCRIBE_ROWS_ANY;
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
static bool size_somehow(struct rows *r, struct builder *b, uint32_t index, struct places *at, struct error *own)
{
    struct plan_mix *const mix = &r->plan->mix[index];
    struct asked a = {.size = mix->size};
    if (guided(r, index, at)) {
        begin_at(mix, at);
        if (large_size_again(b, r->plan, r->stock, index, own))
            return true;
    }
    *at = (struct places){.entries.at = usual_expression(r, index)};
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
static void leave_guide(struct rows *r, uint32_t index, const struct places *end)
{
    if (!is_guide(r, index))
        return;
    const uint32_t number = index / r->step;
    r->rows[number] = (struct guide){density_of(r, index, ROW_DWARF_ROWS, DEBUG_LINE), end->rows};
    r->entries[number] = (struct guide){density_of(r, index, ROW_DWARF_ENTRIES, DEBUG_LISTS), end->entries};
}

static bool settle_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct builder *b = &r->builders[worker];
    struct plan_mix *mix = &r->plan->mix[index];
    struct plan_mix well = {0}; /* which can be */
    struct places at = {0};     /* where that began */
    bool is_last = true;        /* it is what the builder has */
    bool any = ask(r, &r->plan->library[index], mix->size);
    for (unsigned rounds = 0; any && rounds < ROUNDS_MOST; rounds++) {
        struct plan_mix before = *mix;
        struct places began;
        struct error own = {0};
        if (!size_somehow(r, b, index, &began, &own)) {
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
        at = began;
        if (!ask_again(&b->library.debug, before.size, mix->size))
            break;
    }
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT && !any; i++)
        mix->size[i] = DEBUG_ANY;
    if (any) {
        struct mix_tries t = {.plan = r->plan, .stock = r->stock, .builder = b, .index = index};
        *mix = well;
        if (is_last)
            mix_note(&t);
        at.entries = mix_settle_entries(&t, at.entries);
        at.rows = mix_settle_lines(&t, at.rows);
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
