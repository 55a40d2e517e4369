/* From pyelfrun to the program of a mode.
 *
 * pyelfrun itself is small and needs neither Python nor MPI, so it does not show in the figures: a rank takes the time
 * and executes the program.
 */
#ifndef DRIVER_LAUNCH_LAUNCH_H
#define DRIVER_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "driver/common/options.h"

/* Finds the program of a mode and writes its path to `path`, of PATH_MAX bytes. It is pyelfrun's own program, or one of
 * the set, which the set may lack. */
bool launch_find(char *path, const struct options *options, enum mode mode, struct error *e);

/* Becomes the program of options->mode[0] with the same command line. Returns only if that fails. */
bool launch_rank(const struct options *options, char **argv, struct error *e);

struct launch_end {
    int status; /* exit status of the first run that failed; 128 + N if signal N has ended it */
    int signal; /* signal that was to end this program, which then ends by it; 0: none */
};

/* Runs every mode as often as wanted, one run after the other. options->launcher starts each run; without one it is a
 * process of its own. After the first failed run no other is started. If this returns false and end->status is 0, the
 * exit status is that of the error. (trees.c) */
bool launch_trees(const struct options *options, int argc, char **argv, struct launch_end *end, struct error *e);

/* Whether the MPI library will find room in TMPDIR. Ask this in the process that starts first, and not in every rank.
 * (room.c) */
bool launch_has_room(struct error *e);

#endif
