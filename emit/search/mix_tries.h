/* Finds the mix with which a library has as many rows of line tables and entries of location lists as its row says.
 * Tries values of `rows_part` and `expression` (describe.h) until no value is nearer. Where a search begins has
 * little influence on where it ends, but much on how many tries it takes.
 */
#ifndef EMIT_SEARCH_MIX_TRIES_H
#define EMIT_SEARCH_MIX_TRIES_H

#include "emit/library/library.h"

enum { MIX_TRIES_KEPT = 64 };

/* The result of sizing a library with a mix. */
struct mix_tried {
    struct plan_mix mix;
    enum error_code code;      /* ERROR_NONE: the library can be sized */
    enum debug_section failed; /* with ERROR_INFEASIBLE: as in struct debug, and the bytes that would do, or 0 */
    uint64_t possible;
    uint64_t size[DEBUG_SECTION_COUNT]; /* bytes, as composed */
    uint64_t entries, rows;
    uint64_t dies, defined; /* entries of .debug_info (0: not counted); those of defined functions and below */
};

/* The last tries of one library, which are not made again. */
struct mix_tries {
    uint32_t count; /* ever made */
    struct mix_tried tried[MIX_TRIES_KEPT];
};

/* A library that is being settled. */
struct settling {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* of this thread; borrowed */
    uint32_t index;
    struct plan_mix *mix; /* the library's */
    struct mix_tries *tries;
    const struct places *start; /* where to begin (mix_rows_parts.h); NULL: the library is settled for the first time */
    bool roughly;               /* the numbers of line-table rows and list entries may differ from the library's row */
    bool only_room; /* these numbers matter only if list entries have room (mix_has_room); otherwise any will do */
    const struct settled *guide; /* how it was settled with another stock, and `start` is where that ended; NULL:
                                    similar libraries are its guides */
};

/* Where the search for one of the values ended. The searches of similar libraries begin there. */
struct mix_place {
    int32_t at;    /* the expression, or the step for mix_rows_part */
    uint32_t near; /* half the gap to the next count that can be reached, as a share of the wanted number, times 2^16. A
                      count that is this near to the wanted number cannot be improved. 0: unknown */
};

/* The number that the library's row states for `value`, which counts things in `section`; 0 where it states none, or
 * where any size of the section will do. */
uint64_t mix_wanted(const struct settling *s, enum row_value value, enum debug_section section);

/* Sizes the library with the present mix, or finds what came of that before. The result is valid until the next try.
 * Where the library cannot be sized, `own` (may be NULL) says so. */
const struct mix_tried *mix_try(const struct settling *s, struct error *own);

/* Whether list entries have expressions of at least the shortest usual length, not of the shortest alone. */
bool mix_has_room(int32_t expression);

/* mix_settle_entries goes first: it chooses `expression`, starting at from.at. Both functions change the mix; before
 * and after each, the library can be sized with it. Both return where the search ended. */
struct mix_place mix_settle_entries(const struct settling *s, struct mix_place from);

/* mix_settle_lines goes second: it chooses `rows_part`, starting at step from.at (0: DESCRIBE_ROWS_ANY). */
struct mix_place mix_settle_lines(const struct settling *s, struct mix_place from);

/* The rows_part that a step stands for. */
int32_t mix_rows_part(int32_t step);

#endif
