/* Executables that are put together from parts (--bigexe), and come out at the sizes of
 * the plan to the byte.
 *
 * What parts take together is known when all have been sized and laid out (join.h): the
 * corpus's strings stand once, and between parts there is what aligns them. What that makes
 * a difference, the executable's own part gets more or less.
 */
#ifndef EMIT_INSIDE_H
#define EMIT_INSIDE_H

#include "emit/library.h"

/* Settles the sizes of pyelf-link's parts, where it has any, so that it comes to plan->link. */
bool inside_settle(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e);

#endif
