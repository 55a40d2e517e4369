/* pyelfgen's command line: its own options, or Pynamic's arguments. */
#ifndef EMIT_OPTIONS_H
#define EMIT_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "emit/executables.h"
#include "emit/profile_keys.h"

struct options {
    char profile[PATH_MAX]; /* "" where the counts of Pynamic's arguments stand for it */
    struct profile counts;
    const char *output;
    const char *node_local; /* the directory of each node's own set, with what ranks_path knows; instead of `output` */
    const char *verify;
    bool has_seed;
    uint64_t seed;
    const char *instead[KEY_COUNT]; /* values of keys in the place of the profile's, as it would have them; or NULL */
    struct plan_executables executables;
    unsigned threads; /* 0: as many as there are processors */
    bool force, sources, dry_run, quiet;
    bool alone; /* no work is shared with other ranks; known also where the rest is wrong */
};

enum options_result { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* Parses; --help and --version give OPTIONS_DONE. Free with options_free. */
enum options_result options_parse(struct options *o, int argc, char **argv, struct error *e);
void options_free(struct options *o);

#endif
