/* How several ranks make one set: which rank makes which library, and how the results get to the rank that leads. A
 * rank that is alone makes everything itself.
 */
#ifndef EMIT_SET_TOGETHER_H
#define EMIT_SET_TOGETHER_H

#include "emit/set/directory.h"
#include "emit/set/ranks.h"
#include "emit/set/set.h"
#include "emit/set/share.h"

/* Collective, before anything else. True if no rank's command line is wrong (`wrong` is this rank's error, if it is)
 * and either all ranks verify a set or none does. */
bool together_command(struct ranks *r, bool verifies, const struct error *wrong, struct error *e);

/* Collective. Compares what each rank is to make with what rank 0 is to make, so that a difference is refused before
 * anything is written. how->path is NULL where nothing is to be written. */
bool together_alike(struct ranks *r, const struct plan *plan, const struct set_making *how, struct error *e);

/* Collective, for every rank, once the rank that leads has opened the directory `d` of its set: the others open it, and
 * all are certain that it is one directory, and no other set's. */
bool together_open(struct directory *d, const struct set_making *how, struct error *e);

/* Sets *s to the rows of the plan that this rank makes, divided by bytes. Rows without a file of their own are the
 * leader's. */
bool together_share(struct share *s, const struct plan *plan, const struct set_making *how, struct error *e);

/* For all ranks of a set, not of the run: sends what the others have made to the leader, with the names of their
 * sources. */
bool together_collect(struct set *set, const struct share *s, struct bytes *sources, const struct ranks *r,
                      struct error *e);

#endif
