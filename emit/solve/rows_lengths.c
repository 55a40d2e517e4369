/* See rows_lengths.h. */
#include "emit/solve/rows_lengths.h"
#include "base/apart.h"

#include <stdlib.h>
#include <string.h>

#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/plan/versions.h"
#include "emit/profile/distribution.h"

enum { LENGTH_NATURAL = 15 /* characters of a name, where no distribution is known */ };

bool lengths_out_of_memory(const struct plan_library *l, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for the names of %s", l->name);
}

bool lengths_draw(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *length)
{
    const char *quantiles = l->said->text[ROW_TEXT_NAME_LENGTHS];
    const bool known =
        distribution_values(quantiles, plan->profile->distributions[DISTRIBUTION_NAME_LENGTHS], count, length);
    for (uint32_t i = 0; i < count; i++)
        length[i] = !known ? LENGTH_NATURAL : length[i] < PROFILE_NAME_MOST ? length[i] : PROFILE_NAME_MOST;
    return known;
}

/* How far the lengths and the fixed ones together are from the wanted ones. `scratch` has room for all of them. */
static double distance_with(const uint32_t *wanted, const struct distribution_task *t, const uint32_t *length,
                            uint32_t *scratch)
{
    memcpy(scratch, t->fixed, t->fixed_count * sizeof *scratch);
    memcpy(scratch + t->fixed_count, length, t->count * sizeof *scratch);
    return distribution_distance(wanted, scratch, t->fixed_count + t->count);
}

uint64_t lengths_fit(const struct plan *plan, const struct plan_library *l, const struct lengths_task *t)
{
    struct distribution_task of = t->of;
    const char *const quantiles = l->said->text[ROW_TEXT_NAME_LENGTHS];
    const uint32_t all = of.fixed_count + of.count;
    uint32_t *const before = t->scratch;
    uint32_t *const wanted = before + all;
    uint32_t *const scratch = wanted + all;
    of.limit = (struct distribution_limits *)(scratch + all);
    memcpy(before, of.value, of.count * sizeof *before);
    distribution_fit_quantiles(quantiles, &of);
    const uint64_t is = t->fit(of.value, of.count, of.least, of.most, of.sum);
    if (!lengths_draw(plan, l, all, wanted))
        return is;
    const double distance = distance_with(wanted, &of, of.value, scratch);
    if (distribution_has_quantiles(quantiles, scratch, all))
        return is;
    const uint64_t was = t->fit(before, of.count, of.least, of.most, of.sum);
    if ((was != of.sum && is == of.sum) || distance_with(wanted, &of, before, scratch) >= distance)
        return is;
    memcpy(of.value, before, of.count * sizeof *before);
    return was;
}

void lengths_of_files(const struct plan *plan, struct plan_library *l)
{
    uint32_t length[PLAN_FILE_LENGTHS];
    if (!lengths_draw(plan, l, PLAN_FILE_LENGTHS, length))
        return;
    for (uint32_t i = 0; i < PLAN_FILE_LENGTHS; i++)
        l->names.file_length[i] = (uint8_t)(length[i] < NAMES_ROW_FILE_LEAST  ? NAMES_ROW_FILE_LEAST
                                            : length[i] > NAMES_ROW_FILE_MOST ? NAMES_ROW_FILE_MOST
                                                                              : length[i]);
}

uint64_t lengths_sum(const uint32_t *length, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += length[i];
    return sum;
}

/* Takes `count` of the values [first, end), evenly, into `taken`; returns their sum. */
static uint64_t take_evenly(const uint32_t *value, uint32_t first, uint32_t end, uint32_t count, uint32_t *taken)
{
    for (uint32_t i = 0; i < count; i++)
        taken[i] = value[first + (uint32_t)((i * UINT64_C(2) + 1) * (end - first) / (UINT64_C(2) * count))];
    return lengths_sum(taken, count);
}

/* Takes `count` of the values evenly, without the `out` shortest ones or without the longest; returns their sum. */
static uint64_t take_without(const uint32_t *all, uint32_t of, uint32_t out, bool shortest, uint32_t count,
                             uint32_t *taken)
{
    return take_evenly(all, shortest ? out : 0, shortest ? of : of - out, count, taken);
}

void lengths_take_near(const uint32_t *all, uint32_t of, uint64_t sum, uint32_t count, uint32_t *taken)
{
    const bool longer = take_evenly(all, 0, of, count, taken) < sum;
    uint32_t low = 0; /* how many are left out */
    uint32_t high = of - count;
    while (low < high) {
        const uint32_t out = low + (high - low + 1) / 2;
        const uint64_t is = take_without(all, of, out, longer, count, taken);
        if (longer ? is <= sum : is >= sum)
            low = out;
        else
            high = out - 1;
    }
    /* one more would be on the other side of the sum, and may be nearer */
    const uint64_t one = take_without(all, of, low, longer, count, taken);
    if (low < of - count && apart(take_without(all, of, low + 1, longer, count, taken), sum) >= apart(one, sum))
        take_without(all, of, low, longer, count, taken);
}

void lengths_shuffle(uint16_t *length, uint32_t count, uint64_t key)
{
    random_shuffle(length, count, sizeof *length, key);
}

uint32_t lengths_unexported(const struct plan *plan, const struct plan_library *l)
{
    const uint32_t functions = names_are_mangled(&plan->names, l) ? 0 : l->functions - l->exported;
    return functions + l->locals + plan_small_local(l);
}

void lengths_fix(struct fixed_lengths *f, size_t length)
{
    f->length[f->count++] = (uint32_t)length;
}

void lengths_fix_imports(const struct plan *plan, const struct plan_library *l, struct fixed_lengths *f)
{
    struct import import;
    for (uint32_t n = 0; calls_row_import(plan, l, n, &import); n++) {
        lengths_fix(f, names_row_import_length(plan, &plan->library[import.library], import.function));
    }
}

void lengths_fix_functions(const struct plan *plan, const struct plan_library *l, uint32_t count,
                           struct fixed_lengths *f)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct function own = plan_function(l, i);
        lengths_fix(f, names_function(&plan->names, l, i, &own));
    }
}

void lengths_fix_dynamic(const struct plan_library *l, struct fixed_lengths *f)
{
    for (uint32_t i = 0; i < names_row_others(l); i++)
        lengths_fix(f, names_row_other_length(l, i));
}

void lengths_fix_others(const struct plan_library *l, const struct shape *s, struct fixed_lengths *f)
{
    const size_t name = strlen(l->name);
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT; i++) {
        const uint32_t length = shape_local_length(l, i);
        if (length && !l->stripped && shape_has_local(l, s, i))
            lengths_fix(f, length);
    }
    for (uint32_t i = 0; i < l->files && !l->stripped; i++)
        lengths_fix(f, !i ? strlen(fixed_local_kinds[LOCAL_FILE_CRT].name)
                       : names_row_file_bytes(l)
                           ? names_row_file_length(l, i)
                           : strlen(plan_stem(l)) + strlen(fixed_local_kinds[LOCAL_FILE_SOURCE].name));
    for (uint32_t i = 0; i < l->extra.undefined.outside; i++) {
        const uint32_t version = shape_outside_version(l, i);
        const bool versioned = l->names.versioned && version;
        lengths_fix(f, strlen(outside_name(s->python, l->key, l->outside_choice, i)) +
                           (versioned ? 1 + strlen(outside_version_name(version)) + l->names.version_digits : 0));
    }
    for (unsigned i = 0; i < PYTHON_FUNCTION_COUNT; i++)
        if (s->python && shape_calls_python(l, i))
            lengths_fix(f, strlen(shape_python_name(l, i)));
    for (uint32_t i = 0; i < l->extra.undefined.clones; i++)
        lengths_fix(f, strlen(shape_clones[i]));
    for (uint32_t i = 0; i < l->extra.dynamic.ends; i++)
        lengths_fix(f, strlen(shape_ends[i].name));
    char version[VERSIONS_NAME_MOST];
    for (uint32_t i = 0; i < l->extra.versioning.symbols; i++)
        lengths_fix(f, versions_name(l, i, version));
    if (s->python && !(l->stripped && l->glue.inner_entry))
        lengths_fix(f, strlen(s->entry));
    if (s->python)
        lengths_fix(f, sizeof "PyInit_" - 1 + name);
    if (s->marks_exported)
        lengths_fix(f, name + sizeof "_visits" - 1);
    lengths_fix(f,
                l->stripped || l->without_libc ? sizeof "__cxa_finalize" - 1 : sizeof "__cxa_finalize@GLIBC_2.2.5" - 1);
    lengths_fix(f, sizeof "__gmon_start__" - 1);
}
