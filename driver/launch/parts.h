/* How results get from a process tree to the pyelfrun that launched it.
 *
 * pyelfrun makes an empty file, a part, and names it on the command line of the tree. Rank 0, on whatever host, first
 * puts a byte into it, and replaces it by the results of its run in the end. Parts are beside the file of --json, which
 * the hosts share anyway, or else in the directory for temporary files.
 */
#ifndef DRIVER_LAUNCH_PARTS_H
#define DRIVER_LAUNCH_PARTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "driver/common/options.h"
#include "driver/results/results.h"

struct launch_parts {
    char path[PATH_MAX]; /* absolute; "" if no part can be made */
    struct results all;
    struct error missing; /* why the results of a run did not come, of the first such run; ERROR_NONE: all came */
};

/* Checks that the results can be written in the end, and makes the part. False only if one of these fails and the
 * runs would be in vain without results: if these are to be written, or if there are several runs. Free `p` in any
 * case. */
bool launch_parts_start(struct launch_parts *p, const struct options *o, struct error *e);

/* Call this before a run: the part is then one that no tree has begun. Fails where there is no room for a byte. */
bool launch_parts_expect(struct launch_parts *p, struct error *e);

/* Call this in a tree that has started: tells its launcher, if the part is visible here. */
void launch_parts_begin(const struct options *o);

/* Whether the tree has started; true if that cannot be known. */
bool launch_parts_begun(const struct launch_parts *p);

/* Call this after a run: the contents of the part become a run of `all`. If the exit status is not 0, it is a failed
 * run. */
void launch_parts_take(struct launch_parts *p, enum mode mode, uint64_t turn, int status);

/* Call this after all runs: writes the results if any run succeeded, and shows table 1 if there are several runs. False
 * also if results of any run did not come. */
bool launch_parts_finish(struct launch_parts *p, const struct options *o, struct error *e);

void launch_parts_free(struct launch_parts *p);

#endif
