/* Sizes of functions by rows; see sizes_row.h. */
#include "emit/sizes_row.h"

#include <stdlib.h>

#include "base/shares.h"
#include "emit/distribution.h"

enum {
    FIXED_MOST = FIXED_LOCAL_COUNT + GLUE_COUNT,
    NARROW_MOST = 0xf000, /* bytes of a function whose unwind entry has two bytes for its size */
};

struct ranked {
    uint32_t least, index;
    uint64_t key;
};

static int by_least(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->least != y->least)
        return x->least < y->least ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static uint32_t places_of(uint32_t size, uint32_t align)
{
    return (uint32_t)(((uint64_t)size + align - 1) / align);
}

/* Sizes of the functions that are no numbered ones, as .symtab says. */
static uint32_t glue_sizes(const struct library *l, uint32_t *fixed)
{
    uint32_t count = 0;
    for (unsigned i = GLUE_PYINIT; i < GLUE_COUNT; i++)
        if (l->glue.place[i].size)
            fixed[count++] = l->glue.place[i].size;
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT && !l->row->stripped; i++) /* those of crtbegin.o and crti.o */
        if (i == LOCAL_DTORS || i == LOCAL_FRAME_DUMMY || i == LOCAL_INIT || i == LOCAL_FINI)
            fixed[count++] = l->row->small_sizes || i >= LOCAL_INIT
                                 ? 0
                                 : l->glue.place[i == LOCAL_DTORS ? GLUE_DTORS : GLUE_FRAME_DUMMY].size;
    for (uint32_t i = 0; i < l->row->small; i++)
        fixed[count++] = l->row->small_size[i];
    return count;
}

/* Takes `less` places from functions [first, count), as far as they are larger than they have to be. */
static uint64_t take(const struct ranked *ranked, uint32_t first, uint32_t count, uint32_t *places, uint64_t less,
                     uint32_t align)
{
    uint64_t above = 0;
    for (uint32_t i = first; i < count; i++)
        above += places[i] - places_of(ranked[i].least, align);
    struct shares taken = {.sum = less < above ? less : above, .weights = above};
    for (uint32_t i = first; i < count && above; i++)
        places[i] -= (uint32_t)shares_next(&taken, places[i] - places_of(ranked[i].least, align));
    return less - taken.sum;
}

static void balance(const struct library *l, const struct ranked *ranked, uint32_t count, uint64_t units,
                    uint32_t *places)
{
    const uint32_t align = code_align(l->row);
    const uint32_t most = l->plan->wide ? INT32_MAX / align : NARROW_MOST / align;
    uint64_t wanted = units;
    uint64_t is = 0;
    for (uint32_t i = 0; i < count; i++) {
        wanted += places_of(ranked[i].least, align);
        is += places[i];
    }
    if (is < wanted)
        distribution_fit(places, count, 0, most, wanted);
    uint64_t less = is > wanted ? is - wanted : 0;
    for (uint32_t part = 16; less && part; part /= 4)
        less = take(ranked, count - count / part, count, places, less, align);
}

bool sizes_row(struct library *l, const uint32_t *least, uint64_t units, struct arena *arena,
               const struct drawn_size **drawn)
{
    const struct plan_library *row = l->row;
    const uint32_t count = row->functions;
    const uint64_t key = plan_key(row, PURPOSE_WEIGHT);
    const uint32_t align = code_align(row);
    *drawn = NULL;
    uint32_t *fixed = arena_take(arena, (FIXED_MOST + (uint64_t)row->small + count) * sizeof *fixed);
    if (!fixed)
        return false;
    const uint32_t glue = glue_sizes(l, fixed);
    struct ranked *ranked = arena_take(arena, (count + UINT64_C(1)) * sizeof *ranked);
    uint32_t *all = arena_take(arena, ((uint64_t)count + glue + 1) * sizeof *all);
    uint32_t *wanted = arena_take(arena, (count + UINT64_C(1)) * sizeof *wanted);
    uint32_t *places = arena_take(arena, (count + UINT64_C(1)) * sizeof *places);
    struct drawn_size *size = arena_take(arena, (count + UINT64_C(1)) * sizeof *size);
    if (!ranked || !all || !wanted || !places || !size)
        return false;
    if (!distribution_values(row->said->text[ROW_TEXT_FUNCTION_SIZES],
                             l->plan->profile->distributions[DISTRIBUTION_FUNCTION_SIZES], count + glue, all))
        return true;
    if (!distribution_rest(all, count + glue, fixed, glue, wanted))
        return false;
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){.least = least[i], .index = i, .key = random_at(key, i)};
    qsort(ranked, count, sizeof *ranked, by_least);
    const uint32_t most = l->plan->wide ? INT32_MAX / 2 : NARROW_MOST;
    for (uint32_t i = 0; i < count; i++) {
        wanted[i] = wanted[i] < most ? wanted[i] : most;
        wanted[i] = wanted[i] > ranked[i].least ? wanted[i] : ranked[i].least;
        places[i] = places_of(wanted[i], align);
    }
    balance(l, ranked, count, units, places);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bytes = align * places[i];
        const uint32_t padding = align * places_of(wanted[i], align) - wanted[i];
        const uint32_t rest = bytes - ranked[i].least;
        fixed[glue + i] = bytes - (padding < rest ? padding : rest);
        size[ranked[i].index] = (struct drawn_size){.bytes = fixed[glue + i], .places = places[i]};
    }
    *drawn = size;
    if (row->said->text[ROW_TEXT_FUNCTION_SIZES])
        l->sizes_apart = distribution_distance(all, fixed, glue + count);
    return true;
}
