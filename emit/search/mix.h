/* The sizes of single debug sections that a profile wants (`dwarf: mix`), and how libraries share them.
 *
 * Each library gets a share in proportion to the size of all its debug information. The library's own size pass
 * shows whether the share is possible. Where it is not, the library gets the nearest possible size and the others
 * get the difference. This repeats until all fit, or until a section's total is out of reach.
 *
 * Where the profile has rows, each library's mix comes from its own row. The thread that makes the library settles
 * it. That takes dozens of size passes, or hundreds. While a manner is searched for, the first try settles libraries
 * so, and each later one begins with what came out before, which takes one to three. When the search has ended,
 * libraries are settled in full again, from where they ended before.
 */
#ifndef EMIT_SEARCH_MIX_H
#define EMIT_SEARCH_MIX_H

#include "emit/library/builders.h"

/* Whether the profile wants sizes of single debug sections. */
bool mix_is_wanted(const struct profile *profile);

/* Fills plan->mix, and plan->guides where libraries are settled later; plan_free frees both. Leaves both NULL where
 * the profile wants no mix. On ERROR_INFEASIBLE the message names the section and the nearest total. */
bool mix_settle(struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e);

/* To be called before a library is sized. Settles the library's mix, unless that has been done. Forgets what the
 * builder has sized before, so that large_size_again starts anew. Only one thread at a time may call this for one
 * library. */
bool mix_settle_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                        struct error *e);

/* What the row of a library asks for: the mix with which the library begins to be settled. */
struct plan_mix mix_asked(const struct plan *plan, uint32_t index);

/* What plan->before may point to: nothing known of any of the modules and utilities. To be freed; NULL when memory ran
 * out. */
struct mix_before *mix_before_none(const struct profile *profile);

/* Frees what mix_settle filled, so that the plan is as before it. */
void mix_forget(struct plan *plan);

/* Calls mix_settle_library and then library_size, for a library that is no part of an executable. */
bool mix_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e);

/* The same by large_size_again: what is composed of a large library is not kept. */
bool mix_size_only(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                   struct error *e);

#endif
