/* Counts: how many functions each library has and who calls whom. The sizes are
 * solved in solve.c, which calls plan_count for each number of functions it
 * considers. */
#include "emit/plan/plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/plan/calls.h"
#include "emit/plan/plan_count.h"
#include "emit/profile/plain.h"

uint32_t plan_covered_functions(const struct plan *plan, const struct plan_library *l)
{
    if (!l->calls.chains)
        return 0;
    uint32_t functions = l->calls.covered * plan->depth;
    uint32_t last = l->calls.chains - 1;
    if (plan_chain_covered(plan, last))
        functions -= plan->depth - plan_chain_length(plan, l, last);
    return functions;
}

/* How many small functions debug information can describe (describe_small.c). Of several units there are some for them.
 * A single one has them behind its other functions, unless it has cold parts or too many lines for numbers of two
 * bytes. Very small tables of abbreviations have none for them, but for lines alone. */
static uint32_t small_described(const struct plan_library *l)
{
    enum { ABBREV_LEAST = 700, CODE_MOST = 256 << 10, SMALL_MOST = 4000 /* the last two: of a single unit */ };
    const int64_t abbrev = l->said ? l->said->value[ROW_MIX_ABBREV] : PROFILE_DERIVED;
    const bool is_brief = abbrev != PROFILE_DERIVED && abbrev < ABBREV_LEAST;
    const bool fits =
        !(l->cold.told && l->cold.count) && l->size[SIZE_TEXT] <= CODE_MOST && l->small.count <= SMALL_MOST;
    const bool has_room = l->debug.units > 1 || (l->debug.units && fits);
    if (!l->said || !l->functions || !has_room || plan_is_direct(l) || (is_brief && !l->debug.lines))
        return 0;
    return l->small.count > l->cold.packed ? l->small.count - l->cold.packed : 0;
}

/* `code` of `all` parts of a number. */
static uint64_t part_of(uint64_t number, int64_t code, int64_t all)
{
    return (uint64_t)((unsigned __int128)number * (uint64_t)code / (uint64_t)all);
}

/* Code that is described in part. */
struct small_part {
    uint64_t numbered, small; /* bytes of numbered functions, and of small ones, */
    uint32_t small_all;       /* how many these are, */
    uint32_t small_most;      /* and how many can be described at most */
};

/* How many small functions are described, so that as many functions and as many bytes of code are as the row says: with
 * sizes as they are on average, `numbered / l->functions` and `small / small_all`. */
static uint32_t small_of_part(const struct plan_library *l, const struct small_part *p)
{
    const __int128 functions = l->said->value[ROW_DWARF_FUNCTIONS];
    const __int128 code = l->said->value[ROW_DWARF_CODE];
    const __int128 of_numbered = (__int128)p->numbered * p->small_all; /* the two averages, times what is the same */
    const __int128 of_small = (__int128)p->small * l->functions;
    if (of_numbered <= of_small)
        return functions < p->small_most ? (uint32_t)functions : p->small_most;
    const __int128 numbered = (code * l->functions * p->small_all - functions * of_small) / (of_numbered - of_small);
    const __int128 less = numbered < 0 ? 0 : numbered < l->functions ? numbered : l->functions;
    const __int128 small = functions - less;
    return small < 0 ? 0 : small < p->small_most ? (uint32_t)small : p->small_most;
}

struct plan_described plan_described(const struct plan *plan, const struct plan_library *l)
{
    enum { APART = 4 };
    const int64_t code = l->said ? l->said->value[ROW_DWARF_CODE] : PROFILE_DERIVED;
    const int64_t all = l->said ? l->said->value[ROW_SHARE_CODE] : PROFILE_DERIVED;
    const int64_t said = l->said ? l->said->value[ROW_DWARF_FUNCTIONS] : PROFILE_DERIVED;
    const uint32_t small_most = small_described(l);
    if (!profile_describes_part(code, all) || !l->functions)
        return (struct plan_described){l->functions, l->functions, 0, small_most};
    const uint64_t cold = l->cold.told ? plan_cold_bytes(l, l->functions) : 0;
    const uint64_t small = plan_small_bytes(l) - cold;
    const uint32_t small_all = l->small.count > l->cold.packed ? l->small.count - l->cold.packed : 1;
    const uint64_t numbered = (uint64_t)all > small ? (uint64_t)all - small : 1;
    const struct small_part told = {numbered, small, small_all, small_most};
    const uint64_t small_code =
        said > 0 ? small * small_of_part(l, &told) / small_all : part_of(small * small_most / small_all, code, all);
    const uint64_t others = cold + small_code;
    const uint64_t left = (uint64_t)code > others - cold ? (uint64_t)code - (others - cold) : 0;
    const unsigned __int128 share = (unsigned __int128)left * l->functions / numbered;
    const uint64_t functions = share < l->functions ? (uint64_t)share : l->functions;
    const uint64_t least = functions - functions / APART;
    const uint64_t few = functions < plan->depth ? functions : plan->depth; /* of few the sizes differ more */
    const uint64_t most = functions + functions / APART + few + 1;
    return (struct plan_described){
        .least = least ? (uint32_t)least : 1,
        .most = most < l->functions ? (uint32_t)most : l->functions,
        .code = (uint64_t)code > others ? (uint64_t)code - others : 0,
        .small = said > 0 ? small_most : (uint32_t)part_of(small_most, code, all),
    };
}

uint64_t plan_own_functions(const struct plan *plan, const struct plan_library *l)
{
    uint64_t functions = l->functions;
    for (uint32_t i = plan_inside(plan); i < plan->library_count; i++)
        functions += plan->library[i].functions;
    return functions;
}

uint32_t plan_visited_functions(const struct plan *plan, const struct plan_library *l)
{
    if (l->said)
        return l->calls.visited;
    if (l->kind == LIBRARY_UTILITY && !plan->assignment.calls[1])
        return 0;
    return plan_covered_functions(plan, l);
}

static uint32_t extern_chain(const struct plan *plan)
{
    int64_t chain = plan->profile->calls.cross_module_chain;
    return chain > 0 && chain < plan->modules ? (uint32_t)chain : plan->modules;
}

bool plan_has_extern(const struct plan *plan, const struct plan_library *l)
{
    return l->kind == LIBRARY_MODULE && plan->profile->calls.cross_module && !l->said;
}

int64_t plan_extern_called(const struct plan *plan, const struct plan_library *l)
{
    if (!plan_has_extern(plan, l) || l->number % extern_chain(plan) == 0)
        return -1;
    return (int64_t)l->number - 1;
}

bool plan_calls_own_extern(const struct plan *plan, const struct plan_library *l)
{
    if (!plan_has_extern(plan, l))
        return false;
    return l->number + 1 == plan->modules || (l->number + 1) % extern_chain(plan) == 0;
}

/* --- counting ------------------------------------------------------------------ */

static void count_functions(const struct plan *plan, struct plan_library *l, uint64_t average)
{
    uint64_t least = (average + 1) / 2;
    uint64_t most = average + average / 2;
    l->functions = (uint32_t)(least + random_below(plan_key(l, PURPOSE_COUNT), most - least + 1));
    l->calls.chains = (l->functions + plan->depth - 1) / plan->depth;
    l->calls.covered = plan_covered_before(plan, l->calls.chains);
    l->extra.unwound.tabled = plan_tabled(plan->profile, l->functions);
    l->extra.unwound.exceptions = PLAN_TABLE * l->extra.unwound.tabled;
}

/* Lays all calls out in one sequence and all chains in another, library by library: sets plan_library.first and the
 * sums in `assignment`. */
static void lay_rows(struct plan *plan)
{
    struct assignment *a = &plan->assignment;
    uint64_t per = a->per_function;
    memset(a->calls, 0, sizeof a->calls);
    memset(a->chains, 0, sizeof a->chains);
    for (uint32_t i = 0; i < plan->modules + plan->utilities; i++) {
        struct plan_library *l = &plan->library[i];
        uint64_t *row = l->kind == LIBRARY_MODULE ? a->calls : a->chains;
        l->calls.first[0] = row[0];
        l->calls.first[1] = row[1];
        if (l->kind == LIBRARY_MODULE) {
            uint64_t covered = plan_covered_functions(plan, l);
            row[1] += covered * per;
            row[0] += (l->functions - covered) * per;
        } else {
            row[1] += l->calls.covered;
            row[0] += l->calls.chains - l->calls.covered;
        }
    }
}

/* Chooses how many calls each function makes: as many as the profile says, or a multiple where these would not reach
 * every chain. */
static bool choose_calls(struct plan *plan, struct error *e)
{
    struct assignment *a = &plan->assignment;
    a->per_function = (uint32_t)plan->profile->calls.utility;
    if (!plan->utilities)
        a->per_function = 0;
    lay_rows(plan);
    if (!a->per_function)
        return true;
    uint64_t factor = 1;
    for (unsigned class = 0; class < 2; class ++)
        if (a->calls[class] && a->chains[class] > a->calls[class] * factor)
            factor = (a->chains[class] + a->calls[class] - 1) / a->calls[class];
    if (factor * a->per_function > PLAN_CALLS_MOST)
        return error_set(e, ERROR_INFEASIBLE,
                         "the functions of %u modules cannot call all those of %u utilities; use more modules, fewer "
                         "utilities, or fewer utility-functions",
                         plan->modules, plan->utilities);
    a->per_function *= (uint32_t)factor;
    lay_rows(plan);
    return true;
}

/* The most utilities that any module calls, with these layers. */
static uint32_t widest(const struct plan *plan, uint32_t layers, uint32_t *seen)
{
    struct plan trial = *plan;
    trial.assignment.layers = layers;
    uint32_t most = 0;
    for (uint32_t i = 0; i < plan->modules; i++) {
        uint32_t utilities = calls_count(&trial, &plan->library[i], seen, NULL).utilities;
        most = utilities > most ? utilities : most;
    }
    return most;
}

static void choose_layers(struct plan *plan, uint32_t limit, uint32_t *seen)
{
    struct assignment *a = &plan->assignment;
    if (a->random) {
        a->layers = 1;
        return;
    }
    if (limit >= plan->utilities) {
        a->layers = plan->utilities ? plan->utilities : 1;
        return;
    }
    /* a layer of a module's calls meets nearly two utilities: begin with as many
     * as are likely to fit */
    a->layers = limit * 4 / 7 + 1 < limit ? limit * 4 / 7 + 1 : limit;
    for (;;) {
        uint32_t most = widest(plan, a->layers, seen);
        if (most <= limit || a->layers == 1)
            return;
        uint32_t next = (uint32_t)((uint64_t)a->layers * limit / most);
        a->layers = next < a->layers ? (next ? next : 1) : a->layers - 1;
    }
}

bool plan_count(struct plan *plan, uint64_t average, uint64_t utility_average, uint32_t neighbours, uint32_t *seen,
                struct error *e)
{
    for (uint32_t i = 0; i < plan->modules + plan->utilities; i++) {
        struct plan_library *l = &plan->library[i];
        count_functions(plan, l, l->kind == LIBRARY_MODULE ? average : utility_average);
    }
    if (!choose_calls(plan, e))
        return false;
    plan->assignment.repeat = (uint32_t)plan->profile->calls.repeat;
    plan->assignment.random = plan->profile->calls.random;
    plan->assignment.jitter = random_mix(plan->seed ^ UINT64_C(0x6a6974746572));
    choose_layers(plan, neighbours, seen);
    plan->functions = 0;
    for (uint32_t i = 0; i < plan->modules + plan->utilities; i++)
        plan->functions += plan->library[i].functions;
    return true;
}

bool plan_count_names(struct plan *plan, uint32_t *seen, struct arena *arena, struct names_tally *own,
                      struct names_tally *imported)
{
    *own = *imported = (struct names_tally){0};
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        struct names_tally tally = {0};
        names_count(&plan->names, l, &tally);
        l->names.functions = names_total(&tally, plan->names.letters);
        names_add(own, &tally);
    }
    const bool all = plan->profile->calls.need_all;
    for (uint32_t i = 0; i < plan->modules; i++) {
        struct plan_library *l = &plan->library[i];
        struct names_tally tally = {0};
        struct calls_count count;
        if (!plan->assignment.random)
            count = calls_count(plan, l, seen, &tally);
        else if (!calls_count_random(plan, l, arena, &tally, &count))
            return false;
        l->imports = count.imports;
        l->names.imports = names_total(&tally, plan->names.letters);
        names_add(imported, &tally);
        l->needs.utilities = all ? plan->utilities : count.utilities;
        l->needs.digits = (uint32_t)(all ? names_digits_sum(0, plan->utilities) : count.needed_digits);
    }
    return true;
}

void plan_lengthen_names(struct plan *plan)
{
    const struct names *n = &plan->names;
    assert(n->style == STYLE_PYNAMIC);
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        struct plan_library *l = &plan->library[i];
        l->names.functions = names_lengthened(n, l->functions, l->names.functions);
        l->names.imports = names_lengthened(n, l->imports, l->names.imports);
    }
}

/* --- making ---------------------------------------------------------------------- */

static void name_library(struct plan *plan, struct plan_library *l, enum library_kind kind, uint32_t number)
{
    *l = (struct plan_library){.kind = kind, .number = number, .elf = plan->profile->elf, .runpath = true};
    l->stripped = plan->stripped;
    l->debug.version = (uint8_t)plan->profile->dwarf.version;
    l->debug.language = (uint8_t)plan->profile->dwarf.language;
    l->debug.none = plan->without_debug;
    l->debug.split = plan->profile->dwarf.split && !plan->without_debug;
    l->debug.separate = plan->profile->dwarf.separate;
    l->extra.undefined.clones = kind == LIBRARY_INSIDE ? 0 : PLAN_CLONES; /* only files have them */
    l->key = random_at(random_mix(plan->seed), (uint64_t)kind << 32 | number);
    switch (kind) {
    case LIBRARY_MODULE:
        snprintf(l->name, sizeof l->name, "libmodule%u", number);
        break;
    case LIBRARY_UTILITY:
        snprintf(l->name, sizeof l->name, "libutility%u", number);
        break;
    case LIBRARY_BEGIN:
        strcpy(l->name, "libmodulebegin");
        break;
    case LIBRARY_FINAL:
        strcpy(l->name, "libmodulefinal");
        break;
    case LIBRARY_INSIDE:
        snprintf(l->name, sizeof l->name, "pyelf%u", number);
        break;
    case LIBRARY_LINK:
    case LIBRARY_STATIC:
        strcpy(l->name, "pyelf");
        break;
    }
}

/* The key of an executable depends on options, too, which the profile does not have. */
static void name_executable(struct plan *plan, struct plan_library *l, enum library_kind kind)
{
    const struct plan_executables *x = &plan->executables;
    name_library(plan, l, kind, 0);
    l->key = random_mix(l->key ^ x->big);
    for (const char *c = x->libpython; *c; c++)
        l->key = random_mix(l->key ^ (unsigned char)*c);
    if (kind == LIBRARY_STATIC)
        return;
    l->needs.utilities = plan->utilities;
    l->needs.digits = (uint32_t)names_digits_sum(0, plan->utilities);
}

bool plan_name_libraries(struct plan *plan, struct error *e)
{
    const struct plan_executables *x = &plan->executables;
    const uint64_t big = x->big < EXECUTABLE_MOST ? x->big : EXECUTABLE_MOST; /* more is refused later */
    if (big > EXECUTABLE_WHOLE)
        plan->inside = (uint32_t)(big / EXECUTABLE_PART);
    plan->library_count = plan_executable(plan) + (x->link ? 1 : 0) + (x->joined ? 1 : 0) + plan->inside;
    plan->library = calloc(plan->library_count, sizeof *plan->library);
    if (!plan->library)
        return error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan->library_count);
    for (uint32_t i = 0; i < plan->modules; i++)
        name_library(plan, &plan->library[i], LIBRARY_MODULE, i);
    for (uint32_t i = 0; i < plan->utilities; i++)
        name_library(plan, &plan->library[plan_utility(plan, i)], LIBRARY_UTILITY, i);
    name_library(plan, &plan->library[plan_counted(plan)], LIBRARY_BEGIN, 0);
    name_library(plan, &plan->library[plan_counted(plan) + 1], LIBRARY_FINAL, 0);
    if (x->link)
        name_executable(plan, &plan->library[plan_executable(plan)], LIBRARY_LINK);
    if (x->joined)
        name_executable(plan, &plan->library[plan_static(plan)], LIBRARY_STATIC);
    for (uint32_t i = 0; i < plan->inside; i++)
        name_library(plan, &plan->library[plan_inside(plan) + i], LIBRARY_INSIDE, i + 1);
    return true;
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (uint32_t i = 0; plan->library && i < plan->library_count; i++) {
        free(plan->library[i].outside_choice);
        free(plan->library[i].names.class_letters);
        free(plan->library[i].names.function_length);
        free(plan->library[i].names.object_length);
        free(plan->library[i].small.size);
        free(plan->library[i].cold.host);
        free(plan->library[i].names.other_length);
        free(plan->library[i].names.end);
    }
    free(plan->library);
    free(plan->edge);
    free(plan->mix);
    free(plan->taste);
    free(plan->guides);
    free(plan->function_sizes);
    plan->function_sizes = NULL;
    plan->edge = NULL;
    plan->library = NULL;
    plan->mix = NULL;
    plan->guides = NULL;
}

const char *plan_advice(const struct plan *plan, const struct plan_library *l, const char *by_hand,
                        char text[PLAN_ADVICE])
{
    if (!l->said || !profile_is_captured(plan->profile))
        return by_hand;
    snprintf(text, PLAN_ADVICE,
             "capture the application again with --without FILE: 'pyelfprof --list' says which FILE %s.so stands for",
             l->name);
    return text;
}
