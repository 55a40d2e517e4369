/* Finds the mix with which a library has as many rows of line tables and entries of location lists as its row says:
 * tries values of `rows_part` and `expression` (describe.h) until there is nothing nearer. Where the search begins
 * hardly changes where it ends, but how many tries it takes.
 */
#ifndef EMIT_MIX_TRIES_H
#define EMIT_MIX_TRIES_H

#include "emit/library.h"

enum { MIX_TRIES_MOST = 80 };

/* What came of sizing a library with these two values in its mix; nothing else of the mix changes. */
struct mix_tried {
    int32_t rows_part, expression;
    bool fits;
    uint64_t entries, rows;
    uint64_t dies, defined; /* all entries of .debug_info (0: not counted); those of defined functions and below */
};

/* One library, and all that was tried of it. */
struct mix_tries {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* of this thread; borrowed */
    uint32_t index;
    uint32_t count;
    struct mix_tried tried[MIX_TRIES_MOST];
};

/* Where the search for one of the values ended; the searches of similar libraries begin there. */
struct mix_place {
    int32_t at;    /* the expression, or the step for mix_rows_part */
    uint32_t near; /* half the gap to the next count that can be reached, as a share of the wanted number, times 2^16: a
                      count within that of the wanted number cannot be improved. 0: unknown */
};

/* The number that the library's row states for `value`, which counts things in `section`; 0 where it states none, or
 * where any size of the section will do. */
uint64_t mix_wanted(const struct plan *plan, uint32_t index, enum row_value value, enum debug_section section);

/* Records the builder's library, which was sized with the mix as it is, as the first try. */
void mix_note(struct mix_tries *t);

/* These two change the mix; the library can be sized with the mix before and after each. First mix_settle_entries,
 * which chooses `expression`, starting at from.at. */
struct mix_place mix_settle_entries(struct mix_tries *t, struct mix_place from);

/* Then mix_settle_lines, which chooses `rows_part`, starting at step from.at, or with DESCRIBE_ROWS_ANY at 0. */
struct mix_place mix_settle_lines(struct mix_tries *t, struct mix_place from);

/* What came of the mix as it is; NULL if it has not been tried. */
const struct mix_tried *mix_now(const struct mix_tries *t);
/* The rows_part that a step stands for. */
int32_t mix_rows_part(int32_t step);

#endif
