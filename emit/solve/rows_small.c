/* Decides which functions of a library with a row are too small to be numbered ones, and which of these small functions
 * are dynamic symbols; see rows.c and, for what they are, small.h.
 *
 * With a symbol table small functions are local, as far as the row has local functions, and else dynamic. Of a stripped
 * library the row says nothing about local functions, so all of them are dynamic: as many as follow from the sizes of
 * the row's dynamic functions. Other libraries call small functions, too (calls_rows.h).
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/unit/unit.h"
#include "emit/library/glue.h"
#include "emit/library/resolvers.h"
#include "emit/library/sizes_said.h"
#include "emit/plan/names_row.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows_lengths.h"
#include "emit/solve/rows_parts.h"

enum {
    SIZELESS = 4,                 /* functions that every library has and whose symbols have no size */
    GIVEN_UP = SHAPE_HELPERS + 1, /* functions that are given up for lack of room: helpers and `visited` */
    SMALL_MOST = UNWIND_SMALL,    /* bytes of the largest small function, */
    SMALL_MOST_UNTOLD = 240,      /* and in a stripped library without debug information, which would not describe it */
    SMALL_TOLERANCE = 200,        /* one numbered function in so many may be larger than wanted */
    CODE_OF_ARGUMENT = 20,        /* bytes, about, to spill an argument and to mix it in */
    CODE_PASSED = 17,             /* bytes, about, to pass arguments in a call */
};

/* Sets `size` to the sizes of the functions that every library has, as far as they are symbols, except for the entry.
 * Returns how many these are. */
static uint32_t common_sizes(const struct plan *plan, const struct plan_library *l,
                             uint32_t size[GLUE_COUNT + SIZELESS])
{
    const struct shape shape = shape_of(plan, l);
    const struct code code = {.plan = plan, .library = l};
    const struct glue glue = glue_size(&code, &shape);
    uint32_t count = 0;
    for (; count < SIZELESS && !l->stripped; count++)
        size[count] = 0;
    for (unsigned i = GLUE_PYINIT; i < GLUE_START; i++)
        if (glue.place[i].size && i != GLUE_ENTRY && (!l->stripped || i == GLUE_PYINIT))
            size[count++] = glue.place[i].size;
    return count;
}

/* The most calls of other libraries: one for each import, as far as there are PLT slots. */
static uint64_t calls_most(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const int64_t slots = rows_bound_slots(plan, l);
    return slots == PROFILE_DERIVED || w->imports < (uint64_t)slots ? w->imports : (uint64_t)slots;
}

/* Sets `least` to the bytes that the first `count` numbered functions take at least, about, in ascending order. */
static void least_sizes(const struct plan *plan, const struct plan_library *l, const struct want *w, uint32_t count,
                        uint32_t *least)
{
    const uint64_t calls = calls_most(plan, l, w); /* the functions that are no leaves make these in turn */
    const uint32_t callers = count - rows_smaller(w->leaves, count / 2);
    for (uint32_t i = 0; i < count; i++) {
        const struct function f = plan_function(l, i);
        const struct function next = plan_function(l, i + 1);
        least[i] = plan_landing(l) + CODE_PROLOGUE + CODE_MARK + CODE_OWN + CODE_EPILOGUE + CODE_OF_ARGUMENT * f.count;
        if (i < callers)
            least[i] += (uint32_t)(calls / callers + (i < calls % callers)) * (CODE_CALL + CODE_PASSED);
        if ((i + 1) % plan->depth)
            least[i] += CODE_CALL + code_pass_size(&next);
    }
    distribution_sort(least, count);
}

/* Whether numbered functions that need at least `least` can have the sizes `wanted`, except for some. Both ascend. */
static bool can_be(const uint32_t *least, uint32_t leasts, const uint32_t *wanted, uint32_t count)
{
    const uint32_t some = leasts / SMALL_TOLERANCE;
    for (uint32_t i = 0; i + some < count; i++)
        if (least[(uint64_t)i * leasts / count] > wanted[i + some])
            return false;
    return true;
}

static uint32_t small_most(const struct plan_library *l)
{
    return l->stripped && l->debug.none ? SMALL_MOST_UNTOLD : SMALL_MOST;
}

/* Counts how many of the functions with these ascending sizes, from the first on, should be small ones. False when
 * memory ran out. */
static bool count_small(const struct plan *plan, const struct plan_library *l, const struct want *w,
                        const uint32_t *size, uint32_t count, uint32_t *small)
{
    const uint32_t most = small_most(l);
    uint32_t *least = malloc((count + (size_t)1) * sizeof *least);
    if (!least)
        return false;
    least_sizes(plan, l, w, count, least);
    *small = 0;
    while (*small < count &&
           (size[*small] < least[0] || (size[*small] < most && !can_be(least, count, size + *small, count - *small))))
        *small += size[*small] < least[0] ? 1 : 1 + count / 128;
    *small = *small < count ? *small : count;
    free(least);
    return true;
}

/* How many of `count` functions may be small ones. With a symbol table, a module's entry and one numbered function may
 * not. */
static uint32_t small_at_most(const struct plan_library *l, uint32_t count)
{
    const uint32_t others = l->stripped ? 0 : 1 + (l->kind == LIBRARY_MODULE);
    return count > others ? count - others : 0;
}

static uint64_t sum_of(const uint32_t *size, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += size[i];
    return sum;
}

/* Scales sizes down that are those of all libraries, because the row states none: in a library without padding between
 * its functions whose code is far less than these sizes come to. */
static void scale_down(const struct plan_library *l, uint32_t *size, uint32_t count)
{
    enum { FAR = 2 };
    const struct profile_row *row = l->said;
    const bool scales = l->unaligned && !row->text[ROW_TEXT_FUNCTION_SIZES];
    const uint64_t code = rows_value_or(row, ROW_SHARE_CODE, 0);
    const uint64_t sum = sum_of(size, count);
    for (uint32_t i = 0; i < count && scales && code && sum > FAR * code; i++)
        size[i] = (uint32_t)(size[i] * code / sum);
}

/* Lowers sizes that are the profile's, the largest first, until the row's code has room for them. */
static void lower_sizes(const struct plan_library *l, uint32_t *size, uint32_t count)
{
    const uint64_t code = rows_value_or(l->said, ROW_SHARE_CODE, UINT64_MAX);
    const uint64_t padding = (uint64_t)count * CODE_ALIGN / 2; /* on average */
    const bool lowers = !l->unaligned && !l->said->text[ROW_TEXT_FUNCTION_SIZES];
    if (lowers && sum_of(size, count) + padding > code)
        distribution_fit(size, count, 0, UINT32_MAX, code > padding ? code - padding : 0);
}

/* Sets before[k] to how many symbols the first k of `count` functions have, in the order of their sizes; the first
 * `small` are small ones. In a stripped library aliases are spread over numbered functions and then small ones, as in
 * plan_alias_function. Which of the numbered ones has which size is not known yet. */
static void count_symbols(const struct plan_library *l, const struct want *w, uint32_t count, uint32_t small,
                          uint32_t *before)
{
    const uint32_t aliases = l->stripped ? w->aliases : 0;
    const uint32_t numbered = count - small;
    const uint64_t of_numbered = ((uint64_t)numbered * aliases + count - 1) / count;
    for (uint32_t k = 0; k <= count; k++) {
        const uint64_t until = ((uint64_t)numbered + k) * aliases;
        before[k] = k + (k <= small ? (uint32_t)((until + count - 1) / count - of_numbered)
                                    : aliases - (uint32_t)(of_numbered * (count - k) / numbered));
    }
}

/* Changes ascending sizes so that, together with the `glue` sizes in `common`, they have the row's quantiles. False
 * when memory ran out. */
static bool keep_quantiles(const struct plan_library *l, const struct want *w, const uint32_t *common, uint32_t glue,
                           uint32_t *size, uint32_t count, uint32_t small)
{
    struct distribution_limits *limit = malloc((count + (size_t)1) * sizeof *limit);
    uint32_t *before = malloc((count + (size_t)1) * sizeof *before);
    const bool ok = limit && before;
    if (ok && count) {
        count_symbols(l, w, count, small, before);
        if (distribution_limit(l->said->text[ROW_TEXT_FUNCTION_SIZES], common, glue, before, 0, DISTRIBUTION_MOST,
                               limit, count))
            distribution_limit_values(size, limit, count);
    }
    free(limit);
    free(before);
    return ok;
}

static uint32_t count_zeros(const uint32_t *ascending, uint32_t count)
{
    uint32_t zeros = 0;
    while (zeros < count && !ascending[zeros])
        zeros++;
    return zeros;
}

/* As distribution_rest, but with as many functions without a size, which have no unwind entry, as `all` has: those that
 * `common` lacks are added, unless too large a part would be such. */
static bool rest_of_sizes(const uint32_t *all, uint32_t count, uint32_t *common, uint32_t glue, uint32_t *size)
{
    distribution_sort(common, glue);
    const uint32_t zeros = count_zeros(all, count);
    const uint32_t there = count_zeros(common, glue);
    enum { PART = 3 };
    if (zeros < there || count - zeros < glue - there || zeros - there > (count - glue) / PART)
        return distribution_rest(all, count, common, glue, size);
    memset(size, 0, (zeros - there) * sizeof *size);
    return distribution_rest(all + zeros, count - zeros, common + there, glue - there, size + zeros - there);
}

/* How many functions the row's sizes are of: those that are symbols. */
static uint64_t functions_said(const struct plan_library *l, const struct want *w)
{
    return l->stripped ? rows_value_or(l->said, ROW_DYNAMIC_FUNCTIONS, w->aliases) - w->aliases : w->functions;
}

/* How many small functions of a stripped library are to be no symbols, if its functions without a symbol are so many.
 */
static uint32_t nameless_of(const struct plan_library *l, const struct want *w)
{
    const uint64_t told = l->stripped ? rows_value_or(l->said, ROW_UNWIND_SMALL, 0) : 0;
    const uint64_t most =
        w->exported > 0 && (uint64_t)w->exported < w->functions ? w->functions - (uint64_t)w->exported : w->functions;
    return (uint32_t)(told < most ? told : most);
}

static void reverse(uint32_t *size, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t kept = size[i];
        size[i] = size[count - 1 - i];
        size[count - 1 - i] = kept;
    }
}

/* How many small functions have to be dynamic, because the row, which says how large functions are, has too few local
 * ones for them. `glue` functions are local in any case. A third of the dynamic functions stay numbered at least: where
 * fewer would, all are rather larger than the row says, because debug information says nothing of small ones. */
static uint32_t beyond_local(const struct plan_library *l, const struct want *w, uint32_t glue)
{
    const uint64_t dynamic = (uint64_t)w->exported;
    const uint64_t others = dynamic + glue + l->cold.packed;
    const uint64_t local = w->functions > others ? w->functions - others : 0;
    const uint64_t beyond = w->small > local ? w->small - local : 0;
    return l->said->text[ROW_TEXT_FUNCTION_SIZES] && beyond <= 2 * dynamic / 3 ? (uint32_t)beyond : 0;
}

/* With a symbol table, the first small functions are the dynamic ones: as many as there are resolvers or, if these are
 * more, as the row has too few local functions for. The smallest that have room for a resolver are placed ahead of
 * those that have none. */
static void place_ahead(const struct plan *plan, struct plan_library *l, const struct want *w, uint32_t glue)
{
    uint32_t first = 0;
    l->small.ahead = 0;
    if (l->stripped || w->exported <= 0)
        return;
    while (first < w->small && l->small.size[first] < plan_landing(l) + RESOLVER_CODE)
        first++;
    const uint32_t symbols = rows_ifunc_dynamic(plan, l);
    const uint32_t resolvers = symbols ? resolvers_without_aliases(symbols, (uint64_t)w->exported, w->aliases) : 0;
    l->small.ahead = rows_smaller(w->small - first, rows_larger(resolvers, beyond_local(l, w, glue)));
    reverse(l->small.size, first);
    reverse(l->small.size + first, l->small.ahead);
    reverse(l->small.size, first + l->small.ahead);
}

static bool cold_has_any_size(const struct plan_library *l)
{
    return l->debug.none || l->cold.told;
}

/* How many of ascending sizes have no room for a jump. */
static uint32_t count_short(const uint32_t *size, uint32_t count)
{
    uint32_t least = 0;
    while (least < count && size[least] < CODE_JUMP)
        least++;
    return least;
}

/* Whether debug information describes cold parts (describe_cold.c): in gcc's usual form, and if .debug_aranges has room
 * for code in more places than units. */
static bool tells_cold(const struct plan *plan, const struct plan_library *l)
{
    const struct profile *const p = plan->profile;
    const uint64_t units = rows_value_or(l->said, ROW_DWARF_UNITS, 0);
    const uint64_t places = rows_value_or(l->said, ROW_MIX_ARANGES, UINT64_MAX);
    const bool is_usual = p->dwarf.compiler == COMPILER_GCC && !p->dwarf.type_units && !l->debug.lines &&
                          l->debug.language != LANGUAGE_FORTRAN && p->dwarf.index != NAME_INDEX_GDB && !l->debug.split;
    return !l->debug.none && is_usual && (!units || places > units * DEBUG_ARANGES_UNIT);
}

/* How many of `count` functions with ascending sizes, of which the first `small` are to be small ones, are to be cold
 * parts. Each belongs to another, numbered function. Where debug information would not describe larger ones, only small
 * ones are. */
static uint32_t count_cold(const struct plan_library *l, const uint32_t *size, uint32_t count, uint32_t small)
{
    const uint64_t said = l->stripped ? 0 : rows_value_or(l->said, ROW_COLD, 0);
    const uint32_t most = cold_has_any_size(l) ? (count - count_short(size, count)) / 2
                                               : rows_smaller(small - count_short(size, small), count - small);
    return said < most ? (uint32_t)said : most;
}

/* Takes `cold` parts, with about as many bytes as the row says, out of the first `among` of ascending sizes. A captured
 * row that says nothing has empty ones. */
static void take_cold(const struct plan *plan, const struct plan_library *l, uint32_t *size, uint32_t count,
                      uint32_t among, uint32_t *part, uint32_t cold)
{
    const uint64_t usual = profile_is_captured(plan->profile) ? 0 : (uint64_t)cold * UNWIND_SMALL;
    const uint64_t bytes = rows_value_or(l->said, ROW_COLD_CODE, usual);
    const uint32_t least = count_short(size, count);
    uint32_t next = 0;
    lengths_take_near(size + least, among - least, bytes, cold, part);
    for (uint32_t i = least; i < count; i++)
        if (next < cold && size[i] == part[next])
            next++;
        else
            size[i - next] = size[i];
}

/* Puts cold parts behind the small functions that stand ahead. Their order is that of their functions, and so any order
 * of sizes. */
static void place_cold(struct plan_library *l, struct want *w, uint32_t *part)
{
    uint32_t *const at = l->small.size + l->small.ahead;
    random_shuffle(part, l->cold.packed, sizeof *part, plan_key(l, PURPOSE_COLD));
    memmove(at + l->cold.packed, at, (l->small.sizes - l->small.ahead) * sizeof *at);
    memcpy(at, part, l->cold.packed * sizeof *at);
    l->cold.first = l->small.ahead;
    l->small.sizes += l->cold.packed;
    w->small += l->cold.packed;
}

bool rows_find_small(const struct plan *plan, struct plan_library *l, struct want *w)
{
    uint32_t common[GLUE_COUNT + SIZELESS];
    l->extra.start.initialising = rows_initialising(l);
    uint32_t glue = common_sizes(plan, l, common);
    const uint64_t said = functions_said(l, w);
    if (said <= glue) { /* the glue will have fewer functions */
        struct plan_library bare = *l;
        bare.level = LEVEL_BARE;
        glue = common_sizes(plan, &bare, common);
    }
    w->nameless = nameless_of(l, w);
    /* a captured library that was cut down has dynamic symbols, which are in text, that .symtab has no room for */
    const bool dynamic = l->stripped || profile_is_captured(plan->profile);
    const uint64_t table = dynamic ? rows_value_or(l->said, ROW_TEXT, 0) : 0;
    const uint64_t symtab = rows_value_or(l->said, ROW_SYMTAB, 0);
    const uint64_t most = (table > symtab ? table : symtab) / sizeof(Elf64_Sym);
    if (l->said->value[ROW_TEXT] == PROFILE_DERIVED || said <= glue || said > most || said > PROFILE_FUNCTIONS_MOST)
        return true;
    const uint32_t count = (uint32_t)said;
    uint32_t *all = malloc(count * sizeof *all);
    uint32_t *size = malloc(count * sizeof *size);
    uint32_t *part = malloc(count * sizeof *part);
    l->small.size = malloc(2 * ((size_t)count + GIVEN_UP) * sizeof *l->small.size);
    bool ok = all && size && part && l->small.size;
    if (ok && sizes_said(plan, l, count, all)) {
        scale_down(l, all, count);
        ok = rest_of_sizes(all, count, common, glue, size);
        if (ok)
            lower_sizes(l, size, count - glue);
        uint32_t others = count - glue;
        ok = ok && count_small(plan, l, w, size, others, &w->small);
        w->small = rows_smaller(w->small, small_at_most(l, others));
        ok = ok && keep_quantiles(l, w, common, glue, size, others, w->small);
        l->cold.told = tells_cold(plan, l);
        l->cold.packed = ok ? count_cold(l, size, others, w->small) : 0;
        if (l->cold.packed) {
            take_cold(plan, l, size, others, cold_has_any_size(l) ? others : w->small, part, l->cold.packed);
            others -= l->cold.packed;
            if (cold_has_any_size(l))
                ok = count_small(plan, l, w, size, others, &w->small);
            else
                w->small -= l->cold.packed;
            w->small = rows_smaller(w->small, small_at_most(l, others));
        }
        /* sizes of all libraries include functions without one, which are in symbol tables that a stripped library does
         * not have */
        const uint32_t least = l->stripped && !l->said->text[ROW_TEXT_FUNCTION_SIZES];
        for (uint32_t i = 0; ok && i < others; i++)
            l->small.size[l->small.sizes++] = rows_larger(least, rows_smaller(size[i], small_most(l)));
        if (ok)
            place_ahead(plan, l, w, glue);
        if (ok)
            place_cold(l, w, part);
        /* where helpers or `visited` are given up, there are as many more small ones, behind all that are wanted */
        for (unsigned i = 0; ok && count > glue && i < GIVEN_UP; i++, l->small.sizes++)
            l->small.size[l->small.sizes] = l->small.size[l->small.sizes - 1];
        memcpy(l->small.size + l->small.sizes, l->small.size, l->small.sizes * sizeof *l->small.size);
    }
    free(all);
    free(size);
    free(part);
    return ok;
}

uint32_t rows_small_dynamic(const struct plan_library *l, const struct want *w)
{
    const uint32_t wanted = l->stripped ? w->small : l->small.ahead;
    if (!wanted || w->exported <= 0)
        return 0;
    const uint64_t least = rows_least_exported(l, w);
    const uint64_t most = (uint64_t)w->exported > least ? (uint64_t)w->exported - least : 0;
    return wanted < most ? wanted : (uint32_t)most;
}

/* Sets how many small functions there are, and what these are together. */
static void set_small(struct plan_library *l, uint32_t small)
{
    for (; l->small.count < small; l->small.count++) {
        l->small.framed += l->small.size[l->small.count] != 0;
        l->small.places += plan_place_of(l, l->small.count, l->small.size[l->small.count]);
    }
    for (; l->small.count > small; l->small.count--) {
        l->small.framed -= l->small.size[l->small.count - 1] != 0;
        l->small.places -= plan_place_of(l, l->small.count - 1, l->small.size[l->small.count - 1]);
    }
}

void rows_shorten_small(struct plan_library *l, uint32_t most, uint32_t coded)
{
    const uint32_t *wanted = l->small.size + l->small.sizes;
    const uint32_t small = l->small.count;
    const uint32_t others = l->small.sizes - l->cold.packed;
    const uint32_t less = (uint32_t)((uint64_t)others * (ROWS_SMALL_WHOLE - coded) / ROWS_SMALL_WHOLE);
    set_small(l, 0);
    for (uint32_t i = 0; i < l->small.sizes; i++) {
        /* the smallest have no code; they stand behind those ahead and cold parts */
        const bool is_ahead = i < l->small.ahead + l->cold.packed;
        const bool has_code = is_ahead ? less + l->small.ahead <= others : i - l->small.ahead - l->cold.packed >= less;
        l->small.size[i] = !has_code ? 0 : rows_smaller(wanted[i], most);
    }
    set_small(l, small);
}

bool rows_set_small(struct plan_library *l, const struct want *w, uint32_t most)
{
    const uint32_t had = l->small.exported;
    const uint64_t missing = w->exported > l->exported ? (uint64_t)w->exported - l->exported : 0;
    most = rows_smaller(most, l->small.sizes);
    set_small(l, l->stripped && most > missing ? (uint32_t)missing : most);
    l->small.exported = l->small.count < missing ? l->small.count : (uint32_t)missing;
    if (l->names.ends) { /* names are ends of others only as long as there are as many of them */
        l->names.exported = names_row_bytes(l, 0, l->exported);
        l->names.functions = names_row_bytes(l, 0, l->functions);
    }
    return l->small.exported != had;
}

uint32_t rows_small_glue(const struct plan *plan, const struct plan_library *l)
{
    const struct shape shape = shape_of(plan, l);
    const struct glue glue = glue_size(&(struct code){.plan = plan, .library = l}, &shape);
    return glue_small_entries(l, &shape, &glue);
}

uint32_t rows_nameless(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint32_t others = w->nameless ? rows_small_glue(plan, l) : 0;
    return w->nameless > others ? w->nameless - others : 0;
}
