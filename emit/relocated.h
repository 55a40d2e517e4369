/* Words among the objects of .data that hold addresses: of the library's own functions or of symbols.
 *
 * They are spread over all pages, as those of tables and structures are; or, where the row says how many pages
 * relocations touch, over so many: the dynamic linker takes a page fault for each.
 */
#ifndef EMIT_RELOCATED_H
#define EMIT_RELOCATED_H

#include "emit/library.h"

/* In ascending order of addresses. */
struct relocated {
    uint64_t start, room; /* where they are, and how many words there are */
    uint32_t count;       /* of relocated ones, */
    uint32_t addresses;   /* of which so many are of symbols: evenly among the others */
    uint32_t next;
};

struct relocated relocated_words(const struct library *l);

/* The next of these, as its address; false when there is none any more. */
bool relocated_next(struct relocated *w, bool symbols, uint64_t *at);

/* The next of either kind. */
bool relocated_word(struct relocated *w, uint64_t *at);

/* How many pages relocations touch. */
uint64_t relocated_pages(const struct library *l);

#endif
