/* The sizes of the debug sections that a profile wants (`dwarf: mix`), library by
 * library.
 *
 * Each library gets its share by the size of all its debug information. Whether
 * it can have that is found by its own size pass; where it cannot, it gets the
 * nearest that it can, and the others the difference, until all have what they
 * can or a section's total is out of reach.
 */
#ifndef EMIT_MIX_H
#define EMIT_MIX_H

#include "emit/library.h"

/* Fills plan->mix, which plan_free frees; leaves it NULL where the profile wants
 * no mix. An ERROR_INFEASIBLE names the section and the nearest total. */
bool mix_settle(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e);

#endif
