/* Refuses a set with split debug information of which a library would have more .dwo files than a library may have.
 *
 * How many units a library has is known only when its debug information is filled. So libraries with so many functions
 * and so much of it that they may have too many are sized before anything is written.
 */
#ifndef EMIT_SEARCH_DWO_CHECK_H
#define EMIT_SEARCH_DWO_CHECK_H

#include "emit/library/builders.h"

/* False where a library would have too many. Nothing is done where debug information is not split into .dwo files. */
bool dwo_check(const struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e);

#endif
