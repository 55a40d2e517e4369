/* The set in the page cache, before the program starts that loads it. */
#ifndef DRIVER_LAUNCH_CACHE_H
#define DRIVER_LAUNCH_CACHE_H

#include <stdbool.h>

#include "base/error.h"
#include "driver/options.h"

/* Drops the set's files from this host's page cache or reads them into it, as
 * options->cache says. What could not be dropped is said on standard error and
 * is no failure: the run is then simply not as cold. The environment tells the
 * run what came of it, for its results, OPTIONS_CACHED: "bytes that are in memory
 * of bytes of all". */
bool launch_cache(const struct options *options, struct error *e);

#endif
