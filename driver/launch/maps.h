/* Whether a process can have as many maps of memory (base/maps.h) as the libraries of a set on disk take. */
#ifndef DRIVER_LAUNCH_MAPS_H
#define DRIVER_LAUNCH_MAPS_H

#include <stdbool.h>

#include "base/error.h"
#include "driver/common/options.h"

/* False, with advice in `e`, if Linux's vm.max_map_count would not let a process load all libraries. A set is known to
 * be small from the size of its manifest; then nothing of it is read. For other sets the segments of some libraries are
 * counted. */
bool launch_maps(const struct options *o, enum mode mode, struct error *e);

#endif
