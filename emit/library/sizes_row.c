/* Sizes of functions by rows; see sizes_row.h. A place is a unit of code_align bytes, as a
 * function takes whole ones. */
#include "emit/library/sizes_row.h"

#include "base/shares.h"
#include "elf/write/unwind.h"
#include "emit/library/sizes_said.h"
#include "emit/plan/ranked.h"
#include "emit/profile/distribution.h"

enum {
    FIXED_MOST = FIXED_LOCAL_COUNT + GLUE_COUNT,
    TAIL = 100,           /* one function in so many is among the largest */
    OF_LARGEST = 12,      /* of what the largest functions may grow, so many sixteenths are used before others grow
                             (distribution_fit_within) */
    NARROW_MOST = 0xf000, /* bytes of the largest function whose unwind entry has two bytes for its size */
};

static uint32_t places_of(uint32_t size, uint32_t align)
{
    return (uint32_t)(((uint64_t)size + align - 1) / align);
}

/* Sets l->alias: local aliases are spread evenly over numbered functions and small ones that have code and are no cold
 * parts. False when memory ran out. */
static bool choose_aliases(struct library *l, struct arena *arena)
{
    const struct plan_library *row = l->row;
    const uint32_t count = plan_local_aliases(row);
    if (!count)
        return true;
    uint32_t *const small = arena_take(arena, (row->small.count + UINT64_C(1)) * sizeof *small);
    l->alias = arena_take(arena, count * sizeof *l->alias);
    if (!small || !l->alias)
        return false;
    uint32_t functions = row->functions;
    for (uint32_t i = 0; i < row->small.count; i++)
        if (row->small.size[i] && !plan_is_cold(row, i))
            small[functions++ - row->functions] = i;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t of = (uint32_t)((uint64_t)i * functions / count);
        l->alias[i] = of < row->functions ? of : row->functions + small[of - row->functions];
    }
    return true;
}

/* Sets `fixed` to the sizes of functions that are not numbered, as far as they are symbols;
 * returns how many these are. */
static uint32_t glue_sizes(const struct library *l, uint32_t *fixed)
{
    const uint32_t small = l->row->stripped ? l->row->small.exported : l->row->small.count;
    uint32_t count = 0;
    for (unsigned i = GLUE_PYINIT; i < GLUE_COUNT; i++) {
        const bool dynamic = i == GLUE_PYINIT || (i == GLUE_ENTRY && !l->row->glue.inner_entry);
        if (l->glue.place[i].size && (dynamic || !l->row->stripped))
            fixed[count++] = l->glue.place[i].size;
    }
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT && !l->row->stripped; i++) /* those of crtbegin.o and crti.o */
        if (i == LOCAL_DTORS || i == LOCAL_FRAME_DUMMY || i == LOCAL_INIT || i == LOCAL_FINI)
            fixed[count++] = l->row->small.sizes || i >= LOCAL_INIT
                                 ? 0
                                 : l->glue.place[i == LOCAL_DTORS ? GLUE_DTORS : GLUE_FRAME_DUMMY].size;
    for (uint32_t i = 0; i < small; i++)
        fixed[count++] = l->row->small.size[i];
    for (uint32_t i = 0; i < l->row->extra.dynamic.aliases; i++) {
        const uint32_t of = plan_alias_function(l->row, i);
        if (of >= plan_exported(l->row))
            fixed[count++] = l->row->small.size[of - plan_exported(l->row)];
    }
    for (uint32_t i = plan_local_aliases(l->row); i-- && l->alias[i] >= l->row->functions;)
        fixed[count++] = l->row->small.size[l->alias[i] - l->row->functions];
    return count;
}

/* Entry k of the result: how many symbols, with aliases, the first k functions of `ranked` have. NULL when memory ran
 * out. */
static const uint32_t *count_symbols(const struct library *l, const struct ranked *ranked, uint32_t count,
                                     struct arena *arena)
{
    uint32_t *own = arena_take(arena, (count + UINT64_C(1)) * sizeof *own);
    uint32_t *before = arena_take(arena, (count + UINT64_C(1)) * sizeof *before);
    if (!own || !before)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        own[i] = 1;
    for (uint32_t i = 0; i < l->row->extra.dynamic.aliases; i++) {
        const uint32_t of = plan_alias_function(l->row, i);
        if (of < plan_exported(l->row) && of < count)
            own[of]++;
    }
    for (uint32_t i = 0; i < plan_local_aliases(l->row) && l->alias[i] < count; i++)
        own[l->alias[i]]++;
    before[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        before[i + 1] = before[i] + own[ranked[i].place];
    return before;
}

/* Places that a function has beyond both `floor` and the least that it needs. */
static uint32_t above_of(const struct ranked *ranked, uint32_t places, uint32_t floor, uint32_t align)
{
    const uint32_t least = places_of(ranked->value, align);
    const uint32_t stays = least > floor ? least : floor;
    return places > stays ? places - stays : 0;
}

/* Takes `less` places from functions [first, count), in proportion to what each has beyond `floor` and the least that
 * it needs. Returns how many could not be taken. */
static uint64_t take(const struct ranked *ranked, uint32_t first, uint32_t count, uint32_t *places, uint64_t less,
                     uint32_t floor, uint32_t align)
{
    uint64_t above = 0;
    for (uint32_t i = first; i < count; i++)
        above += above_of(&ranked[i], places[i], floor, align);
    struct shares taken = {.sum = less < above ? less : above, .weights = above};
    for (uint32_t i = first; i < count && above; i++)
        places[i] -= (uint32_t)shares_next(&taken, above_of(&ranked[i], places[i], floor, align));
    return less - taken.sum;
}

/* Bytes that a function has at most, with which no sum of two overflows. */
static uint32_t bytes_most(const struct library *l)
{
    return plan_is_wide(l->plan, l->row) ? INT32_MAX / 2 : NARROW_MOST;
}

/* Functions [first, end) of `ranked` and their places. */
struct part {
    struct ranked *ranked;
    uint32_t *wanted, *places;
    uint32_t first, end;
    uint32_t floor; /* no function gets fewer places, where that is possible */
};

/* Gives the functions of the part `more` places in all, or takes places where that is negative, as far as possible.
 * Returns what could not be done. */
static int64_t balance(const struct library *l, const struct part *p, int64_t more)
{
    const uint32_t align = code_align(l->row);
    const uint32_t most = bytes_most(l) / align;
    const uint32_t count = p->end - p->first;
    uint64_t is = 0;
    for (uint32_t i = p->first; i < p->end; i++)
        is += p->places[i];
    if (more > 0 && count) {
        const uint64_t wanted = is + (uint64_t)more;
        more = (int64_t)wanted - (int64_t)distribution_fit(p->places + p->first, count, 0, most, wanted);
    }
    uint64_t less = more < 0 ? (uint64_t)-more : 0;
    /* The largest functions give first, as far as they are larger than those before them: that they are spread evenly
     * between the last two quantiles is no more than an assumption. */
    const uint32_t tail = p->end - count / TAIL;
    if (less && tail > p->first && tail < p->end)
        less = take(p->ranked, tail, p->end, p->places, less, p->places[tail - 1], align);
    if (less && p->floor)
        less = take(p->ranked, p->first, p->end, p->places, less, p->floor, align);
    for (uint32_t part = 16; less && part && count; part /= 4)
        less = take(p->ranked, p->end - count / part, p->end, p->places, less, 0, align);
    return more < 0 ? -(int64_t)less : more;
}

/* The wanted size of a function that has another number of places now: with the same padding as before, as far as the
 * limit allows. */
static uint32_t wanted_in(uint32_t places, uint32_t before, struct distribution_limits limit, uint32_t align)
{
    const uint32_t size = places * align - (places_of(before, align) * align - before);
    return size < limit.least ? limit.least : size > limit.most ? limit.most : size;
}

/* As balance, but only as far as the quantiles stay where they are. `limit` has the limits of functions' sizes, in
 * bytes; `scratch` is memory for as many limits. */
static int64_t balance_within(const struct library *l, const struct part *p, const struct distribution_limits *limit,
                              struct distribution_limits *scratch, int64_t more)
{
    const uint32_t align = code_align(l->row);
    const uint32_t bytes = bytes_most(l);
    uint64_t is = 0;
    for (uint32_t i = p->first; i < p->end; i++) {
        const uint32_t low = places_of(limit[i].least, align);
        const uint32_t least = places_of(p->ranked[i].value, align);
        const uint32_t has = p->places[i];
        const uint32_t high = (limit[i].most < bytes ? limit[i].most : bytes) / align;
        scratch[i] = (struct distribution_limits){low > least ? low : least, high};
        scratch[i].least = scratch[i].least > p->floor ? scratch[i].least : p->floor;
        scratch[i].least = scratch[i].least < has ? scratch[i].least : has;
        scratch[i].most = scratch[i].most > has ? scratch[i].most : has;
        is += has;
    }
    const uint64_t sum = more < 0 && (uint64_t)-more > is ? 0 : is + (uint64_t)more;
    const uint64_t fits =
        distribution_fit_within(p->places + p->first, scratch + p->first, p->end - p->first, OF_LARGEST, sum);
    for (uint32_t i = p->first; i < p->end; i++)
        if (p->places[i] != places_of(p->wanted[i], align))
            p->wanted[i] = wanted_in(p->places[i], p->wanted[i], limit[i], align);
    return more - (int64_t)(fits - is);
}

/* Sorts the functions of the part by the least bytes that they need; equal ones are in random order. */
static void rank(const struct library *l, const uint32_t *least, const struct part *p)
{
    const uint64_t key = plan_key(l->row, PURPOSE_WEIGHT);
    for (uint32_t i = p->first; i < p->end; i++)
        p->ranked[i] = (struct ranked){.value = least[i], .place = i, .key = random_at(key, i)};
    ranked_sort(p->ranked + p->first, p->end - p->first);
}

/* Gives each function of the part, in that order, what is wanted: at least what it needs, at most what is possible.
 * Returns how many places that is beyond the least in all. */
static int64_t place(const struct library *l, const struct part *p)
{
    const uint32_t align = code_align(l->row);
    const uint32_t most = bytes_most(l);
    int64_t more = 0;
    for (uint32_t i = p->first; i < p->end; i++) {
        uint32_t *wanted = &p->wanted[i];
        *wanted = *wanted < most ? *wanted : most;
        *wanted = *wanted > p->ranked[i].value ? *wanted : p->ranked[i].value;
        p->places[i] = places_of(*wanted, align);
        more += (int64_t)p->places[i] - places_of(p->ranked[i].value, align);
    }
    return more;
}

bool sizes_row(struct library *l, const uint32_t *least, uint64_t units, struct arena *arena,
               const struct drawn_size **drawn)
{
    const struct plan_library *row = l->row;
    const uint32_t count = row->functions;
    const uint32_t align = code_align(row);
    const uint32_t said = row->stripped ? row->exported : count; /* functions whose sizes the row tells */
    const char *quantiles = row->said->text[ROW_TEXT_FUNCTION_SIZES];
    *drawn = NULL;
    const uint64_t aliases = row->extra.dynamic.aliases + (uint64_t)plan_local_aliases(row);
    const uint64_t symbols_most = FIXED_MOST + (uint64_t)row->small.count + aliases + count;
    uint32_t *fixed = arena_take(arena, symbols_most * sizeof *fixed);
    if (!fixed || !choose_aliases(l, arena))
        return false;
    const uint32_t glue = glue_sizes(l, fixed);
    struct ranked *ranked = arena_take(arena, (count + UINT64_C(1)) * sizeof *ranked);
    uint32_t *all = arena_take(arena, symbols_most * sizeof *all);
    uint32_t *wanted = arena_take(arena, (count + UINT64_C(1)) * sizeof *wanted);
    uint32_t *places = arena_take(arena, (count + UINT64_C(1)) * sizeof *places);
    struct drawn_size *size = arena_take(arena, (count + UINT64_C(1)) * sizeof *size);
    if (!ranked || !all || !wanted || !places || !size)
        return false;
    if (!sizes_said(l->plan, row, said + glue, all) || !sizes_said(l->plan, row, count - said, wanted + said))
        return true;
    /* where the row tells how many functions are small, those without a name stand behind the numbered ones; numbered
     * ones are larger */
    const bool knows_small = row->stripped && row->said->value[ROW_UNWIND_ENTRIES] != PROFILE_DERIVED;
    for (uint32_t i = said; i < count && knows_small; i++)
        wanted[i] = wanted[i] > UNWIND_SMALL ? wanted[i] : UNWIND_SMALL;
    if (!distribution_rest(all, said + glue, fixed, glue, wanted))
        return false;
    /* functions of which no size is told give or take first, before those of which one is */
    const uint32_t floor = knows_small ? UNWIND_SMALL / align + 1 : 0;
    const struct part symbols = {ranked, wanted, places, 0, said, floor};
    const struct part others = {ranked, wanted, places, said, count, floor};
    rank(l, least, &symbols);
    rank(l, least, &others);
    struct distribution_limits *limit = arena_take(arena, (said + UINT64_C(1)) * sizeof *limit);
    struct distribution_limits *scratch = arena_take(arena, (said + UINT64_C(1)) * sizeof *scratch);
    const uint32_t *before = count_symbols(l, ranked, said, arena);
    if (!limit || !scratch || !before)
        return false;
    const bool limited = distribution_limit(quantiles, fixed, glue, before, 0, DISTRIBUTION_MOST, limit, said);
    if (limited)
        distribution_limit_values(wanted, limit, said);
    int64_t more = (int64_t)units - place(l, &symbols) - place(l, &others);
    more = balance(l, &others, more);
    if (limited)
        more = balance_within(l, &symbols, limit, scratch, more);
    balance(l, &symbols, more);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bytes = align * places[i];
        const uint32_t padding = align * places_of(wanted[i], align) - wanted[i];
        const uint32_t rest = bytes - ranked[i].value;
        const uint32_t taken = bytes - (padding < rest ? padding : rest);
        size[ranked[i].place] = (struct drawn_size){.bytes = taken, .places = places[i]};
        for (uint32_t symbol = i < said ? before[i] : 0; i < said && symbol < before[i + 1]; symbol++)
            fixed[glue + symbol] = taken;
    }
    *drawn = size;
    if (!quantiles || (before[said] > said && !sizes_said(l->plan, row, glue + before[said], all)))
        return true;
    l->sizes_apart = distribution_distance(all, fixed, glue + before[said]);
    return true;
}
