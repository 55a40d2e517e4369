/* The sizes of the debug sections that a profile wants (`dwarf: mix`), library by
 * library.
 *
 * Each library gets a share in proportion to the size of all its debug information.
 * Its own size pass shows whether that is possible; where it is not, the library gets
 * the nearest possible size and the others get the difference, until all fit or a
 * section's total is out of reach.
 *
 * Where the profile has rows, each library's mix comes from its row, and is settled by
 * the thread that makes the library.
 */
#ifndef EMIT_MIX_H
#define EMIT_MIX_H

#include "emit/library.h"

/* Whether single debug sections are to have sizes of their own. */
bool mix_is_wanted(const struct profile *profile);

/* Fills plan->mix, and plan->guides where libraries are still to be settled, which plan_free frees; leaves both NULL
 * where the profile wants no mix. An ERROR_INFEASIBLE names the section and the nearest total. */
bool mix_settle(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e);

/* To be called before a library is sized: settles its mix, unless that has been done. Forgets what the builder had
 * sized before, so that large_size_again may follow. Only one thread at a time may do this for one library. */
bool mix_settle_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                        struct error *e);

/* mix_settle_library and then library_size, for a library that is no part of an executable. */
bool mix_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e);

#endif
