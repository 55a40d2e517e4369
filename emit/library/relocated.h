/* The words among the objects of .data.rel.ro and .data that relocations fill with addresses, of the library's own
 * functions or of symbols; and which symbols these words and those of .got refer to.
 *
 * In each section the words are spread over all pages of the objects, like tables and structures in real data. Where
 * the row says how many pages relocations touch, they are spread over so many only: each page costs the dynamic linker
 * a page fault.
 */
#ifndef EMIT_LIBRARY_RELOCATED_H
#define EMIT_LIBRARY_RELOCATED_H

#include "emit/library/library.h"

/* Words of one section that are evenly spread. */
struct relocated_region {
    uint64_t start, room; /* address of the first; how many words have room there */
    uint32_t count;       /* how many words are relocated */
};

enum { RELOCATED_REGIONS = 2 }; /* in .data.rel.ro, and in .data behind it */

/* A walk over these words in ascending order of addresses. */
struct relocated {
    struct relocated_region region[RELOCATED_REGIONS];
    uint32_t count;     /* of words in all regions */
    uint32_t addresses; /* how many of these refer to symbols; evenly spread among the others */
    uint32_t next;      /* number of the next word */
};

struct relocated relocated_words(const struct library *l);

/* Sets *at to the address of the next word that refers to a symbol (`symbols`) or to an own function; false after the
 * last. */
bool relocated_next(struct relocated *w, bool symbols, uint64_t *at);

/* Sets *at to the address of the next word of either kind; false after the last. */
bool relocated_word(struct relocated *w, uint64_t *at);

/* Which of the two sections the word at address `at` is in, and where it is in the image. */
enum section_id relocated_section(const struct library *l, uint64_t at);
uint8_t *relocated_place(const struct library *l, uint8_t *image, uint64_t at);

/* How many pages (base/page.h) the relocations of the library touch. */
uint64_t relocated_pages(const struct library *l);

/* The index in .dynsym of the `index`-th symbol that the library imports and does not call: imports from the set, then
 * functions outside the set. */
uint32_t relocated_uncalled(const struct library *l, uint32_t index);

/* The index in .dynsym of the symbol that word i of .got refers to (relocated_any), or of the symbol that the i-th word
 * among the objects refers to, counting only words that refer to symbols (relocated_word_symbol). */
uint32_t relocated_any(const struct library *l, uint64_t i);
uint32_t relocated_word_symbol(const struct library *l, uint32_t i);

/* How many symbols the relocations of a library, other than those of PLT slots, refer to; not for executables. */
uint32_t relocated_symbols(const struct library *l);

#endif
