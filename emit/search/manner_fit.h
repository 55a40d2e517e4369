/* Corrects a manner (dwarf/corpus/manner.h): compares the entries that were counted in a set of that manner
 * (manner_sample.h) with those of the application. manner_search.h tries one manner after another.
 */
#ifndef EMIT_SEARCH_MANNER_FIT_H
#define EMIT_SEARCH_MANNER_FIT_H

#include "dwarf/corpus/manner.h"
#include "dwarf/unit/count.h"
#include "emit/stock/profile_entries.h"

/* Whether a search makes sense: the profile tells enough of units, and types are in units. */
bool manner_can_fit(const struct profile_entries *said);

/* The distance of a set's entries from the profile's, 0 to 1: half of the sum of differences between shares, by tags
 * or by attributes, whichever is more. */
double manner_distance(const struct profile_entries *said, const struct debug_counts *made);

/* The manner in which a set should come nearer, if a set in manner `m` has these entries. */
struct manner manner_fitted(const struct manner *m, const struct profile_entries *said,
                            const struct debug_counts *made);

#endif
