/* Corrects what rows say of debug information before it was split (profile_unsplit), so that .dwo files come out as
 * large as they were captured.
 *
 * How much smaller entries, strings and lists become when they are split depends on what is composed. So a sample of
 * the libraries is made in memory and split, and the rows' sizes are changed by what came out too large or too small.
 */
#ifndef EMIT_SEARCH_SPLIT_FIT_H
#define EMIT_SEARCH_SPLIT_FIT_H

#include "emit/library/builders.h"
#include "emit/plan/plan.h"
#include "emit/profile/profile.h"
#include "emit/stock/stock.h"

/* Whether the plan has libraries that are split because their rows say so. */
bool split_fit_is_wanted(const struct plan *plan);

/* Changes the rows of *profile, which the plan was made from. The plan does not fit the rows then, and has to be made
 * again. False after a failure. */
bool split_fit(struct profile *profile, const struct plan *plan, const struct stock *stock, struct builders *builders,
               struct error *e);

#endif
