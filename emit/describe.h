/* What debug information says about a library's code: true of every byte.
 *
 * Parameters arrive in registers and are spilled; locals live in slots below the
 * frame pointer and pass through registers while they are loaded or stored; runs
 * of statements are told to be inlined functions of a header, or blocks with
 * locals of their own; every call has its return address and the constants that
 * it passes; every instruction of a statement has a row of the line table.
 */
#ifndef EMIT_DESCRIBE_H
#define EMIT_DESCRIBE_H

#include "dwarf/compose.h"
#include "emit/library.h"

/* How much is said, where the wanted size leaves a choice. */
enum describe_level {
    DESCRIBE_RICH,
    DESCRIBE_PLAIN, /* rows for all instructions, one place for each variable */
    DESCRIBE_LEAN,  /* parameters, and rows for the beginning and the prologue's end */
    DESCRIBE_LEVELS
};

/* Composes everything at this level into `out`, and the units into l->debug; the
 * address of the code is settled. False when memory ran out. */
bool describe(struct library *l, enum describe_level level, struct composed *out, struct arena *arena);

#endif
