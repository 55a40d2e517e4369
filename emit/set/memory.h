/* A set in memory: each library is a memfd (base/memory_set.h) with the bytes that its file would have. Separate or
 * split debug information is not kept, because nobody loads it.
 *
 * The dynamic linker cannot find such a library by its name. So a library that others need is loaded before them,
 * and is then known by its DT_SONAME.
 */
#ifndef EMIT_SET_MEMORY_H
#define EMIT_SET_MEMORY_H

#include "emit/set/progress.h"
#include "emit/set/set.h"

/* Makes the set from a plan. `profile`: the name of the plan's profile. *fd: the descriptor of the list; it stays
 * open across exec, as do those of the libraries. Raises the limit of open descriptors accordingly. Refuses sets
 * that cannot be loaded this way. */
bool memory_make(const char *profile, const struct plan *plan, const struct stock *stock, struct builders *builders,
                 struct progress *progress, int *fd, struct error *e);

#endif
