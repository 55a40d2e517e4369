/* Sizes of an executable that has code of its own (--bigexe).
 *
 * The bytes of --bigexe come on top of the five sizes that the executable has without them. They are divided among the
 * five sizes in the proportions that all libraries have, exact in the sum. The number of functions follows the same
 * proportion, but is lowered where a size would be short. Nobody calls the first functions of their chains.
 *
 * Where the executable consists of parts, it and each part get the same share of the bytes, and the remainder is the
 * executable's own. What the parts take when they are put together is settled in inside.c.
 */
#include <string.h>

#include "emit/library/library.h"
#include "emit/library/library_start.h"
#include "emit/solve/solve.h"

enum { SYMBOL = sizeof(Elf64_Sym) };

/* Limits that leave room for what every executable has besides. */
#define LOADED_MOST   ((UINT64_C(1) << 31) - (UINT64_C(1) << 27))
#define UNLOADED_MOST ((UINT64_C(1) << 32) - (UINT64_C(1) << 27))

/* Sums each of the five sizes over all libraries; *all is the sum of these. */
static void sum_sizes(const struct plan *plan, uint64_t sum[FIVE_SIZES], uint64_t *all)
{
    *all = 0;
    memset(sum, 0, FIVE_SIZES * sizeof *sum);
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++) {
        for (uint32_t i = 0; i < plan_counted(plan); i++)
            sum[kind] += plan->library[i].size[kind];
        *all += sum[kind];
    }
}

/* Divides `big` bytes in the proportions of `sum`. Symtab gets whole symbols; text takes the rest. */
static void divide_big(uint64_t big, const uint64_t sum[FIVE_SIZES], uint64_t all, uint64_t share[FIVE_SIZES])
{
    uint64_t rest = big;
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++) {
        share[kind] = (uint64_t)((unsigned __int128)big * sum[kind] / all);
        if (kind == SIZE_SYMTAB)
            share[kind] -= share[kind] % SYMBOL;
        rest -= share[kind];
    }
    share[SIZE_TEXT] += rest;
}

static void set_functions(const struct plan *plan, struct plan_library *l, uint32_t functions)
{
    struct names_tally tally = {0};
    l->functions = functions;
    l->calls.chains = (functions + plan->depth - 1) / plan->depth;
    l->calls.covered = 0;
    l->locals = plan->stripped ? 0 : 1;
    l->names.locals = 0;
    names_count(&plan->names, l, &tally);
    l->names.functions = names_total(&tally, plan->names.letters);
}

/* Whether so many functions fit into the sizes that `l` has. If so, its static objects take what is left of symbols and
 * names. */
static bool fits(struct solver *s, uint32_t index, uint32_t functions)
{
    const struct plan *plan = s->plan;
    struct plan_library *l = &plan->library[index];
    set_functions(plan, l, functions);
    solve_base(s, index);
    const uint64_t *base = s->base[index].size;
    if (!plan->stripped) {
        if (l->size[SIZE_SYMTAB] < base[SIZE_SYMTAB] ||
            (l->size[SIZE_SYMTAB] - base[SIZE_SYMTAB]) / SYMBOL > UINT32_MAX / 2)
            return false;
        l->locals += (uint32_t)((l->size[SIZE_SYMTAB] - base[SIZE_SYMTAB]) / SYMBOL);
        solve_base(s, index);
    }
    for (unsigned kind = SIZE_DATA; kind < FIVE_SIZES; kind++)
        if (l->size[kind] < base[kind])
            return false;
    l->names.locals = plan->stripped ? 0 : l->size[SIZE_STRTAB] - base[SIZE_STRTAB];
    if (l->locals && (l->names.locals + l->locals - 1) / l->locals > PROFILE_NAME_MOST)
        return false;
    l->size[SIZE_BSS] = base[SIZE_BSS];
    uint64_t code = library_code_least(plan, l, &s->arenas[0]);
    return code && l->size[SIZE_TEXT] >= base[SIZE_TEXT] + code;
}

/* Gives library `index` `big` bytes beyond the sizes `without`, and the most functions for which there is room, up to
 * the number in proportion to the set's. False where there is room for none. */
static bool attempt(struct solver *s, uint32_t index, const uint64_t without[FIVE_SIZES], uint64_t big)
{
    const struct plan *plan = s->plan;
    struct plan_library *l = &plan->library[index];
    uint64_t sum[FIVE_SIZES];
    uint64_t share[FIVE_SIZES];
    uint64_t all;
    sum_sizes(plan, sum, &all);
    divide_big(big, sum, all, share);
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        l->size[kind] = without[kind] + share[kind];
    const unsigned __int128 suggested = (unsigned __int128)plan->functions * big / all;
    uint32_t functions = suggested < PROFILE_FUNCTIONS_MOST ? (uint32_t)suggested : PROFILE_FUNCTIONS_MOST;
    for (; functions; functions -= 1 + functions / 24)
        if (fits(s, index, functions))
            return true;
    return false;
}

/* Gives one executable, or part of an executable, `big` bytes of its own. */
static bool solve_one(struct solver *s, uint32_t index, uint64_t big, struct error *e)
{
    uint64_t without[FIVE_SIZES] = {0};
    if (plan_is_executable(&s->plan->library[index]))
        memcpy(without, s->plan->library[index].size, sizeof without);
    if (attempt(s, index, without, big))
        return true;
    uint64_t more = big;
    while (more < EXECUTABLE_WHOLE && !attempt(s, index, without, more))
        more *= 2;
    if (more >= EXECUTABLE_WHOLE)
        return error_set(e, ERROR_INFEASIBLE,
                         "--bigexe: no executable has code of this profile's proportions; leave it out");
    return error_set(e, ERROR_INFEASIBLE,
                     "--bigexe: %llu bytes are too few for code like that of the libraries; %llu B would do",
                     (unsigned long long)big, (unsigned long long)more);
}

/* Refuses what no number of parts makes possible: addresses beyond 2 GiB, offsets beyond 4 GiB in debug information or
 * names. */
static bool check_most(uint64_t big, const uint64_t share[FIVE_SIZES], struct error *e)
{
    const unsigned __int128 most[] = {
        (unsigned __int128)LOADED_MOST * big / (share[SIZE_TEXT] + share[SIZE_DATA] + 1),
        (unsigned __int128)UNLOADED_MOST * big / (share[SIZE_DEBUG] + 1),
        (unsigned __int128)UNLOADED_MOST * big / (share[SIZE_SYMTAB] + 1),
        (unsigned __int128)UNLOADED_MOST * big / (share[SIZE_STRTAB] + 1),
    };
    for (unsigned i = 0; i < sizeof most / sizeof most[0]; i++)
        if (big > most[i])
            return error_set(e, ERROR_INFEASIBLE,
                             "--bigexe: %llu bytes are too many: an executable may load 2 GiB, and have 4 GiB of debug "
                             "information; give %llu B or less",
                             (unsigned long long)big, (unsigned long long)most[i]);
    return true;
}

bool solve_executables(struct solver *s, struct error *e)
{
    struct plan *plan = s->plan;
    const uint64_t big = plan->executables.big;
    const uint64_t part = big / (plan->inside + UINT64_C(1));
    uint64_t sum[FIVE_SIZES];
    uint64_t share[FIVE_SIZES] = {0};
    uint64_t all;
    sum_sizes(plan, sum, &all);
    divide_big(big, sum, all, share);
    if (plan->executables.link)
        memcpy(plan->link, plan->library[plan_executable(plan)].size, sizeof plan->link);
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        plan->link[kind] += share[kind];
    if (big && !check_most(big, share, e))
        return false;
    for (uint32_t i = plan_executable(plan); big && i < plan->library_count; i++) {
        const bool inside = plan->library[i].kind == LIBRARY_INSIDE;
        if (!solve_one(s, i, inside ? part : big - part * plan->inside, e))
            return false;
    }
    if (plan->executables.link)
        plan->link[SIZE_BSS] = plan->library[plan_executable(plan)].size[SIZE_BSS];
    return true;
}
