/* How several ranks make one set: who makes which library, and what becomes of it comes to the rank that leads. A rank
 * that is alone makes all, and has it.
 */
#ifndef EMIT_TOGETHER_H
#define EMIT_TOGETHER_H

#include "emit/directory.h"
#include "emit/ranks.h"
#include "emit/set.h"
#include "emit/share.h"

/* Collective, before all else. Whether no rank's command line is wrong, as `wrong` of each says where it is, and all
 * verify or none. */
bool together_command(struct ranks *r, bool verifies, const struct error *wrong, struct error *e);

/* Collective. What rank 0 was asked for and what it has, so that a rank that would make something else is refused
 * before anything is written. The path is NULL where nothing is to be. */
bool together_alike(struct ranks *r, const struct plan *plan, const struct set_making *how, struct error *e);

/* Collective, for every rank, once the rank that leads has opened the directory `d` of its set: the others open it, and
 * all are certain that it is one directory, and no other set's. */
bool together_open(struct directory *d, const struct set_making *how, struct error *e);

/* The rows of the plan that this rank makes, by bytes; those that are in no file of their own are the leader's. */
bool together_share(struct share *s, const struct plan *plan, const struct set_making *how, struct error *e);

/* Not collective, but for all ranks of the set: what the others have made comes to the leader, with the names of
 * `sources`. */
bool together_collect(struct set *set, const struct share *s, struct bytes *sources, const struct ranks *r,
                      struct error *e);

#endif
