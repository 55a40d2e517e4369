/* pyelfgen's command line: its own options, or Pynamic's arguments. */
#ifndef EMIT_OPTIONS_H
#define EMIT_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "emit/plan/executables.h"
#include "emit/profile/keys.h"

struct options {
    char profile[PATH_MAX]; /* "" where Pynamic's arguments were given; then `counts` is the profile */
    struct profile counts;
    const char *output;
    const char *node_local; /* pattern for the directory of each node's own set (ranks_path); instead of `output` */
    const char *verify;
    const char *settle; /* where the profile goes with what is found for it; no set is written */
    bool has_seed;
    uint64_t seed;
    uint32_t copies;                /* of the profile's application, side by side; 0: as the profile says */
    const char *instead[KEY_COUNT]; /* by key, the text of a value that replaces the profile's, or NULL */
    struct plan_executables executables;
    unsigned threads; /* 0: as many as there are processors */
    bool force, sources, dry_run, quiet;
    bool alone; /* share no work with other ranks; set even if the command line is wrong */
};

enum options_result { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* Parses the command line; OPTIONS_DONE after --help and --version. Free with options_free. */
enum options_result options_parse(struct options *o, int argc, char **argv, struct error *e);
void options_free(struct options *o);

#endif
