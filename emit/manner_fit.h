/* Looks for the manner (dwarf/manner.h) in which a set comes nearest to an application's debug information.
 *
 * What profile_manner reads from a profile is where the search begins. Each manner is tried: a sample of the set's
 * libraries is composed in it, and their entries are counted (manner_sample.h). What there is too little or too much
 * of tells the next one.
 */
#ifndef EMIT_MANNER_FIT_H
#define EMIT_MANNER_FIT_H

#include "dwarf/count.h"
#include "dwarf/manner.h"
#include "emit/profile.h"

/* Whether there is anything to look for: where the profile tells enough of units, and types are in these. */
bool manner_can_fit(const struct profile *p);

/* How far entries are from the profile's: half of the sum of differences between shares, 0 to 1, by tags or by
 * attributes, whatever is more. */
double manner_distance(const struct profile *p, const struct debug_counts *made);

/* The manner in which a set should come nearer, where one in manner `m` has these entries; by a part `step` of what is
 * lacking, 0 to 1. */
struct manner manner_nearer(const struct manner *m, const struct profile *p, const struct debug_counts *made,
                            double step);

enum { MANNER_TRIES_MOST = 6 };

/* A search; starts zeroed. */
struct manner_search {
    struct manner best;         /* of those that were tried */
    struct debug_counts counts; /* of that */
    double nearest, step;
    unsigned tries;
    bool is_best; /* the last that was tried */
};

/* Notes what entries came of *m, or, with NULL, that nothing can be made so; of the first there are some. Sets *m to
 * the manner to be tried next, or to the best one where that was the last try, and then returns false. */
bool manner_search_next(struct manner_search *s, const struct profile *p, const struct debug_counts *made,
                        struct manner *m);

#endif
