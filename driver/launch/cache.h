/* Treats the set's files in the page cache before the program that loads them starts. */
#ifndef DRIVER_LAUNCH_CACHE_H
#define DRIVER_LAUNCH_CACHE_H

#include <stdbool.h>

#include "base/error.h"
#include "driver/common/options.h"

/* Drops the set's files from this host's page cache, or reads them into it, as options->cache says. If files could not
 * be dropped, this is said on standard error and is no failure: the run is then not as cold. The result goes to the
 * run's environment, for its results: OPTIONS_CACHED, "bytes in memory of bytes of all files", or "unknown of ..."
 * where the kernel does not tell this user. */
bool launch_cache(const struct options *options, struct error *e);

#endif
