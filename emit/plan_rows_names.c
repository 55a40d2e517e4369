/* How long the names of a library with a row are: as its row says, in .dynstr and .strtab of the
 * row's sizes.
 *
 * Exported functions' names come first, as others will name them too; then undefined symbols are
 * chosen by the length of their names (plan_rows_fit.c); what is left is for the names that nobody
 * else sees, those of local functions and static objects: with all that is fixed they make up the
 * distribution that is wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/calls_rows.h"
#include "emit/distribution.h"
#include "emit/names_row.h"
#include "emit/outside.h"
#include "emit/plan_rows_parts.h"
#include "emit/shape.h"

enum {
    LENGTH_NATURAL = 15, /* where nothing is known */
    CODE_OF_FUNCTION = 150,
    NAMES_OF_DEBUG = 4, /* names take at most all but so manieth of what debug information has to spare */
};

static bool out_of_memory(const struct plan_library *l, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for the names of %s", l->name);
}

/* Lengths as they are wanted, in ascending order. */
static void draw(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *length)
{
    const char *quantiles = l->said->text[ROW_TEXT_NAME_LENGTHS];
    if (!distribution_values(quantiles, plan->profile->distributions[DISTRIBUTION_NAME_LENGTHS], count, length))
        for (uint32_t i = 0; i < count; i++)
            length[i] = LENGTH_NATURAL;
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
static uint64_t room_of_exported(const struct solver *s, uint32_t index)
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
    return room / 4 * 3;
}

bool rows_draw_names(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct plan *plan = r->s->plan;
    struct plan_library *l = &plan->library[index];
    struct want *w = &r->want[index];
    const uint32_t count = l->exported;
    (void)worker;
    w->drawn = true;
    if (w->terse || !count || names_are_mangled(&plan->names, l))
        return true;
    uint32_t *length = malloc(count * sizeof *length);
    uint16_t *kept = realloc(l->function_length, count * sizeof *kept);
    l->function_length = kept ? kept : l->function_length;
    if (!length || !kept) {
        free(length);
        return out_of_memory(l, e);
    }
    draw(plan, l, count, length);
    const uint64_t least = l->exported_names - count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += length[i];
    const int64_t dynstr = l->said->value[ROW_DYNAMIC_DYNSTR];
    if (dynstr != PROFILE_DERIVED)
        sum = spare((uint64_t)dynstr, shape_of(plan, l).dynstr - least);
    sum = smaller(spare(sum, least), room_of_exported(r->s, index)) + least;
    const uint32_t most = names_row_least(l, count - 1);
    const bool fits = distribution_fit(length, count, most, PROFILE_NAME_MOST, sum) <= sum;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = (uint16_t)(fits ? length[i] : names_row_least(l, i));
    if (fits)
        shuffle(kept, count, plan_key(l, PURPOSE_NAMES));
    l->lengths = count;
    free(length);
    return true;
}

/* --- local names ---------------------------------------------------------------------------- */

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

static void fix_others(const struct plan_library *l, const struct shape *s, struct fixed *f)
{
    const size_t name = strlen(l->name);
    const size_t prefix = strlen(l->prefix);
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT; i++) {
        const struct fixed_local_kind *k = &fixed_local_kinds[i];
        const size_t length = strlen(k->name) + (k->prefixed ? strlen(shape_prefix(l, k)) : 0);
        if (length && shape_has_local(l, s, i))
            fix(f, length);
    }
    for (uint32_t i = 0; i < l->extra.outside; i++)
        fix(f, strlen(outside_name(s->python, l->key, l->outside_choice, i)));
    for (uint32_t i = 0; i < l->extra.objects; i++)
        fix(f, prefix + sizeof SHAPE_DATA - 1 + names_digits(i));
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
    if (s->marks)
        fix(f, name + sizeof "_visits" - 1);
    fix(f, sizeof "__cxa_finalize@GLIBC_2.2.5" - 1);
    fix(f, sizeof "__gmon_start__" - 1);
}

/* Names that are free: of functions and of static objects. */
struct free_names {
    uint32_t functions, objects;
    uint32_t *length; /* of all, in ascending order */
    uint32_t count;
};

static bool draw_free(const struct plan *plan, const struct plan_library *l, const struct shape *s,
                      struct free_names *names)
{
    const uint64_t most = s->symbols + FIXED_LOCAL_COUNT + names->count;
    struct fixed f = {.length = malloc(most * sizeof *f.length)};
    uint32_t *all = malloc(most * sizeof *all);
    bool ok = f.length && all;
    if (ok) {
        fix_imports(plan, l, &f);
        fix_functions(plan, l, names->functions ? l->exported : l->functions, &f);
        fix_others(l, s, &f);
        draw(plan, l, f.count + names->count, all);
        ok = distribution_rest(all, f.count + names->count, f.length, f.count, names->length);
    }
    free(f.length);
    free(all);
    return ok;
}

/* Leaves out every so manieth name, so that `count` are left. */
static void thin_out(uint32_t *length, uint32_t all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        length[i] = length[(uint64_t)i * all / count + (all / count) / 2];
}

static uint64_t sum_of(const uint32_t *length, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += length[i];
    return sum;
}

/* Deals the lengths out in turn, or gives the objects what is there. */
static void deal(struct plan_library *l, const struct free_names *names)
{
    uint16_t *function = l->function_length + l->exported;
    uint32_t functions = 0;
    uint32_t objects = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        if ((uint64_t)(i + 1) * names->functions / names->count > functions)
            function[functions++] = (uint16_t)names->length[i];
        else
            l->object_length[objects++] = (uint16_t)names->length[i];
    }
    const uint64_t key = plan_key(l, PURPOSE_NAMES);
    shuffle(function, functions, random_at(key, UINT64_C(1) << 33));
    shuffle(l->object_length, objects, random_at(key, (UINT64_C(1) << 33) + 1));
}

/* The shortest names, and what is left over for the objects' in equal parts. */
static void deal_evenly(struct plan_library *l, uint32_t functions, uint32_t objects, uint64_t more)
{
    for (uint32_t i = 0; i < functions; i++)
        l->function_length[l->exported + i] = (uint16_t)names_row_least(l, l->exported + i);
    for (uint32_t i = 0; i < objects; i++)
        l->object_length[i] =
            (uint16_t)(names_row_object_least(i) + more / objects + (i < more % objects ? 1 : 0));
}

/* So many objects share names of others that the free names are at most `bytes` with their
 * terminators, or all but one do. */
static void share_names(struct plan_library *l, struct free_names *names, uint64_t bytes)
{
    const uint32_t all = names->count;
    const uint64_t sum = sum_of(names->length, all) + all;
    if (sum > bytes) {
        const uint64_t fewer = (sum - bytes) * all / sum + 1;
        const uint32_t shared = (uint32_t)smaller(fewer, names->objects - UINT64_C(1));
        l->shared_names = shared > l->shared_names ? shared : l->shared_names;
    }
    names->objects -= l->shared_names;
    names->count -= l->shared_names;
    thin_out(names->length, all, names->count);
}

/* With `bytes` for the free names. */
static bool settle(struct solver *s, uint32_t index, struct free_names *names, uint64_t bytes)
{
    const struct plan *plan = s->plan;
    struct plan_library *l = &s->plan->library[index];
    const struct shape shape = shape_of(plan, l);
    if (!draw_free(plan, l, &shape, names))
        return false;
    share_names(l, names, bytes);
    const uint64_t sum = bytes - names->count;
    uint32_t least = names_row_object_least(names->objects - 1);
    if (names->functions && names_row_least(l, l->functions - 1) > least)
        least = names_row_least(l, l->functions - 1);
    const bool fits = distribution_fit(names->length, names->count, least, PROFILE_NAME_MOST, sum) == sum;
    if (fits)
        deal(l, names);
    const uint64_t spare_debug = l->without_debug || l->hollow ? UINT64_MAX
                                                               : spare(l->size[SIZE_DEBUG], s->base[index].size[SIZE_DEBUG]);
    uint64_t told = 0;
    for (uint32_t i = 0; i < names->functions && fits; i++)
        told += l->function_length[l->exported + i] - names_row_least(l, l->exported + i);
    if (!fits || told > spare_debug - spare_debug / NAMES_OF_DEBUG) {
        uint64_t shortest = names_row_objects(names->objects);
        for (uint32_t i = 0; i < names->functions; i++)
            shortest += names_row_least(l, l->exported + i) + UINT64_C(1);
        deal_evenly(l, names->functions, names->objects, bytes - shortest);
    }
    return true;
}

bool rows_settle_names(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct rows *r = context;
    struct solver *s = r->s;
    struct plan_library *l = &s->plan->library[index];
    const uint32_t local = names_are_mangled(&s->plan->names, l) ? 0 : l->functions - l->exported;
    struct free_names names = {.functions = local, .objects = l->locals, .count = local + l->locals};
    (void)worker;
    if (l->stripped || l->said->value[ROW_TEXT] == PROFILE_DERIVED)
        return true;
    const uint64_t bytes =
        l->local_names + names_row_objects(l->locals - l->shared_names) + names_row_bytes(l, l->functions - local, l->functions);
    uint16_t *function = realloc(l->function_length, (l->functions + (size_t)1) * sizeof *function);
    l->function_length = function ? function : l->function_length;
    l->object_length = malloc(l->locals * sizeof *l->object_length);
    names.length = malloc(names.count * sizeof *names.length);
    bool ok = function && l->object_length && names.length;
    for (uint32_t i = l->lengths; ok && i < l->functions - local; i++)
        function[i] = (uint16_t)names_row_least(l, i);
    ok = ok && settle(s, index, &names, bytes);
    free(names.length);
    if (!ok)
        return out_of_memory(l, e);
    if (local)
        l->lengths = l->functions;
    if (local)
        l->function_names = names_row_bytes(l, 0, l->functions);
    l->local_names = 0;
    l->local_names = l->size[SIZE_STRTAB] - shape_of(s->plan, l).strtab;
    return true;
}
