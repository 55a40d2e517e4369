/* What the files share that settle the mix of each library with a row: where its sections have the sizes that are asked
 * for (mix_sections.c), how much is told of its functions then (mix_told.c), and which library when (mix_rows.c).
 */
#ifndef EMIT_MIX_ROWS_PARTS_H
#define EMIT_MIX_ROWS_PARTS_H

#include "emit/mix_parts.h"
#include "emit/mix_tries.h"

enum { MIX_GUIDES_MOST = 256 /* libraries that go first, at most */ };

/* What a row wants of a section's contents, and where its library ended. */
struct guide {
    uint64_t density; /* bytes of the section for each; 0: it wants none */
    struct mix_place end;
};

struct mix_guides {
    uint32_t count, step; /* so many, every so many libraries */
    bool are_settled;
    uint64_t average; /* entries of .debug_info that the row of a library wants, of those that say so */
    struct guide rows[MIX_GUIDES_MOST], entries[MIX_GUIDES_MOST];
};

/* Of both: the expression, and the step that stands for the part of rows; 0: any. */
struct places {
    struct mix_place entries, rows;
};

/* A library that is being settled. */
struct settling {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* the thread's */
    uint32_t index;
    struct plan_mix *mix;       /* the library's */
    const struct places *start; /* where to begin; NULL: it is settled for the first time */
    bool roughly;               /* rows of line tables and entries of lists need not be as many as the row says */
};

/* What came of settling a library with as much told of functions as its mix says. */
struct settled {
    struct plan_mix mix;
    struct places end;
    uint32_t met;           /* sections that have the size that is asked for */
    uint64_t dies, defined; /* as of struct mix_tried */
};

/* Bytes of expressions that make about as many entries of location lists as are wanted. */
int32_t mix_usual_expression(const struct settling *s);

/* Settles sizes, entries and rows of the mix, which asks for something; false where nothing goes together, or after
 * another failure, which `own` has. */
bool mix_settle_sections(const struct settling *s, struct settled *out, struct error *own);

/* Where a guide ended, for the others. */
void mix_leave_guide(const struct settling *s, const struct places *end);

/* Settles all that the mix asks for; false as mix_settle_sections. What is told of functions is chosen with about as
 * many rows and entries of lists as are wanted. */
bool mix_settle_told(const struct settling *s, struct settled *best, struct error *own);

#endif
