/* Whether a process can have as many maps of memory (base/maps.h) as the libraries of a set on disk take. */
#ifndef DRIVER_LAUNCH_MAPS_H
#define DRIVER_LAUNCH_MAPS_H

#include <stdbool.h>

#include "base/error.h"
#include "driver/options.h"

/* False, with what to do, where Linux's vm.max_map_count would end the loading of all
 * libraries. Small sets are known by the size of their manifest, and nothing of them is
 * read; of others the segments of some libraries are counted. */
bool launch_maps(const struct options *o, enum mode mode, struct error *e);

#endif
