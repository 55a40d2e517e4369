/* Which functions of a library have an exception table (elf/write/except.h), and what the table says of their code.
 *
 * As many functions have one as plan_extra.unwound.tabled says: numbered functions, evenly spread and, if there are not
 * enough of these, small functions too. Larger functions have larger tables. Call sites are the calls that a function
 * makes and stretches of its statements. Landing pads are where another call site begins, or where the epilogue does.
 *
 * Execution never goes on at a landing pad. The personality routine is frame_dummy, which does nothing else: it says of
 * every function that it has nothing to do (_URC_CONTINUE_UNWIND). So a library needs no run-time library of C++, and
 * exceptions and the end of threads pass through it as through code of C.
 */
#ifndef EMIT_LIBRARY_EXCEPTIONS_H
#define EMIT_LIBRARY_EXCEPTIONS_H

#include "elf/write/except.h"
#include "emit/library/library.h"

/* How many functions of the library can have an exception table. */
static inline uint32_t exceptions_most(const struct plan_library *l)
{
    return l->functions + plan_small_framed(l);
}

/* Writes .gcc_except_table, function by function: the numbered ones, and then the small ones. */
struct exceptions {
    const struct library *l;
    uint8_t *start;           /* of the section in the image */
    uint64_t address;         /* of the section in memory */
    uint64_t at;              /* bytes written so far */
    uint32_t left;            /* functions with a table that are still to come */
    uint64_t weights, seen;   /* weights of all functions with a table; of those whose table is written */
    struct except_site *site; /* scratch */
    uint32_t small, framed;   /* small functions with code: how many were asked for so far; how many there are */
};

/* False when memory ran out. */
bool exceptions_begin(struct exceptions *x, const struct library *l, uint8_t *image, struct arena *arena);

/* The address of the table of numbered function `index`, or of small function `index`, which has code; 0 if it has no
 * table. Writes the table. To be called for all functions: the numbered functions first, both kinds in ascending
 * order. */
uint64_t exceptions_of(struct exceptions *x, uint32_t index);
uint64_t exceptions_of_small(struct exceptions *x, uint32_t index);

/* To be called when all tables are written: asserts that the section is full. */
void exceptions_end(const struct exceptions *x);

#endif
