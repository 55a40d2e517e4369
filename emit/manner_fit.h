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

/* The manner in which a set should come near, where one in manner `m` has these entries. */
struct manner manner_fitted(const struct manner *m, const struct profile *p, const struct debug_counts *made);

#endif
