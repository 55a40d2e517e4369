/* Finds the mix with which a library has as many rows of line tables and entries of location lists as its row says.
 * Tries values of `rows_part` and `expression` (describe.h) until no value is nearer. Where a search begins has
 * little influence on where it ends, but much on how many tries it takes.
 */
#ifndef EMIT_MIX_TRIES_H
#define EMIT_MIX_TRIES_H

#include "emit/library.h"

enum { MIX_TRIES_MOST = 80 };

/* The result of sizing a library with these two values in its mix; the rest of the mix stays the same. */
struct mix_tried {
    int32_t rows_part, expression;
    bool fits;
    uint64_t entries, rows;
    uint64_t dies,
        defined; /* entries of .debug_info (0: not counted); those among them of defined functions and below */
};

/* One library, and all its tries. */
struct mix_tries {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* of this thread; borrowed */
    uint32_t index;
    uint32_t count;
    struct mix_tried tried[MIX_TRIES_MOST];
};

/* Where the search for one of the values ended. The searches of similar libraries begin there. */
struct mix_place {
    int32_t at;    /* the expression, or the step for mix_rows_part */
    uint32_t near; /* half the gap to the next count that can be reached, as a share of the wanted number, times 2^16. A
                      count that is this near to the wanted number cannot be improved. 0: unknown */
};

/* The number that the library's row states for `value`, which counts things in `section`; 0 where it states none, or
 * where any size of the section will do. */
uint64_t mix_wanted(const struct plan *plan, uint32_t index, enum row_value value, enum debug_section section);

/* Records the builder's library, which was sized with the present mix, as the first try. */
void mix_note(struct mix_tries *t);

/* mix_settle_entries goes first: it chooses `expression`, starting at from.at. Both functions change the mix; before
 * and after each, the library can be sized with it. Both return where the search ended. */
struct mix_place mix_settle_entries(struct mix_tries *t, struct mix_place from);

/* mix_settle_lines goes second: it chooses `rows_part`, starting at step from.at (0: DESCRIBE_ROWS_ANY). */
struct mix_place mix_settle_lines(struct mix_tries *t, struct mix_place from);

/* The try with the present mix; NULL if there is none. */
const struct mix_tried *mix_now(const struct mix_tries *t);
/* The rows_part that a step stands for. */
int32_t mix_rows_part(int32_t step);

#endif
