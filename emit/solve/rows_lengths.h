/* What the files that choose the lengths of names by rows share: which lengths are wanted, and which are fixed already.
 * See rows_exported.c and rows_names.c. */
#ifndef EMIT_SOLVE_ROWS_LENGTHS_H
#define EMIT_SOLVE_ROWS_LENGTHS_H

#include "emit/library/shape.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows_parts.h"

/* Add lengths to those that are fixed: of one name; of the names of imports; of the first `count` functions; of other
 * dynamic functions and objects; of all other symbols. */
void lengths_fix(struct fixed_lengths *f, size_t length);
void lengths_fix_imports(const struct plan *plan, const struct plan_library *l, struct fixed_lengths *f);
void lengths_fix_functions(const struct plan *plan, const struct plan_library *l, uint32_t count,
                           struct fixed_lengths *f);
void lengths_fix_dynamic(const struct plan_library *l, struct fixed_lengths *f);
void lengths_fix_others(const struct plan_library *l, const struct shape *s, struct fixed_lengths *f);

/* How many names that may have any length are in .symtab alone: of local functions, small ones too, and of static
 * objects. */
uint32_t lengths_unexported(const struct plan *plan, const struct plan_library *l);

/* Sets `count` lengths, in ascending order, to the wanted distribution, or to a natural length where none is known.
 * Returns whether one is known. */
bool lengths_draw(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *length);

/* One of distribution_fit and distribution_fit_few. */
typedef uint64_t lengths_fit_to(uint32_t *length, uint32_t count, uint32_t least, uint32_t most, uint64_t sum);

/* Lengths that are to be changed: `of`, without scratch; by what otherwise; and scratch for lengths_scratch numbers. */
struct lengths_task {
    struct distribution_task of;
    lengths_fit_to *fit;
    uint32_t *scratch;
};
static inline size_t lengths_scratch(const struct distribution_task *t)
{
    return 3 * ((size_t)t->fixed_count + t->count) + 2 * (size_t)t->count;
}

/* Changes the lengths so that their sum becomes what it is to be and that they have the row's quantiles at their
 * places, together with the fixed ones. Where that is impossible, or `fit` alone comes nearer to what is wanted, they
 * are as `fit` makes them. Returns the sum that they have then. */
uint64_t lengths_fit(const struct plan *plan, const struct plan_library *l, const struct lengths_task *t);

/* Sets the lengths of source files' names, by the distribution of all names. */
void lengths_of_files(const struct plan *plan, struct plan_library *l);

uint64_t lengths_sum(const uint32_t *length, uint32_t count);

/* Takes `count` of the `of` ascending values in `all`. They are evenly spread over the values up to some limit, or from
 * some limit on, which is chosen so that their sum is about `sum`. */
void lengths_take_near(const uint32_t *all, uint32_t of, uint64_t sum, uint32_t count, uint32_t *taken);

/* Shuffles lengths, so that the length of a name does not depend on its place. */
void lengths_shuffle(uint16_t *length, uint32_t count, uint64_t key);

/* The fewest characters that any of `count` names of dynamic symbols can have. The first `numbered` of them are those
 * of exported functions. */
uint32_t lengths_shortest(const struct plan_library *l, uint32_t numbered, uint32_t count);

/* Raises lengths that are too short for these names to the least that each name needs, and shortens others so that the
 * sum stays the same as far as possible. */
void lengths_lengthen(const struct plan_library *l, uint32_t numbered, uint16_t *length, uint32_t count);

/* The indices of these names, sorted by the lengths that they have now. malloc'ed, the caller frees; NULL when memory
 * ran out. */
uint32_t *lengths_order(const struct plan_library *l, uint32_t numbered, uint32_t count);

/* How many bytes .dynstr can save by suffix merging, if the names of the library's dynamic symbols have these ascending
 * lengths. */
uint64_t lengths_of_ends(const struct plan_library *l, const uint32_t *length, uint32_t count);

/* Chooses which names are the ends of others (plan_library.end), so that .dynstr saves about `over` bytes, but not
 * more. False when memory ran out. */
bool lengths_share_ends(struct plan_library *l, uint64_t over);

bool lengths_out_of_memory(const struct plan_library *l, struct error *e);

static inline uint64_t lengths_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t lengths_spare(uint64_t has, uint64_t needs)
{
    return has > needs ? has - needs : 0;
}

/* As much for `part` names as `bytes` are for `of`, which is not 0; at most UINT64_MAX. */
static inline uint64_t lengths_part(uint64_t bytes, uint32_t part, uint32_t of)
{
    const unsigned __int128 all = (unsigned __int128)bytes * part / of;
    return all < UINT64_MAX ? (uint64_t)all : UINT64_MAX;
}

#endif
