/* Which functions of a library have an exception table (elf/except.h), and what that says of their code.
 *
 * As many as plan_extra.tabled says: numbered functions, evenly spread, and where there are more, small ones too.
 * Larger functions have larger tables. Call sites are the calls that a function makes and stretches of its statements;
 * landing pads are where another of these begins, or what returns.
 *
 * Nothing ever goes on at one: the personality routine is frame_dummy, which does nothing else, and says of every
 * function that it has nothing to do (_URC_CONTINUE_UNWIND). So a library needs no run-time library of C++, and
 * exceptions and the end of threads pass through it as through code of C.
 */
#ifndef EMIT_EXCEPTIONS_H
#define EMIT_EXCEPTIONS_H

#include "elf/except.h"
#include "emit/library.h"

/* How many functions of the library could have one. */
static inline uint32_t exceptions_most(const struct plan_library *l)
{
    return l->functions + plan_small_framed(l);
}

/* Writes .gcc_except_table, function by function in the order of their addresses. */
struct exceptions {
    const struct library *l;
    uint8_t *start;           /* of the section */
    uint64_t address;         /* and that in memory */
    uint64_t at;              /* bytes that are written */
    uint32_t left;            /* functions that are still to come */
    uint64_t weights, seen;   /* of all functions; of those that were written */
    struct except_site *site; /* scratch */
    uint32_t small, framed;   /* small functions with code: how many were asked for, of all */
};

/* False when memory ran out. */
bool exceptions_begin(struct exceptions *x, const struct library *l, uint8_t *image, struct arena *arena);

/* The address of the table of numbered function `index`, or of small function `index`, which has code; 0 where it has
 * none. All are asked for: the numbered functions first, both in ascending order. */
uint64_t exceptions_of(struct exceptions *x, uint32_t index);
uint64_t exceptions_of_small(struct exceptions *x, uint32_t index);

/* When all were asked for: the section is full. */
void exceptions_end(const struct exceptions *x);

#endif
