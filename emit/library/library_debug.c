/* The size pass of a library's debug information; see library_debug.h. */
#include "emit/library/library_debug.h"

#include <string.h>

#include "dwarf/unit/partial.h"
#include "emit/library/describe.h"
#include "emit/library/files.h"
#include "emit/library/indexed.h"
#include "emit/library/large.h"
#include "emit/library/symbols.h"

enum { AIMS_MOST = 6, AIM_LITTLE = 200, AIM_LONGER = 2 };

enum section_id library_debug_section(const struct library *l, enum debug_section s)
{
    static const enum section_id of_5[DEBUG_SECTION_COUNT] = {
        [DEBUG_ARANGES] = SECTION_DEBUG_ARANGES, [DEBUG_INFO] = SECTION_DEBUG_INFO,
        [DEBUG_ABBREV] = SECTION_DEBUG_ABBREV,   [DEBUG_LINE] = SECTION_DEBUG_LINE,
        [DEBUG_STR] = SECTION_DEBUG_STR,         [DEBUG_LINE_STR] = SECTION_DEBUG_LINE_STR,
        [DEBUG_LISTS] = SECTION_DEBUG_LOCLISTS,  [DEBUG_RANGES] = SECTION_DEBUG_RNGLISTS,
        [DEBUG_NAMES] = SECTION_DEBUG_NAMES,     [DEBUG_TYPES] = SECTION_DEBUG_TYPES,
    };
    if (dialect_is_4(l->stock->corpus.dialect) && (s == DEBUG_LISTS || s == DEBUG_RANGES))
        return s == DEBUG_LISTS ? SECTION_DEBUG_LOC : SECTION_DEBUG_RANGES;
    return of_5[s];
}

/* Whether the library's single debug sections have wanted sizes. Those of executables never have. */
static bool is_mixed(const struct library *l)
{
    if (!l->plan->mix || plan_is_direct(l->row))
        return false;
    if (!l->plan->profile->rows && !l->stock->corpus.dialect.clang)
        return true;
    const uint64_t *size = l->plan->mix[l->row - l->plan->library].size;
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        if (size[i] != DEBUG_ANY)
            return true;
    return false;
}

/* The number that the library's row states for `value`; 0: none, so any number will do. */
static uint64_t said_of(const struct plan_library *row, enum row_value value)
{
    return row->said && row->said->value[value] > 0 ? (uint64_t)row->said->value[value] : 0;
}

/* Share of .debug_info that functions' entries may take, in 1/MANNER_USUAL. At least the usual share where the row
 * says how many entries functions have: mix_told.c tells less where they have more. */
static uint32_t entries_share(const struct library *l)
{
    const uint32_t share = l->stock->corpus.manner.entries;
    const uint32_t usual = manner_usual().entries;
    if (l->stock->corpus.dialect.lines) /* nothing else has entries */
        return MANNER_USUAL;
    const bool is_said = said_of(l->row, ROW_DWARF_DEFINED) && l->debug.wanted[DEBUG_INFO] != DEBUG_ANY;
    return is_said && share < usual ? usual : share;
}

/* Shares of the sections in real programs, in thousandths: of CPython 3.11's extension modules and of Ipopt,
 * compiled by gcc 12. Functions' entries may take most of .debug_info, and leave types as little as they need. With
 * views (the second of each pair) lists take more of it. .debug_names, which these programs do not have, takes about
 * a twentieth. Ranges of C++ are to be half of Ipopt's (31): blocks have no more, and a mix can only want a little
 * less than they have. */
static struct describe_goal goal_for(const struct library *l)
{
    static const uint16_t shares[][2][4] = {
        [DWARF_C] = {{455, 178, 266, 38}, {380, 178, 250, 38}},
        [DWARF_CPP] = {{638, 94, 192, 17}, {638, 94, 192, 17}},
    };
    const struct dialect dialect = l->stock->corpus.dialect;
    const uint16_t *share = shares[dialect.language][dialect.views];
    const uint64_t all = indexed_normal_size(l);
    const uint64_t debug = dialect.index == INDEX_DEBUG_NAMES ? all - all / 20 : all;
    const uint64_t *wanted = l->debug.wanted;
    const bool has_values = l->plan->profile->dwarf.entry_values && !l->row->said;
    struct describe_goal goal = {.info = debug / 1100 * share[0],
                                 .line = debug / 1000 * share[1],
                                 .lists = debug / 1000 * share[2],
                                 .ranges = debug / 1000 * share[3],
                                 .entry_values = has_values ? DESCRIBE_VALUES_USUAL : 0,
                                 .rows_part = DESCRIBE_ROWS_ANY,
                                 .expression = DESCRIBE_EXPRESSION_LEAST};
    if (is_mixed(l) && l->row->said) {
        const struct plan_mix *mix = &l->plan->mix[l->row - l->plan->library];
        goal.rows_part = mix->rows_part;
        goal.expression = mix->expression;
        goal.letters = mix->letters;
        goal.besides = mix->besides;
        goal.rows = said_of(l->row, ROW_DWARF_ROWS);
        goal.entries = said_of(l->row, ROW_DWARF_ENTRIES);
        goal.entry_values = said_of(l->row, ROW_DWARF_ENTRY_VALUES);
        goal.inlined = said_of(l->row, ROW_DWARF_INLINED);
        if (goal.inlined > l->row->size[SIZE_TEXT])
            goal.inlined = l->row->size[SIZE_TEXT];
    }
    if (wanted[DEBUG_LINE] != DEBUG_ANY)
        goal.line = wanted[DEBUG_LINE];
    if (wanted[DEBUG_LISTS] != DEBUG_ANY)
        goal.lists = wanted[DEBUG_LISTS];
    if (wanted[DEBUG_RANGES] != DEBUG_ANY)
        goal.ranges = wanted[DEBUG_RANGES];
    if (is_mixed(l)) {
        uint64_t others = goal.line + goal.lists + goal.ranges;
        others += wanted[DEBUG_STR] != DEBUG_ANY ? wanted[DEBUG_STR] : debug / 16;
        others += wanted[DEBUG_ABBREV] != DEBUG_ANY ? wanted[DEBUG_ABBREV] : debug / 64;
        uint64_t info = wanted[DEBUG_INFO] != DEBUG_ANY ? wanted[DEBUG_INFO] : debug > others ? debug - others : 0;
        uint64_t units = 2 + (l->described + GLUE_LIBRARY) / (uint64_t)plan_units(l->plan, l->row);
        uint64_t frames = debug_frames(&l->debug, l->row->debug.units_all ? l->row->debug.units_all : units);
        goal.info = info > frames ? (info - frames) / MANNER_USUAL * entries_share(l) : 0;
        if (l->row->said)
            goal.info = goal.info * l->plan->mix[l->row - l->plan->library].told / DESCRIBE_TOLD_ALL;
    }
    return goal;
}

static void want_sections(struct library *l)
{
    const struct plan *plan = l->plan;
    static_assert(sizeof plan->mix->size == sizeof l->debug.wanted, "plan.h and unit.h count the same sections");
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        l->debug.wanted[i] = is_mixed(l) ? plan->mix[l->row - plan->library].size[i] : DEBUG_ANY;
}

/* How many attributes are wanted; 0: any number. Any number will do while the mix is being settled, because nothing
 * else about entries depends on it. Attributes of type units are not counted, nor those of clang's form once it is
 * made. */
static uint64_t attributes_wanted(const struct library *l)
{
    const struct plan_mix *const mix = l->plan->mix ? &l->plan->mix[l->row - l->plan->library] : NULL;
    const struct dialect d = l->stock->corpus.dialect;
    const bool any = l->plan->any_attributes || d.type_units || d.clang || (mix && !mix->is_settled);
    return any ? 0 : said_of(l->row, ROW_DWARF_ATTRIBUTES);
}

/* The bytes to aim at in a section; NULL: there is no such goal. */
static uint64_t *goal_of(struct describe_goal *goal, enum debug_section s)
{
    return s == DEBUG_LINE     ? &goal->line
           : s == DEBUG_LISTS  ? &goal->lists
           : s == DEBUG_RANGES ? &goal->ranges
           : s == DEBUG_INFO   ? &goal->info
                               : NULL;
}

/* Where a section got more than is wanted, lowers its goal by the excess and, with each try, by a little more. The
 * reason: functions may be ahead of their goal by just as much. */
static bool aim_lower(const struct debug *d, unsigned tries, struct describe_goal *goal)
{
    const enum debug_section s = d->failed;
    uint64_t *const of = goal_of(goal, s);
    if (!of || d->size[s] <= d->wanted[s])
        return false;
    uint64_t excess = d->size[s] - d->wanted[s] + AIM_LITTLE * (1 + (uint64_t)tries);
    *of = *of > excess ? *of - excess : 0;
    goal->expression += s == DEBUG_INFO ? AIM_LONGER : 0;
    return true;
}

/* Where a section got less than is wanted because its goal was lowered too far, raises the goal by half of what is
 * missing. The search for a row's sizes goes on with other sizes instead. */
static bool aim_higher(const struct library *l, struct describe_goal *goal)
{
    const struct debug *const d = &l->debug;
    const enum debug_section s = d->failed;
    uint64_t *const of = goal_of(goal, s);
    if (l->row->said || !of || d->size[s] >= d->wanted[s] || *of >= d->wanted[s])
        return false;
    *of += (d->wanted[s] - d->size[s]) / 2;
    return true;
}

/* Lowers the goal after the given number of tries; false where another try at this level makes no sense. Where
 * sections have no wanted sizes, lowers all goals alike, so that headers' types keep their part; only the first time
 * is worth another try. */
static bool aim_again(const struct library *l, unsigned tries, struct describe_goal *goal)
{
    if (is_mixed(l))
        return tries < AIMS_MOST && (aim_lower(&l->debug, tries, goal) || aim_higher(l, goal));
    goal->info -= goal->info / 8;
    goal->line -= goal->line / 8;
    goal->lists -= goal->lists / 8;
    goal->ranges -= goal->ranges / 8;
    return tries == 0;
}

/* Whether tables of abbreviations have orders of their own: with a row, unless debug information is read again to be
 * written in another form. */
static bool is_shuffled(const struct library *l)
{
    const bool is_read = indexed_is(l) || files_are_split(l->row) || l->stock->corpus.dialect.type_units;
    return l->row->said && !l->joined && !is_read && !l->debug.partials;
}

static bool no_memory(const struct library *l, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
}

/* Bytes of the names that glue has in .debug_str. */
static uint64_t glue_names(const struct library *l)
{
    const uint64_t stem = strlen(l->row->name);
    uint64_t bytes = l->shape.python ? strlen(l->shape.entry) + 1 + sizeof "PyInit_" + stem : 0;
    bytes += l->shape.has_extern ? stem + sizeof "_extern" : 0;
    return bytes + (l->shape.executable ? sizeof "_start" : 0);
}

/* Sets what is wanted of the library's debug information, before any of it is composed. */
static bool want_debug(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    struct debug *d = &l->debug;
    d->corpus = &l->stock->corpus;
    d->variety = plan_key(l->row, PURPOSE_DEBUG);
    d->source_stem = plan_stem(l->row);
    d->sources = b->sources;
    d->statics = b->statics;
    d->joined = l->joined ? &l->joins : NULL;
    d->names_size = l->described_names + glue_names(l);
    if (d->corpus->dialect.index && !(d->names = symbols_names(l, d->names_size, &b->arena)))
        return no_memory(l, e);
    want_sections(l);
    d->unit_count = 1;
    d->units_wanted = files_are_split(l->row) && !files_are_split_as_said(l->row) ? 0 : l->row->debug.units_all;
    d->tables_most = d->units_wanted ? l->row->debug.tables : 0;
    debug_choose_sizes(d, d->units_wanted, said_of(l->row, ROW_DWARF_UNEVEN),
                       is_mixed(l) ? l->plan->mix[l->row - l->plan->library].even : 0);
    d->dies_wanted = said_of(l->row, ROW_DWARF_DIES);
    d->attributes_wanted = attributes_wanted(l);
    d->partials = b->large ? 0 : partial_possible(d, l->row->debug.partials);
    d->is_shuffled = is_shuffled(l);
    /* this takes longer, so only where a set is compared with something; clang has types where they are used */
    d->types_first = l->row->said && !d->corpus->dialect.clang;
    debug_choose_files(d, d->units_wanted, l->row->debug.units, !l->row->functions);
    return true;
}

/* Composes the debug information and fills it up to its size. Says as much as possible; where that is more than is
 * wanted, says less. *with_code becomes the number of units with code. */
static bool compose_debug(struct builder *b, uint32_t *with_code, struct error *e)
{
    struct library *l = &b->library;
    struct debug *d = &l->debug;
    struct describe_goal goal = goal_for(l);
    const enum describe_level end = is_mixed(l) ? DESCRIBE_RICH + 1 : DESCRIBE_LEVELS;
    unsigned tries = 0;
    for (enum describe_level level = DESCRIBE_RICH; level < end;) {
        if (b->large)
            large_describe(b, level, &goal);
        if (!describe(l, level, &goal, &b->composed, &b->arena))
            return no_memory(l, e);
        *with_code = d->unit_count;
        if (debug_fill(d, indexed_normal_size(l), &b->arena, e))
            return true;
        if (e->code != ERROR_INFEASIBLE)
            return false;
        if (level != DESCRIBE_RICH || !aim_again(l, tries++, &goal))
            level++;
    }
    return false;
}

/* Refuses more .dwo files than there may be. */
static bool check_files(const struct library *l, uint32_t with_code, struct error *e)
{
    const struct debug *d = &l->debug;
    if (!files_are_split(l->row) || dialect_is_4(d->corpus->dialect) || d->unit_count <= FILES_SPLIT_MOST)
        return true;
    return error_set(e, ERROR_INFEASIBLE,
                     "%s%s: its debug information has %u units, each with a .dwo file, and may have %d; %s, or use "
                     "'version: 4'",
                     plan_stem(l->row), plan_ending(l->row), d->unit_count, FILES_SPLIT_MOST,
                     with_code > FILES_SPLIT_MOST ? "raise 'units' under 'dwarf'" : "use more modules or utilities");
}

bool library_size_debug(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    struct debug *d = &l->debug;
    uint32_t with_code = 0; /* units */
    if (l->row->debug.none)
        return true;
    if (l->row->debug.hollow) {
        d->size[DEBUG_STR] = l->row->size[SIZE_DEBUG];
        l->layout.section[SECTION_DEBUG_STR].size = l->row->size[SIZE_DEBUG];
        return true;
    }
    if (indexed_is(l) && !b->is_normal)
        l->only_sizes = false; /* the sizes of clang's form depend on the contents */
    if (!want_debug(b, e))
        return false;
    const bool filled = compose_debug(b, &with_code, e);
    b->sources = d->sources; /* they may have grown, and the builder frees them */
    b->statics = d->statics;
    if (!filled || !check_files(l, with_code, e))
        return false;
    if (indexed_is(l) && !b->is_normal)
        return indexed_size(b, e);
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        l->layout.section[library_debug_section(l, i)].size = d->size[i];
    if (d->corpus->dialect.index == INDEX_GDB)
        l->layout.section[SECTION_GDB_INDEX].size = d->index.size;
    return true;
}
