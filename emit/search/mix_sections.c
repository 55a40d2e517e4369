/* Gives a library's debug sections the sizes that its row says: tries until all of them go together. A section that
 * does not go with the others gets the nearest size that does, or is left open. Libraries of one application are
 * alike, so a try begins where the library itself ended before, or else where a similar guide ended.
 */
#include "base/apart.h"
#include "emit/library/describe.h"
#include "emit/library/large.h"
#include "emit/search/mix_rows_parts.h"

enum {
    TRIES_MOST = 40,
    ROUNDS_MOST = 4,
    NEARER_MOST = 3,
    MARGIN_MOST = 256,
    GUIDE_NEAR = 16,     /* densities that differ by less than this part are near */
    DENSITY_ONE = 1 << 8 /* one byte for each row or entry */
};

/* What one library still asks for. */
struct asked {
    uint64_t *size; /* of the library in plan->mix */
    unsigned nearer[MIX_KINDS];
    unsigned shrunk;
    uint64_t total;       /* bytes of all sections */
    bool has_lines_alone; /* plan_debug.lines */
    bool has_type_units;  /* as far as .debug_info has room for them */
};

/* Asks for less of what is composed, where other sections take more than they should, so that all together need `needs`
 * bytes: of each section the same share. .debug_info takes what is left, and gives way the first time only. False where
 * that was tried often enough, would leave little, or would leave type units no room. */
static bool ask_for_less(struct asked *a, uint64_t needs)
{
    enum { TRIES = 6, PAIR = 16, MARGIN = 64 };
    static const enum debug_section composed[] = {DEBUG_LINE, DEBUG_LISTS, DEBUG_RANGES};
    enum { COMPOSED = sizeof composed / sizeof composed[0] };
    const uint64_t excess = needs > a->total ? needs - a->total + MARGIN : 0;
    uint64_t sum = a->size[DEBUG_INFO] == DEBUG_ANY ? 0 : a->size[DEBUG_INFO];
    for (unsigned i = 0; i < COMPOSED; i++)
        sum += a->size[composed[i]] == DEBUG_ANY ? 0 : a->size[composed[i]];
    if (a->has_type_units || !excess || excess > sum / 2 || a->shrunk++ >= TRIES)
        return false;
    for (unsigned i = 0; i < COMPOSED; i++) {
        uint64_t *const size = &a->size[composed[i]];
        if (*size != DEBUG_ANY)
            *size -= (uint64_t)((unsigned __int128)*size * excess / sum) / PAIR * PAIR;
    }
    a->size[DEBUG_INFO] = DEBUG_ANY;
    return true;
}

/* Takes a part of the bytes of ranges that are asked for, `most` times at the most. Returns how many; 0: none. */
static uint64_t take_ranges(struct asked *a, unsigned part, unsigned most)
{
    enum { PAIR = 16 };
    uint64_t *const ranges = &a->size[DEBUG_RANGES];
    const uint64_t less = *ranges == DEBUG_ANY ? 0 : *ranges / part / PAIR * PAIR;
    if (!less || a->nearer[MIX_RNGLISTS]++ >= most)
        return 0;
    *ranges -= less;
    return less;
}

/* Asks for fewer bytes of ranges, and for as many more of entries, in a library with lines alone: what has ranges there
 * are inlined calls, and entries may have no room for as many as ranges take. False where that was tried often enough.
 */
static bool ask_for_entries(struct asked *a)
{
    enum { PART = 6, TRIES = 6 };
    const uint64_t less = a->has_lines_alone ? take_ranges(a, PART, TRIES) : 0;
    a->size[DEBUG_INFO] += less;
    return less;
}

/* Asks for three quarters of the ranges, where those that were asked for last, a little fewer each time, were still too
 * many: the more there are, the more of them the last function has to make up for. Without a size there would be hardly
 * any. False where that was tried often enough. */
static bool ask_for_fewer_ranges(struct asked *a, uint64_t possible)
{
    enum { PART = 4, TRIES = NEARER_MOST + 6 };
    return possible && possible < a->size[DEBUG_RANGES] && take_ranges(a, PART, TRIES);
}

/* Leaves one section open, in this order, where the sum of all is wrong. .debug_info is the first, because it can
 * take what the others leave. False where all are open. */
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

/* Changes what is asked for after a try that failed at `section`, where `possible` bytes would do. False where
 * nothing is left to give up. */
static bool relent(struct asked *a, enum debug_section section, uint64_t possible)
{
    const enum mix_kind kind = mix_kind_of(section);
    if (section == DEBUG_ARANGES && a->size[section] != DEBUG_ANY) {
        a->size[section] = DEBUG_ANY;
        return true;
    }
    if (kind == MIX_INFO && a->size[section] != DEBUG_ANY && possible > a->size[section] && ask_for_entries(a))
        return true;
    if (kind == MIX_KINDS && section != DEBUG_ARANGES && ask_for_less(a, possible))
        return true;
    if (kind == MIX_KINDS || kind == MIX_INFO || a->size[section] == DEBUG_ANY)
        return leave_one_open(a);
    uint64_t *size = &a->size[section];
    if (kind == MIX_RNGLISTS && a->nearer[kind] >= NEARER_MOST && ask_for_fewer_ranges(a, possible))
        return true;
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

static uint64_t density_of(const struct settling *s, enum row_value value, enum debug_section section)
{
    const uint64_t wanted = mix_wanted(s, value, section);
    return wanted ? s->mix->size[section] * DENSITY_ONE / wanted : 0;
}

/* The guide with the nearest density; NULL where none is near. */
static const struct guide *guide_for(const struct mix_guides *g, const struct guide *guide, uint64_t density)
{
    const struct guide *best = NULL;
    for (uint32_t i = 0; density && g->settled && i < g->count; i += g->settled)
        if (guide[i].density && apart(guide[i].density, density) < density / GUIDE_NEAR &&
            (!best || apart(guide[i].density, density) < apart(best->density, density)))
            best = &guide[i];
    return best;
}

int32_t mix_usual_expression(const struct settling *s)
{
    enum { OTHERS = 8 }; /* bytes of an entry besides the expression, with views */
    const uint64_t wanted = mix_wanted(s, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    const uint64_t each = wanted ? s->mix->size[DEBUG_LISTS] / wanted : 0;
    if (each < DESCRIBE_EXPRESSION_LEAST + OTHERS)
        return DESCRIBE_EXPRESSION_LEAST;
    return each - OTHERS < DESCRIBE_EXPRESSION_MOST ? (int32_t)(each - OTHERS) : DESCRIBE_EXPRESSION_MOST;
}

/* Finds where to begin: where this library ended before, or where similar guides did. False where there are neither. */
static bool guided(const struct settling *s, struct places *b)
{
    if (s->start) {
        *b = *s->start;
        return true;
    }
    const struct mix_guides *const g = s->plan->guides;
    const struct guide *const rows = guide_for(g, g->rows, density_of(s, ROW_DWARF_ROWS, DEBUG_LINE));
    const struct guide *const entries = guide_for(g, g->entries, density_of(s, ROW_DWARF_ENTRIES, DEBUG_LISTS));
    b->rows = rows ? rows->end : (struct mix_place){0};
    b->entries = entries ? entries->end : (struct mix_place){mix_usual_expression(s), 0};
    return rows || entries;
}

static void begin_at(struct plan_mix *mix, const struct places *b)
{
    mix->expression = b->entries.at;
    mix->rows_part = b->rows.at ? mix_rows_part(b->rows.at) : DESCRIBE_ROWS_ANY;
}

/* Where the location lists cannot have their size, tries other lengths of expressions: these change how much the
 * last list has to make up. Returns the last try, or the one that helped. */
static const struct mix_tried *try_others(const struct settling *s, struct places *at, const struct mix_tried *tried,
                                          struct error *own)
{
    static const int8_t steps[] = {
        -8, 1, -16, 2, -32, -DESCRIBE_EXPRESSION_PARTS}; /* below DESCRIBE_EXPRESSION_LEAST one step changes little */
    const int32_t usual = at->entries.at;
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (tried->code != ERROR_INFEASIBLE || tried->failed != DEBUG_LISTS)
            break;
        at->entries.at = usual + steps[i];
        begin_at(s->mix, at);
        tried = mix_try(s, own);
        if (!tried->code)
            return tried;
    }
    at->entries.at = usual;
    begin_at(s->mix, at);
    return tried;
}

/* Tries until the library can be sized, and gives up what does not go together. Sets *at to where the searches
 * begin. Returns the try; NULL where nothing is left to give up, or after another failure, which `own` has. */
static const struct mix_tried *size_somehow(const struct settling *s, struct places *at, struct error *own)
{
    const struct plan_library *const l = &s->plan->library[s->index];
    const struct mix_tried *tried;
    struct asked a = {
        .size = s->mix->size,
        .total = s->builder->is_normal ? s->mix->normal : l->size[SIZE_DEBUG],
        .has_lines_alone = l->debug.lines,
        .has_type_units = s->stock->corpus.dialect.type_units,
    };
    if (guided(s, at)) {
        begin_at(s->mix, at);
        tried = mix_try(s, own);
        if (!tried->code)
            return tried;
    }
    *at = (struct places){.entries.at = mix_usual_expression(s)};
    begin_at(s->mix, at);
    for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
        tried = mix_try(s, own);
        if (tried->code)
            tried = try_others(s, at, tried, own);
        if (!tried->code)
            return tried;
        if (tried->code != ERROR_INFEASIBLE || !relent(&a, tried->failed, tried->possible))
            return NULL;
    }
    return NULL;
}

/* Asks for the sizes that came out where sections were left open or changed; false where there are none. The reason:
 * a twin captured from this library asks for just these sizes, and has to be composed in the same way. */
static bool ask_again(const struct mix_tried *tried, const uint64_t *asked, uint64_t *size)
{
    bool any = false;
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++) {
        any |= asked[i] != size[i];
        size[i] = asked[i] != size[i] ? tried->size[i] : size[i];
    }
    return any;
}

static bool is_guide(const struct mix_guides *g, uint32_t index)
{
    return g->count && index % g->step == 0 && index / g->step < g->count;
}

uint32_t mix_guided_told(const struct settling *s)
{
    const struct mix_guides *const g = s->plan->guides;
    if (s->guide)
        return s->guide->mix.told < DESCRIBE_TOLD_ALL ? s->guide->mix.told : 0;
    const struct guide *const told = guide_for(g, g->told, density_of(s, ROW_DWARF_DEFINED, DEBUG_INFO));
    return told ? (uint32_t)told->end.at : 0;
}

void mix_leave_guide(const struct settling *s, const struct places *end)
{
    struct mix_guides *const g = s->plan->guides;
    if (!is_guide(g, s->index))
        return;
    const uint32_t number = s->index / g->step;
    g->rows[number] = (struct guide){density_of(s, ROW_DWARF_ROWS, DEBUG_LINE), end->rows};
    g->entries[number] = (struct guide){density_of(s, ROW_DWARF_ENTRIES, DEBUG_LISTS), end->entries};
    g->told[number] = (struct guide){density_of(s, ROW_DWARF_DEFINED, DEBUG_INFO), {(int32_t)s->mix->told, 0}};
}

unsigned mix_met(const uint64_t *size, const uint64_t *asked)
{
    unsigned met = 0;
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        met += size[i] == asked[i];
    return met;
}

bool mix_settle_sections(const struct settling *s, struct settled *out, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    struct plan_mix well = {0}; /* the last mix that could be sized */
    struct places at = {0};     /* where its searches began */
    bool is_last = false;       /* the last try was with that mix */
    for (unsigned rounds = 0; rounds < ROUNDS_MOST; rounds++) {
        const struct plan_mix before = *s->mix;
        struct places began;
        const struct mix_tried *const tried = size_somehow(s, &began, own);
        is_last = tried != NULL;
        if (!tried) {
            if (own->code != ERROR_INFEASIBLE || !rounds)
                return false;
            break;
        }
        well = *s->mix;
        at = began;
        if (!ask_again(tried, before.size, s->mix->size))
            break;
    }
    *s->mix = well;
    if (!s->roughly || !is_last) {
        at.entries = mix_settle_entries(s, at.entries);
        if (!s->only_room || mix_has_room(at.entries.at))
            at.rows = mix_settle_lines(s, at.rows);
    }
    const struct mix_tried *const now = mix_try(s, own);
    if (now->code)
        return false;
    *out = (struct settled){*s->mix,   at,           mix_met(s->mix->size, asked.size),
                            now->dies, now->defined, s->roughly && is_last};
    return true;
}
