/* Looks for the manner (dwarf/manner.h) in which a set comes nearest to an application's debug information.
 *
 * What profile_manner reads from a profile is where the search begins. Each manner is tried: a sample of the set's
 * libraries is composed in it, and their entries are counted (manner_sample.h). What there is too little or too much
 * of tells the next one (manner_fit.h).
 *
 * As one number changes what is another's, one that had to grow and then has to shrink was changed by too much: from
 * then on it goes half as far each time.
 */
#ifndef EMIT_MANNER_SEARCH_H
#define EMIT_MANNER_SEARCH_H

#include "dwarf/count.h"
#include "dwarf/manner.h"
#include "emit/profile.h"

enum { MANNER_TRIES_MOST = 8, MANNER_NUMBERS = PIECES + OUTERS + INNERS + 21 };

/* A search; starts zeroed. */
struct manner_search {
    /* Manners that were tried, and what came of them: the best, and the one that the next goes on from. */
    struct manner_tried {
        struct manner manner;
        struct debug_counts counts;
    } best, last;
    double nearest;
    double step[MANNER_NUMBERS];  /* how much of what is lacking each number goes, */
    double moved[MANNER_NUMBERS]; /* and by how much it changed last */
    unsigned tries, since_best;
    bool is_best; /* the last that was tried */
    bool is_near; /* what is best is near enough */
};

/* Notes what entries came of *m, or, with NULL, that nothing can be made so; of the first there are some. Sets *m to
 * the manner to be tried next, or to the best one where that was the last try, and then returns false. */
bool manner_search_next(struct manner_search *s, const struct profile *p, const struct debug_counts *made,
                        struct manner *m);

#endif
