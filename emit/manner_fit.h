/* What a manner (dwarf/manner.h) has too little or too much of, where the entries of a set in it have been counted
 * (manner_sample.h), beside those of an application. manner_search.h tries one after another.
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
