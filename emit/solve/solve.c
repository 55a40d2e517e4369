/* Decides each library's five or six sizes, so that their sums are those that the profile wants, to the byte.
 *
 * For given counts each library has a base: what its tables, shortest code, shortest names and least debug information
 * take. What the profile wants beyond the sum of the bases is the surplus. It is divided in proportion to the number of
 * functions.
 */
#include <assert.h>
#include <string.h>

#include "base/shares.h"
#include "base/workers.h"
#include "dwarf/compose/compose.h"
#include "dwarf/unit/unit.h"
#include "emit/library/code.h"
#include "emit/library/describe.h"
#include "emit/library/files.h"
#include "emit/library/library.h"
#include "emit/library/library_start.h"
#include "emit/library/shape.h"
#include "emit/solve/solve.h"
#include "emit/stock/stock.h"

enum {
    CODE_NATURAL = 96,   /* bytes of statements in a function, where no text size is wanted */
    DEBUG_NATURAL = 900, /* bytes of types and rows for each, where no debug size is wanted */
    DATA_NATURAL = 4,
    CODE_ESTIMATE = 160,       /* what a function takes without statements, on average */
    CODE_MOST_FIXED = 148,     /* and at most: five arguments, no call */
    CODE_MOST_CALL = 49,       /* and for each call, at most */
    SPARE = UINT32_C(1) << 26, /* of the 2 GiB that one library may load */
    LOADED_MOST = (UINT32_C(1) << 31) - SPARE,
};

static const char *const size_names[SIZE_KINDS] = {"text", "data", "debug", "symtab", "strtab", "bss"};

static const char *const more_room[SIZE_KINDS] = {
    [SIZE_TEXT] = "fewer functions, a shorter names: length, or fewer calls: utility",
    [SIZE_DATA] = "fewer functions or fewer calls: utilities-per-module",
    [SIZE_DEBUG] = "fewer functions or a shorter names: length",
    [SIZE_SYMTAB] = "fewer functions",
    [SIZE_STRTAB] = "fewer functions or a shorter names: length",
    [SIZE_BSS] = "fewer functions or a smaller symtab",
};

/* `value` divided over the counted libraries in proportion to their functions;
 * share[i] is what library i gets, and the sum is `value`. */
static void divide(const struct plan *plan, uint64_t value, uint64_t *share)
{
    struct shares shares = {.sum = value};
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        shares.weights += plan->library[i].functions + UINT64_C(8);
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        share[i] = shares_next(&shares, plan->library[i].functions + UINT64_C(8));
}

/* Refuses a library that would have more of a size than any library may have. */
static bool too_large(struct solver *s, enum size_kind kind, const struct plan_library *l, uint64_t bytes,
                      struct error *e)
{
    s->is_beyond = true;
    return error_set(e, ERROR_INFEASIBLE,
                     "sections: %s: %s.so would have %llu bytes, one library at most %u; use more modules or utilities",
                     size_names[kind], l->name, (unsigned long long)bytes,
                     kind == SIZE_DEBUG ? UINT32_MAX - SPARE : UINT32_MAX);
}

/* --- bases ------------------------------------------------------------------------ */

/* Most units that a library's functions and glue can make. */
static uint64_t units_most(const struct solver *s, const struct plan_library *l)
{
    const uint64_t average = (uint64_t)plan_units(s->plan, l);
    const uint64_t least = average / 2 ? average / 2 : 1;
    if (l->debug.units)
        return l->debug.units > l->debug.units_all ? l->debug.units : l->debug.units_all;
    if (l->said)
        return (plan_described(s->plan, l).most + GLUE_LIBRARY) / least + 1;
    return l->functions / least + GLUE_LIBRARY + 1;
}

/* Most tables of abbreviations that `units` units have. */
static uint64_t tables_most(const struct plan_library *l, uint64_t units)
{
    return l->debug.tables && !files_are_split(l) ? l->debug.tables : units;
}

/* Bytes of the names of the first `described` functions, about: exported functions come first. */
static uint64_t described_names(const struct plan_library *l, uint32_t described)
{
    const uint32_t exported = l->said ? l->exported : l->functions;
    const uint64_t names = l->said ? l->names.exported : l->names.functions;
    if (described == l->functions)
        return l->names.functions;
    if (described <= exported)
        return exported ? names / exported * described + names % exported : 0;
    const uint32_t others = l->functions - exported;
    return names + (l->names.functions - names) / others * (described - exported) +
           (l->names.functions - names) % others;
}

void solve_base(const struct solver *s, uint32_t index)
{
    const struct plan *plan = s->plan;
    const struct plan_library *l = &plan->library[index];
    struct shape shape = shape_of(plan, l);
    struct code code = {.plan = plan, .library = l};
    struct base *b = &s->base[index];
    uint64_t stem = strlen(l->name);
    const uint64_t glue = l->said ? shape.glue : GLUE_LIBRARY;
    const uint32_t described = plan_described(plan, l).most;
    uint64_t names = described_names(l, described) + (glue + 2) * (stem + 16);
    *b = (struct base){.symbols = shape.symbols};
    b->size[SIZE_TEXT] = shape.text_tables + shape.rodata + glue_size(&code, &shape).end + plan_small_bytes(l);
    b->size[SIZE_TEXT] += l->cold.packed ? CODE_ALIGN - 1 : 0; /* for padding behind cold parts, at most */
    b->size[SIZE_DATA] = shape.data_tables + shape.data;
    const struct corpus *corpus = stock_corpus_of(s->corpus, l);
    const uint64_t units = units_most(s, l);
    b->size[SIZE_DEBUG] = debug_least(corpus, described + glue, units, tables_most(l, units), names) +
                          (shape.python ? glue_rows_most(&code) / LINE_ROW_MOST * 4 : 0) +
                          class_most(corpus, plan, l, units);
    b->size[SIZE_SYMTAB] = sizeof(Elf64_Sym) * shape.symbols;
    b->size[SIZE_STRTAB] = shape.strtab;
    b->size[SIZE_BSS] = ((shape.bss + 7) & ~UINT64_C(7)) + UINT64_C(16) * l->locals + l->extra.thread.bytes;
    if (l->said) /* debug information does not mention objects that the library lacks */
        b->size[SIZE_DEBUG] -= COMPOSE_OBJECT_MOST * ((shape.marks ? 0u : 1u) + (l->level == LEVEL_BARE ? 1u : 0u));
    if (l->debug.none || l->debug.hollow)
        b->size[SIZE_DEBUG] = 0;
    if (l->stripped)
        b->size[SIZE_SYMTAB] = b->size[SIZE_STRTAB] = 0;
}

static uint64_t sum_base(const struct solver *s, enum size_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < plan_counted(s->plan); i++)
        sum += s->base[i].size[kind];
    return sum;
}

/* Bytes that each call into a utility takes in addition where it is repeated. */
static uint64_t code_repeat(const struct plan *plan)
{
    return plan->assignment.repeat > 1 ? CODE_REPEAT + CODE_AGAIN : 0;
}

/* Upper bound of the bytes of a function without statements. */
static uint64_t code_bound(const struct plan *plan, const struct plan_library *l)
{
    uint64_t calls = 1 + (l->kind == LIBRARY_MODULE ? plan->assignment.per_function : 0);
    uint64_t bound = CODE_MOST_FIXED + (CODE_MOST_CALL + code_repeat(plan)) * calls;
    return (bound + CODE_ALIGN - 1) & ~(uint64_t)(CODE_ALIGN - 1);
}

static uint64_t code_estimate(const struct plan *plan, const struct plan_library *l)
{
    uint64_t calls = l->kind == LIBRARY_MODULE ? plan->assignment.per_function : 0;
    return l->functions * (CODE_ESTIMATE + 26 * (calls > 1 ? calls - 1 : 0) + code_repeat(plan) * calls);
}

static bool find_code(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct solver *s = context;
    const struct plan_library *l = &s->plan->library[index];
    s->code[index] = 0;
    if (!l->functions)
        return true;
    uint64_t code = library_code_least(s->plan, l, &s->arenas[worker]);
    s->code[index] = code;
    return code || error_set(e, ERROR_MEMORY, "out of memory for the plan of %s", l->name);
}

/* --- names and locals -------------------------------------------------------------- */

/* Divides the symbols that the profile wants beyond those of the bases among the libraries, as static objects. Where
 * the profile wants too few symbols, no library gets static objects, and check_least fails. More symbols than a library
 * may have are refused here, as their number may be too large to be kept. */
static bool choose_locals(struct solver *s, struct error *e)
{
    struct plan *plan = s->plan;
    uint64_t wanted = (uint64_t)plan->profile->sections[SIZE_SYMTAB];
    uint64_t symbols = (wanted + sizeof(Elf64_Sym) / 2) / sizeof(Elf64_Sym);
    uint64_t base = 0;
    for (uint32_t i = 0; i < plan->library_count; i++) {
        struct plan_library *l = &plan->library[i];
        l->locals = 0;
        if (i < plan_counted(plan))
            base += shape_of(plan, l).symbols;
        if (!plan->wanted[SIZE_SYMTAB] || i >= plan_counted(plan))
            l->locals = plan->stripped ? 0 : 1 + l->functions / 16;
    }
    if (!plan->wanted[SIZE_SYMTAB] || plan->stripped)
        return true;
    /* each library has one at least, whose name takes what is left of .strtab */
    if (symbols < base + plan_counted(plan))
        return true;
    divide(plan, symbols - base - plan_counted(plan), s->share);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        const uint64_t bytes = sizeof(Elf64_Sym) * (shape_of(plan, l).symbols + 1 + s->share[i]);
        if (bytes > UINT32_MAX)
            return too_large(s, SIZE_SYMTAB, l, bytes, e);
        l->locals = (uint32_t)(1 + s->share[i]);
    }
    return true;
}

/* The bytes that names may take in each size: names of functions and imports in .strtab and in text, names of functions
 * in debug information. The bases must be those with the shortest names. */
static void find_room(const struct solver *s, int64_t room[SIZE_KINDS])
{
    const struct plan *plan = s->plan;
    const int64_t *wanted = plan->profile->sections;
    int64_t own = (int64_t)names_total(&s->own, plan->names.letters);
    int64_t both = own + (int64_t)names_total(&s->imported, plan->names.letters);
    uint64_t code = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        code += code_estimate(plan, &plan->library[i]);
    for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
        room[kind] = INT64_MAX / 2;
    if (plan->wanted[SIZE_STRTAB] && !plan->stripped)
        room[SIZE_STRTAB] = wanted[SIZE_STRTAB] - (int64_t)sum_base(s, SIZE_STRTAB) + both;
    if (plan->wanted[SIZE_TEXT])
        room[SIZE_TEXT] = wanted[SIZE_TEXT] - (int64_t)(sum_base(s, SIZE_TEXT) + code + code / 8) + both;
    if (plan->wanted[SIZE_DEBUG] && !plan->without_debug)
        room[SIZE_DEBUG] = wanted[SIZE_DEBUG] / 10 * 9 - (int64_t)sum_base(s, SIZE_DEBUG) + own;
}

/* The greatest length of functions' names for which .strtab, text and debug information have room, if static objects
 * have names of that length, too. All sums are linear in the length. */
static uint32_t choose_length(const struct solver *s)
{
    const struct plan *plan = s->plan;
    int64_t functions = (int64_t)s->own.names;
    int64_t names = functions + (int64_t)s->imported.names;
    int64_t locals = 0;
    int64_t local_bytes = 0;
    int64_t room[SIZE_KINDS];
    if (!functions)
        return 0;
    find_room(s, room);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        locals += l->locals;
        local_bytes += (int64_t)(names_digits_sum(0, l->locals) + l->locals * (strlen(l->name) + sizeof "_var"));
    }
    int64_t length = PROFILE_NAME_MOST;
    /* the second limit holds where natural names of static objects are longer: they keep these */
    const int64_t most[] = {(room[SIZE_STRTAB] + local_bytes) / (names + locals) - 1, room[SIZE_STRTAB] / names - 1,
                            room[SIZE_TEXT] / names - 1, room[SIZE_DEBUG] / functions - 1};
    for (unsigned i = 0; i < sizeof most / sizeof most[0]; i++)
        length = most[i] < length ? most[i] : length;
    return length > 0 ? (uint32_t)length : 0;
}

/* As choose_length for mangled names, which are not all of one length: the most letters (mangle.h) with which all names
 * together have room or, where the profile states a length, are on average no longer than that. */
static uint32_t choose_letters(const struct solver *s)
{
    const struct plan *plan = s->plan;
    int64_t length = plan->profile->names.length;
    int64_t room[SIZE_KINDS];
    find_room(s, room);
    uint32_t most = plan->wanted[SIZE_STRTAB] && !plan->stripped ? MANGLE_MOST : MANGLE_NATURAL;
    if (length > 0) {
        most = MANGLE_MOST;
        room[SIZE_STRTAB] = room[SIZE_TEXT] = INT64_MAX;
        room[SIZE_DEBUG] = (int64_t)s->own.names * (length + 1);
    }
    uint32_t fits = MANGLE_LEAST; /* the result, even where these do not fit */
    for (uint32_t above = most + 1; above - fits > 1;) {
        uint32_t middle = fits + (above - fits) / 2;
        int64_t own = (int64_t)names_total(&s->own, middle);
        int64_t both = own + (int64_t)names_total(&s->imported, middle);
        /* debug information may have the classes' names by themselves too */
        int64_t told = length <= 0 && class_is_told(s->corpus, plan, NULL) ? own + own / MANGLE_METHODS : own;
        if (both <= room[SIZE_STRTAB] && both <= room[SIZE_TEXT] && told <= room[SIZE_DEBUG])
            fits = middle;
        else
            above = middle;
    }
    return fits;
}

/* Characters of the longest name with no digits appended. Where names are not
 * made longer than that, none is: "fun7" with "01" appended would be "fun701". */
static uint32_t longest_natural(const struct plan *plan)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        uint32_t length = (uint32_t)strlen(l->name) + 4 + names_digits(l->functions ? l->functions - 1 : 0);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Sets plan->names to the lengths that the profile wants or that there is room for; false where names stay as short as
 * they can be. The bases must be those with the shortest names. */
static bool choose_names(struct solver *s)
{
    struct plan *plan = s->plan;
    const struct profile *p = plan->profile;
    if (p->names.style == STYLE_ITANIUM) {
        uint32_t letters = choose_letters(s);
        if (letters == plan->names.letters)
            return false;
        names_init_itanium(&plan->names, letters);
        return true;
    }
    uint32_t length = p->names.length > 0 ? (uint32_t)p->names.length : 0;
    uint32_t pad = p->names.pad > 0 ? (uint32_t)p->names.pad : 0;
    bool any = plan->wanted[SIZE_STRTAB] && !plan->stripped;
    if (!length && !pad && any)
        length = choose_length(s);
    if (length <= longest_natural(plan))
        length = 0;
    if (!length && !pad)
        return false;
    names_init(&plan->names, length, pad);
    return true;
}

static void count_bases(struct solver *s)
{
    for (uint32_t i = 0; i < s->plan->library_count; i++)
        solve_base(s, i);
}

static bool count_names(struct solver *s, struct error *e)
{
    return plan_count_names(s->plan, s->seen, &s->arenas[0], &s->own, &s->imported) ||
           error_set(e, ERROR_MEMORY, "out of memory for the calls of a module");
}

/* Decides names and static objects, and computes bases, for the counts that the plan has. */
static bool find_bases(struct solver *s, struct error *e)
{
    struct plan *plan = s->plan;
    if (plan->profile->names.style == STYLE_ITANIUM)
        names_init_itanium(&plan->names, MANGLE_LEAST);
    else
        names_init(&plan->names, 0, 0);
    if (!count_names(s, e))
        return false;
    if (!choose_locals(s, e))
        return false;
    count_bases(s);
    if (!choose_names(s))
        return true;
    if (plan->names.style == STYLE_PYNAMIC)
        plan_lengthen_names(plan);
    else if (!count_names(s, e))
        return false;
    count_bases(s);
    return true;
}

/* --- checks ------------------------------------------------------------------------- */

/* The library that needs the most of a size; *needs is how much. */
static const struct plan_library *largest(const struct solver *s, enum size_kind kind, uint64_t *needs)
{
    uint32_t most = 0;
    uint64_t size = 0;
    for (uint32_t i = 0; i < plan_counted(s->plan); i++) {
        uint64_t needed = s->base[i].size[kind] + (kind == SIZE_TEXT ? s->code[i] : 0);
        if (needed > size) {
            size = needed;
            most = i;
        }
    }
    *needs = size;
    return &s->plan->library[most];
}

static bool too_small(const struct solver *s, enum size_kind kind, uint64_t least, struct error *e)
{
    uint64_t needs;
    const struct plan_library *l = largest(s, kind, &needs);
    int64_t wanted = s->plan->profile->sections[kind];
    error_set(e, ERROR_INFEASIBLE,
              "sections: %s: %lld bytes are too few: %s.so needs at least %llu, all %u libraries together %llu; raise "
              "it to %llu B or more, or use %s",
              size_names[kind], (long long)wanted, l->name, (unsigned long long)needs, plan_counted(s->plan),
              (unsigned long long)least, (unsigned long long)least, more_room[kind]);
    if (e) {
        e->wanted = wanted;
        e->possible = (int64_t)least;
    }
    return false;
}

/* Whether every wanted size is at least what the bases take. `with_text`: the least code has been found, so that text
 * can be checked, too. */
static bool check_least(const struct solver *s, bool with_text, struct error *e)
{
    const struct plan *plan = s->plan;
    for (enum size_kind kind = 0; kind < SIZE_KINDS; kind++) {
        if (!plan->wanted[kind] || (kind == SIZE_TEXT && !with_text))
            continue;
        uint64_t least = sum_base(s, kind);
        if (kind == SIZE_TEXT)
            for (uint32_t i = 0; i < plan_counted(plan); i++)
                least += s->code[i];
        uint64_t wanted = (uint64_t)plan->profile->sections[kind];
        if (kind == SIZE_SYMTAB) {
            wanted = (wanted + 12) / 24 * 24;
            if (!plan->stripped) /* the one static object in each */
                for (uint32_t i = 0; i < plan_counted(plan); i++)
                    least += plan->library[i].locals ? 0 : 24;
        }
        if (wanted < least)
            return too_small(s, kind, least, e);
    }
    return true;
}

/* Refuses averages that are certainly too large. Comes before all counting, which takes longer the more functions there
 * are. */
static bool check_averages(struct solver *s, uint64_t average, uint64_t utility_average, struct error *e)
{
    enum { CALL_LEAST = 5 }; /* bytes */
    const struct plan *plan = s->plan;
    const uint64_t all = average * plan->modules + utility_average * plan->utilities;
    const uint64_t calls = plan->modules && plan->utilities ? average * (uint64_t)plan->profile->calls.utility : 0;
    s->is_beyond = calls > LOADED_MOST / CALL_LEAST || all > PLAN_FUNCTIONS_MOST;
    if (!s->is_beyond)
        return true;
    if (calls > LOADED_MOST / CALL_LEAST)
        return error_set(e, ERROR_INFEASIBLE,
                         "calls: utility: %llu calls in a module are more code than a library can have; lower it, or "
                         "functions",
                         (unsigned long long)calls);
    return error_set(e, ERROR_INFEASIBLE,
                     "functions: %llu in all libraries are too many, at most %llu are possible; lower it, or use fewer "
                     "modules or utilities",
                     (unsigned long long)all, (unsigned long long)PLAN_FUNCTIONS_MOST);
}

/* As check_averages, when functions are counted and nothing else is. */
static bool check_counts(struct solver *s, struct error *e)
{
    const struct plan *plan = s->plan;
    for (uint32_t i = 0; i < plan_counted(plan) && !plan->wanted[SIZE_DEBUG]; i++) {
        const struct plan_library *l = &plan->library[i];
        const uint64_t debug = l->debug.none ? 0 : (uint64_t)DEBUG_NATURAL * l->functions;
        if (debug > UINT32_MAX - SPARE)
            return too_large(s, SIZE_DEBUG, l, debug, e);
    }
    return true;
}

static bool check_most(struct solver *s, struct error *e)
{
    const struct plan *plan = s->plan;
    for (uint32_t i = 0; i < plan->library_count; i++) {
        const struct plan_library *l = &plan->library[i];
        uint64_t loaded = l->size[SIZE_TEXT] + l->size[SIZE_DATA] + l->size[SIZE_BSS];
        s->is_beyond = loaded > LOADED_MOST;
        if (s->is_beyond)
            return error_set(e, ERROR_INFEASIBLE,
                             "sections: text, data and bss: %s.so would load %llu bytes, one library at most %llu; use "
                             "more modules or utilities",
                             l->name, (unsigned long long)loaded, (unsigned long long)LOADED_MOST);
        if (l->size[SIZE_DEBUG] > UINT32_MAX - SPARE)
            return too_large(s, SIZE_DEBUG, l, l->size[SIZE_DEBUG], e);
        for (enum size_kind kind = SIZE_SYMTAB; kind <= SIZE_STRTAB; kind++)
            if (l->size[kind] > UINT32_MAX)
                return too_large(s, kind, l, l->size[kind], e);
        uint64_t characters = l->locals ? (l->names.locals + l->locals - 1) / l->locals : 0;
        if (characters > PROFILE_NAME_MOST) {
            uint64_t possible = s->base[i].size[SIZE_STRTAB] + (uint64_t)l->locals * PROFILE_NAME_MOST;
            return error_set(
                e, ERROR_INFEASIBLE,
                "sections: strtab: %s.so has %llu symbols' names for %llu bytes, at most %llu are possible; "
                "lower it, or raise symtab",
                l->name, (unsigned long long)s->base[i].symbols, (unsigned long long)l->size[SIZE_STRTAB],
                (unsigned long long)possible);
        }
    }
    return true;
}

/* --- dividing ------------------------------------------------------------------------- */

void solve_natural_debug(const struct solver *s, uint32_t index)
{
    struct plan_library *l = &s->plan->library[index];
    const uint64_t natural = s->base[index].size[SIZE_DEBUG] + (uint64_t)DEBUG_NATURAL * (l->functions + UINT64_C(4));
    l->size[SIZE_DEBUG] = l->debug.none ? 0 : natural;
}

void solve_natural(const struct solver *s, uint32_t index)
{
    struct plan_library *l = &s->plan->library[index];
    const struct base *b = &s->base[index];
    const struct names *n = &s->plan->names;
    uint64_t natural = strlen(l->name) + 4 + names_digits(l->locals);
    l->names.locals = n->length > natural ? (n->length - natural) * l->locals : (uint64_t)n->pad * l->locals;
    l->size[SIZE_TEXT] = b->size[SIZE_TEXT] + s->code[index] + (uint64_t)CODE_NATURAL * l->functions;
    l->size[SIZE_DATA] = b->size[SIZE_DATA] + ((uint64_t)DATA_NATURAL * l->functions & ~UINT64_C(7));
    solve_natural_debug(s, index);
    l->size[SIZE_SYMTAB] = b->size[SIZE_SYMTAB];
    l->size[SIZE_STRTAB] = b->size[SIZE_STRTAB] + (l->stripped ? 0 : l->names.locals);
    l->size[SIZE_BSS] = b->size[SIZE_BSS];
}

/* Gives each library its base and its share of the surplus, so that the sum is exactly what is wanted. `exact_code`:
 * the least code is known and need not be estimated. */
static void settle_wanted(const struct solver *s, enum size_kind kind, bool exact_code)
{
    struct plan *plan = s->plan;
    uint64_t base = sum_base(s, kind);
    if (kind == SIZE_TEXT)
        for (uint32_t i = 0; i < plan_counted(plan); i++)
            base += exact_code ? s->code[i] : code_estimate(plan, &plan->library[i]);
    uint64_t wanted = (uint64_t)plan->profile->sections[kind];
    assert(wanted >= base || kind == SIZE_SYMTAB);
    if (kind != SIZE_SYMTAB)
        divide(plan, wanted - base, s->share);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        l->size[kind] = s->base[i].size[kind];
        if (kind == SIZE_TEXT)
            l->size[kind] += exact_code ? s->code[i] : code_estimate(plan, l);
        if (kind != SIZE_SYMTAB)
            l->size[kind] += s->share[i];
        if (kind == SIZE_STRTAB)
            l->names.locals = plan->stripped ? 0 : s->share[i];
    }
}

/* Whether the estimate of the code is good enough: every library then has room for the upper bound of its code. */
static bool code_is_roomy(const struct solver *s)
{
    const struct plan *plan = s->plan;
    if (!plan->wanted[SIZE_TEXT])
        return false;
    uint64_t need = sum_base(s, SIZE_TEXT);
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        need += code_estimate(plan, &plan->library[i]);
    if ((uint64_t)plan->profile->sections[SIZE_TEXT] < need)
        return false;
    settle_wanted(s, SIZE_TEXT, false);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        if (l->size[SIZE_TEXT] < s->base[i].size[SIZE_TEXT] + l->functions * code_bound(plan, l))
            return false;
    }
    return true;
}

static void choose_width(struct plan *plan)
{
    uint64_t text = plan->wanted[SIZE_TEXT] ? (uint64_t)plan->profile->sections[SIZE_TEXT] : 0;
    uint64_t chains = 0;
    for (uint32_t i = 0; i < plan->modules; i++)
        chains = plan->library[i].calls.chains > chains ? plan->library[i].calls.chains : chains;
    uint64_t calls = (CODE_MOST_CALL + code_repeat(plan)) * (plan->assignment.per_function + UINT64_C(2));
    plan->wide =
        chains * CODE_MOST_CALL > 60000 || calls > 30000 || (plan->functions && text / plan->functions * 16 > 60000);
}

bool solve_attempt(struct solver *s, uint64_t average, uint64_t utility_average, uint32_t neighbours, struct error *e)
{
    struct plan *plan = s->plan;
    s->is_beyond = false;
    memset(s->code, 0, plan->library_count * sizeof *s->code);
    if (!check_averages(s, average, utility_average, e) ||
        !plan_count(plan, average, utility_average, neighbours, s->seen, e) || !check_counts(s, e))
        return false;
    choose_width(plan);
    if (!find_bases(s, e) || !check_least(s, false, e))
        return false;
    bool exact = !code_is_roomy(s);
    if (exact && !workers_run(s->threads, plan->library_count, find_code, s, e))
        return false;
    if (exact && !check_least(s, true, e))
        return false;
    for (uint32_t i = 0; i < plan->library_count; i++)
        solve_natural(s, i);
    for (enum size_kind kind = 0; kind < SIZE_KINDS; kind++)
        if (plan->wanted[kind])
            settle_wanted(s, kind, exact);
    return check_most(s, e);
}
