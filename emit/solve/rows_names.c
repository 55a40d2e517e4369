/* Chooses how long the names of a library with a row are: distributed as its row says, in .dynstr and .strtab of the
 * row's sizes.
 *
 * Exported functions come first (rows_exported.c), because other libraries name them, too. Then undefined symbols
 * are chosen by the length of their names (rows_extra.c). This file does the rest: the names that nobody else
 * sees, those of local functions and static objects. Their lengths are what the wanted distribution leaves beside all
 * lengths that are fixed already.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows.h"
#include "emit/solve/rows_lengths.h"

enum { NAMES_OF_DEBUG = 4 /* one part in so many of what debug information has to spare is not for names */ };

static const double DISTANCE_LITTLE = 0.02;

/* Names whose lengths are free: of local functions and of static objects. */
struct free_names {
    uint32_t functions, objects; /* `objects` includes small functions that are local */
    uint32_t *length;            /* of all, ascending; at the end those of names that two symbols share */
    uint32_t count;
    uint32_t twice;   /* how many names two symbols share */
    uint32_t *wanted; /* lengths of all names of the library, in ascending order */
    struct fixed_lengths fixed;
    bool known; /* whether a distribution is known */
};

static void free_names_free(struct free_names *names)
{
    free(names->length);
    free(names->wanted);
    free(names->fixed.length);
    *names = (struct free_names){0};
}

static bool draw_free(const struct plan *plan, const struct plan_library *l, struct free_names *names)
{
    const struct shape s = shape_of(plan, l);
    const uint64_t most = s.symbols + FIXED_LOCAL_COUNT + names->count;
    struct fixed_lengths *f = &names->fixed;
    f->length = malloc(most * sizeof *f->length);
    names->length = malloc(names->count * sizeof *names->length);
    names->wanted = malloc(most * sizeof *names->wanted);
    if (!f->length || !names->length || !names->wanted)
        return false;
    lengths_fix_imports(plan, l, f);
    lengths_fix_functions(plan, l, names->functions ? l->exported : l->functions, f);
    lengths_fix_dynamic(l, f);
    lengths_fix_others(l, &s, f);
    names->known = lengths_draw(plan, l, f->count + names->count, names->wanted);
    return distribution_rest(names->wanted, f->count + names->count, f->length, f->count, names->length);
}

/* How far the dealt lengths are from the wanted distribution. */
static double distance_of(const struct plan_library *l, struct free_names *names)
{
    struct fixed_lengths *f = &names->fixed; /* which has room for all */
    const uint32_t objects = names_row_objects_named(l);
    for (uint32_t i = 0; i < names->functions; i++)
        lengths_fix(f, l->names.function_length[l->exported + i]);
    for (uint32_t i = 0; i < plan_small_local(l) + l->locals; i++)
        lengths_fix(f, l->names.object_length[i % objects]);
    return distribution_distance(names->wanted, f->length, f->count);
}

/* Leaves out names evenly, so that `count` are left. */
static void thin_out(uint32_t *length, uint32_t all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        length[i] = length[(uint64_t)i * all / count + (all / count) / 2];
}

/* By length: 1 + the index of one name that is so long; 0: there is none. */
struct length_places {
    uint32_t place[PROFILE_NAME_MOST + 1];
    uint32_t longest;
};

static void find_lengths(struct length_places *p, const uint16_t *length, uint32_t count)
{
    *p = (struct length_places){{0}, 0};
    for (uint32_t i = 0; i < count; i++) {
        p->place[length[i]] = i + 1;
        p->longest = length[i] > p->longest ? length[i] : p->longest;
    }
}

/* Finds the exchange of a length in `from` for one in `to` that adds the most to the sum of `from`, but no more than
 * `more`, which may be negative. Returns what it adds; 0 where there is none. Sets *length to the one in `from`. */
static int64_t best_exchange(const struct length_places *from, const struct length_places *to, int64_t more,
                             uint32_t *length)
{
    int32_t nearest[PROFILE_NAME_MOST + 1]; /* by length, the nearest in `to`: none longer, or none shorter; or -1 */
    const int32_t longest = PROFILE_NAME_MOST;
    const bool up = more > 0;
    int64_t best = 0;
    for (int32_t n = 0, last = -1; n <= longest; n++) {
        const int32_t i = up ? n : longest - n;
        last = to->place[i] ? i : last;
        nearest[i] = last;
    }
    for (int32_t i = 0; i <= (int32_t)from->longest; i++) {
        if (!from->place[i])
            continue;
        const int64_t end = up ? (more < longest - i ? i + more : longest) : more > -i ? i + more : 0;
        const int64_t by = nearest[end] < 0 ? 0 : up ? nearest[end] - i : i - nearest[end];
        if (by <= best)
            continue;
        best = by;
        *length = (uint32_t)i;
    }
    return up ? best : -best;
}

/* Exchanges lengths between functions and objects until those of functions add up to `sum`, or nearly. */
static void exchange(uint16_t *function, uint32_t functions, uint16_t *object, uint32_t objects, uint64_t sum)
{
    enum { TRIES = 64 };
    struct length_places from, to;
    int64_t more = (int64_t)sum;
    for (uint32_t i = 0; i < functions; i++)
        more -= function[i];
    for (uint32_t tries = 0; more && tries < TRIES; tries++) {
        uint32_t length = 0;
        find_lengths(&from, function, functions);
        find_lengths(&to, object, objects);
        const int64_t by = best_exchange(&from, &to, more, &length);
        if (!by)
            return;
        function[from.place[length] - 1] = (uint16_t)(length + by);
        object[to.place[length + by] - 1] = (uint16_t)length;
        more -= by;
    }
}

/* What debug information has room for in the names of local functions: of the first `told`, which it describes, `most`
 * characters. */
struct told_names {
    uint32_t told;
    uint64_t most;
};

/* Shuffles the lengths of functions' names, which ascend. Where those of the described functions would then have too
 * many characters, these get the shortest ones. Returns the characters of their names. */
static uint64_t shuffle_functions(uint16_t *function, uint32_t functions, const struct told_names *room, uint64_t key)
{
    enum { MARGIN = 16 };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < functions; i++)
        sum += function[i];
    const bool is_little =
        room->told < functions && lengths_part(sum, room->told, functions) > room->most - room->most / MARGIN;
    const uint32_t first = is_little ? room->told : functions;
    lengths_shuffle(function, first, key);
    lengths_shuffle(function + first, functions - first, random_at(key, 1));
    sum = 0;
    for (uint32_t i = 0; i < room->told; i++)
        sum += function[i];
    return sum;
}

/* Deals the lengths out: to functions and objects in turn, or the shortest ones to functions, as debug information has
 * their names, too. The first objects get the lengths that two symbols share. When dealt in turn, functions get their
 * share of all characters, at most what there is room for, whatever the single lengths are, because the rest of debug
 * information depends on this number. Returns the characters of described functions' names. */
static uint64_t deal(struct plan_library *l, const struct free_names *names, bool in_turn,
                     const struct told_names *room)
{
    const uint32_t once = names->count - names->twice;
    uint16_t *function = l->names.function_length + l->exported;
    uint16_t *object = l->names.object_length + names->twice;
    uint32_t functions = 0;
    uint32_t objects = 0;
    for (uint32_t i = 0; i < names->twice; i++)
        l->names.object_length[i] = (uint16_t)names->length[once + i];
    for (uint32_t i = 0; i < once; i++) {
        if (functions < names->functions && (!in_turn || (uint64_t)(i + 1) * names->functions / once > functions))
            function[functions++] = (uint16_t)names->length[i];
        else
            object[objects++] = (uint16_t)names->length[i];
    }
    const uint64_t bytes = lengths_sum(names->length, names->count) + names->count;
    if (in_turn && once) {
        const uint64_t share = bytes * functions / (names->count + l->names.shared);
        exchange(function, functions, object, objects,
                 lengths_smaller(share > functions ? share - functions : 0,
                                 room->told < functions ? UINT64_MAX : room->most));
    }
    const uint64_t key = plan_key(l, PURPOSE_NAMES);
    const uint64_t told = shuffle_functions(function, functions, room, random_at(key, UINT64_C(1) << 33));
    lengths_shuffle(l->names.object_length, names->twice, random_at(key, (UINT64_C(1) << 33) + 2));
    lengths_shuffle(object, objects, random_at(key, (UINT64_C(1) << 33) + 1));
    return told;
}

/* Bytes of the shortest free names, of the last `functions` functions and the first `objects` objects. */
static uint64_t shortest_names(const struct plan_library *l, uint32_t functions, uint32_t objects)
{
    uint64_t bytes = names_row_objects(objects);
    for (uint32_t i = l->functions - functions; i < l->functions; i++)
        bytes += names_row_least(l, i) + UINT64_C(1);
    return bytes;
}

/* What room there is for names of the last `local` functions, of which debug information may describe a part. */
static struct told_names room_of_local(const struct solver *s, uint32_t index, uint32_t local)
{
    const struct plan_library *l = &s->plan->library[index];
    const uint32_t described = plan_described(s->plan, l).most;
    const uint32_t exported = l->functions - local;
    const uint32_t told = described > exported ? described - exported : 0;
    const uint64_t least = shortest_names(l, local, 0);
    const uint64_t room = lengths_spare(l->size[SIZE_DEBUG], s->base[index].size[SIZE_DEBUG]);
    const int64_t strings = l->said->value[ROW_MIX_STR];
    if (l->debug.none || l->debug.hollow || !told)
        return (struct told_names){told, UINT64_MAX};
    const uint64_t own = lengths_part(least, told, local);
    const uint64_t others = l->names.functions - least;
    uint64_t most = own + room - room / NAMES_OF_DEBUG;
    if (strings != PROFILE_DERIVED) {
        const uint64_t in_strings = lengths_spare((uint64_t)(strings - strings / NAMES_OF_DEBUG), others);
        if (told == local || in_strings >= own) /* else .debug_str will be larger, however short these are */
            most = lengths_smaller(most, in_strings);
    }
    return (struct told_names){told, most};
}

/* Gives functions the shortest names and divides what is left of `bytes` evenly over the objects' names. If these would
 * be too long, fewer objects share names. */
static bool deal_evenly(const struct rows *r, uint32_t index, uint32_t functions, uint64_t bytes, struct error *e)
{
    enum { LONG = PROFILE_NAME_MOST / 2 };
    struct plan_library *l = &r->s->plan->library[index];
    const uint64_t own = shortest_names(l, functions, 0);
    uint32_t objects = names_row_objects_named(l);
    char advice[PLAN_ADVICE];
    uint64_t more = bytes - own - names_row_objects(objects);
    for (; l->names.shared && more / objects >= LONG; l->names.shared--)
        more = bytes - own - names_row_objects(++objects);
    if (more / objects >= LONG)
        return error_set(e, ERROR_INFEASIBLE,
                         PROFILE_ROWS ": row %u: strtab: %llu bytes are too many: names of %s take at most %llu; %s",
                         r->want[index].row, (unsigned long long)l->size[SIZE_STRTAB], l->name,
                         (unsigned long long)(l->size[SIZE_STRTAB] - more + (uint64_t)objects * LONG),
                         plan_advice(r->s->plan, l, "lower it, or raise symtab", advice));
    for (uint32_t i = 0; i < functions; i++)
        l->names.function_length[l->exported + i] = (uint16_t)names_row_least(l, l->exported + i);
    for (uint32_t i = 0; i < objects; i++)
        l->names.object_length[i] =
            (uint16_t)(names_row_object_least(i) + more / objects + (i < more % objects ? 1 : 0));
    return true;
}

/* Has objects and small functions share names of others, as `part.0` is the name of many, until the free names take at
 * most `bytes` with their terminators. All objects but one and half of the local small functions share names at most.
 */
static void share_names(struct plan_library *l, struct free_names *names, uint64_t bytes)
{
    const uint32_t all = names->count;
    const uint64_t sum = lengths_sum(names->length, all) + all;
    if (sum > bytes) {
        const uint64_t fewer = (sum - bytes) * all / sum + 1;
        const uint32_t most = l->locals - 1 + plan_small_local(l) / 2;
        const uint32_t shared = (uint32_t)lengths_smaller(fewer, most);
        l->names.shared = shared > l->names.shared ? shared : l->names.shared;
    }
    names->objects -= l->names.shared;
    names->count -= l->names.shared;
    thin_out(names->length, all, names->count);
}

/* Moves `twice` of the lengths, those that two symbols share, to the end. They are taken evenly from all and raised to
 * `least`. */
static void take_twice(struct free_names *names, uint32_t twice, uint32_t least, uint32_t *scratch)
{
    uint32_t once = 0;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        if ((uint64_t)(i + 1) * twice / names->count > taken)
            scratch[taken++] = names->length[i] > least ? names->length[i] : least;
        else
            names->length[once++] = names->length[i];
    }
    for (uint32_t i = 0; i < taken; i++)
        names->length[once + i] = scratch[i];
    names->twice = taken;
}

/* Changes the free lengths so that their sum is `sum`, if possible with the row's quantiles at their places. There,
 * lengths of names that two symbols share count twice. False where no lengths have that sum, or when memory ran out. */
static bool fit(const struct plan *plan, const struct plan_library *l, struct free_names *names, uint32_t least,
                uint64_t sum, bool *has_memory)
{
    const uint32_t twice = l->names.shared <= names->objects ? l->names.shared : 0;
    struct fixed_lengths beside = {.count = names->fixed.count + 2 * twice};
    const struct distribution_task room = {.count = names->count, .fixed_count = beside.count};
    beside.length = malloc((beside.count + (size_t)names->count + 1) * sizeof *beside.length);
    uint32_t *const scratch = malloc((lengths_scratch(&room) + 1) * sizeof *scratch);
    *has_memory = beside.length && scratch;
    if (!*has_memory) {
        free(beside.length);
        free(scratch);
        return false;
    }
    take_twice(names, twice, least, beside.length);
    const uint32_t once = names->count - twice;
    const uint64_t more = lengths_sum(names->length + once, twice);
    memcpy(beside.length, names->fixed.length, names->fixed.count * sizeof *beside.length);
    for (uint32_t i = 0; i < 2 * twice; i++)
        beside.length[names->fixed.count + i] = names->length[once + i / 2];
    distribution_sort(beside.length, beside.count);
    const struct lengths_task task = {
        .of = {.value = names->length,
               .count = once,
               .fixed = beside.length,
               .fixed_count = beside.count,
               .least = least,
               .most = PROFILE_NAME_MOST,
               .sum = sum - more},
        .fit = distribution_fit,
        .scratch = scratch,
    };
    const bool fits = sum >= more && lengths_fit(plan, l, &task) == sum - more;
    free(beside.length);
    free(scratch);
    if (fits || !twice)
        return fits;
    names->twice = 0;
    distribution_sort(names->length, names->count);
    return distribution_fit(names->length, names->count, least, PROFILE_NAME_MOST, sum) == sum;
}

/* Settles the lengths of all names, with `bytes` for the free ones. Sets *distance to how far all lengths are from what
 * is wanted. */
static bool settle(const struct rows *r, uint32_t index, uint64_t bytes, double *distance, struct error *e)
{
    struct solver *s = r->s;
    const struct plan *plan = s->plan;
    struct plan_library *l = &s->plan->library[index];
    const uint32_t local = names_are_mangled(&plan->names, l) ? 0 : l->functions - l->exported;
    struct free_names names = {.functions = local, .objects = plan_small_local(l) + l->locals};
    names.count = local + names.objects;
    if (!draw_free(plan, l, &names)) {
        free_names_free(&names);
        return lengths_out_of_memory(l, e);
    }
    share_names(l, &names, bytes);
    const uint64_t sum = bytes - names.count;
    uint32_t least = names_row_object_least(names.objects - 1);
    if (local && names_row_least(l, l->functions - 1) > least)
        least = names_row_least(l, l->functions - 1);
    const struct told_names room = room_of_local(s, index, local);
    bool has_memory;
    const bool fits = fit(plan, l, &names, least, sum, &has_memory);
    if (!has_memory) {
        free_names_free(&names);
        return lengths_out_of_memory(l, e);
    }
    bool ok = true;
    if (!fits || (deal(l, &names, true, &room) > room.most && deal(l, &names, false, &room) > room.most))
        ok = deal_evenly(r, index, local, bytes, e);
    *distance = ok && names.known ? distance_of(l, &names) : 0;
    free_names_free(&names);
    return ok;
}

/* The form of the C library's names in .symtab: with versions behind them, as newer linkers write them, or without. */
struct version_names {
    bool are_there;
    uint8_t digits; /* characters behind the version's own name, which make it as long as those of other libraries */
};

/* Bytes of the names with versions in .symtab; 0 where there are none, or where they leave no room for the others. */
static uint64_t bytes_of_versions(const struct plan *plan, const struct plan_library *l, struct version_names versions,
                                  uint64_t bytes)
{
    const uint32_t local = names_are_mangled(&plan->names, l) ? 0 : l->functions - l->exported;
    const uint64_t others = shortest_names(l, local, plan_small_local(l) + l->locals - l->names.shared);
    if (l->without_libc || !versions.are_there)
        return 0;
    uint64_t names = 0;
    for (uint32_t i = 0; i < l->extra.undefined.outside; i++) {
        const uint32_t version = shape_outside_version(l, i);
        const char *const name = outside_name(l->kind == LIBRARY_MODULE, l->key, l->outside_choice, i);
        names += version ? strlen(name) + 1 + strlen(outside_version_name(version)) + versions.digits + 1 : 0;
    }
    return names + others <= bytes ? names : 0;
}

/* As settle. Of `bytes`, `names` are for names with versions. */
static bool settle_with(const struct rows *r, uint32_t index, uint64_t bytes, struct version_names versions,
                        uint64_t names, double *distance, struct error *e)
{
    struct plan_library *l = &r->s->plan->library[index];
    l->names.versioned = names;
    l->names.version_digits = versions.digits;
    return settle(r, index, bytes - names, distance, e);
}

/* Settles the lengths with that form of the C library's names which comes nearest to what is wanted. */
static bool settle_nearest(const struct rows *r, uint32_t index, uint64_t bytes, struct error *e)
{
    static const struct version_names ways[] = {{false, 0}, {true, 0}, {true, 9}, {true, 18}};
    enum { WAYS = sizeof ways / sizeof ways[0] };
    const double much = 0.04; /* the distance from which on longer versions are tried */
    struct plan_library *l = &r->s->plan->library[index];
    const uint32_t shared = l->names.shared;
    uint32_t shared_most = UINT32_MAX; /* cold parts need names of their own */
    uint64_t names[WAYS];
    for (unsigned i = 0; i < WAYS; i++)
        names[i] = bytes_of_versions(r->s->plan, l, ways[i], bytes);
    unsigned best = 0;
    unsigned last = 0;
    for (unsigned i = 0; i < WAYS; i++) {
        const double enough = ways[i].digits ? much : DISTANCE_LITTLE;
        double distance;
        if (i && (!names[i] || l->names.apart <= enough))
            break;
        l->names.shared = shared;
        if (!settle_with(r, index, bytes, ways[i], names[i], &distance, e))
            return false;
        last = i;
        if (i && (distance >= l->names.apart || l->names.shared > shared_most))
            continue;
        if (!i && l->cold.packed)
            shared_most = l->names.shared;
        l->names.apart = distance;
        best = i;
    }
    if (last == best)
        return true;
    l->names.shared = shared;
    return settle_with(r, index, bytes, ways[best], names[best], &l->names.apart, e);
}

/* Adds the lengths of local small functions and static objects, of each symbol. */
static void fix_objects(const struct plan_library *l, struct fixed_lengths *f)
{
    const uint32_t named = names_row_objects_named(l);
    for (uint32_t i = 0; i < named; i++)
        for (uint32_t symbols = names_row_object_symbols(l, i); symbols; symbols--)
            lengths_fix(f, names_row_object_length(l, i));
}

/* Measures how far a library's names, all of which are settled, are from what is wanted. False when memory ran out. */
static bool measure(const struct plan *plan, struct plan_library *l)
{
    const struct shape s = shape_of(plan, l);
    const uint64_t most = s.symbols + FIXED_LOCAL_COUNT;
    struct fixed_lengths f = {.length = malloc(most * sizeof *f.length)};
    uint32_t *wanted = malloc(most * sizeof *wanted);
    const bool ok = f.length && wanted;
    if (ok) {
        lengths_fix_imports(plan, l, &f);
        lengths_fix_functions(plan, l, l->stripped ? l->exported : l->functions, &f);
        lengths_fix_dynamic(l, &f);
        lengths_fix_others(l, &s, &f);
        if (!l->stripped)
            fix_objects(l, &f);
        if (lengths_draw(plan, l, f.count, wanted))
            l->names.apart = distribution_distance(wanted, f.length, f.count);
    }
    free(f.length);
    free(wanted);
    return ok;
}

/* Whether the library has names that it alone decides about. */
static bool settles(const struct plan_library *l)
{
    return !l->stripped && l->said->value[ROW_TEXT] != PROFILE_DERIVED;
}

bool rows_make_room(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan_library *l = &r->s->plan->library[index];
    (void)worker;
    if (!settles(l))
        return true;
    uint16_t *function = realloc(l->names.function_length, (l->functions + (size_t)1) * sizeof *function);
    if (!function)
        return lengths_out_of_memory(l, e);
    l->names.function_length = function;
    return true;
}

/* Gives mangled names to local small functions and static objects, the first ones, as many as the row has beyond the
 * other mangled names. Several symbols may share one of these names. */
static void mangle_local(const struct plan *plan, struct plan_library *l)
{
    uint64_t missing = rows_value_or(l->said, ROW_MANGLED, 0);
    struct import import;
    for (uint32_t n = 0; missing && calls_row_import(plan, l, n, &import); n++)
        missing -= names_row_is_mangled(plan, &plan->library[import.library], import.function);
    const uint32_t dynamic = l->exported + names_row_others(l);
    const uint32_t others = names_are_mangled(&plan->names, l) ? l->functions - l->exported : 0;
    const struct shape s = shape_of(plan, l);
    missing = lengths_spare(missing, lengths_smaller(l->names.mangled, dynamic) + others + shape_mangled_locals(l, &s) +
                                         l->cold.mangled);
    const uint32_t most = names_row_objects_named(l);
    for (l->names.mangled_locals = 0; l->names.mangled_locals < most; l->names.mangled_locals++) {
        const uint32_t symbols = names_row_object_symbols(l, l->names.mangled_locals);
        if (names_row_object_can_be_mangled(l, l->names.mangled_locals) && symbols > missing)
            break;
        missing -= names_row_object_can_be_mangled(l, l->names.mangled_locals) ? symbols : 0;
    }
}

/* Characters that debuggers show for every `step`-th mangled name that the library defines, of places [from, to). */
static uint64_t shown(const struct plan *plan, const struct plan_library *l, uint32_t from, uint32_t to, uint32_t step)
{
    uint64_t sum = 0;
    for (; from < to; from += step)
        sum += names_row_shown(plan, l, from);
    return sum;
}

/* Sets how much of the names [from, to) is parameters, so that debuggers show `wanted` characters, or just less, for
 * every `step`-th of them. */
static void elaborate_to(const struct plan *plan, struct plan_library *l, uint32_t from, uint32_t to, uint32_t step,
                         double wanted)
{
    l->names.elaborate = 0;
    for (unsigned bit = (PLAN_ELABORATE_MOST + 1) / 2; bit; bit /= 2) {
        l->names.elaborate |= (uint16_t)bit;
        if ((double)shown(plan, l, from, to, step) > wanted)
            l->names.elaborate &= (uint16_t)~bit;
    }
}

/* Has debuggers show as many characters of names as the row says. What they show for numbered functions is given where
 * the names of these are; the other names make up the rest. Of many names only some are looked at; then the choice is
 * repeated with the ratio of what these and all names come to. */
static void elaborate(const struct plan *plan, struct plan_library *l)
{
    enum { LOOKED_AT = 1000 };
    const int64_t wanted = l->said->value[ROW_DEMANGLED];
    if (wanted <= 0 || !l->names.mangled)
        return;
    const uint32_t end = rows_smaller(l->names.mangled, names_row_defined(l));
    const uint32_t from = names_are_mangled(&plan->names, l) ? l->exported : 0;
    const uint32_t step = 1 + (from < end ? end - from : 0) / LOOKED_AT;
    const double rest = (double)wanted - (double)shown(plan, l, 0, from, 1);
    elaborate_to(plan, l, from, end, step, rest / step);
    if (step > 1)
        elaborate_to(plan, l, from, end, step,
                     rest * (double)shown(plan, l, from, end, step) / (double)(shown(plan, l, from, end, 1) + 1));
}

bool rows_elaborate_again(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan_library *const l = &r->s->plan->library[index];
    (void)worker;
    (void)e;
    if (l->names.alike)
        elaborate(r->s->plan, l);
    return true;
}

bool rows_settle_names(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    const uint32_t local = names_are_mangled(&s->plan->names, l) ? 0 : l->functions - l->exported;
    (void)worker;
    if (l->stripped && !measure(s->plan, l))
        return lengths_out_of_memory(l, e);
    elaborate(s->plan, l);
    if (!settles(l))
        return true;
    const uint64_t bytes = l->names.locals + shortest_names(l, local, names_row_objects_named(l));
    l->names.object_length = malloc((plan_small_local(l) + (size_t)l->locals) * sizeof *l->names.object_length);
    for (uint32_t i = l->names.function_lengths; i < l->functions - local; i++)
        l->names.function_length[i] = (uint16_t)names_row_least(l, i);
    if (!l->names.object_length)
        return lengths_out_of_memory(l, e);
    if (!settle_nearest(r, index, bytes, e))
        return false;
    if (local) { /* of exported functions the lengths stay what other threads have seen: the least, or set before */
        __atomic_store_n(&l->names.function_lengths, l->functions, __ATOMIC_RELEASE);
        l->names.functions = names_row_bytes(l, 0, l->functions);
    }
    l->names.locals = 0;
    l->names.locals = l->size[SIZE_STRTAB] - shape_of(s->plan, l).strtab;
    if (!rows_choose_cold(s->plan, l) || (l->cold.count && !measure(s->plan, l)))
        return lengths_out_of_memory(l, e);
    mangle_local(s->plan, l);
    return true;
}
