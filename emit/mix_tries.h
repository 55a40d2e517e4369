/* As many rows of line tables and entries of location lists as a library's row says: what its mix has of the two
 * (`rows_part`, `expression`: describe.h) is tried until there is nothing nearer. Where it begins makes hardly a
 * difference to where it ends, but to how many tries that takes.
 */
#ifndef EMIT_MIX_TRIES_H
#define EMIT_MIX_TRIES_H

#include "emit/library.h"

enum { MIX_TRIES_MOST = 80 };

/* What came of sizing a library with its mix, of which nothing but these two changes then. */
struct mix_tried {
    int32_t rows_part, expression;
    bool fits;
    uint64_t entries, rows;
    uint64_t dies, defined; /* all entries of .debug_info, 0 where they are not counted; those of functions */
};

/* One library, and all that was tried of it. */
struct mix_tries {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* of the thread */
    uint32_t index;
    uint32_t count;
    struct mix_tried tried[MIX_TRIES_MOST];
};

/* Where the search for a number ends, and where others begin. */
struct mix_place {
    int32_t at;
    uint32_t near; /* half the gap to the next count that can be reached, as a share of the wanted number, times 2^16: a
                      count within that of the wanted number cannot be improved. 0: unknown */
};

/* How many a library's row says that it has of what stands in a section; 0 where it says nothing of
 * these, or any size of the section will do. */
uint64_t mix_wanted(const struct plan *plan, uint32_t index, enum row_value value, enum debug_section section);

/* Notes what the builder has, which was sized with the mix as it is. */
void mix_note(struct mix_tries *t);

/* Both change the mix, which can be sized when they begin, and then, too. First entries, from an expression; */
struct mix_place mix_settle_entries(struct mix_tries *t, struct mix_place from);

/* then rows, from a step, which stands for a part of them, or from 0: any. */
struct mix_place mix_settle_lines(struct mix_tries *t, struct mix_place from);

/* What came of the mix as it is, which has been tried. */
const struct mix_tried *mix_now(const struct mix_tries *t);
int32_t mix_rows_part(int32_t step);

static inline uint64_t mix_distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

#endif
