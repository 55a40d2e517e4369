/* A set in memory: each library in a descriptor of its own (base/memory_set.h), as many bytes as its file would
 * have, and separate or split debug information nowhere, since nobody loads it.
 *
 * The dynamic linker finds no such library by its name. One that others need is loaded before them, and known
 * by its DT_SONAME. */
#ifndef EMIT_MEMORY_H
#define EMIT_MEMORY_H

#include "emit/progress.h"
#include "emit/set.h"

/* Makes it from the plan of the profile of that name; *fd is that of the list, open across exec as all of them are. The
 * limit of descriptors is raised by as many. Refuses what cannot be loaded so. */
bool memory_make(const char *profile, const struct plan *plan, const struct stock *stock, unsigned threads,
                 struct progress *progress, int *fd, struct error *e);

#endif
