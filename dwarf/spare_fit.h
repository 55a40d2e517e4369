/* How many of each sort of spare entries take so many bytes, are so many entries and have so many attributes; numbers
 * only (spare.h).
 *
 * Three sums are met by three columns at the most: rounds, which are as headers are, and of what else there is to
 * choose from whichever two leave the most to these. Fractions are cut off; what that leaves, and what is set aside for
 * it, is met exactly by declarations whose names are as long as they have to be, and by types that are made of others,
 * of which one has an attribute and one two.
 */
#ifndef DWARF_SPARE_FIT_H
#define DWARF_SPARE_FIT_H

#include <stdbool.h>
#include <stdint.h>

struct spare_item {
    uint64_t bytes, dies, attributes;
};

/* The first ones only where nothing else will do. */
enum { SPARE_SORT_CONST, SPARE_SORT_POINTER, SPARE_SORT_VARIABLE, SPARE_SORTS = 7 };

struct spare_wanted {
    struct spare_item all;
    struct spare_item sort[SPARE_SORTS]; /* without entries: there is none of it */
    struct spare_item named;             /* a declaration with the shortest name in it */
    uint64_t usual, most;                /* characters more of such names, as a rule and at most */
    uint64_t named_most;                 /* of these, */
    uint64_t few_most;                   /* of the first sorts together, at most, */
    uint64_t sort_most;                  /* and entries of each other sort */
    /* What so many rounds take, which grows about evenly; none of 0. Borrowed */
    struct spare_item (*rounds)(const void *context, uint64_t rounds);
    const void *context;
    uint64_t rounds_most; /* which need not fit */
};

struct spare_fitted {
    uint64_t rounds;
    uint64_t sort[SPARE_SORTS];
    uint64_t named; /* one or more */
    uint64_t extra; /* characters of their names beyond the shortest */
};

/* Sets *fitted to what is as wanted; false where nothing is found. */
bool spare_fit(const struct spare_wanted *wanted, struct spare_fitted *fitted);

#endif
