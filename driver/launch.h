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

/* Runs every mode as often as wanted, one after the other, each started by
 * options->launcher, or as a process of its own. *status is the exit status: that
 * of the first run which failed, after which no other is started. (launch_trees.c) */
bool launch_trees(const struct options *options, int argc, char **argv, int *status, struct error *e);

/* The file of this program. */
bool launch_own_path(char *path, size_t size, struct error *e);

#endif
