/* Words among the objects of .data that hold addresses, of the library's own functions or of symbols; and which symbols
 * these and words of .got have.
 *
 * They are spread over all pages, as those of tables and structures are; or, where the row says how many pages
 * relocations touch, over so many: the dynamic linker takes a page fault for each.
 */
#ifndef EMIT_RELOCATED_H
#define EMIT_RELOCATED_H

#include "emit/library.h"

enum { RELOCATED_PAGE = 4096 };

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

/* The index in .dynsym of a symbol that the library does not call: imports before functions outside the set. */
uint32_t relocated_uncalled(const struct library *l, uint32_t index);

/* The index of that which the i-th word of .got has, or the i-th word of .data. */
uint32_t relocated_any(const struct library *l, uint64_t i);
uint32_t relocated_word_symbol(const struct library *l, uint32_t i);

/* How many symbols the relocations of a library refer to that is not linked with the set, but for PLT slots. */
uint32_t relocated_symbols(const struct library *l);

#endif
