/* Declarations shared by the files that settle the mix of each library with a row. mix_sections.c makes sections
 * have the sizes that the row asks for. mix_told.c chooses how much is told of the library's functions. mix_again.c
 * does both at once for a library that was settled before. mix_rows.c decides which library is settled when.
 */
#ifndef EMIT_SEARCH_MIX_ROWS_PARTS_H
#define EMIT_SEARCH_MIX_ROWS_PARTS_H

#include "emit/search/mix_parts.h"
#include "emit/search/mix_tries.h"

enum { MIX_GUIDES_MOST = 256 /* the most libraries that go first */ };

/* How dense a section's contents are by the row, and where the search of its library ended. */
struct guide {
    uint64_t density; /* 256ths of a byte of the section for each row or entry; 0: the row wants no number */
    struct mix_place end;
};

struct mix_guides {
    uint32_t count, step; /* `count` guides: the libraries 0, step, 2 * step, ... */
    uint32_t settled;     /* one guide in so many is settled, from the first on; 0: none */
    uint64_t average;     /* entries of .debug_info by the row, on average over the rows that state them */
    struct guide rows[MIX_GUIDES_MOST], entries[MIX_GUIDES_MOST];
    struct guide told[MIX_GUIDES_MOST]; /* the place is how much is told, its density bytes for each function's entry */
};

/* Where the searches for both values begin or end: an expression, and a step for mix_rows_part (0:
 * DESCRIBE_ROWS_ANY). */
struct places {
    struct mix_place entries, rows;
};

/* The result of settling a library with the amount told of functions that its mix says. */
struct settled {
    struct plan_mix mix;
    struct places end;
    uint32_t met;           /* how many sections have the size that was asked for */
    uint64_t dies, defined; /* as in struct mix_tried */
    bool is_rough;          /* as in struct settling */
};

/* How a library was settled with another stock. */
struct mix_before {
    bool is_settled;
    bool is_open;   /* no sizes of sections went together */
    uint32_t scale; /* the row's then; where it is another now, sizes are not this library's (emit/profile/model.h) */
    struct settled settled;
};

/* Whether the library was on another scale when it was settled before. */
static inline bool mix_is_scaled(const struct settling *s, const struct mix_before *before)
{
    return before->scale != s->plan->library[s->index].said->scale;
}

/* The bytes of an expression with which location lists have about the wanted number of entries. */
int32_t mix_usual_expression(const struct settling *s);

/* Settles sizes, entries and rows of a mix that asks for at least one size. False where no combination is possible,
 * or after another failure; `own` says which. */
bool mix_settle_sections(const struct settling *s, struct settled *out, struct error *own);

/* How many debug sections have the size that was asked for. */
unsigned mix_met(const uint64_t *size, const uint64_t *asked);

/* How much is told of functions of the library's guide, or of a similar one. 0: there is none, or all is told. */
uint32_t mix_guided_told(const struct settling *s);

/* If the library is a guide, records where its searches ended, for other libraries to begin there. */
void mix_leave_guide(const struct settling *s, const struct places *end);

/* Settles all that the mix asks for, and how much is told of functions; fails like mix_settle_sections. While it
 * chooses the latter, the numbers of rows and list entries are only roughly those wanted. */
bool mix_settle_told(const struct settling *s, struct settled *best, struct error *own);

/* Entries of debug information, in all and of functions: as many as the library's row says. 0: any number. */
struct mix_entries {
    uint64_t dies, defined;
};

struct mix_entries mix_entries_wanted(const struct settling *s);

/* Whether a result has numbers of entries that are nearer to those wanted than another's. */
bool mix_is_nearer(const struct mix_entries *wanted, const struct settled *s, const struct settled *than);

/* How many locals to add to functions (describe.h) that lack so many entries of the `said`: never more than
 * .debug_info has room for, whatever the row says. Of a large number only a part, because tags have to stay near, and
 * the search for the manner cannot make up for these locals. */
uint32_t mix_besides(const struct plan_mix *asked, uint64_t said, uint64_t lacking);

/* Settles the library, which was settled before, nearly as then: sizes as they came out, and as much told of functions,
 * or a little more or less for what functions and the library have of entries now. The numbers of rows and list
 * entries are only roughly those wanted. Fails like mix_settle_sections. */
bool mix_settle_as_before(const struct settling *s, const struct mix_before *before, struct settled *best,
                          struct error *own);

#endif
