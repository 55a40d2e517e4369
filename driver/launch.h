/* From pyelfrun to the program of a mode.
 *
 * pyelfrun itself is small and needs neither Python nor MPI, so that it is not
 * in the figures: a rank takes the time, and executes the program.
 */
#ifndef DRIVER_LAUNCH_H
#define DRIVER_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "driver/options.h"

/* The program of a mode, in `path` of PATH_MAX bytes: pyelfrun's own, or one that
 * the set may have or not. */
bool launch_find(char *path, const struct options *options, enum mode mode, struct error *e);

/* Becomes the program of options->mode[0] with the same command line; returns
 * only when that failed. */
bool launch_rank(const struct options *options, char **argv, struct error *e);

struct launch_end {
    int status; /* of exit: that of the first run which failed, 128 + N where signal N has ended it */
    int signal; /* by which this program was to end, and ends, too; 0: none */
};

/* Runs every mode as often as wanted, one after the other, each started by
 * options->launcher, or as a process of its own. After the first run which failed no
 * other is started. Where it is false, and end->status is 0, the status is that of the
 * error. (launch_trees.c) */
bool launch_trees(const struct options *options, int argc, char **argv, struct launch_end *end, struct error *e);

/* Whether the MPI library will find room in TMPDIR; to be asked by what starts first, and not by
 * every rank. (launch_room.c) */
bool launch_has_room(struct error *e);

/* The file of this program. */
bool launch_own_path(char *path, size_t size, struct error *e);

#endif
