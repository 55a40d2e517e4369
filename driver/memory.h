/* Where the libraries of a set are: in its directory, or in memory (base/memory_set.h).
 *
 * A library in memory is opened by a path of this process, /proc/self/fd/N, so the dynamic linker opens no other file.
 * It finds what the library needs by DT_SONAME among the libraries that are already loaded. So these have to be opened
 * first.
 */
#ifndef DRIVER_MEMORY_H
#define DRIVER_MEMORY_H

#include "driver/run.h"

struct memory;

enum { MEMORY_PATH_MOST = PATH_MAX + MANIFEST_NAME_MOST + 2 };

/* Takes over the set that this process was given, and fills run->memory, run->manifest and run->digest. A set is
 * refused if no order of loading suits it, or if it takes more maps of memory than a process may have. */
bool memory_read(struct run *run, struct error *e);

/* The path by which library `index` of the manifest is opened, wherever it is. */
void memory_path(const struct run *run, size_t index, char path[MEMORY_PATH_MOST]);

/* Opens the libraries that this library needs and that are not loaded yet, each after its own needs. Does nothing for a
 * set on disk, because the dynamic linker does this. */
bool memory_bring(const struct run *run, size_t index, struct error *e);

/* Opens a library, wherever it is, with dlopen, as the options say, and sets *handle. */
bool memory_open(const struct run *run, size_t index, void **handle, struct error *e);

/* Accepts NULL. The libraries stay loaded. */
void memory_free(struct memory *m);

#endif
