/* Sizes for the counts of a plan, and the choice among counts (plan_make.c). */
#ifndef EMIT_SOLVE_SOLVE_H
#define EMIT_SOLVE_SOLVE_H

#include "base/arena.h"
#include "dwarf/corpus/corpus.h"
#include "emit/plan/plan_count.h"

/* What a library takes for its counts, without the code of its numbered functions. */
struct base {
    uint64_t size[SIZE_KINDS]; /* text is without the code of numbered functions */
    uint64_t symbols;
};

struct solver {
    struct plan *plan;
    struct base *base;                /* by library, markers included */
    uint64_t *code;                   /* by library, the least bytes of code of its numbered functions */
    uint64_t *share;                  /* scratch for dividing a surplus */
    uint32_t *seen;                   /* scratch for calls_count */
    struct names_tally own, imported; /* names of functions and of imports */
    const struct corpus *corpus;
    unsigned threads;
    struct arena *arenas; /* one for each thread */
    bool is_beyond;       /* the last attempt failed in a way that no other neighbourhood of utilities helps */
};

/* The most functions of a set: some 3 TB, which take about a minute to plan. */
#define PLAN_FUNCTIONS_MOST UINT64_C(1000000000)

/* Decides all sizes for these average numbers of functions. An ERROR_INFEASIBLE where they cannot be met. */
bool solve_attempt(struct solver *s, uint64_t average, uint64_t utility_average, uint32_t neighbours, struct error *e);

/* Computes the base of library `index` for its present counts. */
void solve_base(const struct solver *s, uint32_t index);

/* Gives library `index` natural sizes, from its base and its code, where the profile wants none. */
void solve_natural(const struct solver *s, uint32_t index);
/* Debug information alone, which needs no code. */
void solve_natural_debug(const struct solver *s, uint32_t index);

/* Adds to executables the wanted code of their own and all that goes with it. Call when the sizes of libraries are
 * settled. */
bool solve_executables(struct solver *s, struct error *e);

#endif
