/* What every part of a run knows: the set, the options, the ranks. rank.c fills it before the first phase; it is
 * constant from then on. */
#ifndef DRIVER_RUN_H
#define DRIVER_RUN_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "base/executable.h"
#include "base/manifest.h"
#include "driver/common/options.h"
#include "driver/ranks.h"
#include "driver/set_digest.h"

struct memory; /* memory.h */

/* The rows of the manifest that are opened, `count` from `first` on: markers and modules or, in a set without modules,
 * the utilities. In a set with modules the import then opens `others` utilities, those that the manifest says
 * (manifest_library.opened). */
struct opened {
    size_t first, count, others;
};

struct run {
    struct options options;
    enum mode mode;
    int64_t begun;                       /* seconds since 1970, UTC */
    const struct executable *executable; /* if this process is an executable of a set; else NULL */
    struct ranks ranks;
    struct manifest manifest;
    struct opened opened;         /* libraries that the import opens; others are loaded because these need them */
    struct memory *memory;        /* if the set is in memory; NULL: it is in its directory */
    char directory[PATH_MAX];     /* absolute path of the set; for one in memory the profile as it was named */
    char digest[SET_DIGEST_TEXT]; /* digest of the manifest */
};

#endif
