/* Counts of one library with a row: its numbered functions and what follows from how many these are. See rows.c;
 * how many fit is tried in rows_fit.c. */
#include <assert.h>
#include <stdlib.h>

#include "emit/library/glue.h"
#include "emit/library/library.h"
#include "emit/library/shape.h"
#include "emit/plan/names_row.h"
#include "emit/solve/rows.h"
#include "emit/solve/rows_parts.h"

enum { SYMBOL = sizeof(Elf64_Sym) };

uint32_t rows_glue_symbols(const struct plan_library *l)
{
    const uint32_t helpers = l->level == LEVEL_BARE ? 0 : SHAPE_HELPERS;
    const uint32_t python = l->kind == LIBRARY_MODULE ? 2 + shape_driver_methods(l) : 0;
    return helpers + python + (l->stripped ? (uint32_t)shape_executes(l) : 4);
}

/* How many of `functions`, the first `exported` of which are exported, can call other libraries: all but the exported
 * leaves, which are kept for callers from other libraries, and the local functions behind them. If only one function is
 * exported and the library has calls to make, that function calls and is no leaf. */
static uint32_t callers_most(const struct plan_library *l, const struct want *w, uint32_t functions, uint32_t exported)
{
    if (!w->leaves || !exported)
        return functions;
    if (exported == 1 && l->calls.called)
        return 1;
    const uint32_t half = exported / 2 ? exported / 2 : 1;
    return exported - (w->leaves < half ? w->leaves : half);
}

/* How many of its functions a stripped library wants to be dynamic, as far as its text has room for their symbols; 0
 * for another library, whose functions are all counted by want.functions. */
static uint32_t stripped_dynamic(const struct plan_library *l, const struct want *w)
{
    const uint64_t most = rows_value_or(l->said, ROW_TEXT, 0) / SYMBOL;
    const uint64_t wanted = l->stripped && w->exported > 0 ? (uint64_t)w->exported : 0;
    return (uint32_t)(wanted < most ? wanted : most);
}

/* The most numbered functions that are tried. There may be two even where the row has none (rows_least_exported). */
static uint32_t names_most(const struct plan_library *l, const struct want *w)
{
    return rows_larger(w->functions, stripped_dynamic(l, w)) + 2;
}

bool rows_sum_names(const struct plan *plan, const struct plan_library *l, struct want *w, struct error *e)
{
    const uint32_t most = names_most(l, w);
    struct plan_library as = *l;
    for (unsigned bare = 0; names_are_mangled(&plan->names, l) && bare < 2; bare++) {
        uint64_t *sum = w->names[bare] ? NULL : malloc((most + (size_t)1) * sizeof *sum);
        if (w->names[bare])
            continue;
        if (!sum)
            return error_set(e, ERROR_MEMORY, "out of memory for the names of %s", l->name);
        as.level = bare ? LEVEL_BARE : LEVEL_WHOLE;
        sum[0] = 0;
        for (uint32_t i = 0; i < most; i++) {
            const struct function f = plan_function(&as, i);
            sum[i + 1] = sum[i] + names_function(&plan->names, &as, i, &f) + 1;
        }
        w->names[bare] = sum;
    }
    return true;
}

/* Bytes of the names of the first `functions` functions, with terminators. */
static uint64_t names_of(const struct plan *plan, const struct plan_library *l, const struct want *w,
                         uint32_t functions)
{
    assert(functions <= names_most(l, w));
    if (names_are_mangled(&plan->names, l))
        return w->names[l->level == LEVEL_BARE][functions];
    return names_row_bytes(l, 0, functions);
}

/* How many functions the row has besides the numbered ones and the glue's. In a stripped library these are at least the
 * dynamic functions that are missing, whatever unwind tables say. */
static uint32_t missing_functions(const struct plan_library *l, const struct want *w)
{
    const uint32_t others = l->functions + rows_glue_symbols(l);
    const uint32_t missing = w->functions > others ? w->functions - others : 0;
    const uint32_t dynamic = l->stripped && w->exported > l->exported ? (uint32_t)w->exported - l->exported : 0;
    return missing > dynamic ? missing : dynamic;
}

void rows_set_callers(struct plan_library *l, uint32_t most)
{
    l->calls.callers = l->calls.called < most ? l->calls.called : most;
    l->calls.per_function = l->calls.callers ? (l->calls.called + l->calls.callers - 1) / l->calls.callers : 0;
}

/* Whether the module's definition has no methods, so that they are added when the module is made. Its row must count no
 * methods and have a PLT slot and a relocation for adding them, and its PyInit_ must be no tail call. */
static bool adds_methods(const struct plan *plan, const struct plan_library *l)
{
    if (l->kind != LIBRARY_MODULE || l->glue.init == INIT_TAIL ||
        profile_row_says(plan->profile, l->said, ROW_METHODS) != 0)
        return false;
    struct plan_library with = *l;
    with.glue.adds_methods = true;
    with.extra = (struct plan_extra){0};
    const int64_t plt = rows_bound_slots(plan, l);
    const int64_t relative = profile_row_relative(plan->profile, l->said);
    return (plt == PROFILE_DERIVED || plt >= (int64_t)shape_python_functions(&with)) &&
           (relative == PROFILE_DERIVED || relative >= (int64_t)shape_of(plan, &with).relative);
}

/* Whether the helpers have to be larger than small functions. This is so in a stripped library without debug
 * information if its row counts fewer small unwind entries without a dynamic symbol than small helpers and the other
 * glue would add, and if it has enough code. */
static bool wants_large_helpers(const struct plan *plan, const struct plan_library *l)
{
    enum { LITTLE = 12 }; /* helpers take less than this part of the code */
    const int64_t said = profile_row_says(plan->profile, l->said, ROW_UNWIND_SMALL);
    if (!l->stripped || !l->debug.none || said < 0 || said >= GLUE_COUNT + SHAPE_PLT_TABLES ||
        rows_value_or(l->said, ROW_SHARE_CODE, 0) <= LITTLE * (uint64_t)UNWIND_SMALL * SHAPE_HELPERS)
        return false;
    struct plan_library with = *l;
    with.glue.large_helpers = false;
    return said < (int64_t)rows_small_glue(plan, &with);
}

void rows_set_counts(const struct plan *plan, struct plan_library *l, const struct want *w, uint32_t functions,
                     uint32_t exported)
{
    l->functions = functions;
    l->calls.chains = (functions + plan->depth - 1) / plan->depth;
    l->calls.covered = plan_covered_before(plan, l->calls.chains);
    if (l->exported != exported) /* other threads read it while exact sizes are tried */
        l->exported = exported;
    l->glue.adds_methods = adds_methods(plan, l);
    l->glue.large_helpers = wants_large_helpers(plan, l);
    l->names.functions = names_of(plan, l, w, functions);
    l->names.exported = names_of(plan, l, w, exported);
    rows_set_callers(l, callers_most(l, w, functions, exported));
    rows_set_small(l, w, rows_smaller(missing_functions(l, w), w->few));
    const uint64_t others = (uint64_t)functions + rows_glue_symbols(l) + l->small.count;
    const uint32_t left = others < w->functions ? (uint32_t)(w->functions - others) : 0;
    l->small.nameless = rows_smaller(rows_nameless(plan, l, w), left);
    l->glue.inner_entry = l->kind == LIBRARY_MODULE && !exported && l->said->value[ROW_DYNAMIC_FUNCTIONS] == 1;
    /* where there are few slots, none is for the entry */
    const int64_t plt = rows_bound_slots(plan, l);
    l->glue.direct_entry = l->glue.inner_entry || (l->kind == LIBRARY_MODULE && plt != PROFILE_DERIVED &&
                                                   plt <= (int64_t)shape_python_functions(l));
    l->glue.result_by_got = l->glue.direct_entry && plan_is_plain(l) && plt < (int64_t)shape_python_functions(l) &&
                            profile_row_says(plan->profile, l->said, ROW_GLOB_DAT) > 2 &&
                            profile_row_says(plan->profile, l->said, ROW_METHODS) <= 1;
    rows_set_extra(plan, l, w);
}

/* Sets the units of debug information: those of the row or, where there is too little for them (`one`), a single one.
 * Units that .debug_aranges has no room for have no code. */
static void set_units(const struct solver *s, struct plan_library *l, bool one)
{
    enum { UNITS_MOST = 1 << 20 };
    uint64_t units = rows_value_or(l->said, ROW_DWARF_UNITS, 0);
    const uint64_t aranges = rows_value_or(l->said, ROW_MIX_ARANGES, 0);
    const uint32_t all = plan_described(s->plan, l).least + GLUE_LIBRARY - SHAPE_HELPERS;
    units = one ? 1 : units < UNITS_MOST ? units : UNITS_MOST;
    uint64_t coded = units < all ? units : all;
    if (aranges >= DEBUG_ARANGES_UNIT && aranges / DEBUG_ARANGES_UNIT < coded)
        coded = aranges / DEBUG_ARANGES_UNIT;
    l->debug.units = (uint32_t)coded;
    l->debug.units_all = (uint32_t)units;
    const uint64_t abbrev = rows_value_or(l->said, ROW_MIX_ABBREV, 0);
    const uint64_t tables = abbrev ? debug_tables(stock_corpus_of(s->corpus, l), abbrev) : units;
    l->debug.tables = tables < units ? (uint32_t)tables : 0;
    const uint64_t partials = one ? 0 : rows_value_or(l->said, ROW_DWARF_PARTIAL, 0);
    l->debug.partials = partials < UNITS_MOST ? (uint32_t)partials : 0;
}

bool plan_rows_set_units(const struct solver *s, uint32_t index, uint64_t debug)
{
    for (unsigned one = 0; one < 2; one++) {
        set_units(s, &s->plan->library[index], one);
        solve_base(s, index);
        if (s->base[index].size[SIZE_DEBUG] <= debug)
            return true;
    }
    return false;
}

uint32_t rows_numbered(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint32_t dynamic = rows_small_dynamic(l, w);
    const uint32_t small = l->stripped ? dynamic : 0;
    const uint32_t glue = rows_glue_symbols(l) + small + rows_nameless(plan, l, w);
    const uint32_t least = l->calls.called || rows_is_called(l, w) ? 1u + (l->calls.called && w->leaves ? 1u : 0u) : 0;
    const int64_t exported = w->exported - (l->stripped ? 0 : dynamic);
    const uint32_t most = exported > (int64_t)least && exported < UINT32_MAX ? (uint32_t)exported : least;
    uint32_t n = w->functions > glue ? w->functions - glue : 0;
    const uint32_t wanted = stripped_dynamic(l, w);
    n = wanted > small ? rows_larger(n, wanted - small) : n;
    if (n > most && !l->stripped)
        n -= w->small < n - most ? w->small : n - most;
    if (n > w->cap)
        n = w->cap;
    return n > least ? n : least;
}

void rows_set_calls(const struct plan *plan, struct plan_library *l, uint32_t fourths)
{
    const int64_t plt = rows_bound_slots(plan, l);
    const uint32_t others = l->kind == LIBRARY_MODULE ? shape_python_functions(l) + 1 : 0;
    const uint64_t slots = plt == PROFILE_DERIVED ? UINT64_MAX : (uint64_t)plt > others ? (uint64_t)plt - others : 0;
    const uint64_t calls = ((uint64_t)l->imports * fourths + ROWS_CALLS_WHOLE - 1) / ROWS_CALLS_WHOLE;
    l->calls.called = (uint32_t)(calls < slots ? calls : slots);
}
