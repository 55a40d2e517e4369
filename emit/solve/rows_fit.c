/* Fits one library into the sizes of its row; see rows.c. Ever more is given up until it fits: calls, functions,
 * small functions' code, extras and the length of names. */
#include "emit/library/library_start.h"
#include "emit/library/shape.h"
#include "emit/plan/names_row.h"
#include "emit/profile/plain.h"
#include "emit/solve/rows.h"
#include "emit/solve/rows_parts.h"

enum {
    SYMBOL = sizeof(Elf64_Sym),
    FUNCTION_ESTIMATE = 150, /* bytes of a function's code without statements */
    CALL_ESTIMATE = 32,
    OTHERS_OF_ALL = 4, /* local symbols of every library that are neither functions nor objects */
};

/* Bytes: no section is larger than 4 GiB (layout.c). */
#define SYMTAB_MOST (UINT64_C(0xffffffff) / SYMBOL * SYMBOL)

const char *const rows_size_names[SIZE_KINDS] = {"text", "data", "debug", "symtab", "strtab", "bss"};

/* Notes which size is too small and how many bytes it needs. Returns false. */
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

/* Characters that the names of exported functions will get beyond the fewest, once they are drawn, so that .dynstr has
 * the row's size. Each step of w->terse takes off a fourth. */
static uint64_t undrawn_names(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint64_t dynstr = rows_value_or(l->said, ROW_DYNAMIC_DYNSTR, 0);
    const bool exported = (l->exported && !names_are_mangled(&plan->names, l)) || names_row_others(l);
    if (w->drawn || !exported || !dynstr || w->terse == ROWS_TERSE_MOST)
        return 0;
    const uint64_t is = shape_of_names(plan, l).dynstr;
    return dynstr > is ? (dynstr - is) / ROWS_TERSE_MOST * (ROWS_TERSE_MOST - w->terse) : 0;
}

/* Limits of want.work. A row whose numbers have nothing to do with one another would be tried for longer than anybody
 * waits. Real rows have up to some thousand tries, or a hundred with a million functions. */
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

/* A size of the row, or what it needs at least where that is more and the size need not be met. */
static uint64_t larger(const struct want *w, enum size_kind kind, uint64_t said, uint64_t needs)
{
    return w->loose[kind] && said < needs ? needs : said;
}

/* The row's bss, or `least` where it says none. In a captured row, no more than a library may load beside its text and
 * data (layout_place): real programs may have arrays of gigabytes there, compiled with -mcmodel=medium. */
static uint64_t bss_of(const struct plan *plan, const struct plan_library *l, uint64_t least)
{
    enum { PAGES = 17 }; /* 16 that layout_place keeps, and one for alignment */
    const uint64_t said = rows_value_or(l->said, ROW_BSS, least);
    const uint64_t others = l->size[SIZE_TEXT] + l->size[SIZE_DATA] + PAGES * (uint64_t)l->elf.max_page_size;
    const uint64_t most = others < UINT64_C(1) << 31 ? (UINT64_C(1) << 31) - others : 0;
    return profile_is_captured(plan->profile) && said > most ? most : said;
}

/* Sets how many local symbols there are that are neither functions nor objects. */
static void set_local_others(struct plan_library *l, uint32_t share)
{
    const uint32_t all = l->stripped ? 0 : rows_more_of(l, ROW_LOCAL_OTHER, OTHERS_OF_ALL, share);
    l->sections = rows_smaller(rows_more_of(l, ROW_LOCAL_SECTIONS, 0, share), all);
    l->unnamed = rows_smaller(rows_more_of(l, ROW_LOCAL_UNNAMED, 0, share), all - l->sections);
    l->files = all - l->sections - l->unnamed;
}

/* Gives the library static objects for the rest of the bytes of symtab and strtab, at most as many as have room. Sets
 * both to what they become. */
static bool fit_symbols(struct rows *r, uint32_t index, uint64_t *symtab, uint64_t *strtab)
{
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    struct want *w = &r->want[index];
    const uint64_t *base = s->base[index].size;
    *symtab = larger(w, SIZE_SYMTAB, *symtab, base[SIZE_SYMTAB]);
    *strtab = larger(w, SIZE_STRTAB, *strtab, base[SIZE_STRTAB]);
    if (*symtab < base[SIZE_SYMTAB])
        return lacks(w, SIZE_SYMTAB, base[SIZE_SYMTAB]);
    if (*strtab < base[SIZE_STRTAB])
        return lacks(w, SIZE_STRTAB, base[SIZE_STRTAB]);
    if (*symtab > SYMTAB_MOST)
        return lacks(w, SIZE_SYMTAB, SYMTAB_MOST);
    const uint64_t more = (*symtab - base[SIZE_SYMTAB]) / SYMBOL;
    /* static objects whose own names have no room share names of others, as `completed.0` is the name of many real
     * ones */
    const uint64_t one = names_row_object_least(plan_small_local(l) + (uint32_t)more) + UINT64_C(1);
    const uint64_t named = (*strtab - base[SIZE_STRTAB]) / one;
    l->locals += (uint32_t)more;
    l->names.shared = named < more ? (uint32_t)(more - named) : 0;
    solve_base(s, index);
    /* local small functions, but for cold parts, have names of this kind, too */
    const uint32_t free_names = names_row_objects_named(l) - rows_smaller(plan_small_local(l), l->cold.packed);
    const uint64_t most = (uint64_t)free_names * PROFILE_NAME_MOST / 2;
    if (w->loose[SIZE_STRTAB] && *strtab > base[SIZE_STRTAB] + most)
        *strtab = base[SIZE_STRTAB] + most;
    l->names.locals = *strtab - base[SIZE_STRTAB];
    if (l->names.locals > most + undrawn_names(s->plan, l, w))
        return lacks(w, SIZE_STRTAB, base[SIZE_STRTAB] + most);
    return true;
}

/* Whether the library fits into its row's sizes with its counts, if numbered functions take at least `code` bytes. If
 * it does, the row's sizes become its own, and static objects take the rest of symtab and strtab. */
static bool fits(struct rows *r, uint32_t index, uint64_t code)
{
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    struct want *w = &r->want[index];
    const int64_t *wanted = &l->said->value[ROW_TEXT];
    const uint64_t *base = s->base[index].size;
    uint64_t symtab = ((uint64_t)wanted[SIZE_SYMTAB] + SYMBOL / 2) / SYMBOL * SYMBOL;
    uint64_t strtab = (uint64_t)wanted[SIZE_STRTAB];
    count_try(l, w);
    l->locals = l->stripped ? 0 : 1;
    l->local_aliases = rows_local_aliases(l->said); /* they cost no more than static objects */
    l->names.locals = l->names.shared = 0;
    set_local_others(l, w->share);
    l->names.files_named = l->names.file_length[0];
    plan_rows_set_units(s, index, (uint64_t)wanted[SIZE_DEBUG]);
    if (symtab < base[SIZE_SYMTAB]) {
        set_local_others(l, 0);
        solve_base(s, index);
    }
    /* names of functions are worth more than those of files */
    if (base[SIZE_STRTAB] > strtab && names_row_file_bytes(l)) {
        l->names.files_named = false;
        solve_base(s, index);
    }
    if (!l->stripped && !fit_symbols(r, index, &symtab, &strtab))
        return false;
    for (enum size_kind kind = SIZE_TEXT; kind <= SIZE_DEBUG; kind++) {
        const uint64_t needs = base[kind] + (kind == SIZE_TEXT ? code + undrawn_names(s->plan, l, w) : 0);
        l->size[kind] = larger(w, kind, (uint64_t)wanted[kind], needs);
        if (l->size[kind] < needs)
            return lacks(w, kind, needs);
    }
    l->size[SIZE_SYMTAB] = l->stripped ? 0 : symtab;
    l->size[SIZE_STRTAB] = strtab;
    const uint64_t bss = shape_of(s->plan, l).bss + l->extra.thread.bytes;
    l->size[SIZE_BSS] = bss_of(s->plan, l, base[SIZE_BSS]);
    if (l->size[SIZE_BSS] < bss && bss > 1)
        return lacks(w, SIZE_BSS, bss);
    if (l->size[SIZE_BSS] < bss)
        l->size[SIZE_BSS] = bss;
    return true;
}

/* As `fits`, but gives up extras (rows_less_extra) until the library fits or that does not help. */
static bool fits_with_less(struct rows *r, uint32_t index, uint64_t code)
{
    struct want *w = &r->want[index];
    while (!fits(r, index, code))
        if (has_tried_enough(w) || !rows_less_extra(r->s->plan, &r->s->plan->library[index], w))
            return false;
    return true;
}

/* As fits_with_less, with this many small functions. */
static bool fits_with_count(struct rows *r, uint32_t index, uint64_t code, uint32_t small)
{
    struct plan_library *l = &r->s->plan->library[index];
    rows_set_small(l, &r->want[index], small);
    rows_set_extra(r->s->plan, l, &r->want[index]);
    return fits_with_less(r, index, code);
}

/* Finds how many small functions fit, where as many as there are do and `most` do not: a library that lacks a few bytes
 * is not to lose half of its functions. */
static bool fits_with_more(struct rows *r, uint32_t index, uint64_t code, uint32_t most)
{
    struct want *w = &r->want[index];
    uint32_t least = r->s->plan->library[index].small.count;
    const uint64_t work = w->work;
    bool is_least = true;
    while (most > least && most - least > 1 && !has_tried_enough(w)) {
        const uint32_t middle = least + (most - least) / 2;
        is_least = fits_with_count(r, index, code, middle);
        *(is_least ? &least : &most) = middle;
    }
    if (is_least)
        return true;
    w->work = work; /* extras are given up as they were */
    return fits_with_count(r, index, code, least);
}

/* As fits_with_less. Functions beyond the numbered ones are small ones: with `all` every one of them has to fit,
 * without it there are as many as fit. Their number is halved until they do, and then increased. */
static bool fits_with_small(struct rows *r, uint32_t index, uint64_t code, bool all)
{
    struct plan_library *l = &r->s->plan->library[index];
    const struct want *w = &r->want[index];
    uint32_t most = 0;
    while (!fits_with_less(r, index, code)) {
        const uint32_t less = l->small.count > w->small ? w->small : l->small.count / 2;
        const uint32_t left = less < l->small.exported ? less : l->small.exported;
        if (all || !l->small.count || left < l->small.leaf + l->small.leaves ||
            left + l->extra.dynamic.aliases + l->extra.dynamic.objects < w->bound || has_tried_enough(w))
            return false;
        most = l->small.count;
        if (!rows_set_small(l, w, less))
            continue;
        rows_set_extra(r->s->plan, l, w);
    }
    return fits_with_more(r, index, code, most);
}

static uint64_t estimate(const struct plan_library *l)
{
    return l->functions ? (uint64_t)FUNCTION_ESTIMATE * l->functions + (uint64_t)CALL_ESTIMATE * l->calls.called : 0;
}

/* Whether glue and small functions would be all functions of the row, although it has code for more. Then helpers are
 * worth less than numbered functions, which hold that code and what debug information says of it. */
static bool is_empty(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    enum { CODE_WITHOUT = 800 }; /* bytes of code, about, without numbered functions */
    struct plan_library bare = *l;
    bare.level = LEVEL_BARE;
    return l->level < LEVEL_BARE && !l->calls.called && !rows_numbered(plan, l, w) && rows_numbered(plan, &bare, w) &&
           rows_value_or(l->said, ROW_SHARE_CODE, 0) > CODE_WITHOUT;
}

/* Whether the library has more functions than its row and would have fewer at level `last`. */
static bool has_too_many(const struct plan *plan, const struct plan_library *l, const struct want *w,
                         enum plan_level last)
{
    struct plan_library less = *l;
    less.level = last;
    return profile_is_captured(plan->profile) && l->functions + rows_glue_symbols(l) > w->functions &&
           rows_glue_symbols(&less) < rows_glue_symbols(l);
}

/* Whether visit marks, or the objects that statements write to, take memory that the row has for threads. */
static bool takes_thread_memory(const struct plan_library *l, const struct want *w)
{
    return l->level < LEVEL_TIGHT && l->said->value[ROW_BSS] != PROFILE_DERIVED &&
           l->extra.thread.bytes < rows_more_of(l, ROW_TLS, 0, w->share);
}

/* Whether the lost functions leave fewer PLT slots than the row has. Then calls should be given up instead, as slots
 * are worth more. Notes the slots when no function is lost. */
static bool loses_slots(const struct plan *plan, const struct plan_library *l, struct want *w, uint32_t lost)
{
    const uint32_t slots = shape_of_symbols(plan, l).plt;
    if (!lost)
        w->slots = slots;
    return l->calls.called && slots < w->slots && (int64_t)slots < profile_row_says(plan->profile, l->said, ROW_PLT);
}

/* Tries the levels in turn, with all numbered functions but `lost`; as many of them are dynamic as the row says or else
 * as fit. True at the first level that fits. `all` is as in fits_with_small. */
static bool try_levels(struct rows *r, uint32_t index, uint32_t lost, bool all)
{
    const struct plan *plan = r->s->plan;
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    const enum plan_level end = l->calls.called && !l->bare ? LEVEL_BARE : LEVEL_COUNT;
    for (l->level = l->bare ? LEVEL_BARE : LEVEL_WHOLE; l->level < end; l->level++) {
        if (!lost && is_empty(plan, l, w))
            continue;
        const uint32_t least = rows_least_exported(l, w);
        uint32_t functions = rows_numbered(plan, l, w);
        functions = functions > (uint64_t)lost + least ? functions - lost : least;
        uint32_t exported = functions;
        const int64_t wanted = w->exported - rows_small_dynamic(l, w);
        if (w->exported >= 0 && wanted < functions)
            exported = wanted > least ? (uint32_t)wanted : least;
        for (;; exported = exported / 2 > least ? exported / 2 : least) {
            rows_set_counts(plan, l, w, functions, exported);
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

/* Whether no more functions should be given up. As long as extras are left to give up instead (w->share), the library
 * keeps half of the functions that the row counts, or half of the dynamic ones if it is stripped. */
static bool has_too_few(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint32_t all = l->stripped && w->exported >= 0 ? (uint32_t)w->exported : rows_numbered(plan, l, w);
    const uint32_t small = l->stripped ? l->small.exported : l->small.count;
    return l->functions <= rows_least_exported(l, w) || (w->share && l->functions + small <= all / 2);
}

/* How many more functions to give up when `lost` are given up already and no try fitted. With very many functions each
 * try takes long: if only text was lacking, the next step takes off at once what has to go in any case. */
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

/* Tries ever fewer functions; `all` is as in fits_with_small. */
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

/* Tries to call ever fewer of the imports. */
static bool try_calls(struct rows *r, uint32_t index, bool all)
{
    struct plan_library *l = &r->s->plan->library[index];
    for (uint32_t fourths = r->want[index].calls + 1; fourths--;) {
        rows_set_calls(r->s->plan, l, fourths);
        if (try_fewer(r, index, all))
            return true;
        if (!l->calls.called || has_tried_enough(&r->want[index]))
            return false;
    }
    return false;
}

/* Tries ever shorter small functions, then ever more of them without code, and last fewer small functions. */
static bool try_short(struct rows *r, uint32_t index)
{
    struct plan_library *l = &r->s->plan->library[index];
    enum { ALL = ROWS_SMALL_WHOLE };
    static const struct {
        uint32_t most, coded; /* bytes; how many, out of ALL, have code */
    } steps[] = {{UINT32_MAX, ALL}, {80, ALL},     {64, ALL},     {48, ALL},     {32, ALL},     {16, ALL},
                 {16, ALL - 1},     {16, ALL - 2}, {16, ALL - 4}, {16, ALL / 2}, {16, ALL / 4}, {0, 0}};
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        rows_shorten_small(l, steps[i].most, steps[i].coded);
        if (try_calls(r, index, true))
            return true;
        if (!l->small.sizes || r->want[index].lack != SIZE_TEXT || has_tried_enough(&r->want[index]))
            break;
    }
    rows_shorten_small(l, UINT32_MAX, ALL);
    return try_calls(r, index, false);
}

/* Tries ever shorter names and ever fewer extras. */
static bool try_all(struct rows *r, uint32_t index)
{
    struct want *w = &r->want[index];
    for (w->share = ROWS_EXTRA_WHOLE; !try_short(r, index);) {
        if (has_tried_enough(w))
            return false;
        if (w->terse < ROWS_TERSE_MOST && w->lack == SIZE_TEXT) /* short names cost less than symbols */
            w->terse++;
        else if (w->share)
            w->share--;
        else
            return false;
    }
    return true;
}

/* The last try: the least of everything. */
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
    rows_set_calls(r->s->plan, l, 0);
    return try_levels(r, index, UINT32_MAX, false);
}

/* Whether debug was too small and the library may be hollow. Where a large program has little debug information, names
 * alone are better than a library without nearly all of its functions. */
static bool can_be_hollow(const struct plan_library *l, const struct want *w)
{
    return w->lack == SIZE_DEBUG && !l->debug.hollow;
}

/* Whether the counts that were found leave the library without most of its code, to make room for units that describe a
 * part of it only. Names alone are better than that. */
static bool loses_code(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const int64_t code = l->said->value[ROW_SHARE_CODE];
    return can_be_hollow(l, w) && profile_describes_part(l->said->value[ROW_DWARF_CODE], code) &&
           l->functions < rows_numbered(plan, l, w) / 2;
}

bool rows_loosen(const struct profile *p, struct want *w)
{
    const bool loaded = w->lack <= SIZE_DATA;
    if (!profile_is_captured(p) || w->loose[w->lack] || !(loaded || w->lack == SIZE_SYMTAB || w->lack == SIZE_STRTAB))
        return false;
    w->hurried |= loaded;
    w->work = 0;
    w->few = UINT32_MAX; /* fewer were of no help */
    w->loose[loaded ? SIZE_TEXT : SIZE_SYMTAB] = w->loose[loaded ? SIZE_DATA : SIZE_STRTAB] = true;
    return true;
}

static bool find_counts(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct rows *r = context;
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    char advice[PLAN_ADVICE];
    (void)worker;
    if (!rows_sum_names(r->s->plan, l, w, e))
        return false;
    l->imports = w->silent ? 0 : w->imports;
    l->names.imports = rows_import_names(r->s->plan, l);
    if (l->said->value[ROW_TEXT] == PROFILE_DERIVED) { /* no sizes: all is natural */
        rows_set_calls(r->s->plan, l, ROWS_CALLS_WHOLE);
        const uint32_t functions = rows_numbered(r->s->plan, l, w);
        const uint32_t least = rows_least_exported(l, w);
        const uint32_t most = w->exported >= 0 && w->exported < functions ? (uint32_t)w->exported : functions;
        l->level = LEVEL_WHOLE;
        rows_set_counts(r->s->plan, l, w, functions, most > least ? most : least);
        l->locals = 1 + functions / 16;
        return true;
    }
    if (!w->hurried && try_all(r, index) && !loses_code(r->s->plan, l, w))
        return true;
    const bool least = w->hurried || (has_tried_enough(w) && !can_be_hollow(l, w));
    if (least && try_least(r, index))
        return true;
    if (!w->silent && w->imports && w->lack != SIZE_DEBUG) {
        w->silent = true;
        return find_counts(context, worker, index, e);
    }
    if (can_be_hollow(l, w)) {
        l->debug.hollow = true;
        w->work = 0;
        return find_counts(context, worker, index, e);
    }
    if (rows_loosen(r->s->plan->profile, w)) {
        w->silent = false;
        return find_counts(context, worker, index, e);
    }
    return error_set(e, ERROR_INFEASIBLE,
                     PROFILE_ROWS ": row %u: %s: %lld bytes are too %s for any %s: the nearest is %llu; %s", w->row,
                     rows_size_names[w->lack], (long long)l->said->value[ROW_TEXT + w->lack],
                     (uint64_t)l->said->value[ROW_TEXT + w->lack] < w->needs ? "few" : "many",
                     l->kind == LIBRARY_MODULE ? "module" : "utility", (unsigned long long)w->needs,
                     plan_advice(r->s->plan, l, "change it, or leave the row out", advice));
}

/* Besides the counts, sets where the leaves begin. Other libraries rely on that. */
bool rows_fit_counts(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan_library *l = &r->s->plan->library[index];
    const bool found = find_counts(context, worker, index, e);
    l->calls.leaf = l->calls.callers;
    while (l->small.leaf < l->small.exported && !l->small.size[l->small.leaf])
        l->small.leaf++;
    while (l->small.leaf + l->small.leaves < l->small.exported && l->small.size[l->small.leaf + l->small.leaves])
        l->small.leaves++;
    return found;
}

/* --- exact ---------------------------------------------------------------------------------------- */

/* Computes the exact sizes with `functions` numbered functions. *fit says whether the row has room for them. False when
 * memory ran out. */
static bool try_exactly(struct rows *r, unsigned worker, uint32_t index, uint32_t functions, bool all, bool *fit)
{
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    const uint32_t callers = l->calls.leaf;
    rows_set_counts(s->plan, l, &r->want[index], functions, l->exported);
    const uint32_t most = callers < functions ? callers : functions; /* others call those behind */
    rows_set_callers(l, most);
    const uint64_t code = l->functions ? library_code_least(s->plan, l, &s->arenas[worker]) : 0;
    if (l->functions && !code)
        return false;
    s->code[index] = code;
    *fit = l->said->value[ROW_TEXT] == PROFILE_DERIVED || fits_with_small(r, index, code, all);
    return true;
}

/* Tries the exact sizes with ever fewer local functions. What others call stays as it is. If nothing fits, the next
 * round has fewer functions. */
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
            if (fit || functions <= l->exported || functions <= l->calls.leaf)
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
