/* Where the libraries of a set are: in its directory, or in memory (base/memory_set.h).
 *
 * From memory the dynamic linker is given each by a path of this process, /proc/self/fd/N, so that it opens no
 * file. What a library needs it then finds among what is loaded, by DT_SONAME. So that is opened before.
 */
#ifndef DRIVER_MEMORY_H
#define DRIVER_MEMORY_H

#include "driver/run.h"

struct memory;

enum { MEMORY_PATH_MOST = PATH_MAX + MANIFEST_NAME_MOST + 2 };

/* Takes the set over that this process was given: run->memory, run->manifest and run->digest. What cannot be
 * loaded in any order, or takes more maps of memory than there may be, is refused. */
bool memory_read(struct run *run, struct error *e);

/* By which path library `index` of the manifest is opened, wherever it is. */
void memory_path(const struct run *run, size_t index, char path[MEMORY_PATH_MOST]);

/* Opens what the library needs and is not loaded yet, in an order in which all is there that is needed. Of a set
 * on disk the dynamic linker does that. */
bool memory_bring(const struct run *run, size_t index, struct error *e);

/* Takes NULL. The libraries stay loaded. */
void memory_free(struct memory *m);

#endif
