/* One library in the sizes of its row; see plan_rows.c. */
#include <stdlib.h>
#include <string.h>

#include "emit/calls_rows.h"
#include "emit/distribution.h"
#include "emit/glue.h"
#include "emit/library.h"
#include "emit/library_start.h"
#include "emit/names_row.h"
#include "emit/plan_rows.h"
#include "emit/plan_rows_parts.h"
#include "emit/shape.h"

enum {
    SYMBOL = sizeof(Elf64_Sym),
    FUNCTION_ESTIMATE = 150, /* bytes of code without statements */
    CALL_ESTIMATE = 32,
    OTHERS_OF_ALL = 4, /* local symbols that are neither functions nor objects */
};

/* Bytes: no section is larger than 4 GiB (layout.c). */
#define SYMTAB_MOST (UINT64_C(0xffffffff) / SYMBOL * SYMBOL)

const char *const rows_size_names[SIZE_KINDS] = {"text", "data", "debug", "symtab", "strtab", "bss"};

/* Symbols of functions that are not numbered ones, in a stripped library entries of these in unwind tables. */
static uint32_t glue_symbols(const struct plan_library *l)
{
    const uint32_t helpers = l->level == LEVEL_BARE ? 0 : SHAPE_HELPERS;
    const uint32_t python = l->kind == LIBRARY_MODULE ? 2 + shape_driver_methods(l) : 0;
    return helpers + python + (l->stripped ? (uint32_t)shape_executes(l) : 4);
}

/* How many functions, of which so many are exported, can call others: all but the exported leaves that are kept for
 * those who call them, and the local ones behind these. The only one that is exported is no leaf where it is to call.
 */
static uint32_t callers_most(const struct plan_library *l, const struct want *w, uint32_t functions, uint32_t exported)
{
    if (!w->leaves || !exported)
        return functions;
    if (exported == 1 && l->calls)
        return 1;
    const uint32_t half = exported / 2 ? exported / 2 : 1;
    return exported - (w->leaves < half ? w->leaves : half);
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
    return names_row_bytes(l, 0, functions);
}

/* Functions of the row that are neither numbered ones nor the glue's; of a stripped library all dynamic ones, whatever
 * its unwind tables say of how many functions there are. */
static uint32_t missing_functions(const struct plan_library *l, const struct want *w)
{
    const uint32_t others = l->functions + glue_symbols(l);
    const uint32_t missing = w->functions > others ? w->functions - others : 0;
    const uint32_t dynamic = l->stripped && w->exported > l->exported ? (uint32_t)w->exported - l->exported : 0;
    return missing > dynamic ? missing : dynamic;
}

/* Calls are made by at most so many functions. */
static void set_callers(struct plan_library *l, uint32_t most)
{
    l->callers = l->calls < most ? l->calls : most;
    l->per_function = l->callers ? (l->calls + l->callers - 1) / l->callers : 0;
}

/* Whether the module's definition has no methods, so that they have to be added later, as in its row: if that has a
 * slot and a relocation for it, and its PyInit_ is no tail call. */
static bool adds_methods(const struct plan *plan, const struct plan_library *l)
{
    struct plan_library with = *l;
    with.adds_methods = true;
    with.extra = (struct plan_extra){0};
    const int64_t plt = rows_bound_slots(plan, l);
    const int64_t relative = profile_row_relative(plan->profile, l->said);
    const struct shape shape = shape_of(plan, &with);
    return l->kind == LIBRARY_MODULE && l->init != INIT_TAIL &&
           profile_row_says(plan->profile, l->said, ROW_METHODS) == 0 &&
           (plt == PROFILE_DERIVED || plt >= (int64_t)shape_python_functions(&with)) &&
           (relative == PROFILE_DERIVED || relative >= (int64_t)shape.relative);
}

/* Counts and names for so many functions. */
static void set_counts(const struct plan *plan, struct plan_library *l, const struct want *w, uint32_t functions,
                       uint32_t exported)
{
    l->functions = functions;
    l->chains = (functions + plan->depth - 1) / plan->depth;
    l->covered = plan_covered_before(plan, l->chains);
    if (l->exported != exported) /* which others look at while exact sizes are tried, that leave it as it is */
        l->exported = exported;
    l->function_names = names_of(plan, l, w, functions);
    l->exported_names = names_of(plan, l, w, exported);
    set_callers(l, callers_most(l, w, functions, exported));
    rows_set_small(l, w, missing_functions(l, w));
    const uint64_t others = (uint64_t)functions + glue_symbols(l) + l->small;
    const uint32_t left = others < w->functions ? (uint32_t)(w->functions - others) : 0;
    l->nameless = rows_smaller(rows_nameless(plan, l, w), left);
    l->inner_entry = l->kind == LIBRARY_MODULE && !exported && l->said->value[ROW_DYNAMIC_FUNCTIONS] == 1;
    l->adds_methods = adds_methods(plan, l);
    /* of few slots none is for it */
    const int64_t plt = rows_bound_slots(plan, l);
    l->direct_entry = l->inner_entry || (l->kind == LIBRARY_MODULE && plt != PROFILE_DERIVED &&
                                         plt <= (int64_t)shape_python_functions(l));
    l->result_by_got = l->direct_entry && plan_is_plain(l) && plt < (int64_t)shape_python_functions(l) &&
                       profile_row_says(plan->profile, l->said, ROW_GLOB_DAT) > 2 &&
                       profile_row_says(plan->profile, l->said, ROW_METHODS) <= 1;
    rows_set_extra(plan, l, w);
}

/* Units of debug information as the row has them, or one where there is too little for more.
 * Those that .debug_aranges has no room for are without code. */
static void set_units(struct plan_library *l, bool one)
{
    enum { ARANGES_EACH = 48, UNITS_MOST = 1 << 20 };
    uint64_t units = rows_value_or(l->said, ROW_DWARF_UNITS, 0);
    const uint64_t aranges = rows_value_or(l->said, ROW_MIX_ARANGES, 0);
    const uint32_t all = l->functions + GLUE_LIBRARY - SHAPE_HELPERS;
    units = one ? 1 : units < UNITS_MOST ? units : UNITS_MOST;
    uint64_t coded = units < all ? units : all;
    if (aranges >= ARANGES_EACH && aranges / ARANGES_EACH < coded)
        coded = aranges / ARANGES_EACH;
    l->units = (uint32_t)coded;
    l->units_all = (uint32_t)units;
    const uint64_t partials = one ? 0 : rows_value_or(l->said, ROW_DWARF_PARTIAL, 0);
    l->partials = partials < UNITS_MOST ? (uint32_t)partials : 0;
}

/* Notes what there is too little of; false. */
static bool lacks(struct want *w, enum size_kind kind, uint64_t needs)
{
    w->lack = kind;
    w->needs = needs;
    if (kind != SIZE_TEXT)
        w->least_text = 0;
    else if (needs < w->least_text)
        w->least_text = needs;
    return false;
}

/* Characters that names of exported functions will have beyond the fewest, for .dynstr to be as the row has it, or for
 * less of it by as many fourths as they are to be terse. */
static uint64_t undrawn_names(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint64_t dynstr = rows_value_or(l->said, ROW_DYNAMIC_DYNSTR, 0);
    const uint64_t is = shape_of(plan, l).dynstr;
    const bool exported = (l->exported && !names_are_mangled(&plan->names, l)) || names_row_others(l);
    return !w->drawn && exported && dynstr > is ? (dynstr - is) / ROWS_TERSE_MOST * (ROWS_TERSE_MOST - w->terse) : 0;
}

/* Rows whose numbers have nothing to do with one another would be tried for longer than anybody waits. Real
 * ones have up to some thousand tries, or a hundred with a million functions. */
enum { TRY_WORK = 20000, TRIES_WORK = 500000000, LAST_WORK = TRIES_WORK / 16 };

static void count_try(const struct plan_library *l, struct want *w)
{
    const uint64_t exported = w->exported > 0 ? (uint64_t)w->exported : 0;
    w->work += TRY_WORK + w->functions + exported + w->most_names + rows_value_or(l->said, ROW_DYNAMIC_OBJECTS, 0);
}

static bool has_tried_enough(const struct want *w)
{
    return w->work >= TRIES_WORK;
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
    count_try(l, w);
    l->locals = l->stripped ? 0 : 1;
    l->local_names = l->shared_names = 0;
    l->files = l->stripped ? 0 : rows_more_of(l, ROW_LOCAL_OTHER, OTHERS_OF_ALL, w->share);
    l->files_named = l->file_length[0];
    set_units(l, false);
    solve_base(s, index);
    if (symtab < base[SIZE_SYMTAB]) {
        l->files = 0;
        solve_base(s, index);
    }
    if (base[SIZE_DEBUG] > (uint64_t)wanted[SIZE_DEBUG]) {
        set_units(l, true);
        solve_base(s, index);
    }
    /* names of functions are worth more than those of files */
    if (base[SIZE_STRTAB] > (uint64_t)wanted[SIZE_STRTAB] && names_row_file_bytes(l)) {
        l->files_named = false;
        solve_base(s, index);
    }
    if (!l->stripped) {
        if (symtab < base[SIZE_SYMTAB])
            return lacks(w, SIZE_SYMTAB, base[SIZE_SYMTAB]);
        if (base[SIZE_STRTAB] > (uint64_t)wanted[SIZE_STRTAB])
            return lacks(w, SIZE_STRTAB, base[SIZE_STRTAB]);
        if (symtab > SYMTAB_MOST)
            return lacks(w, SIZE_SYMTAB, SYMTAB_MOST);
        const uint64_t more = (symtab - base[SIZE_SYMTAB]) / SYMBOL;
        /* static objects that there are no bytes of names for have others', as `completed.0` is
         * the name of many */
        const uint64_t one = names_row_object_least(plan_small_local(l) + (uint32_t)more) + UINT64_C(1);
        const uint64_t named = ((uint64_t)wanted[SIZE_STRTAB] - base[SIZE_STRTAB]) / one;
        l->locals += (uint32_t)more;
        l->shared_names = named < more ? (uint32_t)(more - named) : 0;
        solve_base(s, index);
        l->local_names = (uint64_t)wanted[SIZE_STRTAB] - base[SIZE_STRTAB];
        const uint64_t most = (uint64_t)(l->locals - l->shared_names) * PROFILE_NAME_MOST / 2;
        if (l->local_names > most + undrawn_names(s->plan, l, w))
            return lacks(w, SIZE_STRTAB, base[SIZE_STRTAB] + most);
    }
    for (enum size_kind kind = SIZE_TEXT; kind <= SIZE_DEBUG; kind++) {
        const uint64_t needs = base[kind] + (kind == SIZE_TEXT ? code + undrawn_names(s->plan, l, w) : 0);
        const bool fits = (uint64_t)wanted[kind] >= needs;
        if (!fits && !(w->enlarged && kind <= SIZE_DATA))
            return lacks(w, kind, needs);
        l->size[kind] = fits ? (uint64_t)wanted[kind] : needs;
    }
    l->size[SIZE_SYMTAB] = l->stripped ? 0 : symtab;
    l->size[SIZE_STRTAB] = (uint64_t)wanted[SIZE_STRTAB];
    const uint64_t bss = shape_of(s->plan, l).bss + l->extra.tls;
    l->size[SIZE_BSS] = rows_value_or(l->said, ROW_BSS, base[SIZE_BSS]);
    if (l->size[SIZE_BSS] < bss && bss > 1)
        return lacks(w, SIZE_BSS, bss);
    if (l->size[SIZE_BSS] < bss)
        l->size[SIZE_BSS] = bss;
    return true;
}

/* As `fits`, with less of what goes before anything else where that helps. */
static bool fits_with_less(struct rows *r, uint32_t index, uint64_t code)
{
    struct want *w = &r->want[index];
    while (!fits(r, index, code))
        if (has_tried_enough(w) || !rows_less_extra(r->s->plan, &r->s->plan->library[index], w))
            return false;
    return true;
}

/* Functions that there is no room for are small ones: all, or as far as there is any for these. */
static bool fits_with_small(struct rows *r, uint32_t index, uint64_t code, bool all)
{
    struct plan_library *l = &r->s->plan->library[index];
    const struct want *w = &r->want[index];
    while (!fits_with_less(r, index, code)) {
        const uint32_t less = l->small > w->small ? w->small : l->small / 2;
        const uint32_t left = less < l->small_exported ? less : l->small_exported;
        if (all || !l->small || left < l->small_leaf + l->small_leaves ||
            left + l->extra.aliases + l->extra.objects < w->bound || has_tried_enough(w))
            return false;
        if (!rows_set_small(l, w, less))
            continue;
        rows_set_extra(r->s->plan, l, w);
    }
    return true;
}

/* Numbered functions where so many symbols of functions are wanted. */
static uint32_t numbered(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint32_t dynamic = rows_small_dynamic(l, w);
    const uint32_t small = l->stripped ? dynamic : 0;
    const uint32_t glue = glue_symbols(l) + small + rows_nameless(plan, l, w);
    const uint32_t least = l->calls || rows_is_called(l, w) ? 1u + (l->calls && w->leaves ? 1u : 0u) : 0;
    const int64_t exported = w->exported - (l->stripped ? 0 : dynamic);
    const uint32_t most = exported > (int64_t)least && exported < UINT32_MAX ? (uint32_t)exported : least;
    uint32_t n = w->functions > glue ? w->functions - glue : 0;
    if (l->stripped && n < w->exported - (int64_t)small)
        n = (uint32_t)(w->exported - small);
    if (n > most && !l->stripped)
        n -= w->small < n - most ? w->small : n - most;
    if (n > w->cap)
        n = w->cap;
    return n > least ? n : least;
}

static uint64_t estimate(const struct plan_library *l)
{
    return l->functions ? (uint64_t)FUNCTION_ESTIMATE * l->functions + (uint64_t)CALL_ESTIMATE * l->calls : 0;
}

/* Whether all symbols of functions would be taken by what is not numbered, although the row has code
 * for more: then helpers are worth less than functions that the code, and what debug information says of
 * it, can be in. */
static bool is_empty(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    enum { CODE_WITHOUT = 800 }; /* bytes, about, when none is numbered */
    struct plan_library bare = *l;
    bare.level = LEVEL_BARE;
    return l->level < LEVEL_BARE && !l->calls && !numbered(plan, l, w) && numbered(plan, &bare, w) &&
           rows_value_or(l->said, ROW_SHARE_CODE, 0) > CODE_WITHOUT;
}

/* Whether it has more functions than its row, and would have fewer if more gave way. */
static bool has_too_many(const struct plan *plan, const struct plan_library *l, const struct want *w,
                         enum plan_level last)
{
    struct plan_library less = *l;
    less.level = last;
    return profile_is_captured(plan->profile) && l->functions + glue_symbols(l) > w->functions &&
           glue_symbols(&less) < glue_symbols(l);
}

/* Whether its marks, or what statements write to, have memory that the row has for threads. */
static bool takes_thread_memory(const struct plan_library *l, const struct want *w)
{
    return l->level < LEVEL_TIGHT && l->said->value[ROW_BSS] != PROFILE_DERIVED &&
           l->extra.tls < rows_more_of(l, ROW_TLS, 0, w->share);
}

/* Whether functions are gone that slots of the PLT would lead to: calls are worth less. */
static bool loses_slots(const struct plan *plan, const struct plan_library *l, struct want *w, uint32_t lost)
{
    const uint32_t slots = shape_of(plan, l).plt;
    if (!lost)
        w->slots = slots;
    return l->calls && slots < w->slots && (int64_t)slots < profile_row_says(plan->profile, l->said, ROW_PLT);
}

/* With as many numbered functions as may be but `lost`, and of these as many dynamic ones, the first
 * level that fits; `all` as in fits_with_small. */
static bool try_levels(struct rows *r, uint32_t index, uint32_t lost, bool all)
{
    const struct plan *plan = r->s->plan;
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    const enum plan_level end = l->calls && !l->bare ? LEVEL_BARE : LEVEL_COUNT;
    for (l->level = l->bare ? LEVEL_BARE : LEVEL_WHOLE; l->level < end; l->level++) {
        if (!lost && is_empty(plan, l, w))
            continue;
        const uint32_t least = rows_least_exported(l, w);
        uint32_t functions = numbered(plan, l, w);
        functions = functions > (uint64_t)lost + least ? functions - lost : least;
        uint32_t exported = functions;
        const int64_t wanted = w->exported - rows_small_dynamic(l, w);
        if (w->exported >= 0 && wanted < functions)
            exported = wanted > least ? (uint32_t)wanted : least;
        for (;; exported = exported / 2 > least ? exported / 2 : least) {
            set_counts(plan, l, w, functions, exported);
            if (has_too_many(plan, l, w, (enum plan_level)((unsigned)end - 1)) || takes_thread_memory(l, w) ||
                loses_slots(plan, l, w, lost))
                break;
            if (fits_with_small(r, index, estimate(l), all))
                return true;
            if (w->exported >= 0 || exported == least || has_tried_enough(w))
                break;
        }
    }
    l->level = (enum plan_level)((unsigned)end - 1);
    return false;
}

/* Imports that it calls, of which each takes a slot of the PLT: at most so many fourths, and as many as the row has
 * slots beside those that lead to Python. */
static void set_calls(const struct plan *plan, struct plan_library *l, uint32_t fourths)
{
    const int64_t plt = rows_bound_slots(plan, l);
    const uint32_t others = l->kind == LIBRARY_MODULE ? shape_python_functions(l) + 1 : 0;
    const uint64_t slots = plt == PROFILE_DERIVED ? UINT64_MAX : (uint64_t)plt > others ? (uint64_t)plt - others : 0;
    const uint64_t calls = ((uint64_t)l->imports * fourths + ROWS_CALLS_WHOLE - 1) / ROWS_CALLS_WHOLE;
    l->calls = (uint32_t)(calls < slots ? calls : slots);
}

/* Whether it would lose too much with so few functions: what binds and relocates is worth half of those that the row
 * counts, of a stripped library the dynamic ones alone. */
static bool has_too_few(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint32_t all = l->stripped && w->exported >= 0 ? (uint32_t)w->exported : numbered(plan, l, w);
    const uint32_t small = l->stripped ? l->small_exported : l->small;
    return l->functions <= rows_least_exported(l, w) || (w->share && l->functions + small <= all / 2);
}

/* How many more functions to go without when so many are `lost`, and none of the last tries fitted. Of very many, each
 * try of which takes its time, hardly more than have to be where nothing but text was lacking. */
static uint32_t more_to_lose(const struct plan_library *l, const struct want *w, uint32_t lost)
{
    enum { MANY = 10000, EACH_MOST = 512 /* bytes of a function with its name and tables, as a rule */ };
    const uint64_t text = (uint64_t)l->said->value[ROW_TEXT];
    const bool lacks_text = w->least_text > text && w->least_text < UINT64_MAX;
    const uint64_t least = lacks_text ? (w->least_text - text) / EACH_MOST : 0;
    if (l->functions < MANY)
        return 1 + lost / 8;
    return 1 + lost / 64 + (least < l->functions ? (uint32_t)least : l->functions);
}

/* With ever fewer functions; `all` as in fits_with_small. */
static bool try_fewer(struct rows *r, uint32_t index, bool all)
{
    const struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    for (uint32_t lost = 0;;) {
        w->least_text = UINT64_MAX;
        if (try_levels(r, index, lost, all))
            return true;
        if (has_too_few(r->s->plan, l, w) || has_tried_enough(w))
            return false;
        lost += more_to_lose(l, w, lost);
    }
}

/* With ever fewer calls of what it imports. */
static bool try_calls(struct rows *r, uint32_t index, bool all)
{
    struct plan_library *l = &r->s->plan->library[index];
    for (uint32_t fourths = r->want[index].calls + 1; fourths--;) {
        set_calls(r->s->plan, l, fourths);
        if (try_fewer(r, index, all))
            return true;
        if (!l->calls || has_tried_enough(&r->want[index]))
            return false;
    }
    return false;
}

/* With ever shorter small functions, in the end without code, and then with less than all of them. */
static bool try_short(struct rows *r, uint32_t index)
{
    struct plan_library *l = &r->s->plan->library[index];
    enum { ALL = ROWS_SMALL_WHOLE };
    static const struct {
        uint8_t most, coded; /* bytes; how many of ALL */
    } steps[] = {{UINT8_MAX, ALL}, {80, ALL},     {64, ALL},     {48, ALL},     {32, ALL},     {16, ALL},
                 {16, ALL - 1},    {16, ALL - 2}, {16, ALL - 4}, {16, ALL / 2}, {16, ALL / 4}, {0, 0}};
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        rows_shorten_small(l, steps[i].most, steps[i].coded);
        if (try_calls(r, index, true))
            return true;
        if (!l->small_sizes || r->want[index].lack != SIZE_TEXT || has_tried_enough(&r->want[index]))
            break;
    }
    rows_shorten_small(l, UINT8_MAX, ALL);
    return try_calls(r, index, false);
}

/* With ever less of what is wanted beyond functions, and ever shorter names. */
static bool try_all(struct rows *r, uint32_t index)
{
    struct want *w = &r->want[index];
    for (w->share = ROWS_EXTRA_WHOLE; !try_short(r, index);) {
        if (has_tried_enough(w))
            return false;
        if (w->terse < ROWS_TERSE_MOST && w->lack == SIZE_TEXT) /* names before symbols */
            w->terse++;
        else if (w->share)
            w->share--;
        else
            return false;
    }
    return true;
}

/* With the least of everything. */
static bool try_least(struct rows *r, uint32_t index)
{
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    w->hurried = true;
    w->work = TRIES_WORK - LAST_WORK;
    w->share = 0;
    w->nameless = 0;
    w->terse = ROWS_TERSE_MOST;
    rows_shorten_small(l, 0, 0);
    set_calls(r->s->plan, l, 0);
    return try_levels(r, index, UINT32_MAX, false);
}

/* Whether debug information was lacking, and there need be none but names: where little of a large program has any,
 * that is better than to be without nearly all of its functions. */
static bool can_be_hollow(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const struct profile *p = plan->profile;
    return w->lack == SIZE_DEBUG && !l->hollow && !p->dwarf.split && p->dwarf.index == NAME_INDEX_NONE;
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
    l->import_names = rows_import_names(r->s->plan, l);
    if (l->said->value[ROW_TEXT] == PROFILE_DERIVED) { /* no sizes: all is natural */
        set_calls(r->s->plan, l, ROWS_CALLS_WHOLE);
        const uint32_t functions = numbered(r->s->plan, l, w);
        const uint32_t least = rows_least_exported(l, w);
        const uint32_t most = w->exported >= 0 && w->exported < functions ? (uint32_t)w->exported : functions;
        l->level = LEVEL_WHOLE;
        set_counts(r->s->plan, l, w, functions, most > least ? most : least);
        l->locals = 1 + functions / 16;
        return true;
    }
    if (!w->hurried && try_all(r, index))
        return true;
    const bool least = w->hurried || (has_tried_enough(w) && !can_be_hollow(r->s->plan, l, w));
    if (least && try_least(r, index))
        return true;
    if (!w->silent && w->imports && w->lack != SIZE_DEBUG) {
        w->silent = true;
        return find_counts(context, worker, index, e);
    }
    if (can_be_hollow(r->s->plan, l, w)) {
        l->hollow = true;
        w->work = 0;
        return find_counts(context, worker, index, e);
    }
    /* one small library of many is no reason to refuse the application: it is larger, as differences say */
    if (profile_is_captured(r->s->plan->profile) && w->lack <= SIZE_DATA && !w->enlarged) {
        w->enlarged = w->hurried = true;
        w->silent = false;
        return find_counts(context, worker, index, e);
    }
    return error_set(e, ERROR_INFEASIBLE,
                     PROFILE_ROWS ": row %u: %s: %lld bytes are too %s for any %s: the nearest is %llu; change it, or "
                                  "leave the row out",
                     w->row, rows_size_names[w->lack], (long long)l->said->value[ROW_TEXT + w->lack],
                     (uint64_t)l->said->value[ROW_TEXT + w->lack] < w->needs ? "few" : "many",
                     l->kind == LIBRARY_MODULE ? "module" : "utility", (unsigned long long)w->needs);
}

/* The counts, and where the leaves begin, which others will rely on. */
bool rows_fit_counts(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan_library *l = &r->s->plan->library[index];
    const bool found = find_counts(context, worker, index, e);
    l->leaf = l->callers;
    while (l->small_leaf < l->small_exported && !l->small_size[l->small_leaf])
        l->small_leaf++;
    while (l->small_leaf + l->small_leaves < l->small_exported && l->small_size[l->small_leaf + l->small_leaves])
        l->small_leaves++;
    return found;
}

/* --- exact ---------------------------------------------------------------------------------------- */

/* The exact sizes with so many numbered functions; *fit says whether there is room. False when
 * memory ran out. */
static bool try_exactly(struct rows *r, unsigned worker, uint32_t index, uint32_t functions, bool all, bool *fit)
{
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    const uint32_t callers = l->leaf;
    set_counts(s->plan, l, &r->want[index], functions, l->exported);
    const uint32_t most = callers < functions ? callers : functions; /* others call what is behind */
    set_callers(l, most);
    const uint64_t code = l->functions ? library_code_least(s->plan, l, &s->arenas[worker]) : 0;
    if (l->functions && !code)
        return false;
    s->code[index] = code;
    *fit = l->said->value[ROW_TEXT] == PROFILE_DERIVED || fits_with_small(r, index, code, all);
    return true;
}

/* The exact sizes, with ever fewer local functions. What others call stays as it is. Where it
 * does not fit, the next round has fewer functions. */
bool rows_fit_exactly(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    struct want *w = &r->want[index];
    const uint32_t had = l->functions;
    bool fit = false;
    w->lack = SIZE_KINDS;
    for (unsigned all = 2; all-- && !fit;)
        for (uint32_t functions = had;; functions -= 1 + (functions - l->exported) / 16) {
            if (!try_exactly(r, worker, index, functions, all, &fit))
                return error_set(e, ERROR_MEMORY, "out of memory for the plan of %s", l->name);
            if (fit || functions <= l->exported || functions <= l->leaf)
                break;
        }
    if (fit)
        w->lack = SIZE_KINDS;
    if (l->said->value[ROW_TEXT] == PROFILE_DERIVED) {
        solve_base(s, index);
        solve_natural(s, index);
    }
    return true;
}
