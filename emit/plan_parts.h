/* What the parts of planning share: counts (plan.c), sizes (solve.c), and the
 * choice among them (plan_make.c). */
#ifndef EMIT_PLAN_PARTS_H
#define EMIT_PLAN_PARTS_H

#include "emit/plan.h"

enum { PLAN_CALLS_MOST = 10000, PLAN_NEIGHBOURS = 32 };

/* Allocates the libraries and gives each its name and key. */
bool plan_name_libraries(struct plan *plan, struct error *e);

/* Decides all counts and calls except imports, for these average numbers of functions in a module and in a utility.
 * `seen` is scratch of calls_count. */
bool plan_count(struct plan *plan, uint64_t average, uint64_t utility_average, uint32_t neighbours, uint32_t *seen,
                struct error *e);

/* Counts imports, and the bytes of all names with plan->names: for each library, and the sums over all in `own` and
 * `imported`. `seen` is scratch of calls_count, `arena` scratch too. False when memory ran out. */
bool plan_count_names(struct plan *plan, uint32_t *seen, struct arena *arena, struct names_tally *own,
                      struct names_tally *imported);

/* Updates the bytes of names after plan->names got a length or padding. Only if names are not mangled and were counted
 * without any digits appended. */
void plan_lengthen_names(struct plan *plan);

/* What a library takes for certain counts before the code of its numbered functions is added. */
struct base {
    uint64_t size[SIZE_KINDS]; /* text without the code of numbered functions */
    uint64_t symbols;
};

struct solver {
    struct plan *plan;
    struct base *base;                /* of each library, markers too */
    uint64_t *code;                   /* of each library, the least bytes of numbered functions */
    uint64_t *share;                  /* scratch for dividing */
    uint32_t *seen;                   /* scratch of calls_count */
    struct names_tally own, imported; /* names of functions and of imports */
    const struct corpus *corpus;
    unsigned threads;
    struct arena *arenas; /* of each thread */
    bool is_beyond;       /* the last attempt failed where no other neighbourhood of utilities helps */
};

/* Functions of a set, in all: some 3 TB, which take about a minute to plan. */
#define PLAN_FUNCTIONS_MOST UINT64_C(1000000000)

/* Decides all sizes for these average numbers of functions; an ERROR_INFEASIBLE where they cannot be met. */
bool solve_attempt(struct solver *s, uint64_t average, uint64_t utility_average, uint32_t neighbours, struct error *e);

/* Computes the base of library `index` for the counts that it has. */
void solve_base(const struct solver *s, uint32_t index);

/* Gives library `index` its sizes where none are wanted, by its base and its code. */
void solve_natural(const struct solver *s, uint32_t index);

/* Adds to executables the code of their own that is wanted, and all that goes with it. To be called
 * when the sizes of libraries are settled. */
bool solve_executables(struct solver *s, struct error *e);

#endif
