/* Makes executables that consist of parts (--bigexe) have the planned sizes to the byte.
 *
 * What the parts take together is known only when all have been sized and laid out (join.h), because they share the
 * corpus's strings, and there is padding between them. The executable's own part is made larger or smaller by the
 * difference.
 */
#ifndef EMIT_LIBRARY_INSIDE_H
#define EMIT_LIBRARY_INSIDE_H

#include "emit/library/builders.h"

/* Settles the sizes of pyelf-link's parts, if it has any, so that its sizes are those in plan->link. */
bool inside_settle(struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e);

#endif
