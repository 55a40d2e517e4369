/* Looks for the manners (dwarf/corpus/manner.h) of all languages in which a set comes nearest to an application's debug
 * information.
 *
 * Each language of which the profile says how often tags and attributes are used has a search of its own
 * (manner_search.h). These go side by side: every try is a set in the manners that each of them tries, and a search
 * that has ended stays at its best. Where the profile does not divide by language there is one search, for all
 * libraries.
 */
#ifndef EMIT_SEARCH_MANNERS_SEARCH_H
#define EMIT_SEARCH_MANNERS_SEARCH_H

#include "emit/search/manner_search.h"
#include "emit/stock/profile_manner.h"

struct manners_search {
    const struct profile *profile;
    struct manner_search of[DEBUG_LANGUAGES];
    bool searched[DEBUG_LANGUAGES];
    bool goes_on[DEBUG_LANGUAGES];
    unsigned tries;
    bool is_best; /* once all have ended: each manner that was tried last is the best of its language */
};

/* Begins a search. False where none makes sense. The profile is borrowed. */
bool manners_search_start(struct manners_search *s, const struct profile *p);

/* Begins another search for the same profile after one in a model of it, near the manners that were found there. */
void manners_search_after_model(struct manners_search *s);

/* As manner_search_next, for all languages; `made` has as many counts as there are languages, or is NULL. */
bool manners_search_next(struct manners_search *s, const struct debug_counts *made, struct manners *m);

/* The entries of the best tries, of all languages together; of those without a search, what came of the last try. */
struct debug_counts manners_search_best(const struct manners_search *s);

#endif
