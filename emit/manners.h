/* The manner (dwarf/manner.h) of each language that a set's libraries are in, and the search for them.
 *
 * Where the profile says of each language how often tags and attributes are used, each has a manner and a search of its
 * own (manner_search.h). The searches go side by side: every try is a set in the manners that each of them tries, and a
 * search that has ended stays at its best. Other languages have the manner of the profile's.
 */
#ifndef EMIT_MANNERS_H
#define EMIT_MANNERS_H

#include "emit/manner_search.h"
#include "emit/profile_entries.h"

struct manners {
    struct manner of[DEBUG_LANGUAGES];
};

/* The manners that follow from the profile. */
struct manners manners_of(const struct profile *p);

struct manners_search {
    const struct profile *profile;
    struct manner_search of[DEBUG_LANGUAGES];
    bool goes_on[DEBUG_LANGUAGES];
    bool searched[DEBUG_LANGUAGES];
    unsigned tries;
    bool is_best; /* once all have ended: each manner that was tried last is the best of its language */
};

/* Begins a search. False where none makes sense. The profile is borrowed. */
bool manners_search_start(struct manners_search *s, const struct profile *p);

/* As manner_search_next, for all languages; `made` has as many counts as there are languages, or is NULL. */
bool manners_search_next(struct manners_search *s, const struct debug_counts *made, struct manners *m);

/* The entries of the best tries, of all languages together. */
struct debug_counts manners_search_best(const struct manners_search *s);

#endif
