/* What every part of a run knows: the set, the options, the ranks. Filled by
 * rank.c before the first phase and constant from then on. */
#ifndef DRIVER_RUN_H
#define DRIVER_RUN_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "base/executable.h"
#include "base/manifest.h"
#include "driver/options.h"
#include "driver/ranks.h"
#include "driver/set_digest.h"

struct memory; /* memory.h */

/* Rows of the manifest, `count` from `first` on: markers and modules, or of a set without modules its utilities. */
struct opened {
    size_t first, count;
};

struct run {
    struct options options;
    enum mode mode;
    int64_t begun;                       /* seconds since 1970, UTC */
    const struct executable *executable; /* this process's, where it is one of a set; else NULL */
    struct ranks ranks;
    struct manifest manifest;
    struct opened opened;         /* which of its libraries the import opens; others come because these need them */
    struct memory *memory;        /* where the set is there; NULL: in its directory */
    char directory[PATH_MAX];     /* of the set, absolute; of one in memory the profile, as it was named */
    char digest[SET_DIGEST_TEXT]; /* of its manifest */
};

#endif
