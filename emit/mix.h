/* The sizes of the debug sections that a profile wants (`dwarf: mix`), library by
 * library.
 *
 * Each library gets its share by the size of all its debug information. Whether
 * it can have that is found by its own size pass; where it cannot, it gets the
 * nearest that it can, and the others the difference, until all have what they
 * can or a section's total is out of reach.
 *
 * Where the profile has rows, each library's mix is its own, and settled when it is made, by whoever makes it.
 */
#ifndef EMIT_MIX_H
#define EMIT_MIX_H

#include "emit/library.h"

/* Whether single debug sections are to have sizes of their own. */
bool mix_is_wanted(const struct profile *profile);

/* Fills plan->mix, and plan->guides where libraries are still to be settled, which plan_free frees; leaves both NULL
 * where the profile wants no mix. An ERROR_INFEASIBLE names the section and the nearest total. */
bool mix_settle(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e);

/* Before a library is sized: settles its mix, if that is still to be done; what the builder had sized before is
 * forgotten, so that large_size_again may follow. No two threads may have the same library at a time. */
bool mix_settle_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                        struct error *e);

/* That, and library_size, of a library that is no part of an executable. */
bool mix_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e);

#endif
