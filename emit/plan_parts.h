/* What the parts of planning share: counts (plan.c), sizes (solve.c), and the
 * choice among them (plan_make.c). */
#ifndef EMIT_PLAN_PARTS_H
#define EMIT_PLAN_PARTS_H

#include "emit/plan.h"

enum { PLAN_CALLS_MOST = 10000, PLAN_NEIGHBOURS = 32 };

/* Allocates the libraries and gives each its name and key. */
bool plan_name_libraries(struct plan *plan, struct error *e);

/* Decides counts and calls for these averages, all but imports; `seen` is scratch of
 * calls_count. */
bool plan_count(struct plan *plan, uint64_t average, uint64_t utility_average, uint32_t neighbours, uint32_t *seen,
                struct error *e);

/* Counts imports, and the bytes of names that plan->names says: each library's,
 * and the sums over all. `seen` is as above, the arena scratch too; false when
 * memory ran out. */
bool plan_count_names(struct plan *plan, uint32_t *seen, struct arena *arena, struct names_tally *own,
                      struct names_tally *imported);

/* The same bytes when plan->names, not mangled, have got longer than those that were counted, which nothing was
 * appended to. */
void plan_lengthen_names(struct plan *plan);

/* One attempt: the bases that follow from certain counts. */
struct base {
    uint64_t size[SIZE_KINDS]; /* text without the code of numbered functions */
    uint64_t symbols;
};

struct solver {
    struct plan *plan;
    struct base *base;                /* of each library, markers too */
    uint64_t *code;                   /* least code of each */
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

/* All sizes for these averages; an ERROR_INFEASIBLE where they cannot be met. */
bool solve_attempt(struct solver *s, uint64_t average, uint64_t utility_average, uint32_t neighbours, struct error *e);

/* The base of library `index` for the counts that it has. */
void solve_base(const struct solver *s, uint32_t index);

/* Gives library `index` its sizes where none are wanted, by its base and its code. */
void solve_natural(const struct solver *s, uint32_t index);

/* Gives executables the code of their own that is wanted and all that goes with it, on top of
 * the sizes that they have; those of the libraries are settled. */
bool solve_executables(struct solver *s, struct error *e);

#endif
