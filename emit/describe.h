/* What debug information says about a library's code: true of every byte.
 *
 * Parameters arrive in registers and are spilled; locals live in slots below the
 * frame pointer and pass through registers while they are loaded or stored; runs
 * of statements are told to be inlined functions of a header, or blocks with
 * locals of their own; every call has its return address and the constants that
 * it passes; every instruction of a statement has a row of the line table.
 *
 * How much of it is told follows a goal: for each block the stamps are chosen
 * whose lists, ranges and rows come closest to what the goal allows up to there.
 */
#ifndef EMIT_DESCRIBE_H
#define EMIT_DESCRIBE_H

#include "dwarf/compose.h"
#include "emit/library.h"

enum describe_level {
    DESCRIBE_RICH,
    DESCRIBE_LEAN, /* parameters, and rows for the beginning and the prologue's end */
    DESCRIBE_LEVELS
};

/* Of describe_goal.rows_part. */
enum { DESCRIBE_ROWS_WHOLE = 1000, DESCRIBE_ROWS_MOST = 2000, DESCRIBE_ROWS_ANY = -1 };
/* Of plan_mix.told: functions' entries take what the manner lets them (dwarf/manner.h). */
enum { DESCRIBE_TOLD_ALL = 64 };
/* Of describe_goal.expression: the least and the most, and in how many steps below the least blocks lose their lists.
 */
enum { DESCRIBE_EXPRESSION_LEAST = 2, DESCRIBE_EXPRESSION_MOST = 100, DESCRIBE_EXPRESSION_PARTS = 64 };

/* Bytes to come near to. Where a section's size is wanted (debug.wanted), it is
 * met exactly, if that can be. */
struct describe_goal {
    uint64_t info;  /* of functions' entries: functions beyond it are told plainly */
    uint64_t line;  /* .debug_line */
    uint64_t lists; /* .debug_loclists */
    uint64_t ranges;
    /* How many rows take .debug_line's bytes: of what a block may have so many thousandths are its own rows, the
     * rest long ones before; from 1000 on all, and the more of those before are short. Or DESCRIBE_ROWS_ANY. */
    int32_t rows_part;
    uint64_t rows; /* of them in all, where the last bytes can make up for what is missing; 0: any */
    /* Expressions in further lists of a library with a row have so many bytes on average: the longer, the fewer
     * entries and lists there are. Below DESCRIBE_EXPRESSION_LEAST as few as can be, and the fewer entries are of
     * blocks. */
    int32_t expression;
    uint32_t letters; /* of short names in a library without location lists; 0: as many as the corpus's have */
};

/* Composes everything at this level into `out`, and the units into l->debug; the
 * address of the code is settled. False when memory ran out. */
bool describe(struct library *l, enum describe_level level, const struct describe_goal *goal, struct composed *out,
              struct arena *arena);

/* Whether functions are told to be methods of classes. */
bool class_is_told(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l);
/* Most that the classes of a library take at the least, with so many units. */
uint64_t class_most(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l, uint64_t units);

#endif
