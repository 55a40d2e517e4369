/* Looks for the manner (dwarf/corpus/manner.h) in which a set comes nearest to an application's debug information.
 *
 * The search begins with what profile_manner reads from the profile. For each manner that is tried, a sample of the
 * set's libraries is composed, and its entries are counted (manner_sample.h). From what is too little or too much,
 * manner_fit.h makes the next manner.
 *
 * Numbers influence one another. So each number goes only a part of its way, its step. Where a number had to grow
 * and then has to shrink (or the reverse), it went too far, and its step is halved. Where it goes on in the same
 * direction, its step grows by half, up to the whole way.
 */
#ifndef EMIT_SEARCH_MANNER_SEARCH_H
#define EMIT_SEARCH_MANNER_SEARCH_H

#include "dwarf/corpus/manner.h"
#include "dwarf/unit/count.h"
#include "emit/stock/profile_entries.h"

enum { MANNER_TRIES_MOST = 8, MANNER_TRIES_NEAR = 2, MANNER_NUMBERS = PIECES + OUTERS + INNERS + 22 };

/* A search; starts zeroed. */
struct manner_search {
    /* Manners that were tried, with their counts: the best, and the one from which the next goes on. */
    struct manner_tried {
        struct manner manner;
        struct debug_counts counts;
    } best, last;
    double nearest;
    double step[MANNER_NUMBERS];  /* each number's step: the share of what it lacks that it goes, */
    double moved[MANNER_NUMBERS]; /* and how far it went the last time */
    unsigned tries, since_best;
    bool begins_near; /* the first manner was found in a model (emit/profile/model.h): MANNER_TRIES_NEAR tries at the
                         most */
    bool is_best;     /* the manner that was tried last is the best */
    bool is_near;     /* the best is near enough */
};

/* Notes the entries that came of *m, or NULL if nothing can be made in that manner; those of the first manner must
 * be given. Returns true and sets *m to the manner to try next. After the last try returns false and sets *m to the
 * best manner. */
bool manner_search_next(struct manner_search *s, const struct profile_entries *said, const struct debug_counts *made,
                        struct manner *m);

#endif
