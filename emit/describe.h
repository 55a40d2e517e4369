/* What debug information says about a library's code: true of every byte.
 *
 * Parameters arrive in registers and are spilled; locals live in slots below the
 * frame pointer and pass through registers while they are loaded or stored; runs
 * of statements are described as calls of a header's functions that were inlined,
 * or as blocks with locals of their own; every call has its return address and
 * the constants that it passes; every instruction of a statement has a row of the
 * line table.
 *
 * How much of this is written follows a goal: for each block those stamps are
 * chosen whose lists, ranges and rows come closest to what the goal allows up to
 * there.
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

/* Values of describe_goal.rows_part, in thousandths; DESCRIBE_ROWS_ANY: no part is wanted. */
enum { DESCRIBE_ROWS_WHOLE = 1000, DESCRIBE_ROWS_MOST = 2000, DESCRIBE_ROWS_ANY = -1 };
/* plan_mix.told at its maximum: functions' entries get the whole share of .debug_info that manner.entries allows. */
enum { DESCRIBE_TOLD_ALL = 64 };
/* Values of describe_goal.expression: the least and the most bytes. In each of DESCRIBE_EXPRESSION_PARTS steps below
 * the least, blocks lose more of their location lists, and more entries are a register, which takes one byte. */
enum { DESCRIBE_EXPRESSION_LEAST = 2, DESCRIBE_EXPRESSION_MOST = 100, DESCRIBE_EXPRESSION_PARTS = 64 };

/* Bytes to aim at. Where a section is to have a size of its own (debug.wanted), that is met exactly if possible. */
struct describe_goal {
    uint64_t info;   /* of functions' entries in .debug_info: functions beyond it have no blocks and calls */
    uint64_t line;   /* .debug_line */
    uint64_t lists;  /* .debug_loclists */
    uint64_t ranges; /* .debug_rnglists */
    /* How the bytes of .debug_line are spent. Below 1000: thousandths of the bytes due to a block that its own rows may
     * take; the rest goes into rows with long encodings before it. From 1000 to 2000: its own rows may take all, and
     * ever more of the rows before it are short. Or DESCRIBE_ROWS_ANY. */
    int32_t rows_part;
    /* Rows and entries of lists in all, as far as the last bytes of these can make up the numbers; 0: any number. */
    uint64_t rows, entries;
    /* Average bytes of a location expression in the lists that a library with a row has beyond those of blocks. Longer
     * expressions mean fewer entries for the same size. A value below DESCRIBE_EXPRESSION_LEAST stands for that, and
     * the lower it is the fewer lists of blocks are written, and the more of the entries that take the bytes instead
     * are a register. */
    int32_t expression;
    uint32_t letters; /* in short names of variables, if the library has no location lists; 0: those of the corpus */
    uint32_t besides; /* locals in all functions that there are besides: do not count in `info` */
};

/* Composes everything at this level into `out`, and the units into l->debug. The address of the code must be known.
 * False when memory ran out. */
bool describe(struct library *l, enum describe_level level, const struct describe_goal *goal, struct composed *out,
              struct arena *arena);

/* In which of the header's inline functions a function's call, number `call` of code_call_site, is said to be, which
 * was inlined with it. Of CPython's calls 58 in 100 are in such code, of Ipopt's, which has eight times as much of
 * it, 74. Here they are fewer, as each takes as much of .debug_info as three to five other entries. A few functions
 * have most. */
enum { DESCRIBE_NOT_INLINED = CORPUS_INLINES };
uint32_t describe_inlined_call(const struct corpus *corpus, const struct function *f, const struct code_call_site *site,
                               uint32_t call);

/* Whether debug information describes the library's functions as methods of classes. */
bool class_is_told(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l);
/* An upper bound of the bytes that a library with so many units needs for its classes. */
uint64_t class_most(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l, uint64_t units);

#endif
