/* How many items of each sort of spare types (spare.h) have a given number of bytes, entries and attributes; this is
 * about numbers only.
 *
 * The three sums are met by three columns at most: rounds, which are in the proportions of headers, and whichever
 * others leave the most to rounds. Fractions are cut off. What that leaves, and what is set aside for it, is met
 * exactly by declarations, whose names are as long as they have to be, and by types made of other types, of which one
 * kind has one attribute and the other two. */
#ifndef DWARF_UNIT_SPARE_FIT_H
#define DWARF_UNIT_SPARE_FIT_H

#include <stdbool.h>
#include <stdint.h>

struct spare_item {
    uint64_t bytes, dies, attributes;
};

/* The sorts named here are columns only where nothing else will do. Constants and pointers also make up what is left.
 */
enum { SPARE_SORT_CONST, SPARE_SORT_POINTER, SPARE_SORT_VARIABLE, SPARE_SORTS = 7 };

struct spare_wanted {
    struct spare_item all;
    struct spare_item sort[SPARE_SORTS]; /* one item of each sort; without entries: the sort may not be used */
    struct spare_item named;             /* a declaration with the shortest name in the entry */
    uint64_t usual, most;                /* characters beyond the shortest of such names, as a rule and at most */
    uint64_t named_most;                 /* most of such declarations */
    uint64_t few_most;                   /* most items of the named sorts together */
    uint64_t sort_most;                  /* most entries of each other sort */
    /* What this many rounds take: it grows about evenly, and is nothing for 0. The context is borrowed. */
    struct spare_item (*rounds)(const void *context, uint64_t rounds);
    const void *context;
    uint64_t rounds_most; /* an upper bound: so many need not fit */
};

struct spare_fitted {
    uint64_t rounds;
    uint64_t sort[SPARE_SORTS];
    uint64_t named; /* one or more */
    uint64_t extra; /* characters of their names beyond the shortest */
};

/* Sets *fitted to numbers that meet *wanted; false if none are found. */
bool spare_fit(const struct spare_wanted *wanted, struct spare_fitted *fitted);

#endif
