/* The way of results from a process tree to pyelfrun, which has launched it.
 *
 * pyelfrun makes an empty file, a part, and names it on the tree's command line;
 * rank 0, on whatever host, puts a byte into it, and replaces it by the results of its run
 * in the end.
 * Parts lie beside the file of --json, which the hosts share anyway, or else in
 * the directory for temporary files.
 */
#ifndef DRIVER_LAUNCH_PARTS_H
#define DRIVER_LAUNCH_PARTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "driver/options.h"
#include "driver/results.h"

struct launch_parts {
    char path[PATH_MAX]; /* absolute; "" where no part can be had */
    struct results all;
    struct error missing; /* why, of the first run whose results did not come; ERROR_NONE: all came */
};

/* Whether the results could be written in the end, and a part can be had: false
 * only where the results are to be written. To be freed in any case. */
bool launch_parts_start(struct launch_parts *p, const struct options *o, struct error *e);

/* Before a run: an empty part. */
bool launch_parts_expect(struct launch_parts *p, struct error *e);

/* In a tree, when it has started: lets its launcher know, where the part can be seen. */
void launch_parts_begin(const struct options *o);

/* Whether the tree has started, as far as that can be known. */
bool launch_parts_begun(const struct launch_parts *p);

/* After it: what is in the part becomes a run of `all`, a failed one if the
 * exit status is not 0. */
void launch_parts_take(struct launch_parts *p, enum mode mode, uint64_t turn, int status);

/* After all runs: the results are written, where any run was done; table 1 is
 * shown if there are several. False also where results of any did not come. */
bool launch_parts_finish(struct launch_parts *p, const struct options *o, struct error *e);

void launch_parts_free(struct launch_parts *p);

#endif
