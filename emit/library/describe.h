/* What debug information says about a library's code. Everything that it says is true of the code, byte by byte.
 *
 * - Parameters arrive in registers and are spilled.
 * - Locals live in slots below the frame pointer. They pass through registers while they are loaded or stored.
 * - Runs of statements are described as inlined calls of a header's functions, or as blocks with locals of their own.
 * - Every call has its return address and the constants that it passes.
 * - Every instruction of a statement has a row of the line table.
 *
 * How much of this is written follows a goal. For each block the walk chooses the stamps whose lists, ranges and rows
 * come closest to what the goal allows up to that block.
 */
#ifndef EMIT_LIBRARY_DESCRIBE_H
#define EMIT_LIBRARY_DESCRIBE_H

#include "dwarf/compose/compose.h"
#include "emit/library/library.h"

enum describe_level {
    DESCRIBE_RICH,
    DESCRIBE_LEAN, /* parameters, and two rows: the function's beginning and the prologue's end */
    DESCRIBE_LEVELS
};

/* Values of describe_goal.rows_part, in thousandths. DESCRIBE_ROWS_ANY: no particular part is wanted. */
enum { DESCRIBE_ROWS_WHOLE = 1000, DESCRIBE_ROWS_MOST = 2000, DESCRIBE_ROWS_ANY = -1 };
/* The largest value of plan_mix.told: functions' entries get the whole share of .debug_info that manner.entries
 * allows. */
enum { DESCRIBE_TOLD_ALL = 64 };
/* Values of describe_goal.expression, in bytes. There are DESCRIBE_EXPRESSION_PARTS steps below the least. With each
 * step blocks lose more of their location lists, and more of the other entries are a register, which takes one byte. */
enum { DESCRIBE_EXPRESSION_LEAST = 2, DESCRIBE_EXPRESSION_MOST = 100, DESCRIBE_EXPRESSION_PARTS = 64 };

/* The value of describe_goal.entry_values for one entry in DESCRIBE_VALUES_OF, in C++ for one in
 * DESCRIBE_VALUES_OF_CPP: of 100 entries it is 10 in the C library, 12 in PETSc, 8 in CPython, in C++ 6 in librados and
 * 4 in Ipopt. */
enum { DESCRIBE_VALUES_OF = 10, DESCRIBE_VALUES_OF_CPP = 25 };
#define DESCRIBE_VALUES_USUAL UINT64_MAX

/* Bytes to aim at. If a section is to have a size of its own (debug.wanted), the walk meets that size exactly where
 * possible. */
struct describe_goal {
    uint64_t info;   /* of functions' entries; functions beyond it are described without blocks and calls */
    uint64_t line;   /* .debug_line */
    uint64_t lists;  /* .debug_loclists */
    uint64_t ranges; /* .debug_rnglists */
    /* How the bytes of .debug_line are spent. Below 1000: a block's own rows may take so many thousandths of the bytes
     * due to the block; the rest goes into rows with long encodings before it. From 1000 to 2000: the block's own rows
     * may take all of the bytes, and the larger the value, the more of the rows before it are short. Or
     * DESCRIBE_ROWS_ANY. */
    int32_t rows_part;
    /* Wanted numbers of rows and of entries of location lists in the whole library; 0: any number. They are met as far
     * as the last bytes of rows and lists can make up for the difference. */
    uint64_t rows, entries;
    /* So many of the entries say what a parameter was when the function was called; or DESCRIBE_VALUES_USUAL. */
    uint64_t entry_values;
    /* Average bytes of a location expression in the lists that a library with a row has besides those of blocks. Longer
     * expressions mean fewer entries in as many bytes. A value below DESCRIBE_EXPRESSION_LEAST stands for that least
     * size. The lower such a value is, the fewer lists of blocks are written, and the more of the entries that take
     * their bytes are a register. */
    int32_t expression;
    uint32_t letters; /* characters in short names of variables, in a library without location lists; 0: the corpus's
                         names */
    uint64_t inlined; /* bytes of code in inlined calls, where functions that are described plainly make up for others;
                         0: they have no such calls */
    uint32_t besides; /* further locals in all functions together; their entries do not count in `info` */
};

/* Composes everything at this level into `out`, and the units into l->debug, whose array of units is the arena's. The
 * address of the code must be known. False when memory ran out. */
bool describe(struct library *l, enum describe_level level, const struct describe_goal *goal, struct composed *out,
              struct arena *arena);

/* The inline function of a header that call number `call` of function `f` (as in code_call_site) is described as a part
 * of, as if that function had been inlined together with the call; or DESCRIBE_NOT_INLINED. Of CPython's calls 58 in
 * 100 are in such code, of Ipopt's 74; Ipopt has eight times as much inlined code. Here they are fewer, because each
 * takes as much of .debug_info as three to five other entries. A few inline functions get most of these calls. */
enum { DESCRIBE_NOT_INLINED = CORPUS_INLINES };
uint32_t describe_inlined_call(const struct corpus *corpus, const struct function *f, const struct code_call_site *site,
                               uint32_t call);

/* Whether debug information describes functions as methods of classes: those of library `l` or, where that is NULL, of
 * any library of the plan. */
bool class_is_told(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l);
/* An upper bound of the bytes that a library with so many units needs for its classes; 0 where it has none. */
uint64_t class_most(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l, uint64_t units);

#endif
