/* The debug sections of each library with a row: tried one by one until what is asked for
 * goes together. What does not is brought to the nearest that does, or left open, and then
 * differs from the row (differences.h).
 *
 * Libraries of one application are alike: of many, some go first, before any library is made, and where these ended
 * the others that say nearly as much in as many bytes begin. Where they end is decided by themselves, when they are
 * made: by one thread of one rank.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "base/workers.h"
#include "emit/describe.h"
#include "emit/indexed.h"
#include "emit/large.h"
#include "emit/mix.h"
#include "emit/mix_indexed.h"
#include "emit/mix_parts.h"
#include "emit/mix_tries.h"

enum {
    TRIES_MOST = 40,
    ROUNDS_MOST = 4,
    NEARER_MOST = 3,
    MARGIN_MOST = 256,
    FAR = 8,             /* entries that are fewer by more than such a part of them are out of reach */
    DIES_LITTLE = 128,   /* such a part of them may be missing for the right share of functions' */
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

struct mix_guides {
    uint32_t count, step; /* so many, every so many libraries */
    bool are_settled;
    uint64_t average; /* entries of .debug_info that the row of a library wants, of those that say so */
    struct guide rows[GUIDES_MOST], entries[GUIDES_MOST];
};

/* Of both: the expression, and the step that stands for the part of rows; 0: any. */
struct places {
    struct mix_place entries, rows;
};

/* A library that is being settled. */
struct settling {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* the thread's */
    uint32_t index;
    struct plan_mix *mix;       /* the library's */
    const struct places *start; /* where to begin; NULL: it is settled for the first time */
    bool roughly;               /* rows of line tables and entries of lists need not be as many as the row says */
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

static uint64_t density_of(const struct settling *s, enum row_value value, enum debug_section section)
{
    const uint64_t wanted = mix_wanted(s->plan, s->index, value, section);
    return wanted ? s->mix->size[section] * DENSITY_ONE / wanted : 0;
}

/* The guide of about this density; NULL: there is none. */
static const struct guide *guide_for(const struct mix_guides *g, const struct guide *guide, uint64_t density)
{
    const struct guide *best = NULL;
    for (uint32_t i = 0; density && g->are_settled && i < g->count; i++)
        if (guide[i].density && apart(guide[i].density, density) < density / GUIDE_NEAR &&
            (!best || apart(guide[i].density, density) < apart(best->density, density)))
            best = &guide[i];
    return best;
}

/* Bytes of expressions that make about as many entries as are wanted. */
static int32_t usual_expression(const struct settling *s)
{
    enum { OTHERS = 8 }; /* bytes of an entry, with views */
    const uint64_t wanted = mix_wanted(s->plan, s->index, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    const uint64_t each = wanted ? s->mix->size[DEBUG_LISTS] / wanted : 0;
    if (each < DESCRIBE_EXPRESSION_LEAST + OTHERS)
        return DESCRIBE_EXPRESSION_LEAST;
    return each - OTHERS < DESCRIBE_EXPRESSION_MOST ? (int32_t)(each - OTHERS) : DESCRIBE_EXPRESSION_MOST;
}

/* Where this library ended before, or guides that are like it; whether there are any. */
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
    b->entries = entries ? entries->end : (struct mix_place){usual_expression(s), 0};
    return rows || entries;
}

static void begin_at(struct plan_mix *mix, const struct places *b)
{
    mix->expression = b->entries.at;
    mix->rows_part = b->rows.at ? mix_rows_part(b->rows.at) : DESCRIBE_ROWS_ANY;
}

/* What the row says of debug sections; whether it says anything. */
static bool ask(const struct settling *s)
{
    const struct plan_library *const l = &s->plan->library[s->index];
    bool any = false;
    if (!l->said)
        return false;
    for (enum mix_kind kind = 0; kind < MIX_KINDS && !l->without_debug && !l->hollow; kind++) {
        const int64_t wanted = profile_row_says(s->plan->profile, l->said, ROW_MIX_INFO + kind);
        const bool known = kind != MIX_LINE_STR || l->dwarf_version != 4;
        if (wanted == PROFILE_DERIVED || !known)
            continue;
        s->mix->size[mix_section(kind)] = (uint64_t)wanted;
        any = true;
    }
    if (any && l->units && l->said->value[ROW_MIX_ARANGES] > 0)
        s->mix->size[DEBUG_ARANGES] = (uint64_t)l->said->value[ROW_MIX_ARANGES];
    return any;
}

static bool size_it(const struct settling *s, struct error *e)
{
    return large_size_again(s->builder, s->plan, s->stock, s->index, e);
}

/* Tries with other entries of location lists, where these have not the size that is asked for: what the last list has
 * to make up differs then. False where none of them does, or after another failure, which `own` has. */
static bool size_with_others(const struct settling *s, struct places *at, struct error *own)
{
    static const int8_t steps[] = {-8, 1,   -16,
                                   2,  -32, -DESCRIBE_EXPRESSION_PARTS}; /* below the least a step is a small one */
    const int32_t usual = at->entries.at;
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (own->code != ERROR_INFEASIBLE || s->builder->library.debug.failed != DEBUG_LISTS)
            break;
        at->entries.at = usual + steps[i];
        begin_at(s->mix, at);
        if (size_it(s, own))
            return true;
    }
    at->entries.at = usual;
    begin_at(s->mix, at);
    return false;
}

/* Tries until it can be sized, giving up what does not go together; false where nothing is left, or after another
 * failure, which `own` has. Says where it began. */
static bool size_somehow(const struct settling *s, struct places *at, struct error *own)
{
    struct asked a = {.size = s->mix->size};
    if (guided(s, at)) {
        begin_at(s->mix, at);
        if (size_it(s, own))
            return true;
    }
    *at = (struct places){.entries.at = usual_expression(s)};
    begin_at(s->mix, at);
    for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
        if (size_it(s, own) || size_with_others(s, at, own))
            return true;
        if (own->code != ERROR_INFEASIBLE ||
            !relent(&a, s->builder->library.debug.failed, own->possible > 0 ? (uint64_t)own->possible : 0))
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

static bool is_guide(const struct mix_guides *g, uint32_t index)
{
    return g->count && index % g->step == 0 && index / g->step < g->count;
}

/* Where a guide ended, for the others. */
static void leave_guide(const struct settling *s, const struct places *end)
{
    struct mix_guides *const g = s->plan->guides;
    if (!is_guide(g, s->index))
        return;
    const uint32_t number = s->index / g->step;
    g->rows[number] = (struct guide){density_of(s, ROW_DWARF_ROWS, DEBUG_LINE), end->rows};
    g->entries[number] = (struct guide){density_of(s, ROW_DWARF_ENTRIES, DEBUG_LISTS), end->entries};
}

/* What came of settling a library with as much told of functions as its mix says. */
struct settled {
    struct plan_mix mix;
    struct places end;
    uint32_t met;           /* sections that have the size that is asked for */
    uint64_t dies, defined; /* as of struct mix_tried */
};

/* Settles sizes, entries and rows of the mix, which asks for something; false where nothing goes together, or after
 * another failure, which `own` has. */
static bool settle_sections(const struct settling *s, struct settled *out, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    struct plan_mix well = {0}; /* which can be */
    struct places at = {0};     /* where that began */
    bool is_last = false;       /* it is what the builder has */
    for (unsigned rounds = 0; rounds < ROUNDS_MOST; rounds++) {
        struct plan_mix before = *s->mix;
        struct places began;
        if (!(is_last = size_somehow(s, &began, own))) {
            if (own->code != ERROR_INFEASIBLE || !rounds)
                return false;
            break;
        }
        well = *s->mix;
        at = began;
        if (!ask_again(&s->builder->library.debug, before.size, s->mix->size))
            break;
    }
    struct mix_tries t = {.plan = s->plan, .stock = s->stock, .builder = s->builder, .index = s->index};
    *s->mix = well;
    if (is_last)
        mix_note(&t);
    if (!s->roughly || !is_last) {
        at.entries = mix_settle_entries(&t, at.entries);
        at.rows = mix_settle_lines(&t, at.rows);
    }
    const struct mix_tried *const now = mix_now(&t);
    *out = (struct settled){.mix = *s->mix, .end = at};
    if (now) {
        out->dies = now->dies;
        out->defined = now->defined;
    }
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        out->met += s->mix->size[i] == asked.size[i];
    return true;
}

/* How many entries functions are to have at the least: their share of the application's tags, so that these come out,
 * but for a little of an average library. Where the row says how many it has: not more than these, nor fewer but for
 * as little. */
static uint64_t defined_least(const struct settling *s, uint64_t wanted, uint64_t said)
{
    enum { LITTLE = 32 };
    const uint64_t share = wanted * s->stock->corpus.manner.defined / MANNER_USUAL;
    const uint64_t little = s->plan->guides->average / LITTLE;
    const uint64_t least = share > little ? share - little : 0;
    if (!said)
        return least;
    return said < least ? said : said > least + little ? said - little : least;
}

/* What a library is told with where it lacks entries. */
struct lacking {
    const struct settling *s; /* from where it ended with all told, roughly */
    const struct plan_mix *asked;
    uint64_t wanted;      /* entries */
    uint64_t least, said; /* those of functions at the least; those that the row says, 0: nothing */
    uint32_t besides;     /* locals that there are besides */
    struct settled *best;
};

/* Settles the library as it is told with these; `fits` says whether it could be. False where something else failed,
 * which `own` has. */
static bool settle_told(const struct lacking *l, uint32_t letters, uint32_t told, struct settled *out, bool *fits,
                        struct error *own)
{
    *out = (struct settled){0};
    *l->s->mix = *l->asked;
    l->s->mix->letters = letters;
    l->s->mix->told = told;
    l->s->mix->besides = l->besides;
    *fits = settle_sections(l->s, out, own);
    return *fits || own->code == ERROR_INFEASIBLE;
}

/* Settles the library with these; takes it where it is right and has no fewer entries than the best, and, where less is
 * told, about as many as are wanted. Says whether it is right and still lacks some; false where something else failed,
 * which `own` has. */
static bool settle_lacking(const struct lacking *l, uint32_t letters, uint32_t told, bool *lacks, struct error *own)
{
    struct settled less;
    bool fits;
    if (!settle_told(l, letters, told, &less, &fits, own))
        return false;
    const uint64_t off = apart(less.dies, l->wanted);
    const bool all = told == DESCRIBE_TOLD_ALL;
    const bool is_right = fits && less.met >= l->best->met && (all || less.defined >= l->least);
    if (is_right && (all || off <= l->wanted / FAR) && off <= apart(l->best->dies, l->wanted))
        *l->best = less;
    *lacks = is_right && less.dies < l->wanted;
    return true;
}

/* Where a section has not the size that is asked for, less is told of functions: what is left to the last of them
 * differs then. */
static bool settle_sizes(const struct lacking *l, struct error *own)
{
    static const uint8_t told[] = {63, 62, 60, 56, 48, 32, 16, 8};
    for (unsigned i = 0; l->best->met < DEBUG_SECTION_COUNT && i < sizeof told; i++) {
        struct settled now;
        bool fits;
        if (!settle_told(l, l->asked->letters, told[i], &now, &fits, own))
            return false;
        if (fits && now.met > l->best->met)
            *l->best = now;
    }
    return true;
}

/* Where more entries are functions' than the row says, by more than a little, less is told of functions: what they
 * leave goes to the declarations of headers, with no fewer entries in all, or hardly any. */
static bool settle_defined(const struct lacking *l, struct error *own)
{
    enum { LITTLE = 14, RIGHT = 32 };
    struct settled *const best = l->best;
    const uint64_t said = l->said;
    uint32_t much = best->mix.told;
    uint32_t little = 0;
    if (!said || !best->dies || best->defined <= said + said / LITTLE)
        return true;
    const uint64_t off = apart(best->dies, l->wanted) + l->wanted / DIES_LITTLE;
    while (much - little > 1 && apart(best->defined, said) > said / RIGHT) {
        const uint32_t told = (much + little) / 2;
        struct settled less;
        bool fits;
        if (!settle_told(l, best->mix.letters, told, &less, &fits, own))
            return false;
        if (fits && less.met >= best->met && apart(less.dies, l->wanted) <= off &&
            apart(less.defined, said) < apart(best->defined, said))
            *best = less;
        *(fits && less.defined > said ? &much : &little) = told;
    }
    return true;
}

/* Where there are fewer entries than are wanted, those of functions are made smaller. First by shorter names, where
 * they are not in stamps; then less is told of functions, whose calls take more bytes than types and their members do:
 * as much as leaves room for as many, or else as little as may be. */
static bool settle_fewer(const struct lacking *l, struct error *own)
{
    struct settled *const best = l->best;
    uint32_t much = DESCRIBE_TOLD_ALL;
    uint32_t little = DESCRIBE_TOLD_ALL / 4;
    bool lacks = best->dies && best->dies < l->wanted;
    for (uint32_t letters = SHORT_NAME_MOST; lacks && l->asked->size[DEBUG_LISTS] == 0 && --letters;)
        if (!settle_lacking(l, letters, DESCRIBE_TOLD_ALL, &lacks, own))
            return false;
    lacks = best->dies && best->dies < l->wanted && best->defined > l->least;
    while (lacks && much - little > 1) {
        const uint32_t told = (much + little) / 2;
        bool still;
        if (!settle_lacking(l, best->mix.letters, told, &still, own))
            return false;
        *(still ? &much : &little) = told;
    }
    return settle_defined(l, own);
}

/* Where there are fewer entries now than roughly, less is told by a little, if that helps. */
static bool settle_less(const struct lacking *l, const struct settled *rough, struct error *own)
{
    enum { LESS_MOST = 3 };
    struct settled *const best = l->best;
    const uint64_t aim = rough->dies < l->wanted ? rough->dies : l->wanted;
    for (uint32_t less = 1; less <= LESS_MOST && less < rough->mix.told && best->dies < aim; less++) {
        struct settled fully;
        bool fits;
        if (!settle_told(l, rough->mix.letters, rough->mix.told - less, &fully, &fits, own))
            return false;
        if (fits && fully.met >= best->met && fully.defined >= l->least &&
            apart(fully.dies, l->wanted) < apart(best->dies, l->wanted))
            *best = fully;
    }
    return true;
}

/* Settles rows and entries of lists, too, where less is told than all. As these change how many entries functions have,
 * more is told again where there would be too few. */
static bool settle_finally(const struct lacking *l, struct error *own)
{
    struct settled *const best = l->best;
    const struct settled rough = *best;
    const uint32_t letters = best->mix.letters;
    uint32_t told = best->mix.told;
    bool fits = true;
    for (bool goes_on = told != l->asked->told || letters != l->asked->letters; goes_on; told++) {
        struct settled fully;
        if (!settle_told(l, letters, told, &fully, &fits, own))
            return false;
        if (fits && fully.met >= rough.met)
            *best = fully;
        goes_on = fits && fully.defined < l->least && told < DESCRIBE_TOLD_ALL;
    }
    return settle_less(l, &rough, own);
}

/* Whether one has all sections as the best has them, entries nearer to what the row says, and of functions about as
 * many; or as many entries, and of functions nearer. */
static bool is_better(const struct lacking *l, const struct settled *now)
{
    enum { LITTLE = 64 };
    const uint64_t dies = apart(now->dies, l->wanted);
    const uint64_t dies_best = apart(l->best->dies, l->wanted);
    const uint64_t defined = apart(now->defined, l->said);
    const uint64_t defined_best = apart(l->best->defined, l->said);
    const bool is_nearer =
        dies < dies_best ? defined <= defined_best + l->said / LITTLE : dies == dies_best && defined < defined_best;
    return now->met >= l->best->met && is_nearer;
}

/* Whether a library is composed soon enough to be tried in many ways. */
static bool is_small(const struct lacking *l)
{
    enum { MOST = 4000000 }; /* bytes of .debug_info */
    return l->asked->size[DEBUG_INFO] < MOST;
}

/* Has as many locals besides as functions lack entries where so much is told, from `first` on, which has none; or fewer
 * where those leave too little to others. Never more than .debug_info can have, whatever the row says; and
 * of many only so many that tags stay near, as the search for the manner cannot make up for these. */
static bool add_besides(const struct lacking *l, const struct settled *first, struct error *own)
{
    enum { TRIES = 5, TRIES_OF_LARGE = 2, MANY = 20000, PART_OF_MANY = 16, EACH_LEAST = 10 /* bytes */ };
    const unsigned tries = is_small(l) ? TRIES : TRIES_OF_LARGE;
    struct lacking with = *l;
    struct settled good = *first;
    const uint64_t most = l->asked->size[DEBUG_INFO] / EACH_LEAST;
    const uint64_t some = l->said > MANY ? l->said / PART_OF_MANY : l->said;
    uint64_t bad = (most < some ? most : some) + 1;
    for (unsigned i = 0; i < tries && good.defined < l->said; i++) {
        struct settled now;
        bool fits;
        const uint64_t all = good.mix.besides + l->said - good.defined;
        const uint64_t besides = all < bad ? all : (good.mix.besides + bad) / 2;
        with.besides = (uint32_t)besides;
        if (!settle_told(&with, good.mix.letters, good.mix.told, &now, &fits, own))
            return false;
        if (fits && is_better(l, &now))
            *l->best = good = now;
        else
            bad = besides;
    }
    return true;
}

/* Where fewer entries are functions' than the row says: as many locals as are missing. Where more are, less is told
 * first; and so it is where there are fewer entries in all, as calls take more bytes than locals. */
static bool settle_exactly(const struct lacking *l, struct settling *again, struct error *own)
{
    enum { LESS_MOST = 6, PARTS = 8, FEW = 64 };
    struct settled *const best = l->best;
    struct settled now = *best;
    bool fits = true;
    if (!l->said || !best->dies)
        return true;
    again->start = &best->end;
    for (uint32_t less = 1; fits && now.defined > l->said && less <= LESS_MOST && less < best->mix.told; less++)
        if (!settle_told(l, best->mix.letters, best->mix.told - less, &now, &fits, own))
            return false;
    if (fits && !add_besides(l, &now, own))
        return false;
    const uint32_t parts = l->asked->size[DEBUG_LISTS] && is_small(l) ? PARTS : 1; /* else there are no calls */
    for (uint32_t part = parts - 1; part && best->dies + l->wanted / FEW < l->wanted; part--) {
        const uint32_t told = DESCRIBE_TOLD_ALL * part / PARTS;
        if (told >= best->mix.told)
            continue;
        if (!settle_told(l, best->mix.letters, told, &now, &fits, own) || (fits && !add_besides(l, &now, own)))
            return false;
    }
    return true;
}

/* Settles all that the mix asks for; false as settle_sections. What is told of functions is chosen with about as many
 * rows and entries of lists as are wanted. */
static bool settle_entries(const struct settling *s, struct settled *best, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    const uint64_t wanted = mix_wanted(s->plan, s->index, ROW_DWARF_DIES, DEBUG_INFO);
    const uint64_t said = mix_wanted(s->plan, s->index, ROW_DWARF_DEFINED, DEBUG_INFO);
    struct settling again = *s;
    const struct lacking l = {&again, &asked, wanted, defined_least(s, wanted, said), said, 0, best};
    /* where there are never as many entries as are wanted, it ended at one of those that are as near */
    struct places start = {{usual_expression(s), 0}, {0}};
    if (!settle_sections(s, best, own))
        return false;
    if (best->end.entries.near)
        start.entries.at = best->end.entries.at;
    start.rows.at = best->end.rows.at;
    again.start = &start;
    again.roughly = true;
    if (!settle_sizes(&l, own) || !settle_fewer(&l, own))
        return false;
    again.roughly = false;
    if (!settle_finally(&l, own) || !settle_exactly(&l, &again, own))
        return false;
    *s->mix = best->mix;
    return true;
}

/* Settles all, with code dealt out to units as unevenly as the units are to be in size; or, where only a few long lists
 * have as many entries as are wanted then, as offsets in large units take more bytes, less unevenly, if that helps. */
static bool settle_units(const struct settling *s, struct settled *best, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    const bool is_uneven = !s->builder->is_normal &&
                           mix_wanted(s->plan, s->index, ROW_DWARF_UNEVEN, DEBUG_INFO) > UNEVEN_ONE &&
                           mix_wanted(s->plan, s->index, ROW_DWARF_ENTRIES, DEBUG_LISTS);
    if (!settle_entries(s, best, own))
        return false;
    bool is_well = !is_uneven || best->mix.expression >= DESCRIBE_EXPRESSION_LEAST;
    for (uint32_t even = 1; !is_well && even < PLAN_EVEN_STEPS; even++) {
        struct settled other;
        *s->mix = asked;
        s->mix->even = (uint8_t)even;
        is_well = settle_entries(s, &other, own) && other.mix.expression >= DESCRIBE_EXPRESSION_LEAST;
        if (is_well)
            *best = other;
        else if (own->code && own->code != ERROR_INFEASIBLE)
            return false;
    }
    *s->mix = best->mix;
    return true;
}

/* Settles what is asked for; or, where that does not go together, leaves all open. */
static bool settle_asked(const struct settling *s, bool any, struct error *e)
{
    struct plan_mix *mix = s->mix;
    struct settled settled;
    struct error own = {0};
    if (any && !settle_units(s, &settled, &own)) {
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
        leave_guide(s, &settled.end);
    return true;
}

/* For mix_indexed.h. */
static bool settle_in_normal_form(const void *settling, bool any, struct error *e)
{
    return settle_asked(settling, any, e);
}

static bool settle_library(const struct settling *s, struct error *e)
{
    const struct mix_indexed indexed = {s->plan, s->stock, s->builder, s->index, settle_in_normal_form, s};
    const bool is_indexed =
        indexed_row_is(stock_of(s->stock, &s->plan->library[s->index]), &s->plan->library[s->index]);
    s->mix->is_settled = is_indexed ? mix_settle_indexed(&indexed, e) : settle_asked(s, ask(s), e);
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
    const bool ok = settle_library(&(struct settling){plan, stock, b, index, &plan->mix[index], NULL, false}, e);
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

bool mix_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e)
{
    return mix_settle_library(b, plan, stock, index, e) && mix_size_settled(b, plan, stock, index, e);
}

/* --- before any library is made ----------------------------------------------------- */

/* What the threads that settle guides have. */
struct guiding {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builders; /* of each */
};

static bool settle_guide(void *context, unsigned worker, uint32_t number, struct error *e)
{
    const struct guiding *g = context;
    return mix_settle_library(&g->builders[worker], g->plan, g->stock, number * g->plan->guides->step, e);
}

/* These before others begin, so that each begins where it would with any number of threads. */
static bool settle_guides(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e)
{
    struct mix_guides *const g = plan->guides;
    struct guiding guiding = {plan, stock, calloc(threads ? threads : 1, sizeof *guiding.builders)};
    const uint32_t count = plan_counted(plan);
    if (!guiding.builders)
        return error_set(e, ERROR_MEMORY, "out of memory");
    if (count >= GUIDED_LEAST) {
        g->count = count / GUIDES_STEP < GUIDES_MOST ? count / GUIDES_STEP : GUIDES_MOST;
        g->step = count / g->count;
    }
    g->are_settled = workers_run(threads, g->count, settle_guide, &guiding, e);
    builders_free(guiding.builders, threads ? threads : 1);
    return g->are_settled;
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

bool mix_settle_rows(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e)
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
        plan->mix[i] =
            (struct plan_mix){.rows_part = DESCRIBE_ROWS_ANY,
                              .expression = DESCRIBE_EXPRESSION_LEAST,
                              .told = DESCRIBE_TOLD_ALL,
                              .is_settled = i >= plan_counted(plan) &&
                                            !indexed_row_is(stock_of(stock, &plan->library[i]), &plan->library[i])};
        for (unsigned k = 0; k < DEBUG_SECTION_COUNT; k++)
            plan->mix[i].size[k] = DEBUG_ANY;
    }
    plan->guides->average = average_dies(plan);
    return settle_guides(plan, stock, threads, e);
}
