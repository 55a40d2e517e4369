/* What the parts that make names as long as rows have them share: lengths that are wanted, and those that are fixed;
 * see plan_rows_exported.c and plan_rows_names.c.
 */
#ifndef EMIT_PLAN_ROWS_LENGTHS_H
#define EMIT_PLAN_ROWS_LENGTHS_H

#include "emit/plan_rows_parts.h"
#include "emit/shape.h"

/* Names whose lengths are fixed, as .symtab has them. There is room for all. */
struct fixed_lengths {
    uint32_t *length;
    uint32_t count;
};

/* Adds one; those of imports, of the first `count` functions, of other dynamic functions and objects, of all else. */
void lengths_fix(struct fixed_lengths *f, size_t length);
void lengths_fix_imports(const struct plan *plan, const struct plan_library *l, struct fixed_lengths *f);
void lengths_fix_functions(const struct plan *plan, const struct plan_library *l, uint32_t count,
                           struct fixed_lengths *f);
void lengths_fix_dynamic(const struct plan_library *l, struct fixed_lengths *f);
void lengths_fix_others(const struct plan_library *l, const struct shape *s, struct fixed_lengths *f);

/* Lengths as they are wanted, in ascending order; false where that is not known. */
bool lengths_draw(const struct plan *plan, const struct plan_library *l, uint32_t count, uint32_t *length);

/* How long names of source files are: as all names. */
void lengths_of_files(const struct plan *plan, struct plan_library *l);

uint64_t lengths_sum(const uint32_t *length, uint32_t count);

/* Of `all`, ascending ones, as many and evenly from so far down or up that their sum is about `sum`. */
void lengths_take_near(const uint32_t *all, uint32_t of, uint64_t sum, uint32_t count, uint32_t *taken);

/* Which name is how long follows from nothing else. */
void lengths_shuffle(uint16_t *length, uint32_t count, uint64_t key);

/* The fewest characters that any of the names of `numbered` exported functions and others can have. */
uint32_t lengths_shortest(const struct plan_library *l, uint32_t numbered, uint32_t count);

/* Has dealt lengths be what these names need at least, in the same sum as far as that can be. */
void lengths_lengthen(const struct plan_library *l, uint32_t numbered, uint16_t *length, uint32_t count);

/* The places of the names that `numbered` exported functions and others have, from the shortest to the longest; NULL
 * when memory ran out. */
uint32_t *lengths_order(const struct plan_library *l, uint32_t numbered, uint32_t count);

/* Of names of a library's dynamic symbols that are as long as `length` says, ascending ones: how many bytes .dynstr can
 * have less where some are the ends of others. */
uint64_t lengths_of_ends(const struct plan_library *l, const uint32_t *length, uint32_t count);

/* Chooses such ends among the names that it has, so that there are `over` bytes less, or nearly. False when memory ran
 * out. */
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

#endif
