/* Makes executables that consist of parts (--bigexe) have the planned sizes to the byte.
 *
 * What the parts take together is only known when all have been sized and laid out (join.h):
 * the corpus's strings are there only once, and there is padding between parts. The part that
 * the executable brings itself is made larger or smaller by the difference.
 */
#ifndef EMIT_INSIDE_H
#define EMIT_INSIDE_H

#include "emit/library.h"

/* Settles the sizes of pyelf-link's parts, if it has any, so that its sizes are plan->link. */
bool inside_settle(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e);

#endif
