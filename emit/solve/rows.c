/* The plan of a set whose profile has rows. Each library has its own sizes, to the byte, and its own place in the
 * graph.
 *
 * No sum is divided over the libraries. For each library the counts of its row are tried first. Where its sizes have no
 * room for them, features that no application has are given up first (enum plan_level), then functions. A library's
 * names and calls depend on the functions of the libraries that it calls, so planning goes in rounds: counts, with an
 * estimate of the imports; then imports; then exact bases. A library that does not fit its base begins the next round
 * with fewer functions.
 */
#include "emit/solve/rows.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/library/glue.h"
#include "emit/library/shape.h"
#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows_alike.h"
#include "emit/solve/rows_lengths.h"
#include "emit/solve/rows_parts.h"
#include "emit/stock/stock.h"

enum {
    ROUNDS_MOST = 64,
    TEXT_OF_FUNCTION = 400, /* bytes, where a row states no number of functions */
    FUNCTIONS_NATURAL = 20,
    LOADS_NOSEPARATE = 3, /* segments of a library, at most, whose code is in one of them with constants: two are ld's,
                             and patchelf adds one */
};

/* --- the libraries ------------------------------------------------------------------------ */

/* Whether the glue's functions have no frame pointer: where as many functions of the row have none as there are
 * helpers, or so few have one that the glue's would be too many. */
static bool glue_is_by_rsp(const struct profile_row *row)
{
    const uint64_t rsp = rows_value_or(row, ROW_UNWIND_RSP, 0);
    return rsp >= SHAPE_HELPERS || (rsp && rows_value_or(row, ROW_UNWIND_RBP, 0) < GLUE_LIBRARY);
}

static void set_elf(const struct plan *plan, struct plan_library *l, const struct profile_row *row)
{
    struct profile_elf *elf = &l->elf;
    const uint64_t page = rows_value_or(row, ROW_PAGE, (uint64_t)elf->max_page_size);
    if (row->value[ROW_HASH] != PROFILE_DERIVED && row->value[ROW_HASH] <= HASH_BOTH)
        elf->hash = (enum hash_style)row->value[ROW_HASH];
    if (row->value[ROW_BIND] != PROFILE_DERIVED)
        elf->bind = (enum bind_mode)row->value[ROW_BIND];
    if (row->value[ROW_RELRO] != PROFILE_DERIVED)
        elf->relro = (enum relro_mode)row->value[ROW_RELRO];
    if (elf->relro == RELRO_FULL && elf->bind == BIND_LAZY)
        elf->relro = RELRO_PARTIAL;
    elf->build_id = rows_value_or(row, ROW_BUILD_ID, elf->build_id);
    elf->soname = rows_value_or(row, ROW_SONAME, elf->soname);
    elf->relr = rows_value_or(row, ROW_RELR, elf->relr) > 0;
    elf->cf_protection = rows_cf_protection(plan->profile, row);
    if (row->value[ROW_LOADS] != PROFILE_DERIVED)
        elf->separate_code = row->value[ROW_LOADS] > LOADS_NOSEPARATE;
    if (page >= 4096 && page <= 2 << 20 && !(page & (page - 1)))
        elf->max_page_size = (int64_t)page;
    l->glue.by_rsp = glue_is_by_rsp(row);
}

/* Whether any row says that its library has a debug file. */
static bool say_debug_files(const struct profile *p)
{
    for (uint32_t i = 0; i < p->rows; i++)
        if (rows_value_or(&p->row[i], ROW_DEBUG_FILE, 0))
            return true;
    return false;
}

/* How debuggers find the library's debug file. In a captured profile of which any row states a debug file, a row that
 * states none has none; in other profiles such a row has one. A library without a build-id needs a link. */
static enum separation separation_of(const struct rows *r, const struct plan_library *l)
{
    const struct profile *p = r->s->plan->profile;
    const bool unsaid = !(r->debug_files && profile_is_captured(p));
    if (!rows_value_or(l->said, ROW_DEBUG_FILE, unsaid) || (l->stripped && l->debug.none))
        return SEPARATE_NONE;
    return p->dwarf.separate == SEPARATE_BUILD_ID && !l->elf.build_id ? SEPARATE_DEBUGLINK : p->dwarf.separate;
}

/* How many functions, each with a frame, have unwind tables of `unwind` bytes. */
static uint64_t functions_of_unwind(const struct plan *plan, const struct plan_library *l, uint64_t unwind)
{
    const uint64_t none = unwind_frame_size(0, true) + unwind_header_size(0, true);
    const uint64_t one = unwind_frame_size(plan_unwind_entry(plan, l), true) + unwind_header_size(1, true) - none;
    return unwind > none ? (unwind - none) / one : 0;
}

/* How many functions there are by what the row says besides symbols: those that calls lead to, where little else tells
 * of functions; or those that the unwind tables are for, by their entries or else by their bytes. As many of the former
 * two as fit into the row's text. 0: the row says neither. */
static uint64_t functions_told(const struct plan *plan, const struct plan_library *l)
{
    enum { EACH_LEAST = UNWIND_FRAMELESS + 8 + 1 }; /* an unwind entry, its row in .eh_frame_hdr, a byte of code */
    const struct profile_row *row = l->said;
    const uint64_t entries = rows_value_or(row, ROW_UNWIND_ENTRIES, 0);
    const bool cf = rows_cf_protection(plan->profile, row);
    const uint64_t tables = (rows_value_or(row, ROW_PLT, 0) ? UINT64_C(1) + cf : 0) + (rows_direct(row, cf) ? 1 : 0);
    const uint64_t called = rows_value_or(row, ROW_CALLED, 0);
    const uint64_t unwound = entries > tables ? entries - tables : 0;
    const uint64_t told = unwound > called ? unwound : called;
    const uint64_t most = rows_value_or(row, ROW_TEXT, UINT64_MAX) / EACH_LEAST;
    const uint64_t unwind = rows_value_or(row, ROW_SHARE_UNWIND, 0);
    const uint64_t exceptions = rows_value_or(row, ROW_EXCEPTIONS_TABLE, 0);
    if (!told)
        return functions_of_unwind(plan, l, unwind > exceptions ? unwind - exceptions : 0);
    return told < most ? told : most;
}

/* Dynamic functions that every module has: its entry and PyInit_. Utilities have none. */
static uint64_t dynamic_glue(const struct profile_row *row)
{
    return row->value[ROW_KIND] == ROW_KIND_UTILITY ? 0 : 2;
}

/* How many of the other dynamic functions are aliases. At least one of these functions is none. */
static uint32_t aliases_of(const struct profile_row *row)
{
    const uint64_t functions = rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0);
    const uint64_t aliases = rows_value_or(row, ROW_DYNAMIC_ALIASES, 0);
    const uint64_t most = functions > dynamic_glue(row) ? functions - dynamic_glue(row) - 1 : 0;
    return (uint32_t)(aliases < most ? aliases : most);
}

uint32_t rows_local_aliases(const struct profile_row *row)
{
    const uint64_t functions = rows_value_or(row, ROW_FUNCTIONS, 0);
    const uint64_t dynamic = rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0);
    const uint64_t others = functions > dynamic ? functions - dynamic : 0;
    const uint64_t local = rows_value_or(row, ROW_LOCAL_FUNCTIONS, others);
    const uint64_t most = local < others ? local : others;
    const uint64_t aliases = rows_value_or(row, ROW_LOCAL_ALIASES, 0);
    if (row->value[ROW_TEXT] == PROFILE_DERIVED || !most) /* without sizes all is natural */
        return 0;
    return (uint32_t)(aliases < most ? aliases : dynamic ? most : most - 1);
}

/* How many of a row's functions are no aliases, neither dynamic nor local ones. */
static uint64_t without_aliases(const struct profile_row *row, uint64_t functions)
{
    const uint64_t aliases = aliases_of(row) + (uint64_t)rows_local_aliases(row);
    return functions > aliases ? functions - aliases : 0;
}

/* How many functions a row wants. Aliases are not counted. */
static uint32_t functions_of(const struct plan *plan, const struct plan_library *l)
{
    const struct profile_row *row = l->said;
    const uint64_t told = functions_told(plan, l);
    const uint64_t said = rows_value_or(row, ROW_FUNCTIONS, 0);
    /* a table of symbols that was cut down has fewer functions than there are dynamic ones */
    const uint64_t dynamic = profile_is_captured(plan->profile) ? rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0) : 0;
    const uint64_t functions = said > dynamic ? said : dynamic;
    uint64_t n = FUNCTIONS_NATURAL;
    const uint32_t landing = rows_cf_protection(plan->profile, row) ? PLT_LANDING_SIZE : 0;
    const bool constructs = rows_value_or(row, ROW_CONSTRUCTOR_CODE, 0) >= landing + GLUE_CONSTRUCTOR_LEAST;
    if (row->value[ROW_SYMTAB] == 0 && told) /* the row counts those in .dynsym only */
        n = told - constructs;
    else if (row->value[ROW_FUNCTIONS] != PROFILE_DERIVED)
        n = without_aliases(row, functions);
    else if (row->value[ROW_KIND] == ROW_KIND_UTILITY && plan->profile->utility_functions > 0)
        n = (uint64_t)plan->profile->utility_functions;
    else if (plan->profile->functions > 0)
        n = (uint64_t)plan->profile->functions;
    else if (row->value[ROW_SYMTAB] > 0)
        n = (uint64_t)row->value[ROW_SYMTAB] / sizeof(Elf64_Sym) * 2 / 3;
    else if (row->value[ROW_TEXT] != PROFILE_DERIVED)
        n = (uint64_t)row->value[ROW_TEXT] / TEXT_OF_FUNCTION;
    return n < PROFILE_FUNCTIONS_MOST ? (uint32_t)n : PROFILE_FUNCTIONS_MOST;
}

/* Whether less than half of the functions that a captured library exports have mangled names, though most of all may
 * have, as where the interface of a library in C++ is one in C: debuggers would show three characters of each mangled
 * one at the least, as of `f()`. With debug information all functions have names that go with that. */
static bool exports_plain_names(const struct profile *p, const struct profile_row *row)
{
    enum { SHOWN_LEAST = 3, FEW = 16 };
    const uint64_t exported = rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0);
    const bool is_bare = profile_is_captured(p) && row->value[ROW_DEBUG] == 0;
    const bool is_cpp = row->value[ROW_KIND] == ROW_KIND_UTILITY && row->value[ROW_MANGLED] > 0;
    return is_bare && is_cpp && exported >= FEW && 2 * rows_value_or(row, ROW_DEMANGLED, 0) < SHOWN_LEAST * exported;
}

/* Whether less than half of the row's functions have mangled names. False where the row does not say. */
static bool has_plain_names(const struct profile *p, const struct profile_row *row)
{
    const uint64_t functions = rows_value_or(row, ROW_FUNCTIONS, 0);
    if (exports_plain_names(p, row))
        return true;
    if (row->value[ROW_MANGLED] == PROFILE_DERIVED && !profile_is_captured(p)) /* a captured profile leaves out zeros */
        return false;
    return rows_value_or(row, ROW_MANGLED, 0) * 2 < functions;
}

/* How alike the library's code has to be for its text to compress as the row says. Code of templates that are used for
 * many types is very alike. */
static struct alike_code choose_alike_code(const struct profile *p, const struct plan_library *l,
                                           const struct profile_row *row)
{
    /* what zstd -3 leaves of other sections in percent, as measured; constants are taken to be like real ones */
    enum { OF_CONSTANTS = 25, OF_UNWIND = 36, OF_RELOCATIONS = 9 };
    enum { FIRST = 1024, MORE_OF_FIRST = 40 }; /* the first constants repeat nothing */
    const uint64_t packed = 100 * rows_value_or(row, ROW_ZSTD_TEXT, 0);
    const uint64_t code = rows_value_or(row, ROW_SHARE_CODE, 0);
    const int64_t relocations = profile_row_says(p, row, ROW_SHARE_RELOCATIONS);
    const uint64_t constants = rows_value_or(row, ROW_SHARE_CONSTANTS, 0);
    const uint64_t others = OF_CONSTANTS * constants + MORE_OF_FIRST * (constants < FIRST ? constants : FIRST) +
                            OF_UNWIND * rows_value_or(row, ROW_SHARE_UNWIND, 0) +
                            OF_RELOCATIONS * (relocations > 0 ? (uint64_t)relocations : 0);
    if (!packed || !code)
        return (struct alike_code){0};
    /* With debug information, which describes blocks, the library keeps all blocks: a few blocks would make it like no
     * real one. It keeps them too if the row does not state the share of constants, because constants may then be why
     * the text compresses as it does. */
    const bool is_told = row->value[ROW_SHARE_CONSTANTS] != PROFILE_DERIVED || profile_is_captured(p);
    const uint64_t left = packed > others ? (packed - others) * 10 / code : 0;
    return alike_for(code, left < 1000 ? (uint32_t)left : 1000, !l->debug.none || !is_told);
}

/* Whether the names of the row's dynamic symbols are longer, on average, than the longest name of a function outside.
 */
static bool has_long_names(const struct profile_row *row)
{
    const uint64_t names = rows_value_or(row, ROW_DYNAMIC_UNDEFINED, 0) + rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0) +
                           rows_value_or(row, ROW_DYNAMIC_OBJECTS, 0);
    return rows_value_or(row, ROW_DYNAMIC_DYNSTR, 0) / (OUTSIDE_LONGEST + 1) > names;
}

/* Upper bound of the names whose lengths are chosen (want.most_names). In a stripped library these are about all
 * dynamic symbols. In others they are the undefined symbols, or all of .symtab if names are so long that undefined
 * symbols may need invented ones. */
static uint32_t names_at_most(const struct profile_row *row, uint64_t undefined)
{
    enum { GLUE = 16 };
    const bool all = row->value[ROW_SYMTAB] == 0 && row->value[ROW_TEXT] != PROFILE_DERIVED;
    const uint64_t symbols = rows_value_or(row, ROW_SYMTAB, 0) / sizeof(Elf64_Sym);
    if (!all && has_long_names(row) && symbols < UINT32_MAX / 2) /* larger tables are refused (rows_fit.c) */
        return (uint32_t)(undefined + symbols + GLUE);
    const uint64_t functions = rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0);
    const uint64_t objects = rows_value_or(row, ROW_DYNAMIC_OBJECTS, 0);
    const uint64_t most = (uint64_t)rows_value_or(row, ROW_TEXT, 0) / sizeof(Elf64_Sym); /* .dynsym is part of text */
    const uint64_t defined = functions < most && objects < most ? functions + objects : 0;
    return (uint32_t)(undefined + (all ? defined + GLUE : 0));
}

/* Sets what the row wants. The library may get less. */
static void begin_want(const struct plan *plan, const struct plan_library *l, uint32_t row_number, struct want *w)
{
    const struct profile_row *row = l->said;
    *w = (struct want){.row = row_number,
                       .exported = -1,
                       .cap = UINT32_MAX,
                       .few = UINT32_MAX,
                       .bound_most = UINT32_MAX,
                       .calls = ROWS_CALLS_WHOLE,
                       .share = ROWS_EXTRA_WHOLE,
                       .mangled = l->stripped && l->debug.none ? row->value[ROW_MANGLED] : PROFILE_DERIVED};
    w->functions = functions_of(plan, l);
    /* a captured row that does not say has none */
    if (row->value[ROW_DYNAMIC_FUNCTIONS] != PROFILE_DERIVED || profile_is_captured(plan->profile)) {
        const int64_t exported = (int64_t)rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0);
        const int64_t glue = (int64_t)dynamic_glue(row);
        w->aliases = aliases_of(row);
        w->exported = exported > glue ? exported - glue - w->aliases : 0;
    }
}

/* Whether a row has more versions than it defines itself, and needs no library of the set that defines any. */
static bool has_versions_of_libc(const struct profile *p, const struct profile_row *row)
{
    const uint64_t own = rows_value_or(row, ROW_VERSIONS_DEFINED, 0);
    if (rows_value_or(row, ROW_VERSIONS, 0) <= own)
        return false;
    for (uint32_t i = 0; i < row->edges; i++)
        if (rows_definitions(&p->row[row->edge[i].row]))
            return false;
    return true;
}

/* Sets what the library is without. The row's sizes, relocations and symbols say it. */
static void begin_parts(const struct plan *plan, struct plan_library *l)
{
    const struct profile *p = plan->profile;
    const struct profile_row *row = l->said;
    const bool sized = row->value[ROW_TEXT] != PROFILE_DERIVED;
    const uint32_t definitions = rows_definitions(row); /* their symbols count as objects */
    const uint64_t objects = rows_value_or(row, ROW_DYNAMIC_OBJECTS, profile_is_captured(p) ? 0 : definitions + 1);
    const int64_t relative = profile_row_relative(p, row);
    l->glue.inner_marks = objects <= definitions;
    l->stripped = sized && row->value[ROW_SYMTAB] == 0;
    l->debug.none = sized && row->value[ROW_DEBUG] == 0;
    l->without_libc = row->value[ROW_OUTSIDE] == 0 && !has_versions_of_libc(p, row);
    l->unaligned = profile_is_captured(p) && profile_row_says(p, row, ROW_MIX_LOCLISTS) == 0;
    l->glue.untold = l->kind == LIBRARY_MODULE && relative >= 0 && relative < SHAPE_RELATIVE_TOLD;
    if (l->kind == LIBRARY_MODULE)
        l->glue.init = glue_init_of(l, rows_value_or(row, ROW_INIT_CODE, 0));
}

/* Sets the kinds of the library's names. */
static void begin_names(const struct plan *plan, struct plan_library *l, int64_t mangled)
{
    snprintf(l->prefix, sizeof l->prefix, "%c%u", l->kind == LIBRARY_MODULE ? 'm' : 'u', l->number);
    l->names.plain = has_plain_names(plan->profile, l->said);
    l->names.mangled = names_are_mangled(&plan->names, l) ? UINT32_MAX : 0;
    if (mangled != PROFILE_DERIVED)
        l->names.mangled = mangled < UINT32_MAX ? (uint32_t)mangled : UINT32_MAX;
    if (l->stripped && l->debug.none) /* nothing else states its names, so they may have any length */
        l->names.plain = true;
}

static void begin_debug(const struct rows *r, struct plan_library *l)
{
    const struct dialect dialect = stock_row_dialect(r->s->plan->profile, r->s->corpus->dialect, l->said);
    l->debug.version = dialect.version;
    l->debug.language = (uint8_t)profile_row_language(r->s->plan->profile, l->said);
    l->debug.terse = dialect.terse;
    l->debug.lines = dialect.lines;
    l->debug.separate = separation_of(r, l);
    l->debug.split |= profile_row_is_split(l->said);
    l->debug.kept = profile_row_is_split(l->said) ? (uint64_t)l->said->captured[ROW_DEBUG] : 0;
}

/* Allocates room for the choice of undefined symbols, if the row's .dynstr or versions restrict that choice. False when
 * memory ran out. */
static bool begin_outside(struct plan_library *l, struct want *w)
{
    const struct profile_row *row = l->said;
    const uint64_t undefined = rows_value_or(row, ROW_DYNAMIC_UNDEFINED, 0);
    const uint32_t most = outside_most(l->kind == LIBRARY_MODULE);
    const uint64_t room = undefined < most ? undefined + 1 : most;
    if (row->value[ROW_DYNAMIC_DYNSTR] == PROFILE_DERIVED && rows_value_or(row, ROW_VERSIONS, 0) <= 1)
        return true;
    w->most_names = names_at_most(row, room);
    l->outside_choice = malloc(room * sizeof *l->outside_choice);
    w->lengths = malloc(w->most_names * (size_t)WANT_LENGTHS * sizeof *w->lengths);
    w->drawn_lengths = malloc(sizeof *w->drawn_lengths + w->most_names * sizeof w->drawn_lengths->length[0]);
    if (w->drawn_lengths)
        w->drawn_lengths->count = ROWS_NOT_DRAWN;
    return l->outside_choice && w->lengths && w->drawn_lengths;
}

/* Whether the library's own fixed local symbols have mangled names, as in C++, where at least as many names are mangled
 * as there are functions. */
static bool mangles_glue(const struct plan *plan, const struct plan_library *l)
{
    const uint64_t functions = rows_value_or(l->said, ROW_FUNCTIONS, 0);
    return !l->stripped && names_are_mangled(&plan->names, l) &&
           rows_value_or(l->said, ROW_MANGLED, UINT64_MAX) >= functions;
}

static bool begin_library(struct rows *r, uint32_t row_number, uint32_t index, struct error *e)
{
    const struct plan *plan = r->s->plan;
    const struct profile_row *row = &plan->profile->row[row_number];
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    r->index[row_number] = index;
    l->said = row;
    l->calls.used = (uint32_t)rows_value_or(row, ROW_USED, UINT32_MAX);
    set_elf(plan, l, row);
    begin_parts(plan, l);
    begin_want(plan, l, row_number, w);
    l->alike_code = choose_alike_code(plan->profile, l, row);
    if (w->functions && !l->stripped && !l->unaligned) /* of code in whole multiples of CODE_ALIGN */
        l->function_average = rows_value_or(row, ROW_SHARE_CODE, 0) / CODE_ALIGN * CODE_ALIGN / w->functions;
    begin_names(plan, l, w->mangled);
    l->names.mangled_glue = mangles_glue(plan, l);
    lengths_of_files(plan, l);
    begin_debug(r, l);
    return begin_outside(l, w) ||
           error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan_counted(plan));
}

/* --- rounds ------------------------------------------------------------------------------------ */

/* A worker's task, after rows_make_edges: finds the library's small functions and the lengths of its classes' names. */
static bool find_small(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct plan *plan = r->s->plan;
    struct plan_library *l = &plan->library[index];
    (void)worker;
    l->level = l->bare ? LEVEL_BARE : LEVEL_WHOLE;
    return (rows_find_small(plan, l, &r->want[index]) && rows_choose_classes(plan, l, &r->want[index])) ||
           error_set(e, ERROR_MEMORY, "out of memory for the functions of %s", l->name);
}

/* Whether functions must stay below 64 KiB because the row's unwind tables have no room for wide entries. This is asked
 * only if the row states the sizes of functions and their average is below TEXT_LARGE: then few functions can reach 64
 * KiB. They become smaller, and others get their code. */
static bool has_narrow_entries(const struct plan *plan, const struct plan_library *l)
{
    enum { EACH_MORE = 8 /* bytes in the index */, TEXT_LARGE = 1 << 13 /* bytes of a function */ };
    const struct profile_row *row = l->said;
    const uint64_t text = rows_value_or(row, ROW_TEXT, 0);
    const uint64_t entries = rows_value_or(row, ROW_UNWIND_ENTRIES, functions_of(plan, l));
    const uint64_t tables = rows_value_or(row, ROW_EXCEPTIONS_TABLE, 0) + (UNWIND_WIDE + EACH_MORE) * entries;
    return row->text[ROW_TEXT_FUNCTION_SIZES] && text / TEXT_LARGE < l->functions &&
           rows_value_or(row, ROW_SHARE_UNWIND, UINT64_MAX) < tables;
}

/* Sets which libraries have functions that may reach 64 KiB. Returns whether there are more of these than before. */
static bool choose_width(struct plan *plan)
{
    bool any = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        const uint64_t text = rows_value_or(l->said, ROW_TEXT, 0);
        const uint64_t functions = l->functions ? l->functions : 1;
        const bool reaches = text / functions * 16 > 60000 && !has_narrow_entries(plan, l);
        const bool visits = l->kind == LIBRARY_MODULE && l->calls.chains > 1000; /* its entry alone calls every chain */
        const bool wide = text > 60000 && (reaches || visits || l->calls.per_function > 500);
        any |= wide && !l->wide;
        l->wide |= wide;
        plan->wide |= wide;
    }
    return any;
}

/* Whether fewer small functions would be of help, so that a captured library need not be larger than its row. */
static bool has_small_to_lose(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    enum { LOWERED_MOST = 16 }; /* of the rounds, which other libraries take part in */
    return profile_is_captured(plan->profile) && w->lowered < LOWERED_MOST && l->small.count &&
           l->small.count <= w->few && !w->loose[w->lack] &&
           (w->lack == SIZE_TEXT || w->lack == SIZE_SYMTAB || w->lack == SIZE_STRTAB);
}

/* How many small functions are left, if these have half of their part in what is lacking, but one of them at least
 * goes. With fewer of them names are others, and less may be lacking than it seems. */
static uint32_t fewer_small(const struct plan_library *l, const struct want *w)
{
    const uint64_t said = (uint64_t)l->said->value[ROW_TEXT + w->lack];
    const uint64_t lacking = w->needs > said ? w->needs - said : 0;
    const uint32_t part = w->needs ? (uint32_t)(lacking * l->small.count / w->needs / 2) : 0;
    return l->small.count - 1 - rows_smaller(part, l->small.count - 1);
}

/* Lowers what each library that did not fit wants in the next round. Sets *again if there was such a library. */
static bool lower(struct rows *r, bool *again, struct error *e)
{
    const struct plan *plan = r->s->plan;
    *again = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct want *w = &r->want[i];
        const struct plan_library *l = &plan->library[i];
        char advice[PLAN_ADVICE];
        if (w->lack == SIZE_KINDS)
            continue;
        *again = true;
        if ((l->names.function_lengths || l->names.other_lengths) && w->terse < ROWS_TERSE_MOST)
            w->terse++;
        else if (l->functions > rows_least_exported(l, w) && l->functions <= w->cap)
            w->cap = l->functions - 1 - l->functions / 16;
        else if (l->imports && w->calls)
            w->calls--;
        else if (!w->silent && l->imports)
            w->silent = true;
        else if (w->bound)
            w->bound_most = w->bound / 2;
        else if (has_small_to_lose(plan, l, w)) {
            w->few = fewer_small(l, w);
            w->lowered++;
        } else if (!rows_loosen(r->s->plan->profile, w))
            return error_set(
                e, ERROR_INFEASIBLE, PROFILE_ROWS ": row %u: %s: %lld bytes are too few: %s needs %llu; %s", w->row,
                rows_size_names[w->lack], (long long)l->said->value[ROW_TEXT + w->lack], l->name,
                (unsigned long long)w->needs, plan_advice(plan, l, "raise it, or leave the row out", advice));
    }
    return true;
}

/* Whether a library or any that it imports from has moved. If none has, it would choose the same again. */
static bool has_other_names(const struct rows *r, uint32_t index)
{
    const struct plan_library *l = &r->s->plan->library[index];
    bool moved = r->want[index].moved;
    for (uint32_t n = 0; n < l->needs.edges; n++)
        moved |= r->want[l->needs.edge[n].library].moved;
    return moved;
}

static bool choose_names_alike(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    (void)worker;
    return !has_other_names(r, index) ||
           rows_choose_alike(r->s->plan, &r->s->plan->library[index], &r->want[index].alike, e);
}

/* Chooses plan_library.alike of all libraries. A library's tables include the names that it imports, and these change
 * with the choice of the libraries that own them. So all libraries choose at once and then once more beside what the
 * others have chosen, each moving half way to its new choice, until nothing changes. */
static bool choose_words(struct rows *r, struct error *e)
{
    enum { ROUNDS = 5 };
    struct plan *plan = r->s->plan;
    const uint32_t count = plan_counted(plan);
    bool changes = true;
    for (uint32_t i = 0; i < count; i++)
        r->want[i].moved = true;
    for (unsigned round = 0; changes && round < ROUNDS; round++) {
        changes = false;
        if (!workers_run(r->s->threads, count, choose_names_alike, r, e))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            struct plan_library *l = &plan->library[i];
            const uint8_t chosen = r->want[i].alike;
            const uint8_t next = (uint8_t)(round ? (l->names.alike + chosen + 1) / 2 : chosen);
            r->want[i].moved = next != l->names.alike;
            changes |= next != l->names.alike && l->imports;
            l->names.alike = next;
        }
    }
    return true;
}

static bool run_rounds(struct rows *r, struct error *e)
{
    struct solver *s = r->s;
    struct plan *plan = s->plan;
    const uint32_t count = plan_counted(plan);
    bool again = true;
    for (unsigned round = 0; again && round < ROUNDS_MOST; round++) {
        for (uint32_t i = 0; i < count; i++) {
            r->want[i].functions = functions_of(plan, &plan->library[i]);
            r->want[i].drawn = r->want[i].imports_named = false;
            r->want[i].bound = 0;
            plan->library[i].small.leaf = plan->library[i].small.leaves = 0;
            plan->library[i].names.function_lengths = plan->library[i].names.other_lengths =
                plan->library[i].names.ends = 0;
            plan->library[i].names.functions_named = 0;
        }
        if (!workers_run(s->threads, count, rows_fit_counts, r, e))
            return false;
        if (choose_width(plan))
            continue;
        rows_count_imports(r);
        rows_count_mangled(r);
        if (!rows_name_exported(r, e) || !workers_run(s->threads, count, rows_fit_exactly, r, e) ||
            !lower(r, &again, e))
            return false;
    }
    if (again)
        return error_set(e, ERROR_INFEASIBLE,
                         PROFILE_ROWS ": the rows' sizes and calls do not go together; lower 'functions' or symbols of "
                                      "'needed'");
    return workers_run(s->threads, count, rows_make_room, r, e) &&
           workers_run(s->threads, count, rows_settle_names, r, e) && choose_words(r, e) &&
           workers_run(s->threads, count, rows_elaborate_again, r, e);
}

/* Sets plan->function_sizes: the profile's distribution of functions' sizes without the libraries whose rows state
 * their own. */
static bool find_function_sizes(struct plan *plan, struct error *e)
{
    const struct profile *p = plan->profile;
    const char *all = p->distributions[DISTRIBUTION_FUNCTION_SIZES];
    struct distribution_part *part = malloc((p->rows + (size_t)1) * sizeof *part);
    uint32_t parts = 0;
    for (uint32_t i = 0; part && i < p->rows; i++) {
        const uint64_t functions = rows_value_or(&p->row[i], ROW_FUNCTIONS, 0);
        if (p->row[i].text[ROW_TEXT_FUNCTION_SIZES] && functions <= PROFILE_FUNCTIONS_MOST)
            part[parts++] = (struct distribution_part){p->row[i].text[ROW_TEXT_FUNCTION_SIZES], (uint32_t)functions};
    }
    const bool ok = part && (!all || distribution_without(all, part, parts, &plan->function_sizes));
    free(part);
    return ok || error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan_counted(plan));
}

/* The two markers have no rows, so their sizes are natural ones. */
static void settle_markers(struct solver *s)
{
    for (uint32_t i = plan_counted(s->plan); i < s->plan->library_count; i++) {
        struct plan_library *l = &s->plan->library[i];
        l->locals = l->stripped ? 0 : 1;
        solve_base(s, i);
        solve_natural(s, i);
    }
}

bool plan_rows_solve(struct solver *s, struct error *e)
{
    struct plan *plan = s->plan;
    const uint32_t count = plan_counted(plan);
    struct rows r = {.s = s, .debug_files = say_debug_files(plan->profile)};
    r.want = calloc(count, sizeof *r.want);
    r.index = calloc(count, sizeof *r.index);
    r.rank = calloc(count, sizeof *r.rank);
    uint32_t number[2] = {0, 0};
    bool ok = r.want && r.index && r.rank;
    if (!ok)
        error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", count);
    if (plan->profile->names.style == STYLE_ITANIUM)
        names_init_itanium(&plan->names, MANGLE_NATURAL);
    else
        names_init(&plan->names, 0, 0);
    ok = ok && find_function_sizes(plan, e);
    for (uint32_t i = 0; ok && i < plan->profile->rows; i++) {
        const bool utility = plan->profile->row[i].value[ROW_KIND] == ROW_KIND_UTILITY;
        ok = begin_library(&r, i, number[utility]++ + (utility ? plan->modules : 0), e);
    }
    plan->assignment.repeat = 1;
    ok = ok && rows_make_edges(&r, e) && workers_run(s->threads, count, find_small, &r, e) && run_rounds(&r, e);
    if (ok)
        settle_markers(s);
    if (ok && !(calls_row_visits(plan) && calls_row_uses(plan)))
        ok = error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", count);
    plan->functions = 0;
    for (uint32_t i = 0; i < count; i++)
        plan->functions += plan->library[i].functions;
    for (uint32_t i = 0; r.want && i < count; i++) {
        free(r.want[i].names[0]);
        free(r.want[i].names[1]);
        free(r.want[i].lengths);
        free(r.want[i].drawn_lengths);
    }
    free(r.want);
    free(r.index);
    free(r.rank);
    return ok;
}
