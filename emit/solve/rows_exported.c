/* Chooses how long the names of dynamic symbols are in libraries with rows: those of exported functions, numbered and
 * small ones, and of objects; see rows_names.c. The names that one library exports are imports of others, so a
 * change for one library changes the room that others have. */
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows_lengths.h"

enum {
    CODE_OF_FUNCTION = 120,
};

/* Bytes that exported names may take beyond the fewest, in the size that has the least room for them. */
static uint64_t room_of_exported(const struct solver *s, uint32_t index, const struct want *w)
{
    const struct plan_library *l = &s->plan->library[index];
    const uint64_t *base = s->base[index].size;
    if (l->said->value[ROW_TEXT] == PROFILE_DERIVED)
        return UINT64_MAX;
    uint64_t room = lengths_spare(l->size[SIZE_TEXT], base[SIZE_TEXT] + CODE_OF_FUNCTION * (uint64_t)l->functions);
    if (l->stripped && l->extra.undefined.outside && l->said->value[ROW_DYNAMIC_DYNSTR] != PROFILE_DERIVED)
        room = lengths_spare((uint64_t)l->said->value[ROW_DYNAMIC_DYNSTR], 0);
    if (!l->stripped)
        room = lengths_smaller(room, l->names.locals);
    if (!l->debug.none && !l->debug.hollow) {
        const uint32_t described = plan_described(s->plan, l).most;
        const uint64_t spare = lengths_spare(l->size[SIZE_DEBUG], base[SIZE_DEBUG]);
        room = lengths_smaller(room, described < l->exported ? lengths_part(spare, l->exported, described) : spare);
    }
    return room / ROWS_TERSE_MOST * (ROWS_TERSE_MOST - w->terse);
}

/* How many exported names may have any length: those of numbered functions, unless they are mangled, and then those of
 * small functions and objects. */
static uint32_t free_numbered(const struct plan *plan, const struct plan_library *l)
{
    return names_are_mangled(&plan->names, l) ? 0 : l->exported;
}

static uint32_t free_exported(const struct plan *plan, const struct plan_library *l)
{
    return free_numbered(plan, l) + names_row_others(l);
}

/* Bytes of these names, with terminators. */
static uint64_t free_exported_bytes(const struct plan *plan, const struct plan_library *l)
{
    return (names_are_mangled(&plan->names, l) ? 0 : l->names.exported) + l->names.others;
}

/* Characters that .dynstr leaves for those of these names that have bytes of their own, if the row states its size;
 * otherwise `natural`. */
static uint64_t wanted_of_exported(const struct plan *plan, const struct plan_library *l, uint64_t natural)
{
    const int64_t dynstr = l->said->value[ROW_DYNAMIC_DYNSTR];
    if (dynstr == PROFILE_DERIVED)
        return natural;
    const uint64_t fixed = shape_of_names(plan, l).dynstr - free_exported_bytes(plan, l);
    return lengths_spare(lengths_spare((uint64_t)dynstr, fixed), free_exported(plan, l) - l->names.ends);
}

/* Whether most of the library's own names are exported, so that the row's .dynstr says how long most of them are. */
static bool is_mostly_exported(const struct plan *plan, const struct plan_library *l)
{
    return l->said->value[ROW_DYNAMIC_DYNSTR] != PROFILE_DERIVED &&
           free_exported(plan, l) > lengths_unexported(plan, l);
}

/* Draws lengths for all names in .symtab that are not fixed, and takes those for exported names whose sum is what
 * .dynstr leaves. Local functions, static objects and, while their lengths are unknown, imports have the others. False
 * when memory ran out. */
static bool draw_of_all(const struct plan *plan, const struct plan_library *l, bool imports_known, uint32_t *length)
{
    const uint32_t count = free_exported(plan, l);
    const struct shape s = shape_of(plan, l);
    const uint32_t named = count + (imports_known ? 0 : l->imports) + lengths_unexported(plan, l);
    const uint64_t most = s.symbols + FIXED_LOCAL_COUNT + named;
    struct fixed_lengths f = {.length = malloc(most * sizeof *f.length)};
    uint32_t *all = malloc(most * sizeof *all);
    uint32_t *rest = malloc(most * sizeof *rest);
    bool ok = f.length && all && rest;
    if (ok) {
        if (imports_known)
            lengths_fix_imports(plan, l, &f);
        lengths_fix_functions(plan, l, names_are_mangled(&plan->names, l) ? l->functions : 0, &f);
        lengths_fix_others(l, &s, &f);
        const bool known = lengths_draw(plan, l, f.count + named, all);
        ok = distribution_rest(all, f.count + named, f.length, f.count, rest);
        if (ok && known)
            lengths_take_near(rest, named, wanted_of_exported(plan, l, 0), count, length);
    }
    free(f.length);
    free(all);
    free(rest);
    return ok;
}

/* Draws the wanted lengths, in ascending order. In a stripped library they are what all other names leave of the wanted
 * distribution; *beside then has the lengths of these others, which the caller frees. False when memory ran out. */
static bool draw_exported_lengths(const struct rows *r, const struct plan_library *l, uint32_t *length,
                                  struct fixed_lengths *beside)
{
    const struct plan *plan = r->s->plan;
    const uint32_t count = free_exported(plan, l);
    *beside = (struct fixed_lengths){.length = NULL};
    if (!l->stripped) {
        (void)lengths_draw(plan, l, count, length);
        return !is_mostly_exported(plan, l) || draw_of_all(plan, l, r->named, length);
    }
    const struct shape s = shape_of(plan, l);
    const uint64_t most = s.symbols + FIXED_LOCAL_COUNT;
    struct fixed_lengths *const f = beside;
    f->length = malloc(most * sizeof *f->length);
    uint32_t *all = malloc(most * sizeof *all);
    bool ok = f->length && all;
    if (ok) {
        lengths_fix_imports(plan, l, f);
        lengths_fix_functions(plan, l, l->exported - free_numbered(plan, l), f);
        lengths_fix_others(l, &s, f);
        (void)lengths_draw(plan, l, f->count + count, all);
        ok = distribution_rest(all, f->count + count, f->length, f->count, length);
    }
    free(all);
    return ok;
}

/* Makes scratch for lengths_fit, if there are lengths beside these. False when memory ran out. */
static bool make_scratch(const struct fixed_lengths *beside, uint32_t count, uint32_t **scratch)
{
    const struct distribution_task of = {.count = count, .fixed_count = beside->count};
    *scratch = beside->length ? malloc(lengths_scratch(&of) * sizeof **scratch) : NULL;
    return *scratch || !beside->length;
}

/* Makes room for the lengths of exported names. False when memory ran out; what other libraries read is then unchanged.
 */
static bool make_exported_room(struct plan_library *l, uint32_t numbered)
{
    uint16_t *room = realloc(l->names.function_length, (numbered + (size_t)1) * sizeof *room);
    if (room)
        l->names.function_length = room;
    uint16_t *other = realloc(l->names.other_length, (names_row_others(l) + (size_t)1) * sizeof *other);
    if (other)
        l->names.other_length = other;
    return room && other;
}

/* Deals drawn lengths out, first to numbered functions and then to other names. If they do not fit, all names are the
 * shortest. */
static void deal_exported(struct plan_library *l, uint32_t numbered, const uint16_t *length, bool fits)
{
    for (uint32_t i = 0; i < numbered; i++)
        l->names.function_length[i] = fits ? length[i] : (uint16_t)names_row_least(l, i);
    for (uint32_t i = 0; i < names_row_others(l); i++)
        l->names.other_length[i] = fits ? length[numbered + i] : (uint16_t)names_row_other_least(l, i);
    l->names.function_lengths = numbered;
    l->names.other_lengths = names_row_others(l);
    l->names.others = names_row_other_bytes(l);
}

/* Whether its names may share their ends, as linkers have it: only where nothing but .dynstr contains them. */
static bool shares_ends(const struct plan *plan, const struct plan_library *l)
{
    return l->stripped && l->debug.none && !names_are_mangled(&plan->names, l) &&
           l->said->value[ROW_DYNAMIC_DYNSTR] != PROFILE_DERIVED;
}

static bool draw_exported(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan *plan = r->s->plan;
    struct plan_library *l = &plan->library[index];
    struct want *w = &r->want[index];
    const uint32_t count = free_exported(plan, l);
    const uint32_t numbered = free_numbered(plan, l);
    (void)worker;
    w->drawn = true;
    l->names.functions_named = 1 + names_row_functions(l);
    if (!count)
        return true;
    uint32_t *length = malloc(count * sizeof *length);
    uint16_t *dealt = malloc(count * sizeof *dealt);
    struct fixed_lengths beside = {.length = NULL};
    const bool again =
        w->imports_named && l->names.function_lengths == numbered && l->names.other_lengths == count - numbered;
    uint32_t *order = again ? lengths_order(l, numbered, count) : NULL;
    l->names.function_lengths = l->names.other_lengths = l->names.ends = 0;
    l->names.others = names_row_other_bytes(l);
    uint32_t *scratch = NULL;
    if (!length || !dealt || (again && !order) || !make_exported_room(l, numbered) ||
        !draw_exported_lengths(r, l, length, &beside) || !make_scratch(&beside, count, &scratch)) {
        free(beside.length);
        free(order);
        free(length);
        free(dealt);
        return lengths_out_of_memory(l, e);
    }
    const uint64_t least = free_exported_bytes(plan, l) - count; /* the fewest bytes, as no length is set */
    const uint64_t wanted = wanted_of_exported(plan, l, lengths_sum(length, count));
    const uint64_t sum = lengths_smaller(wanted, room_of_exported(r->s, index, w) + least);
    /* names of undefined symbols in a stripped library are fitted the same way (rows_extra.c) */
    lengths_fit_to *const fit = l->stripped || r->named ? distribution_fit_few : distribution_fit;
    const uint64_t ends = shares_ends(plan, l) ? lengths_of_ends(l, length, count) : 0;
    const uint64_t drawn = lengths_sum(length, count);
    const uint64_t most = drawn > sum ? lengths_smaller(drawn, sum + ends) : sum;
    const uint32_t shortest = lengths_shortest(l, numbered, count);
    const struct lengths_task task = {
        .of = {.value = length,
               .count = count,
               .fixed = beside.length,
               .fixed_count = beside.count,
               .least = shortest,
               .most = PROFILE_NAME_MOST,
               .sum = most},
        .fit = fit,
        .scratch = scratch,
    };
    const uint64_t is = scratch ? lengths_fit(plan, l, &task) : fit(length, count, shortest, PROFILE_NAME_MOST, most);
    const bool fits = is <= most;
    free(scratch);
    free(beside.length);
    for (uint32_t i = 0; i < count; i++)
        dealt[again ? order[i] : i] = (uint16_t)length[i];
    if (!again)
        lengths_shuffle(dealt, count, plan_key(l, PURPOSE_NAMES));
    free(order);
    lengths_lengthen(l, numbered, dealt, count);
    deal_exported(l, numbered, dealt, fits);
    free(length);
    free(dealt);
    return true;
}

static bool name_imports(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    const struct plan *plan = r->s->plan;
    struct plan_library *l = &r->s->plan->library[index];
    struct import import;
    (void)worker;
    (void)e;
    l->names.imports = 0;
    for (uint32_t n = 0; calls_row_import(plan, l, n, &import); n++) {
        const struct plan_library *to = &plan->library[import.library];
        l->names.imports += names_row_import_length(plan, to, import.function) + UINT64_C(1);
    }
    return true;
}

static int64_t smaller_signed(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Changes a length by up to `change` characters; returns what is left of these. */
static int64_t stretch_length(uint16_t *length, uint32_t least, int64_t change)
{
    const int64_t is = *length;
    const int64_t may = is + change < least ? least : smaller_signed(is + change, PROFILE_NAME_MOST);
    *length = (uint16_t)may;
    return change - (may - is);
}

/* The same for an exported function, unless its name is the end of another and has no bytes of its own. */
static int64_t stretch(struct plan_library *l, uint32_t function, int64_t change)
{
    if (names_row_is_end(l, function))
        return change;
    return stretch_length(&l->names.function_length[function], names_row_floor(l, function), change);
}

static int64_t stretch_other(struct plan_library *l, uint32_t number, int64_t change)
{
    const uint32_t place = l->exported + number;
    if (names_row_is_end(l, place))
        return change;
    return stretch_length(&l->names.other_length[number], names_row_floor(l, place), change);
}

/* How many more characters exported names should have; negative where they have too many. */
static int64_t missing_of(const struct plan *plan, const struct plan_library *l)
{
    uint64_t is = 0;
    for (uint32_t i = 0; i < l->names.function_lengths; i++)
        is += names_row_is_end(l, i) ? 0 : l->names.function_length[i];
    for (uint32_t i = 0; i < l->names.other_lengths; i++)
        is += names_row_is_end(l, l->exported + i) ? 0 : l->names.other_length[i];
    return l->names.function_lengths || l->names.other_lengths ? (int64_t)wanted_of_exported(plan, l, is) - (int64_t)is
                                                               : 0;
}

/* The number under which others import the symbol with the `i`-th name of any length. */
static uint32_t symbol_of(const struct plan_library *l, uint32_t i)
{
    return i < l->names.function_lengths ? i : l->exported + (i - l->names.function_lengths);
}

/* Lengthens or shortens the names of functions and objects that no other library imports, until .dynstr is as the row
 * has it. */
static void trim_exported(const struct plan *plan, struct plan_library *l, const uint8_t *callers)
{
    enum { FEW = 16 };
    int64_t missing = missing_of(plan, l);
    int64_t count = 0;
    for (uint32_t i = 0; i < l->names.function_lengths + l->names.other_lengths; i++)
        count += !callers[symbol_of(l, i)];
    for (uint32_t i = 0; i < l->names.function_lengths + l->names.other_lengths; i++)
        if (!callers[symbol_of(l, i)]) {
            /* change few names by much: each changed name counts in the distribution, however little it changes */
            int64_t part = (missing + (missing > 0 ? count - 1 : 1 - count)) / count;
            if (part < FEW && part > -FEW)
                part = missing > 0 ? smaller_signed(missing, FEW) : -smaller_signed(-missing, FEW);
            missing += (i < l->names.function_lengths ? stretch(l, i, part)
                                                      : stretch_other(l, i - l->names.function_lengths, part)) -
                       part;
            count--;
        }
    l->names.others = names_row_other_bytes(l);
}

static bool can_trim(const struct plan_library *l, const uint8_t *callers)
{
    bool can = l->extra.undefined.outside > 0;
    for (uint32_t i = 0; i < l->names.function_lengths + l->names.other_lengths && !can; i++)
        can = !callers[symbol_of(l, i)];
    return can;
}

/* By library and exported symbol: how many libraries import it, up to UINT8_MAX, and how many of these are tight. A
 * tight library has no names that it alone decides about. */
struct callers {
    uint8_t **all, **tight;
    uint8_t *room;
};

/* Changes names until a tight library's .dynstr is as its row has it: those of its own functions that no tight library
 * imports, then those of functions that no other tight library imports, from libraries that are not tight themselves.
 */
static void trim_tight(const struct plan *plan, uint32_t index, const struct callers *c)
{
    struct plan_library *l = &plan->library[index];
    struct import import;
    int64_t missing = missing_of(plan, l);
    for (uint32_t i = 0; missing && i < l->names.function_lengths; i++)
        if (!c->tight[index][i])
            missing = stretch(l, i, missing);
    for (uint32_t n = 0; missing && calls_row_import(plan, l, n, &import); n++) {
        struct plan_library *to = &plan->library[import.library];
        if (import.function < to->names.function_lengths && c->tight[import.library][import.function] == 1 &&
            can_trim(to, c->all[import.library]))
            missing = stretch(to, import.function, missing);
    }
}

static void count_callers(const struct plan *plan, uint8_t *const *callers, uint32_t library)
{
    struct import import;
    for (uint32_t n = 0; calls_row_import(plan, &plan->library[library], n, &import); n++)
        if (callers[import.library][import.function] < UINT8_MAX)
            callers[import.library][import.function]++;
}

static bool find_callers(const struct plan *plan, struct callers *c, struct error *e)
{
    const uint32_t count = plan_counted(plan);
    uint64_t exported = 0;
    for (uint32_t i = 0; i < count; i++)
        exported += plan->library[i].exported + (uint64_t)names_row_others(&plan->library[i]);
    c->room = calloc(2 * exported + 1, sizeof *c->room);
    c->all = malloc(count * sizeof *c->all);
    c->tight = malloc(count * sizeof *c->tight);
    if (!c->room || !c->all || !c->tight)
        return error_set(e, ERROR_MEMORY, "out of memory for the names of a plan of %u libraries", count);
    uint8_t *room = c->room;
    for (uint32_t i = 0; i < count; i++) {
        c->all[i] = room;
        c->tight[i] = room + exported;
        room += plan->library[i].exported + names_row_others(&plan->library[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        count_callers(plan, c->all, i);
    for (uint32_t i = 0; i < count; i++)
        if (!can_trim(&plan->library[i], c->all[i]))
            count_callers(plan, c->tight, i);
    return true;
}

/* Where names of dynamic symbols take more than .dynstr has, makes some the ends of others. */
static bool share_ends(const struct plan *plan, struct plan_library *l, struct error *e)
{
    const int64_t missing = shares_ends(plan, l) ? missing_of(plan, l) : 0;
    if (missing >= 0)
        return true;
    const bool ok = lengths_share_ends(l, (uint64_t)-missing);
    l->names.others = names_row_other_bytes(l);
    return ok || lengths_out_of_memory(l, e);
}

static bool trim(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    const uint32_t count = plan_counted(plan);
    struct callers c = {0};
    bool ok = find_callers(plan, &c, e);
    for (uint32_t i = 0; i < count && ok; i++)
        ok = share_ends(plan, &r->s->plan->library[i], e);
    for (uint32_t i = 0; i < count && ok; i++)
        if (!r->want[i].terse && !can_trim(&plan->library[i], c.all[i]) && name_imports(r, 0, i, e))
            trim_tight(plan, i, &c);
    for (uint32_t i = 0; i < count && ok; i++)
        name_imports(r, 0, i, e);
    for (uint32_t i = 0; i < count && ok; i++)
        if (!r->want[i].terse)
            trim_exported(plan, &plan->library[i], c.all[i]);
    free(c.room);
    free(c.all);
    free(c.tight);
    return ok;
}

void rows_count_mangled(struct rows *r)
{
    const struct plan *plan = r->s->plan;
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        const int64_t wanted = r->want[i].mangled;
        struct import import;
        int64_t others = 0;
        if (wanted == PROFILE_DERIVED)
            continue;
        for (uint32_t n = 0; calls_row_import(plan, l, n, &import); n++)
            others += names_row_is_mangled(plan, &plan->library[import.library], import.function);
        l->names.mangled = wanted > others ? (uint32_t)lengths_smaller((uint64_t)(wanted - others), UINT32_MAX) : 0;
    }
}

static bool any_stripped(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        if (plan->library[i].stripped)
            return true;
    return false;
}

/* Draws the names of some libraries again, now that those of their imports are known: of libraries with a symbol table
 * in which most own names are exported. This goes one library after the other, as the names of one are imports of the
 * next. */
static bool draw_beside_imports(struct rows *r, struct error *e)
{
    const struct plan *plan = r->s->plan;
    r->named = true;
    bool ok = true;
    for (uint32_t i = 0; i < plan_counted(plan) && ok; i++) {
        const struct plan_library *l = &plan->library[i];
        if (!l->stripped && l->imports && is_mostly_exported(plan, l))
            ok = name_imports(r, 0, i, e) && draw_exported(r, 0, i, e);
    }
    r->named = false;
    return ok;
}

/* A worker's task: chooses the undefined symbols of a stripped library again, now that it is known what the library
 * calls. */
static bool name_outside(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan_library *l = &r->s->plan->library[index];
    struct want *w = &r->want[index];
    if (!l->stripped || l->said->value[ROW_TEXT] == PROFILE_DERIVED ||
        (w->imports_named && !l->said->text[ROW_TEXT_NAME_LENGTHS]))
        return true;
    if (!w->imports_named)
        l->names.imports = rows_import_names(r->s->plan, l);
    else if (!name_imports(context, worker, index, e))
        return false;
    w->drawn = false;
    rows_set_extra(r->s->plan, l, w);
    w->imports_named = true; /* from the next time on */
    return true;
}

/* The names of a library's imports leave room for its exported names, which are imports of others in turn. So names are
 * drawn in two passes and then trimmed where other libraries do not see it. In stripped libraries the wanted lengths
 * also depend on the lengths of the imports, from this pass or the one before. Which of the two it is must follow from
 * the order of the libraries and not from threads: if any library is stripped, one thread draws all names, in three
 * passes. */
bool rows_name_exported(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    const uint32_t count = plan_counted(plan);
    const bool stripped = any_stripped(plan);
    const unsigned threads = stripped ? 1 : r->s->threads;
    for (unsigned pass = 0; pass < (stripped ? 3 : 2); pass++)
        if ((stripped && !workers_run(r->s->threads, count, name_outside, r, e)) ||
            !workers_run(threads, count, draw_exported, r, e) || (stripped && !rows_match_imports(r, e)) ||
            !workers_run(r->s->threads, count, name_imports, r, e))
            return false;
    return draw_beside_imports(r, e) && trim(r, e);
}
