/* How long the names of a library with a row are: as its row says, in .dynstr and .strtab of the
 * row's sizes.
 *
 * Exported functions' names come first, as others will name them too; then undefined symbols are
 * chosen by the length of their names (plan_rows_extra.c); what is left is for the names that nobody
 * else sees, those of local functions and static objects: with all that is fixed they make up the
 * distribution that is wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/calls_rows.h"
#include "emit/distribution.h"
#include "emit/names_row.h"
#include "emit/outside.h"
#include "emit/plan_rows_parts.h"
#include "emit/shape.h"

enum {
    LENGTH_NATURAL = 15, /* where nothing is known */
    CODE_OF_FUNCTION = 120,
    PARTNERS_MOST = 256, /* names to look at */
    NAMES_OF_DEBUG = 4,  /* names take at most all but so manieth of what debug information has to spare */
};

static const double DISTANCE_LITTLE = 0.02;

static bool out_of_memory(const struct plan_library *l, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for the names of %s", l->name);
}

/* Lengths as they are wanted, in ascending order; false where that is not known. */
static bool draw(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *length)
{
    const char *quantiles = l->said->text[ROW_TEXT_NAME_LENGTHS];
    const bool known =
        distribution_values(quantiles, plan->profile->distributions[DISTRIBUTION_NAME_LENGTHS], count, length);
    for (uint32_t i = 0; i < count; i++)
        length[i] = !known ? LENGTH_NATURAL : length[i] < PROFILE_NAME_MOST ? length[i] : PROFILE_NAME_MOST;
    return known;
}

static uint64_t sum_of(const uint32_t *length, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += length[i];
    return sum;
}

/* Which name is how long follows from nothing else. */
static void shuffle(uint16_t *length, uint32_t count, uint64_t key)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = random_below(random_at(key, i), i);
        const uint16_t kept = length[i - 1];
        length[i - 1] = length[other];
        length[other] = kept;
    }
}

/* --- fixed names -------------------------------------------------------------------------- */

/* Names whose lengths are fixed, as .symtab has them. */
struct fixed {
    uint32_t *length;
    uint32_t count;
};

static void fix(struct fixed *f, size_t length)
{
    f->length[f->count++] = (uint32_t)length;
}

static void fix_imports(const struct plan *plan, const struct plan_library *l, struct fixed *f)
{
    struct import import;
    for (uint32_t n = 0; calls_row_import(plan, l, n, &import); n++) {
        const struct plan_library *to = &plan->library[import.library];
        const struct function called = plan_function(to, import.function);
        fix(f, names_function(&plan->names, to, import.function, &called));
    }
}

static void fix_functions(const struct plan *plan, const struct plan_library *l, uint32_t count, struct fixed *f)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct function own = plan_function(l, i);
        fix(f, names_function(&plan->names, l, i, &own));
    }
}

/* Those of small functions and objects. */
static void fix_dynamic(const struct plan_library *l, struct fixed *f)
{
    for (uint32_t i = 0; i < names_row_others(l); i++)
        fix(f, names_row_other_length(l, i));
}

static void fix_others(const struct plan_library *l, const struct shape *s, struct fixed *f)
{
    const size_t name = strlen(l->name);
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT; i++) {
        const struct fixed_local_kind *k = &fixed_local_kinds[i];
        const size_t length = strlen(k->name) + (k->prefixed ? strlen(shape_prefix(l, k)) : 0);
        if (length && !l->stripped && shape_has_local(l, s, i))
            fix(f, length);
    }
    for (uint32_t i = 0; i < l->files && !l->stripped; i++)
        fix(f, i ? strlen(plan_stem(l)) + strlen(fixed_local_kinds[LOCAL_FILE_SOURCE].name)
                 : strlen(fixed_local_kinds[LOCAL_FILE_CRT].name));
    for (uint32_t i = 0; i < l->extra.outside; i++) {
        const uint32_t version = outside_version(s->python, l->key, l->outside_choice, i);
        const bool versioned = l->versioned_names && version;
        fix(f, strlen(outside_name(s->python, l->key, l->outside_choice, i)) +
                   (versioned ? 1 + strlen(outside_version_name(version)) : 0));
    }
    static const char *const functions[] = {
#define PYTHON_NAME(id, text) text,
        PYTHON_FUNCTIONS(PYTHON_NAME)
#undef PYTHON_NAME
    };
    for (unsigned i = 0; i < PYTHON_FUNCTION_COUNT; i++)
        if (s->python && shape_calls_python(l, i))
            fix(f, strlen(functions[i]));
    if (s->python)
        fix(f, strlen(s->entry));
    if (s->python)
        fix(f, sizeof "PyInit_" - 1 + name);
    if (s->marks_exported)
        fix(f, name + sizeof "_visits" - 1);
    fix(f, l->stripped ? sizeof "__cxa_finalize" - 1 : sizeof "__cxa_finalize@GLIBC_2.2.5" - 1);
    fix(f, sizeof "__gmon_start__" - 1);
}

/* --- exported functions ------------------------------------------------------------------ */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t spare(uint64_t has, uint64_t needs)
{
    return has > needs ? has - needs : 0;
}

/* Bytes that their names may take beyond the fewest, in any of the sizes. */
static uint64_t room_of_exported(const struct solver *s, uint32_t index, const struct want *w)
{
    const struct plan_library *l = &s->plan->library[index];
    const uint64_t *base = s->base[index].size;
    if (l->said->value[ROW_TEXT] == PROFILE_DERIVED)
        return UINT64_MAX;
    uint64_t room = spare(l->size[SIZE_TEXT], base[SIZE_TEXT] + CODE_OF_FUNCTION * (uint64_t)l->functions);
    if (!l->stripped)
        room = smaller(room, l->local_names);
    if (!l->without_debug && !l->hollow)
        room = smaller(room, spare(l->size[SIZE_DEBUG], base[SIZE_DEBUG]));
    return room / ROWS_TERSE_MOST * (ROWS_TERSE_MOST - w->terse);
}

/* Exported functions whose names are of any length: numbered ones, where these are not mangled, then
 * small ones, then objects. */
static uint32_t free_numbered(const struct plan *plan, const struct plan_library *l)
{
    return names_are_mangled(&plan->names, l) ? 0 : l->exported;
}

static uint32_t free_exported(const struct plan *plan, const struct plan_library *l)
{
    return free_numbered(plan, l) + names_row_others(l);
}

/* Bytes of their names, with terminators. */
static uint64_t free_exported_bytes(const struct plan *plan, const struct plan_library *l)
{
    return (names_are_mangled(&plan->names, l) ? 0 : l->exported_names) + l->other_names;
}

/* What .dynstr leaves for them, where the row says how large that is; otherwise `natural`. */
static uint64_t wanted_of_exported(const struct plan *plan, const struct plan_library *l, uint64_t natural)
{
    const int64_t dynstr = l->said->value[ROW_DYNAMIC_DYNSTR];
    if (dynstr == PROFILE_DERIVED)
        return natural;
    const uint64_t fixed = shape_of(plan, l).dynstr - free_exported_bytes(plan, l);
    return spare(spare((uint64_t)dynstr, fixed), free_exported(plan, l));
}

/* Lengths as they are wanted, in ascending order; where .dynsym has all names, what the others leave. */
static bool draw_exported_lengths(const struct plan *plan, const struct plan_library *l, uint32_t *length)
{
    const uint32_t count = free_exported(plan, l);
    if (!l->stripped) {
        (void)draw(plan, l, count, length);
        return true;
    }
    const struct shape s = shape_of(plan, l);
    const uint64_t most = s.symbols + FIXED_LOCAL_COUNT;
    struct fixed f = {.length = malloc(most * sizeof *f.length)};
    uint32_t *all = malloc(most * sizeof *all);
    bool ok = f.length && all;
    if (ok) {
        fix_imports(plan, l, &f);
        fix_functions(plan, l, l->exported - free_numbered(plan, l), &f);
        fix_others(l, &s, &f);
        (void)draw(plan, l, f.count + count, all);
        ok = distribution_rest(all, f.count + count, f.length, f.count, length);
    }
    free(f.length);
    free(all);
    return ok;
}

/* Room for lengths of as many names as there are exported functions; 0 when memory ran out, and what others
 * look at is then as it was. */
static bool make_exported_room(struct plan_library *l, uint32_t numbered)
{
    uint16_t *room = realloc(l->function_length, (numbered + (size_t)1) * sizeof *room);
    if (room)
        l->function_length = room;
    uint16_t *other = realloc(l->other_length, (names_row_others(l) + (size_t)1) * sizeof *other);
    if (other)
        l->other_length = other;
    return room && other;
}

/* The fewest characters of the free name at `place`, numbered functions before what else there is; and of any. */
static uint32_t least_of(const struct plan_library *l, uint32_t numbered, uint32_t place)
{
    return place < numbered ? names_row_least(l, place) : names_row_other_least(l, place - numbered);
}

static uint32_t shortest_of(const struct plan_library *l, uint32_t numbered, uint32_t count)
{
    uint32_t least = PROFILE_NAME_MOST;
    for (uint32_t i = 0; i < count; i++)
        least = (uint32_t)smaller(least, least_of(l, numbered, i));
    return least;
}

/* One that can change its length with that at `place`, which is too short; `count` where there is none near. */
static uint32_t partner_of(const struct plan_library *l, uint32_t numbered, const uint16_t *length, uint32_t count,
                           uint32_t place)
{
    const uint32_t start = random_below(random_at(plan_key(l, PURPOSE_NAMES), UINT64_C(1) << 35 | place), count);
    const uint32_t wanted = least_of(l, numbered, place);
    for (uint32_t i = 0; i < count && i < PARTNERS_MOST; i++) {
        const uint32_t other = (start + i) % count;
        if (length[other] >= wanted && length[place] >= least_of(l, numbered, other))
            return other;
    }
    return count;
}

/* Dealt lengths are at least what the names need, in the same sum as far as that can be. */
static void lengthen(const struct plan_library *l, uint32_t numbered, uint16_t *length, uint32_t count)
{
    uint64_t over = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t least = least_of(l, numbered, i);
        const uint32_t other = length[i] < least ? partner_of(l, numbered, length, count, i) : i;
        over += other == count ? least - length[i] : 0;
        const uint16_t is = other == count ? (uint16_t)least : length[other];
        if (other < count)
            length[other] = length[i];
        length[i] = is;
    }
    for (uint32_t i = 0; i < count && over; i++) {
        const uint64_t part = smaller((over + count - i - 1) / (count - i), length[i] - least_of(l, numbered, i));
        length[i] = (uint16_t)(length[i] - part);
        over -= part;
    }
}

/* Deals drawn lengths out, numbered functions before what else there is; where they do not fit, all names are the
 * shortest. */
static void deal_exported(struct plan_library *l, uint32_t numbered, const uint16_t *length, bool fits)
{
    for (uint32_t i = 0; i < numbered; i++)
        l->function_length[i] = fits ? length[i] : (uint16_t)names_row_least(l, i);
    for (uint32_t i = 0; i < names_row_others(l); i++)
        l->other_length[i] = fits ? length[numbered + i] : (uint16_t)names_row_other_least(l, i);
    l->lengths = numbered;
    l->other_lengths = names_row_others(l);
    l->other_names = names_row_other_bytes(l);
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
    if (!count)
        return true;
    uint32_t *length = malloc(count * sizeof *length);
    uint16_t *dealt = malloc(count * sizeof *dealt);
    l->lengths = l->other_lengths = 0;
    if (!length || !dealt || !make_exported_room(l, numbered) || !draw_exported_lengths(plan, l, length)) {
        free(length);
        free(dealt);
        return out_of_memory(l, e);
    }
    const uint64_t least = free_exported_bytes(plan, l) - count; /* nothing is drawn in it */
    const uint64_t wanted = wanted_of_exported(plan, l, sum_of(length, count));
    const uint64_t sum = smaller(spare(wanted, least), room_of_exported(r->s, index, w)) + least;
    const bool fits = distribution_fit(length, count, shortest_of(l, numbered, count), PROFILE_NAME_MOST, sum) <= sum;
    for (uint32_t i = 0; i < count; i++)
        dealt[i] = (uint16_t)length[i];
    shuffle(dealt, count, plan_key(l, PURPOSE_NAMES));
    lengthen(l, numbered, dealt, count);
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
    l->import_names = 0;
    for (uint32_t n = 0; calls_row_import(plan, l, n, &import); n++) {
        const struct plan_library *to = &plan->library[import.library];
        const struct function f = plan_function(to, import.function);
        l->import_names += names_function(&plan->names, to, import.function, &f) + UINT64_C(1);
    }
    return true;
}

static int64_t smaller_signed(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Changes a name by up to `change` characters; returns what is left of that. */
static int64_t stretch_length(uint16_t *length, uint32_t least, int64_t change)
{
    const int64_t is = *length;
    const int64_t may = is + change < least ? least : smaller_signed(is + change, PROFILE_NAME_MOST);
    *length = (uint16_t)may;
    return change - (may - is);
}

static int64_t stretch(struct plan_library *l, uint32_t function, int64_t change)
{
    return stretch_length(&l->function_length[function], names_row_least(l, function), change);
}

static int64_t stretch_other(struct plan_library *l, uint32_t number, int64_t change)
{
    return stretch_length(&l->other_length[number], names_row_other_least(l, number), change);
}

/* How many more characters exported functions' names should have. */
static int64_t missing_of(const struct plan *plan, const struct plan_library *l)
{
    uint64_t is = 0;
    for (uint32_t i = 0; i < l->lengths; i++)
        is += l->function_length[i];
    for (uint32_t i = 0; i < l->other_lengths; i++)
        is += l->other_length[i];
    return l->lengths || l->other_lengths ? (int64_t)wanted_of_exported(plan, l, is) - (int64_t)is : 0;
}

/* Gives to or takes from the names of functions that no other library calls, where .dynstr is not
 * yet as the row has it. */
static void trim_exported(const struct plan *plan, struct plan_library *l, const uint8_t *callers)
{
    int64_t missing = missing_of(plan, l);
    int64_t count = l->other_lengths;
    for (uint32_t i = 0; i < l->lengths; i++)
        count += !callers[i];
    for (uint32_t i = 0; i < l->lengths + l->other_lengths; i++)
        if (i >= l->lengths || !callers[i]) {
            const int64_t part = (missing + (missing > 0 ? count - 1 : 1 - count)) / count;
            missing += (i < l->lengths ? stretch(l, i, part) : stretch_other(l, i - l->lengths, part)) - part;
            count--;
        }
    l->other_names = names_row_other_bytes(l);
}

static bool can_trim(const struct plan_library *l, const uint8_t *callers)
{
    bool can = l->extra.outside > 0 || l->other_lengths;
    for (uint32_t i = 0; i < l->lengths && !can; i++)
        can = !callers[i];
    return can;
}

/* Of each library's exported functions: how many libraries call it, up to some, and how many of
 * these have no names that they alone decide about. */
struct callers {
    uint8_t **all, **tight;
    uint8_t *room;
};

/* A library that has no such names: of its functions and those that it calls, those that concern
 * only libraries that have. */
static void trim_tight(const struct plan *plan, uint32_t index, const struct callers *c)
{
    struct plan_library *l = &plan->library[index];
    struct import import;
    int64_t missing = missing_of(plan, l);
    for (uint32_t i = 0; missing && i < l->lengths; i++)
        if (!c->tight[index][i])
            missing = stretch(l, i, missing);
    for (uint32_t n = 0; missing && calls_row_import(plan, l, n, &import); n++) {
        struct plan_library *to = &plan->library[import.library];
        if (import.function < to->lengths && c->tight[import.library][import.function] == 1 &&
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
        exported += plan->library[i].exported;
    c->room = calloc(2 * exported + 1, sizeof *c->room);
    c->all = malloc(count * sizeof *c->all);
    c->tight = malloc(count * sizeof *c->tight);
    if (!c->room || !c->all || !c->tight)
        return error_set(e, ERROR_MEMORY, "out of memory for the names of a plan of %u libraries", count);
    uint8_t *room = c->room;
    for (uint32_t i = 0; i < count; i++) {
        c->all[i] = room;
        c->tight[i] = room + exported;
        room += plan->library[i].exported;
    }
    for (uint32_t i = 0; i < count; i++)
        count_callers(plan, c->all, i);
    for (uint32_t i = 0; i < count; i++)
        if (!can_trim(&plan->library[i], c->all[i]))
            count_callers(plan, c->tight, i);
    return true;
}

static bool trim(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    const uint32_t count = plan_counted(plan);
    struct callers c = {0};
    const bool ok = find_callers(plan, &c, e);
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
        l->mangled = wanted > others ? (uint32_t)smaller((uint64_t)(wanted - others), UINT32_MAX) : 0;
    }
}

static bool any_stripped(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        if (plan->library[i].stripped)
            return true;
    return false;
}

/* Lengths of exported functions' names are what the names of imports take, and these what is left
 * for exported ones: so names are drawn twice, and then trimmed where that is of no account for
 * others. In a library without a symbol table they depend on the imports' own lengths, of this pass
 * or of the one before: which, follows from the order of the libraries, and not from threads. */
bool rows_name_exported(struct rows *r, struct error *e)
{
    struct plan *plan = r->s->plan;
    const uint32_t count = plan_counted(plan);
    const unsigned threads = any_stripped(plan) ? 1 : r->s->threads;
    for (unsigned pass = 0; pass < 2; pass++)
        if (!workers_run(threads, count, draw_exported, r, e) || !workers_run(r->s->threads, count, name_imports, r, e))
            return false;
    return trim(r, e);
}

/* --- local names ---------------------------------------------------------------------------- */

/* Names that are free: of functions and of static objects. */
struct free_names {
    uint32_t functions, objects; /* with the small functions */
    uint32_t *length;            /* of all, in ascending order */
    uint32_t count;
    uint32_t *wanted; /* lengths of all names of the library, in ascending order */
    struct fixed fixed;
    bool known; /* what is wanted */
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
    struct fixed *f = &names->fixed;
    f->length = malloc(most * sizeof *f->length);
    names->length = malloc(names->count * sizeof *names->length);
    names->wanted = malloc(most * sizeof *names->wanted);
    if (!f->length || !names->length || !names->wanted)
        return false;
    fix_imports(plan, l, f);
    fix_functions(plan, l, names->functions ? l->exported : l->functions, f);
    fix_dynamic(l, f);
    fix_others(l, &s, f);
    names->known = draw(plan, l, f->count + names->count, names->wanted);
    return distribution_rest(names->wanted, f->count + names->count, f->length, f->count, names->length);
}

/* How far lengths are from what is wanted. */
static double distance_of(const struct plan_library *l, struct free_names *names)
{
    struct fixed *f = &names->fixed; /* which has room for all */
    const uint32_t objects = plan_small_local(l) + l->locals - l->shared_names;
    for (uint32_t i = 0; i < names->functions; i++)
        fix(f, l->function_length[l->exported + i]);
    for (uint32_t i = 0; i < plan_small_local(l) + l->locals; i++)
        fix(f, l->object_length[i % objects]);
    return distribution_distance(names->wanted, f->length, f->count);
}

/* Leaves out every so manieth name, so that `count` are left. */
static void thin_out(uint32_t *length, uint32_t all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        length[i] = length[(uint64_t)i * all / count + (all / count) / 2];
}

/* Deals the lengths out: in turn, or the shortest ones to functions, whose names debug information has
 * too. Returns characters of these. */
static uint64_t deal(struct plan_library *l, const struct free_names *names, bool in_turn)
{
    uint16_t *function = l->function_length + l->exported;
    uint32_t functions = 0;
    uint32_t objects = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        if (functions < names->functions &&
            (!in_turn || (uint64_t)(i + 1) * names->functions / names->count > functions))
            function[functions++] = (uint16_t)names->length[i];
        else
            l->object_length[objects++] = (uint16_t)names->length[i];
    }
    const uint64_t key = plan_key(l, PURPOSE_NAMES);
    shuffle(function, functions, random_at(key, UINT64_C(1) << 33));
    shuffle(l->object_length, objects, random_at(key, (UINT64_C(1) << 33) + 1));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < functions; i++)
        sum += function[i];
    return sum;
}

/* Bytes of the shortest free names, of the last functions and the first objects. */
static uint64_t shortest_names(const struct plan_library *l, uint32_t functions, uint32_t objects)
{
    uint64_t bytes = names_row_objects(objects);
    for (uint32_t i = l->functions - functions; i < l->functions; i++)
        bytes += names_row_least(l, i) + UINT64_C(1);
    return bytes;
}

/* Characters that debug information has room for in the names of local functions. */
static uint64_t room_of_local(const struct solver *s, uint32_t index, uint32_t local)
{
    const struct plan_library *l = &s->plan->library[index];
    const uint64_t least = shortest_names(l, local, 0);
    const uint64_t room = spare(l->size[SIZE_DEBUG], s->base[index].size[SIZE_DEBUG]);
    const int64_t strings = l->said->value[ROW_MIX_STR];
    if (l->without_debug || l->hollow)
        return UINT64_MAX;
    uint64_t most = least + room - room / NAMES_OF_DEBUG;
    if (strings != PROFILE_DERIVED)
        most = smaller(most, spare((uint64_t)(strings - strings / NAMES_OF_DEBUG), l->function_names - least));
    return most;
}

/* The shortest names, and what is left over for the objects' in equal parts. */
static void deal_evenly(struct plan_library *l, uint32_t functions, uint32_t objects, uint64_t more)
{
    for (uint32_t i = 0; i < functions; i++)
        l->function_length[l->exported + i] = (uint16_t)names_row_least(l, l->exported + i);
    for (uint32_t i = 0; i < objects; i++)
        l->object_length[i] = (uint16_t)(names_row_object_least(i) + more / objects + (i < more % objects ? 1 : 0));
}

/* So many objects share names of others that the free names are at most `bytes` with their
 * terminators, or all but one do. */
static void share_names(struct plan_library *l, struct free_names *names, uint64_t bytes)
{
    const uint32_t all = names->count;
    const uint64_t sum = sum_of(names->length, all) + all;
    if (sum > bytes) {
        const uint64_t fewer = (sum - bytes) * all / sum + 1;
        const uint32_t shared = (uint32_t)smaller(fewer, l->locals - UINT64_C(1));
        l->shared_names = shared > l->shared_names ? shared : l->shared_names;
    }
    names->objects -= l->shared_names;
    names->count -= l->shared_names;
    thin_out(names->length, all, names->count);
}

/* Lengths for all names, with `bytes` for the free ones. Adds how far they are from what is wanted. */
static bool settle(struct solver *s, uint32_t index, uint64_t bytes, double *distance)
{
    const struct plan *plan = s->plan;
    struct plan_library *l = &s->plan->library[index];
    const uint32_t local = names_are_mangled(&plan->names, l) ? 0 : l->functions - l->exported;
    struct free_names names = {.functions = local, .objects = plan_small_local(l) + l->locals};
    names.count = local + names.objects;
    if (!draw_free(plan, l, &names)) {
        free_names_free(&names);
        return false;
    }
    share_names(l, &names, bytes);
    const uint64_t sum = bytes - names.count;
    uint32_t least = names_row_object_least(names.objects - 1);
    if (local && names_row_least(l, l->functions - 1) > least)
        least = names_row_least(l, l->functions - 1);
    const uint64_t most = room_of_local(s, index, local);
    if (distribution_fit(names.length, names.count, least, PROFILE_NAME_MOST, sum) != sum ||
        (deal(l, &names, true) > most && deal(l, &names, false) > most))
        deal_evenly(l, local, names.objects, bytes - shortest_names(l, local, names.objects));
    *distance = names.known ? distance_of(l, &names) : 0;
    free_names_free(&names);
    return true;
}

/* With versions behind the C library's names, as newer linkers write them, or without, whatever is
 * more like what is wanted. */
static bool settle_either(struct solver *s, uint32_t index, uint64_t bytes)
{
    struct plan_library *l = &s->plan->library[index];
    const bool module = l->kind == LIBRARY_MODULE;
    const uint32_t local = names_are_mangled(&s->plan->names, l) ? 0 : l->functions - l->exported;
    const uint32_t shared = l->shared_names;
    const uint64_t versioned = outside_versioned_bytes(module, l->key, l->outside_choice, l->extra.outside);
    double plain = 0;
    double other = 1;
    if (!settle(s, index, bytes, &plain))
        return false;
    l->names_apart = plain;
    if (!versioned || plain <= DISTANCE_LITTLE ||
        versioned + shortest_names(l, local, plan_small_local(l) + l->locals - shared) > bytes)
        return true;
    l->versioned_names = versioned;
    l->shared_names = shared;
    if (!settle(s, index, bytes - versioned, &other))
        return false;
    l->names_apart = other < plain ? other : plain;
    if (other < plain)
        return true;
    l->versioned_names = 0;
    l->shared_names = shared;
    return settle(s, index, bytes, &plain);
}

/* How far the names of one without a symbol table, all of which are settled, are from what is wanted. */
static bool measure_stripped(const struct plan *plan, struct plan_library *l)
{
    const struct shape s = shape_of(plan, l);
    const uint64_t most = s.symbols + FIXED_LOCAL_COUNT;
    struct fixed f = {.length = malloc(most * sizeof *f.length)};
    uint32_t *wanted = malloc(most * sizeof *wanted);
    const bool ok = f.length && wanted;
    if (ok) {
        fix_imports(plan, l, &f);
        fix_functions(plan, l, l->exported, &f);
        fix_dynamic(l, &f);
        fix_others(l, &s, &f);
        if (draw(plan, l, f.count, wanted))
            l->names_apart = distribution_distance(wanted, f.length, f.count);
    }
    free(f.length);
    free(wanted);
    return ok;
}

/* Whether it has names that it alone decides about. */
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
    uint16_t *function = realloc(l->function_length, (l->functions + (size_t)1) * sizeof *function);
    if (!function)
        return out_of_memory(l, e);
    l->function_length = function;
    return true;
}

bool rows_settle_names(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    const uint32_t local = names_are_mangled(&s->plan->names, l) ? 0 : l->functions - l->exported;
    (void)worker;
    if (l->stripped && !measure_stripped(s->plan, l))
        return out_of_memory(l, e);
    if (!settles(l))
        return true;
    const uint64_t bytes = l->local_names + shortest_names(l, local, plan_small_local(l) + l->locals - l->shared_names);
    l->object_length = malloc((plan_small_local(l) + (size_t)l->locals) * sizeof *l->object_length);
    for (uint32_t i = l->lengths; i < l->functions - local; i++)
        l->function_length[i] = (uint16_t)names_row_least(l, i);
    if (!l->object_length || !settle_either(s, index, bytes))
        return out_of_memory(l, e);
    if (local) {
        l->lengths = l->functions;
        l->function_names = names_row_bytes(l, 0, l->functions);
    }
    l->local_names = 0;
    l->local_names = l->size[SIZE_STRTAB] - shape_of(s->plan, l).strtab;
    return true;
}
