/* What every part of a run knows: the set, the options, the ranks. Filled by
 * main before the first phase and constant from then on. */
#ifndef DRIVER_RUN_H
#define DRIVER_RUN_H

#include <limits.h>

#include "base/manifest.h"
#include "driver/options.h"
#include "driver/ranks.h"

struct run {
    struct options options;
    struct ranks ranks;
    struct manifest manifest;
    char directory[PATH_MAX]; /* of the set, absolute */
};

#endif
