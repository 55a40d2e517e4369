/* Decides how long the names of undefined symbols should be in libraries with rows. rows_extra.c chooses among the
 * names that exist.
 *
 * In a stripped library these names are part of all names whose lengths the row states. While the other names are
 * unknown, undefined symbols take the lengths that are too short for other names, and none longer than the longest real
 * name. Once other names are known, undefined symbols take what these leave. In a library with a symbol table the
 * lengths matter only if the names of dynamic symbols are so long that hardly any real one fits. Nothing binds most
 * undefined symbols then.
 */
#include <string.h>

#include "emit/library/shape.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows_lengths.h"
#include "emit/solve/rows_parts.h"

/* How many of the ascending values are at most `length`. */
static uint32_t values_to(const uint32_t *value, uint32_t count, uint32_t length)
{
    uint32_t n = 0;
    while (n < count && value[n] <= length)
        n++;
    return n;
}

/* Takes `count` of the values [first, end), evenly spread. */
static void take_evenly(const uint32_t *value, uint32_t first, uint32_t end, uint32_t count, uint32_t *taken)
{
    for (uint32_t i = 0; i < count; i++)
        taken[i] = value[first + (uint32_t)((i * UINT64_C(2) + 1) * (end - first) / (UINT64_C(2) * count))];
}

/* The other dynamic names: how many are mangled and how many plain, and the fewest characters that either can have. */
struct other_names {
    uint32_t mangled, plain, least_mangled, least;
};

static struct other_names others_of(const struct plan *plan, const struct plan_library *l)
{
    const uint32_t first = names_are_mangled(&plan->names, l) ? l->exported : 0;
    const uint32_t all = l->exported + names_row_others(l);
    const uint32_t mangled = rows_smaller(l->names.mangled, all);
    return (struct other_names){
        .mangled = mangled > first ? mangled - first : 0,
        .plain = all - l->unbound - (mangled > first ? mangled : first),
        .least_mangled = mangled > first ? names_row_shortest(l, first) : 1,
        .least = all > mangled ? names_row_shortest(l, all - 1) : 1,
    };
}

/* Takes `count` of the `names` ascending lengths: those that are too short for any other name, enough of those that are
 * too short for mangled ones, and the rest evenly. */
static void take_before(const uint32_t *all, uint32_t names, const struct other_names *o, uint32_t count,
                        uint32_t *taken)
{
    const uint32_t below = values_to(all, names, o->least - 1); /* too short for any of the others */
    const uint32_t plain = rows_larger(below, o->mangled ? values_to(all, names, o->least_mangled - 1) : 0);
    const uint32_t longest = values_to(all, names, OUTSIDE_LONGEST);
    const uint32_t first = rows_smaller(below, count);
    const uint32_t part = (uint32_t)((uint64_t)(plain - below) * count / names);
    const uint32_t needed = plain - below > o->plain ? plain - below - o->plain : 0;
    const uint32_t second = rows_smaller(rows_larger(part, needed), count - first);
    const uint32_t rest = count - first - second;
    const uint32_t end = rows_larger(longest, rows_smaller(plain + rest, names));
    take_evenly(all, 0, below, first, taken);
    take_evenly(all, below, plain, second, taken + first);
    take_evenly(all, rows_smaller(plain, end - rest), end, rest, taken + first + second);
    distribution_sort(taken, count);
}

/* Whether the names of imports are known. */
static bool has_imports_named(const struct plan_library *l, const struct want *w)
{
    return w->drawn || w->imports_named || !l->imports;
}

/* Sets `rest` to `count` lengths: what is left of all wanted ones beside those of imports, where these are known, and
 * of exported names, if these are settled. The lengths beside them stay in the memory behind `all`; *beside is their
 * number. False where no lengths are known, or there is no room for them. */
static bool find_rest(const struct plan *plan, const struct plan_library *l, const struct want *w, uint32_t *all,
                      uint32_t *rest, uint32_t count, uint32_t *beside)
{
    struct plan_library others = *l;
    others.extra.undefined.outside = 0;
    const struct shape s = shape_of(plan, &others);
    struct fixed_lengths f = {.length = all + w->most_names};
    const bool is_mangled = names_are_mangled(&plan->names, l);
    /* in .symtab, `count` includes these */
    const uint64_t own = w->drawn ? 0 : (is_mangled ? 0 : l->exported) + names_row_others(l);
    const uint64_t fixed = l->stripped ? UINT64_C(0) + s.undefined + s.defined : s.symbols + FIXED_LOCAL_COUNT - own;
    if (1 + fixed + count > w->most_names)
        return false;
    if (has_imports_named(l, w))
        lengths_fix_imports(plan, &others, &f);
    lengths_fix_others(&others, &s, &f);
    if (w->drawn) {
        lengths_fix_functions(plan, &others, l->exported, &f);
        lengths_fix_dynamic(&others, &f);
    } else if (is_mangled) {
        lengths_fix_functions(plan, &others, l->stripped ? l->exported : l->functions, &f);
    }
    *beside = f.count;
    return lengths_draw(plan, l, f.count + count, all) &&
           distribution_rest(all, f.count + count, f.length, f.count, rest);
}

/* Adds to `to` the values of `all` that are not in `part`, a subset of `all`. All three ascend. Returns how many values
 * `to` has then. */
static uint32_t add_others(const uint32_t *all, uint32_t count, const uint32_t *part, uint32_t part_count, uint32_t *to,
                           uint32_t to_count)
{
    for (uint32_t i = 0, k = 0; i < count; i++) {
        if (k < part_count && part[k] == all[i])
            k++;
        else
            to[to_count++] = all[i];
    }
    distribution_sort(to, to_count);
    return to_count;
}

/* Sets `all` to `names` lengths, by the row's distribution. False where it gives none. */
static bool draw_row(const struct plan_library *l, const struct want *w, uint32_t names, uint32_t *all)
{
    struct drawn_lengths *const d = w->drawn_lengths;
    if (d->count != names) {
        d->count = names;
        d->known = distribution_values(l->said->text[ROW_TEXT_NAME_LENGTHS], NULL, names, d->length);
    }
    if (d->known)
        memcpy(all, d->length, names * sizeof *all);
    return d->known;
}

static bool draw_outside(const struct plan *plan, const struct plan_library *l, const struct want *w,
                         struct names_beside *beside)
{
    const uint32_t count = l->extra.undefined.outside;
    *beside = (struct names_beside){.exported = 0};
    if (!count || !l->said->text[ROW_TEXT_NAME_LENGTHS] || !w->lengths)
        return false;
    uint32_t *const all = w->lengths + w->most_names;
    uint32_t *const fixed = all + w->most_names;
    uint32_t fixed_count;
    if (w->drawn && find_rest(plan, l, w, all, w->lengths, count, &fixed_count)) {
        beside->fixed = (struct fixed_lengths){fixed, fixed_count};
        return true;
    }
    const struct other_names others = others_of(plan, l);
    const uint32_t undefined = count + l->unbound;
    const uint32_t local = l->stripped ? 0 : lengths_unexported(plan, l) + (has_imports_named(l, w) ? 0 : l->imports);
    const uint32_t names = rows_smaller(undefined + others.mangled + others.plain + local, w->most_names);
    uint32_t *const rest = all + 2 * (size_t)w->most_names;
    const bool has_rest =
        !w->drawn && (!l->stripped || w->imports_named) && find_rest(plan, l, w, all, rest, names, &fixed_count);
    if (has_rest)
        memcpy(all, rest, names * sizeof *all);
    else if (!draw_row(l, w, names, all))
        return false;
    take_before(all, names, &others, undefined, w->lengths);
    if (has_rest && !l->unbound) {
        beside->fixed.length = fixed;
        beside->fixed.count = add_others(all, names, w->lengths, count, fixed, fixed_count);
    }
    if (l->unbound) { /* unbound symbols take the lengths that no real names have */
        outside_supply(l->kind == LIBRARY_MODULE, l->extra.undefined.needed, w->lengths, undefined);
        distribution_sort(w->lengths, count);
    }
    beside->exported = lengths_sum(all, names) - lengths_sum(w->lengths, count) + names - count;
    return true;
}

bool rows_draw_outside(const struct plan *plan, const struct plan_library *l, const struct want *w,
                       struct names_beside *beside)
{
    *beside = (struct names_beside){.exported = 0};
    return (l->stripped || l->unbound) && draw_outside(plan, l, w, beside);
}

/* Whether the names of the row's dynamic symbols are longer, on average, than the longest real one. */
static bool all_are_longer(const struct plan_library *l)
{
    const uint64_t names = (uint64_t)l->extra.undefined.outside + l->imports + l->exported;
    return rows_value_or(l->said, ROW_DYNAMIC_DYNSTR, 0) > names * (OUTSIDE_LONGEST + 1);
}

uint32_t rows_unbound(const struct plan *plan, const struct plan_library *l, const struct want *w, uint32_t bound)
{
    enum { FEW = 25 }; /* one name in so many does not matter */
    const uint32_t count = l->extra.undefined.outside;
    struct names_beside beside;
    if (!(l->stripped || all_are_longer(l)) || !draw_outside(plan, l, w, &beside))
        return 0;
    const uint32_t lacking =
        count - outside_supply(l->kind == LIBRARY_MODULE, l->extra.undefined.needed, w->lengths, count);
    const uint32_t most = count > bound ? count - bound : 0;
    return lacking > (count + l->exported) / FEW ? rows_smaller(lacking, most) : 0;
}
