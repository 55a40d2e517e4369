/* The plan of a set whose profile has rows: each library's own sizes, to the byte, and its
 * own place in the graph.
 *
 * Nothing is shared out. For each library the counts that its row says are tried first; where
 * its sizes have no room for them, first what no application has gives way (enum plan_level),
 * then functions. A library's names and calls depend on how many functions those have that it
 * calls, so this goes in rounds: counts, as far as is known of imports; then imports; then the
 * exact bases. Where these do not fit, the next round begins with fewer functions.
 */
#include "emit/plan_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/calls_rows.h"
#include "emit/code.h"
#include "emit/glue.h"
#include "emit/library.h"
#include "emit/outside.h"
#include "emit/plan_parts.h"
#include "emit/shape.h"
#include "emit/stock.h"

enum {
    ROUNDS_MOST = 64,
    SYMBOL = sizeof(Elf64_Sym),
    FUNCTION_ESTIMATE = 150, /* bytes of code without statements */
    CALL_ESTIMATE = 32,
    NAME_ESTIMATE = 24, /* bytes of an import's name */
    MANGLED_ESTIMATE = 64,
    TEXT_OF_FUNCTION = 400, /* where a row says nothing of functions */
    UNWIND_OF_FUNCTION = 44,
    FUNCTIONS_NATURAL = 20,
    CALLS_NATURAL = 4, /* functions of another that a library calls */
    EXTERN_CHAIN = 10, /* modules that call each other in a row */
    EXTRA_WHOLE = 4,
};

static const char *const size_names[SIZE_KINDS] = {"text", "data", "debug", "symtab", "strtab", "bss"};

/* What is wanted of a library. */
struct want {
    uint32_t row;       /* in the profile */
    uint32_t functions; /* symbols of functions, those of the glue too */
    int64_t exported;   /* dynamic ones; -1: as many as there is room for */
    uint32_t imports;   /* that it would make */
    uint32_t leaves;    /* the most that one library would call of its leaves */
    bool called;        /* at all */
    bool silent;        /* has no room for imports */
    uint32_t cap;       /* of numbered functions, in this round */
    uint32_t share;     /* of what is wanted beyond functions, in fourths */
    enum size_kind lack;
    uint64_t needs;
    /* Bytes of the names of its first so many functions, mangled ones: [1] of a bare library, whose
     * functions have other arguments. NULL: not known yet, or names are Pynamic's. */
    uint64_t *names[2];
};

struct rows {
    struct solver *s;
    struct want *want;
    uint32_t *index; /* of each row, in plan->library */
    uint32_t *rank;  /* scratch: how many of each library's functions have been called */
};

/* --- the libraries ------------------------------------------------------------------------ */

static uint64_t value_or(const struct profile_row *row, enum row_value v, uint64_t otherwise)
{
    return row->value[v] == PROFILE_DERIVED ? otherwise : (uint64_t)row->value[v];
}

static void set_elf(struct plan_library *l, const struct profile_row *row)
{
    struct profile_elf *elf = &l->elf;
    const uint64_t page = value_or(row, ROW_PAGE, (uint64_t)elf->max_page_size);
    if (row->value[ROW_HASH] != PROFILE_DERIVED && row->value[ROW_HASH] <= HASH_BOTH)
        elf->hash = (enum hash_style)row->value[ROW_HASH];
    if (row->value[ROW_BIND] != PROFILE_DERIVED)
        elf->bind = (enum bind_mode)row->value[ROW_BIND];
    if (row->value[ROW_RELRO] != PROFILE_DERIVED)
        elf->relro = (enum relro_mode)row->value[ROW_RELRO];
    if (elf->relro == RELRO_FULL && elf->bind == BIND_LAZY)
        elf->relro = RELRO_PARTIAL;
    elf->build_id = value_or(row, ROW_BUILD_ID, elf->build_id);
    elf->soname = value_or(row, ROW_SONAME, elf->soname);
    if (page >= 4096 && page <= 2 << 20 && !(page & (page - 1)))
        elf->max_page_size = (int64_t)page;
}

/* How many functions a row wants. */
static uint32_t functions_of(const struct plan *plan, const struct profile_row *row)
{
    const uint64_t unwind = value_or(row, ROW_SHARE_UNWIND, 0);
    uint64_t n = FUNCTIONS_NATURAL;
    if (row->value[ROW_SYMTAB] == 0 && unwind) /* .dynsym has but a part of them */
        n = unwind / UNWIND_OF_FUNCTION;
    else if (row->value[ROW_FUNCTIONS] != PROFILE_DERIVED)
        n = (uint64_t)row->value[ROW_FUNCTIONS];
    else if (row->value[ROW_KIND] == ROW_KIND_UTILITY && plan->profile->utility_functions > 0)
        n = (uint64_t)plan->profile->utility_functions;
    else if (plan->profile->functions > 0)
        n = (uint64_t)plan->profile->functions;
    else if (row->value[ROW_SYMTAB] > 0)
        n = (uint64_t)row->value[ROW_SYMTAB] / SYMBOL * 2 / 3;
    else if (row->value[ROW_TEXT] != PROFILE_DERIVED)
        n = (uint64_t)row->value[ROW_TEXT] / TEXT_OF_FUNCTION;
    return n < PROFILE_FUNCTIONS_MOST ? (uint32_t)n : PROFILE_FUNCTIONS_MOST;
}

/* Whether the profile says that no symbol goes with an edge without a number. */
static bool is_captured(const struct profile *p)
{
    return p->captured.from || p->captured.libraries != PROFILE_DERIVED;
}

/* Whether less than half of a row's names are mangled, as far as it is known. */
static bool has_plain_names(const struct profile *p, const struct profile_row *row)
{
    const uint64_t functions = value_or(row, ROW_FUNCTIONS, 0);
    if (row->value[ROW_MANGLED] == PROFILE_DERIVED && !is_captured(p)) /* which leaves zeros out */
        return false;
    return value_or(row, ROW_MANGLED, 0) * 2 < functions;
}

static void begin_library(struct rows *r, uint32_t row_number, uint32_t index)
{
    const struct profile_row *row = &r->s->plan->profile->row[row_number];
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    const bool sized = row->value[ROW_TEXT] != PROFILE_DERIVED;
    r->index[row_number] = index;
    *w = (struct want){.row = row_number, .exported = -1, .cap = UINT32_MAX, .share = EXTRA_WHOLE};
    w->functions = functions_of(r->s->plan, row);
    if (row->value[ROW_DYNAMIC_FUNCTIONS] != PROFILE_DERIVED) {
        const int64_t glue = l->kind == LIBRARY_MODULE ? 2 : 0;
        const int64_t exported = row->value[ROW_DYNAMIC_FUNCTIONS];
        w->exported = exported > glue ? exported - glue : 0;
    }
    l->said = row;
    l->plain_names = has_plain_names(r->s->plan->profile, row);
    l->stripped = sized && row->value[ROW_SYMTAB] == 0;
    l->without_debug = sized && row->value[ROW_DEBUG] == 0;
    stock_row_dialect(r->s->plan->profile, row, &l->dwarf_version, &l->dwarf_language);
    set_elf(l, row);
}

/* --- the graph ----------------------------------------------------------------------------- */

static void add_edge(struct rows *r, uint32_t *count, uint32_t from, uint32_t to, uint32_t symbols)
{
    struct plan *plan = r->s->plan;
    struct plan_library *l = &plan->library[from];
    if (plan->edge) {
        if (!l->edges)
            l->edge = &plan->edge[*count];
        l->edge[l->edges++] = (struct plan_edge){.library = to, .symbols = symbols};
    }
    ++*count;
}

/* The edges of every library, one library after the other; only counts them where there is
 * no room yet. Without a graph each module needs some utility, each utility is needed, and
 * modules call each other in rows. */
static uint32_t list_edges(struct rows *r)
{
    const struct plan *plan = r->s->plan;
    const struct profile *p = plan->profile;
    const uint32_t symbols = is_captured(p) ? 0 : CALLS_NATURAL;
    uint32_t count = 0;
    for (uint32_t i = 0; p->graph && i < plan_counted(plan); i++) {
        const struct profile_row *row = &p->row[r->want[i].row];
        for (uint32_t e = 0; e < row->edges; e++)
            add_edge(r, &count, i, r->index[row->edge[e].row], row->edge[e].symbols ? row->edge[e].symbols : symbols);
    }
    for (uint32_t i = 0; !p->graph && i < plan->modules; i++) {
        if (plan->utilities)
            add_edge(r, &count, i, plan_utility(plan, i % plan->utilities), CALLS_NATURAL);
        for (uint64_t u = i + (uint64_t)plan->modules; u < plan->utilities; u += plan->modules)
            add_edge(r, &count, i, plan_utility(plan, (uint32_t)u), CALLS_NATURAL);
        if (i % EXTERN_CHAIN)
            add_edge(r, &count, i, i - 1, 1);
    }
    return count;
}

static bool calls_leaf(const struct plan_library *from, const struct plan_library *to)
{
    return from->kind != LIBRARY_MODULE || to->kind != LIBRARY_UTILITY;
}

static bool make_edges(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    const uint32_t count = list_edges(r);
    plan->edge = calloc(count + (size_t)1, sizeof *plan->edge);
    if (!plan->edge)
        return error_set(e, ERROR_MEMORY, "out of memory for a graph of %u edges", count);
    list_edges(r);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        for (uint32_t n = 0; n < l->edges; n++) {
            const struct plan_edge *edge = &l->edge[n];
            const struct plan_library *to = &plan->library[edge->library];
            struct want *w = &r->want[edge->library];
            r->want[i].imports += edge->symbols;
            w->called |= edge->symbols > 0;
            if (calls_leaf(l, to) && edge->symbols > w->leaves)
                w->leaves = edge->symbols;
            l->needed_digits += names_digits(to->number) - (to->kind == LIBRARY_MODULE ? 1 : 0);
        }
        l->utilities = l->edges;
        l->runpath = l->edges || value_or(l->said, ROW_RUNPATH, 1);
    }
    return true;
}

/* --- one library ------------------------------------------------------------------------------ */

/* Symbols of functions that are not numbered ones. */
static uint32_t glue_symbols(const struct plan_library *l)
{
    const bool python = l->kind == LIBRARY_MODULE;
    if (l->stripped)
        return (l->level == LEVEL_BARE ? 0u : SHAPE_HELPERS) + (python ? 1 + (uint32_t)shape_methods(l) : 0);
    return 4u + (l->level == LEVEL_BARE ? 0u : SHAPE_HELPERS) + (python ? 1 + (uint32_t)shape_methods(l) : 0);
}

/* Leaves that are kept for those who call them. */
static uint32_t leaves_of(const struct want *w, uint32_t exported)
{
    if (!w->leaves)
        return 0;
    const uint32_t half = exported / 2 ? exported / 2 : 1;
    return w->leaves < half ? w->leaves : half;
}

static uint32_t least_exported(const struct plan_library *l, const struct want *w)
{
    const uint32_t callers = l->imports && w->leaves ? 1 : 0;
    return (w->called ? 1 : 0) + callers;
}

/* How many more a row has of something; `share` fourths of them. */
static uint32_t more_of(const struct plan_library *l, enum row_value v, uint64_t already, uint32_t share)
{
    const uint64_t wanted = value_or(l->said, v, 0);
    const uint64_t more = wanted > already ? (wanted - already) * share / EXTRA_WHOLE : 0;
    return more < PROFILE_FUNCTIONS_MOST ? (uint32_t)more : PROFILE_FUNCTIONS_MOST;
}

/* As many slots of the PLT, undefined symbols and relocations as the row has. */
static void set_extra(const struct plan *plan, struct plan_library *l, uint32_t share)
{
    struct plan_extra *x = &l->extra;
    const bool module = l->kind == LIBRARY_MODULE;
    l->lazy = l->said->value[ROW_PLT] == PROFILE_DERIVED ? l->exported : 0;
    const struct shape least = shape_of(plan, l);
    x->outside = more_of(l, ROW_DYNAMIC_UNDEFINED, least.undefined, share);
    if (x->outside > outside_most(module))
        x->outside = outside_most(module);
    x->objects = more_of(l, ROW_DYNAMIC_OBJECTS, least.marks ? 1 : 0, share);
    x->names = outside_bytes(module, l->key, x->outside) + names_digits_sum(0, x->objects) +
               x->objects * (strlen(l->name) + sizeof SHAPE_DATA);
    x->weak = more_of(l, ROW_DYNAMIC_WEAK, 2, share);
    if (x->weak > x->outside)
        x->weak = x->outside;
    x->slots = more_of(l, ROW_PLT, least.plt, share);
    const uint32_t left = x->slots > x->outside ? x->slots - x->outside : 0;
    x->slots -= left;
    /* then its own functions are called through the PLT; in a utility no heads of chains */
    if (left) {
        const uint32_t heads = module ? 0 : left / (plan->depth > 1 ? plan->depth - 1 : 1) + 1;
        l->lazy = left + heads < l->exported ? left + heads : l->exported;
        while (l->lazy && shape_of(plan, l).plt > least.plt + x->slots + left)
            l->lazy--;
    }
    const bool any = x->outside || least.defined;
    x->pointers = more_of(l, ROW_RELATIVE, least.relative, share);
    x->got = any ? more_of(l, ROW_GLOB_DAT, 2, share) : 0;
    x->addresses = any ? more_of(l, ROW_ADDRESS_64, 0, share) : 0;
}

/* Sums up mangled names, of as many functions as there can be. */
static bool sum_names(const struct plan *plan, const struct plan_library *l, struct want *w, struct error *e)
{
    struct plan_library as = *l;
    for (unsigned bare = 0; names_are_mangled(&plan->names, l) && bare < 2; bare++) {
        uint64_t *sum = w->names[bare] ? NULL : malloc((w->functions + (size_t)3) * sizeof *sum);
        if (w->names[bare])
            continue;
        if (!sum)
            return error_set(e, ERROR_MEMORY, "out of memory for the names of %s", l->name);
        as.level = bare ? LEVEL_BARE : LEVEL_WHOLE;
        sum[0] = 0;
        for (uint32_t i = 0; i < w->functions + 2; i++) {
            const struct function f = plan_function(&as, i);
            sum[i + 1] = sum[i] + names_function(&plan->names, &as, i, &f) + 1;
        }
        w->names[bare] = sum;
    }
    return true;
}

/* Bytes of the names of the first `functions`. */
static uint64_t names_of(const struct plan *plan, const struct plan_library *l, const struct want *w,
                         uint32_t functions)
{
    if (names_are_mangled(&plan->names, l))
        return w->names[l->level == LEVEL_BARE][functions];
    return names_bytes(&plan->names, (uint32_t)(strlen(l->name) + sizeof "_fun" - 1), 0, functions);
}

/* Counts and names for so many functions. */
static void set_counts(const struct plan *plan, struct plan_library *l, const struct want *w, uint32_t functions,
                       uint32_t exported)
{
    l->functions = functions;
    l->chains = (functions + plan->depth - 1) / plan->depth;
    l->covered = plan_covered_before(plan, l->chains);
    l->exported = exported;
    l->function_names = names_of(plan, l, w, functions);
    l->exported_names = names_of(plan, l, w, exported);
    const uint32_t most = w->leaves ? exported - leaves_of(w, exported) : functions;
    l->callers = l->imports < most ? l->imports : most;
    l->per_function = l->callers ? (l->imports + l->callers - 1) / l->callers : 0;
    l->extra = (struct plan_extra){0};
    set_extra(plan, l, w->share);
}

/* Units of debug information as the row has them, or one where there is too little for more. */
static void set_units(struct plan_library *l, bool one)
{
    const uint64_t units = value_or(l->said, ROW_DWARF_UNITS, 0);
    const uint32_t all = l->functions + GLUE_LIBRARY - SHAPE_HELPERS;
    l->units = one ? 1 : units < all ? (uint32_t)units : all;
}

/* Notes what there is too little of; false. */
static bool lacks(struct want *w, enum size_kind kind, uint64_t needs)
{
    w->lack = kind;
    w->needs = needs;
    return false;
}

/* Whether the library fits into its sizes with its counts; then they are its sizes, and static
 * objects take the rest. The code is `code` bytes at least. */
static bool fits(struct rows *r, uint32_t index, uint64_t code)
{
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    struct want *w = &r->want[index];
    const int64_t *wanted = &l->said->value[ROW_TEXT];
    const uint64_t *base = s->base[index].size;
    const uint64_t symtab = ((uint64_t)wanted[SIZE_SYMTAB] + SYMBOL / 2) / SYMBOL * SYMBOL;
    l->locals = l->stripped ? 0 : 1;
    l->local_names = l->shared_names = 0;
    set_units(l, false);
    solve_base(s, index);
    if (base[SIZE_DEBUG] > (uint64_t)wanted[SIZE_DEBUG]) {
        set_units(l, true);
        solve_base(s, index);
    }
    if (!l->stripped) {
        if (symtab < base[SIZE_SYMTAB])
            return lacks(w, SIZE_SYMTAB, base[SIZE_SYMTAB]);
        if (base[SIZE_STRTAB] > (uint64_t)wanted[SIZE_STRTAB])
            return lacks(w, SIZE_STRTAB, base[SIZE_STRTAB]);
        const uint64_t more = (symtab - base[SIZE_SYMTAB]) / SYMBOL;
        if (more > UINT32_MAX / 2)
            return lacks(w, SIZE_SYMTAB, (uint64_t)(UINT32_MAX / 2) * SYMBOL);
        /* static objects that there are no bytes of names for share the first one's, as
         * `completed.0` is the name of many */
        const uint64_t one = strlen(l->name) + sizeof "_var" + names_digits((uint32_t)more);
        const uint64_t named = ((uint64_t)wanted[SIZE_STRTAB] - base[SIZE_STRTAB]) / one;
        l->locals += (uint32_t)more;
        l->shared_names = named < more ? (uint32_t)(more - named) : 0;
        solve_base(s, index);
        l->local_names = (uint64_t)wanted[SIZE_STRTAB] - base[SIZE_STRTAB];
        const uint64_t most = (uint64_t)(l->locals - l->shared_names) * PROFILE_NAME_MOST / 2;
        if (l->local_names > most)
            return lacks(w, SIZE_STRTAB, base[SIZE_STRTAB] + most);
    }
    for (enum size_kind kind = SIZE_TEXT; kind <= SIZE_DEBUG; kind++) {
        const uint64_t needs = base[kind] + (kind == SIZE_TEXT ? code : 0);
        if ((uint64_t)wanted[kind] < needs)
            return lacks(w, kind, needs);
        l->size[kind] = (uint64_t)wanted[kind];
    }
    l->size[SIZE_SYMTAB] = l->stripped ? 0 : symtab;
    l->size[SIZE_STRTAB] = (uint64_t)wanted[SIZE_STRTAB];
    const uint64_t bss = shape_of(s->plan, l).bss;
    l->size[SIZE_BSS] = value_or(l->said, ROW_BSS, base[SIZE_BSS]);
    if (l->size[SIZE_BSS] < bss && bss > 1)
        return lacks(w, SIZE_BSS, bss);
    if (l->size[SIZE_BSS] < bss)
        l->size[SIZE_BSS] = bss;
    return true;
}

/* Numbered functions where so many symbols of functions are wanted. */
static uint32_t numbered(const struct plan_library *l, const struct want *w)
{
    const uint32_t glue = glue_symbols(l);
    const uint32_t least = l->imports || w->called ? 1u + (l->imports && w->leaves ? 1u : 0u) : 0;
    uint32_t n = w->functions > glue ? w->functions - glue : 0;
    if (n > w->cap)
        n = w->cap;
    return n > least ? n : least;
}

static uint64_t estimate(const struct plan_library *l)
{
    return (uint64_t)FUNCTION_ESTIMATE * l->functions + (uint64_t)CALL_ESTIMATE * l->imports;
}

/* With `functions` of which as many as may be are dynamic, the first level that fits. */
static bool try_levels(struct rows *r, uint32_t index, uint32_t lost)
{
    const struct plan *plan = r->s->plan;
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    const enum plan_level end = l->imports ? LEVEL_BARE : LEVEL_COUNT;
    for (l->level = LEVEL_WHOLE; l->level < end; l->level++) {
        const uint32_t least = least_exported(l, w);
        uint32_t functions = numbered(l, w);
        functions = functions > lost + least ? functions - lost : least;
        uint32_t exported = functions;
        if (w->exported >= 0 && w->exported < functions)
            exported = (uint32_t)w->exported > least ? (uint32_t)w->exported : least;
        for (;; exported = exported / 2 > least ? exported / 2 : least) {
            set_counts(plan, l, w, functions, exported);
            if (fits(r, index, estimate(l)))
                return true;
            if (w->exported >= 0 || exported == least)
                break;
        }
    }
    l->level = (enum plan_level)((unsigned)end - 1);
    return false;
}

static bool find_counts(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    (void)worker;
    if (!sum_names(r->s->plan, l, w, e))
        return false;
    l->imports = w->silent ? 0 : w->imports;
    l->import_names =
        (uint64_t)l->imports * (r->s->plan->names.style == STYLE_ITANIUM ? MANGLED_ESTIMATE : NAME_ESTIMATE);
    if (l->said->value[ROW_TEXT] == PROFILE_DERIVED) { /* no sizes: all is natural */
        const uint32_t functions = numbered(l, w);
        const uint32_t least = least_exported(l, w);
        const uint32_t most = w->exported >= 0 && w->exported < functions ? (uint32_t)w->exported : functions;
        l->level = LEVEL_WHOLE;
        set_counts(r->s->plan, l, w, functions, most > least ? most : least);
        l->locals = 1 + functions / 16;
        return true;
    }
    for (w->share = EXTRA_WHOLE;; w->share--) {
        for (uint32_t lost = 0;; lost += 1 + lost / 8) {
            if (try_levels(r, index, lost))
                return true;
            /* what binds and relocates is worth half of the functions */
            if (l->functions <= least_exported(l, w) || (w->share && l->functions <= numbered(l, w) / 2))
                break;
        }
        if (!w->share)
            break;
    }
    if (!w->silent && w->imports) {
        w->silent = true;
        return find_counts(context, worker, index, e);
    }
    return error_set(e, ERROR_INFEASIBLE,
                     PROFILE_ROWS ": row %u: %s: %lld bytes are too %s for any %s: the nearest is %llu; change it, or "
                                  "leave the row out",
                     w->row, size_names[w->lack], (long long)l->said->value[ROW_TEXT + w->lack],
                     (uint64_t)l->said->value[ROW_TEXT + w->lack] < w->needs ? "few" : "many",
                     l->kind == LIBRARY_MODULE ? "module" : "utility", (unsigned long long)w->needs);
}

/* The counts, and where the leaves begin, which others will rely on. */
static bool fit_counts(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan_library *l = &r->s->plan->library[index];
    const bool found = find_counts(context, worker, index, e);
    l->leaf = l->callers;
    return found;
}

/* --- imports ------------------------------------------------------------------------------------ */

/* What each library calls of each other, now that all have their functions. */
static void count_imports(struct rows *r)
{
    struct plan *plan = r->s->plan;
    memset(r->rank, 0, plan_counted(plan) * sizeof *r->rank);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        const struct want *w = &r->want[i];
        const struct profile_row *row = l->said;
        l->imports = 0;
        for (uint32_t n = 0; n < l->edges; n++) {
            struct plan_edge *edge = &l->edge[n];
            const struct plan_library *to = &plan->library[edge->library];
            const uint32_t callable = calls_row_callable(l, to);
            uint32_t wanted = is_captured(plan->profile) ? 0 : CALLS_NATURAL;
            if (!plan->profile->graph && calls_leaf(l, to))
                wanted = 1;
            if (plan->profile->graph && row->edge[n].symbols)
                wanted = row->edge[n].symbols;
            edge->symbols = w->silent ? 0 : wanted < callable ? wanted : callable;
            edge->first = l->imports;
            edge->rank = r->rank[edge->library];
            r->rank[edge->library] += edge->symbols;
            l->imports += edge->symbols;
        }
    }
}

static void name_imports(const struct plan *plan, struct plan_library *l)
{
    struct import import;
    l->import_names = 0;
    for (uint32_t n = 0; calls_row_import(plan, l, n, &import); n++) {
        const struct plan_library *to = &plan->library[import.library];
        const struct function f = plan_function(to, import.function);
        l->import_names += names_function(&plan->names, to, import.function, &f) + UINT64_C(1);
    }
}

/* --- exact ---------------------------------------------------------------------------------------- */

/* The exact sizes, with ever fewer local functions. What others call stays as it is. Where it
 * does not fit, the next round has fewer functions. */
static bool fit_exactly(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    struct want *w = &r->want[index];
    const uint32_t exported = l->exported;
    const uint32_t callers = l->leaf;
    name_imports(s->plan, l);
    w->lack = SIZE_KINDS;
    for (uint32_t functions = l->functions;; functions -= 1 + (functions - exported) / 16) {
        set_counts(s->plan, l, w, functions, exported);
        const uint32_t most = callers < functions ? callers : functions; /* others call what is behind */
        l->callers = l->imports < most ? l->imports : most;
        l->per_function = l->callers ? (l->imports + l->callers - 1) / l->callers : 0;
        uint64_t code = l->functions ? library_code_least(s->plan, l, &s->arenas[worker]) : 0;
        if (l->functions && !code)
            return error_set(e, ERROR_MEMORY, "out of memory for the plan of %s", l->name);
        s->code[index] = code;
        if (l->said->value[ROW_TEXT] == PROFILE_DERIVED) {
            solve_base(s, index);
            solve_natural(s, index);
            return true;
        }
        if (fits(r, index, code)) {
            w->lack = SIZE_KINDS;
            return true;
        }
        if (functions <= exported || functions <= callers)
            break;
    }
    return true;
}

/* Whether functions may reach 64 KiB. */
static void choose_width(struct plan *plan)
{
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        const uint64_t text = value_or(l->said, ROW_TEXT, 0);
        const uint64_t functions = l->functions ? l->functions : 1;
        plan->wide |= text > 60000 && (text / functions * 16 > 60000 || l->per_function > 500 || l->chains > 1000);
    }
}

/* Lowers what did not fit; whether anything did not. */
static bool lower(struct rows *r, bool *again, struct error *e)
{
    const struct plan *plan = r->s->plan;
    *again = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct want *w = &r->want[i];
        const struct plan_library *l = &plan->library[i];
        if (w->lack == SIZE_KINDS)
            continue;
        *again = true;
        if (l->functions > least_exported(l, w))
            w->cap = l->functions - 1 - l->functions / 16;
        else if (!w->silent && l->imports)
            w->silent = true;
        else
            return error_set(e, ERROR_INFEASIBLE,
                             PROFILE_ROWS
                             ": row %u: %s: %lld bytes are too few: %s needs %llu; raise it, or leave the row "
                             "out",
                             w->row, size_names[w->lack], (long long)l->said->value[ROW_TEXT + w->lack], l->name,
                             (unsigned long long)w->needs);
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
        if (!workers_run(s->threads, count, fit_counts, r, e))
            return false;
        const bool wide = plan->wide;
        choose_width(plan);
        if (wide != plan->wide)
            continue;
        count_imports(r);
        if (!workers_run(s->threads, count, fit_exactly, r, e) || !lower(r, &again, e))
            return false;
    }
    if (again)
        return error_set(e, ERROR_INFEASIBLE,
                         PROFILE_ROWS ": the rows' sizes and calls do not go together; lower 'functions' or symbols of "
                                      "'needed'");
    return true;
}

/* The two markers have nothing of rows but what all of these have. */
static bool settle_markers(struct solver *s, struct error *e)
{
    for (uint32_t i = plan_counted(s->plan); i < s->plan->library_count; i++) {
        struct plan_library *l = &s->plan->library[i];
        l->locals = l->stripped ? 0 : 1;
        solve_base(s, i);
        solve_natural(s, i);
    }
    (void)e;
    return true;
}

bool plan_rows_solve(struct solver *s, struct error *e)
{
    struct plan *plan = s->plan;
    const uint32_t count = plan_counted(plan);
    struct rows r = {.s = s};
    r.want = calloc(count, sizeof *r.want);
    r.index = calloc(count, sizeof *r.index);
    r.rank = calloc(count, sizeof *r.rank);
    uint32_t number[2] = {0, 0};
    bool ok = r.want && r.index && r.rank;
    if (!ok)
        error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", count);
    for (uint32_t i = 0; ok && i < plan->profile->rows; i++) {
        const bool utility = plan->profile->row[i].value[ROW_KIND] == ROW_KIND_UTILITY;
        begin_library(&r, i, number[utility]++ + (utility ? plan->modules : 0));
    }
    if (plan->profile->names.style == STYLE_ITANIUM)
        names_init_itanium(&plan->names, MANGLE_NATURAL);
    else
        names_init(&plan->names, 0, 0);
    plan->assignment.repeat = 1;
    ok = ok && make_edges(&r, e) && run_rounds(&r, e) && settle_markers(s, e);
    if (ok && !calls_row_visits(plan))
        ok = error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", count);
    plan->functions = 0;
    for (uint32_t i = 0; i < count; i++)
        plan->functions += plan->library[i].functions;
    for (uint32_t i = 0; r.want && i < count; i++) {
        free(r.want[i].names[0]);
        free(r.want[i].names[1]);
    }
    free(r.want);
    free(r.index);
    free(r.rank);
    return ok;
}
