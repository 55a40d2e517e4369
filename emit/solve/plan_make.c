/* See plan_make.h. Where the profile does not say how many functions there are, a first number is estimated from the
 * symbol table and then lowered until no size is short (solve.c). */
#include "emit/solve/plan_make.h"

#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "base/workers.h"
#include "emit/plan/digest.h"
#include "emit/plan/evaluate.h"
#include "emit/solve/rows.h"
#include "emit/solve/solve.h"

enum { LOCALS_SHARE = 12 /* one symbol in this many is a static object */ };

/* --- choosing the number of functions -------------------------------------------------- */

/* What the symbol table suggests: all but one in LOCALS_SHARE of its symbols are
 * functions and imports. */
static uint64_t suggest_functions(const struct plan *plan)
{
    const struct profile *p = plan->profile;
    uint64_t libraries = plan_counted(plan);
    double symbols = (double)p->sections[SIZE_SYMTAB] / sizeof(Elf64_Sym);
    if (plan->stripped) /* one function for each 400 bytes of text, say */
        symbols = (double)p->sections[SIZE_TEXT] / 400;
    double fixed = 31.0 * (double)libraries;
    double imports = 0; /* for each function of the average library, over all libraries */
    if (plan->utilities && p->calls.utility) {
        double calls = (double)plan->modules * (double)p->calls.utility;
        imports = calls < plan->utilities ? calls : plan->utilities + (calls - plan->utilities) / 8;
    }
    double functions = (symbols - fixed) * (LOCALS_SHARE - 1) / LOCALS_SHARE / ((double)libraries + imports);
    return functions < 1 ? 1 : functions > PROFILE_FUNCTIONS_MOST ? PROFILE_FUNCTIONS_MOST : (uint64_t)functions;
}

/* Keeps the last refusal or, of two for the same wanted size, the one that asks for less. */
static void keep_milder(struct error *kept, const struct error *e)
{
    bool same = kept->code != ERROR_NONE && e->possible && e->wanted == kept->wanted;
    if (!same || e->possible < kept->possible)
        *kept = *e;
}

/* Tries ever narrower neighbourhoods, which leave more room in data and text. */
static bool search_given(struct solver *s, uint32_t limit, bool fixed_limit, struct error *e)
{
    const struct profile *p = s->plan->profile;
    uint64_t utility = (uint64_t)(p->utility_functions > 0 ? p->utility_functions : p->functions);
    struct error kept = {0};
    for (;; limit /= 2) {
        if (solve_attempt(s, (uint64_t)p->functions, utility, limit, e))
            return true;
        if (e->code != ERROR_INFEASIBLE)
            return false;
        keep_milder(&kept, e);
        if (fixed_limit || limit == 1 || s->is_beyond) {
            *e = kept;
            return false;
        }
    }
}

/* As search_given, for fewer and fewer functions. A narrower neighbourhood is tried before more than a tenth of the
 * functions is given up. */
static bool search_derived(struct solver *s, uint32_t limit, bool fixed_limit, struct error *e)
{
    const struct profile *p = s->plan->profile;
    const uint64_t first = suggest_functions(s->plan);
    struct error kept = {0};
    for (uint64_t average = first;;) {
        uint64_t utility = p->utility_functions > 0 ? (uint64_t)p->utility_functions : average;
        if (solve_attempt(s, average, utility, limit, e))
            return true;
        if (e->code != ERROR_INFEASIBLE)
            return false;
        keep_milder(&kept, e);
        bool narrower = !fixed_limit && limit > 1 && !s->is_beyond;
        if (average == 1 && !narrower) {
            *e = kept;
            return false;
        }
        if (narrower && (average == 1 || average < first * 9 / 10)) {
            limit /= 2;
            average = first;
        } else {
            uint64_t step = average / 24;
            average -= step ? step : 1;
        }
    }
}

static bool search(struct solver *s, struct error *e)
{
    const struct profile *p = s->plan->profile;
    uint32_t limit = PLAN_NEIGHBOURS;
    bool fixed_limit = p->calls.utilities_per_module > 0 || p->calls.random;
    if (p->calls.utilities_per_module > 0)
        limit = p->calls.utilities_per_module < UINT32_MAX ? (uint32_t)p->calls.utilities_per_module : UINT32_MAX;
    return (p->functions > 0 ? search_given : search_derived)(s, limit, fixed_limit, e);
}

/* --- making ---------------------------------------------------------------------------- */

bool plan_digest(const struct profile *profile, uint64_t of_profile[2], uint64_t digest[2], struct error *e)
{
    struct profile bare = *profile;
    char *text = NULL;
    size_t size = 0;
    memset(&bare.settled, 0, sizeof bare.settled);
    if (!profile_text(&bare, &text, &size, e))
        return false;
    XXH128_hash_t of_text = XXH3_128bits(text, size);
    XXH128_hash_t version = XXH3_128bits(PYELFGEN_VERSION, strlen(PYELFGEN_VERSION));
    free(text);
    of_profile[0] = of_text.high64;
    of_profile[1] = of_text.low64;
    digest[0] = of_text.high64 ^ random_mix(version.high64);
    digest[1] = of_text.low64 ^ random_mix(version.low64);
    return true;
}

static void sum_sizes(struct plan *plan)
{
    memset(plan->total, 0, sizeof plan->total);
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
            plan->total[kind] += plan->library[i].size[kind];
}

static bool solve(struct solver *s, struct error *e)
{
    const struct plan *plan = s->plan;
    s->base = calloc(plan->library_count, sizeof *s->base);
    s->code = calloc(plan->library_count, sizeof *s->code);
    s->share = calloc(plan->library_count, sizeof *s->share);
    s->seen = calloc((size_t)plan->utilities + 1, sizeof *s->seen);
    s->arenas = calloc(WORKERS_MOST, sizeof *s->arenas);
    if (!s->base || !s->code || !s->share || !s->seen || !s->arenas)
        return error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan->library_count);
    if (plan->profile->rows)
        return plan_rows_solve(s, e);
    return search(s, e) && solve_executables(s, e);
}

bool plan_make(struct plan *plan, const struct profile *profile, const struct plan_executables *executables,
               const struct corpus *corpus, unsigned threads, struct error *e)
{
    memset(plan, 0, sizeof *plan);
    plan->profile = profile;
    plan->executables = executables ? *executables : (struct plan_executables){0};
    plan->seed = profile->seed;
    plan->modules = (uint32_t)profile->modules;
    plan->utilities = (uint32_t)profile->utilities;
    plan->depth = (uint32_t)profile->calls.depth;
    plan->coverage = (uint64_t)(profile->calls.coverage * 4294967296.0 + 0.5);
    for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
        plan->wanted[kind] = profile->sections[kind] != PROFILE_DERIVED;
    if (profile->rows && (plan->executables.link || plan->executables.joined))
        return error_set(e, ERROR_USAGE, "a profile with 'libraries' makes no executables; leave that option out");
    if (profile->elf.exceptions && (plan->executables.link || plan->executables.joined))
        return error_set(
            e, ERROR_USAGE,
            "a profile with 'exceptions' under 'elf' makes no executables; leave that option out, or the key");
    plan->stripped = plan->wanted[SIZE_SYMTAB] && profile->sections[SIZE_SYMTAB] == 0;
    plan->without_debug = plan->wanted[SIZE_DEBUG] && profile->sections[SIZE_DEBUG] == 0;
    evaluate_constants(&plan->constants, plan->seed);
    struct solver s = {.plan = plan, .corpus = corpus, .threads = threads};
    plan->split = profile->dwarf.split && !plan->without_debug;
    for (uint32_t i = 0; i < profile->rows; i++)
        plan->split |= profile_row_is_split(&profile->row[i]);
    bool made = plan_digest(plan->profile, plan->profile_digest, plan->digest, e) && plan_name_libraries(plan, e) &&
                solve(&s, e);
    for (unsigned i = 0; s.arenas && i < WORKERS_MOST; i++)
        arena_free(&s.arenas[i]);
    free(s.base);
    free(s.code);
    free(s.share);
    free(s.seen);
    free(s.arenas);
    if (made)
        sum_sizes(plan);
    else
        plan_free(plan);
    return made;
}

bool plan_goes_with(struct plan *plan, const struct corpus *corpus)
{
    struct solver s = {.plan = plan, .corpus = corpus, .threads = 1};
    bool ok = plan->profile->rows && (s.base = calloc(plan->library_count, sizeof *s.base));
    for (uint32_t i = 0; ok && i < plan_counted(plan); i++)
        ok = plan_rows_set_units(&s, i, plan->library[i].size[SIZE_DEBUG]);
    for (uint32_t i = plan_counted(plan); ok && i < plan->library_count; i++) { /* the markers */
        solve_base(&s, i);
        solve_natural_debug(&s, i);
    }
    free(s.base);
    return ok;
}
