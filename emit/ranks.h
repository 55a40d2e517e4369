/* The ranks of a run, where mpirun or srun has started several: they share the work.
 *
 * pyelfgen itself knows no MPI: what does is loaded only where the environment says that a launcher has started several
 * processes (ranks_library.h). A run without one is rank 0 of 1, and none of these does anything.
 *
 * The rule that keeps a run from hanging: between two collective calls a rank may fail on its own, and
 * every such stretch ends in ranks_agree, after which all take the same way.
 */
#ifndef EMIT_RANKS_H
#define EMIT_RANKS_H

#include "base/bytes.h"
#include "base/error.h"
#include "emit/ranks_library.h"

struct ranks {
    struct ranks_place place;   /* of one that is alone among others its rank, as the launcher has it */
    int set, sets;              /* the number of the set that this rank works on, and how many are made */
    int leader;                 /* of all: the first that works on it */
    int set_rank, set_count;    /* this one's place among those that do: 0 leads */
    uint64_t token;             /* of this run, the same on all ranks */
    struct ranks_failed failed; /* once ranks_agree has said so */
    bool tells;                 /* whether it is this one that says why */
    bool launched;              /* as one of several */
    struct ranks_state *state;  /* NULL: it is alone */
    const struct ranks_library *library;
};

/* One rank, alone. */
struct ranks ranks_one(void);

/* Finds the others, if there are any; a process that is `alone` wants none. False where a launcher has started
 * several processes that cannot know one another: each would do all. */
bool ranks_start(struct ranks *r, bool alone, struct error *e);

/* Whether `well` is true on every rank. Where it is not, no collective call may follow but ranks_stop, and `e` of a
 * rank that only others keep from going on is ERROR_ELSEWHERE. Does not return where this rank failed and others did
 * not come within a minute. */
bool ranks_agree(struct ranks *r, bool well, struct error *e);

/* To be called on the way to ranks_agree by a rank that failed while others work for long; and by
 * these now and then, on the thread that called ranks_start: whether there is no point in going on, with `e`. */
void ranks_tell(struct ranks *r, const struct error *e);
bool ranks_stopped(const struct ranks *r, struct error *e);

/* Which ranks work on one set: all of them or, where `local`, those of one node that name the same directory. */
bool ranks_divide(struct ranks *r, bool local, const char *directory, struct error *e);

/* Of rank 0 to all. */
void ranks_broadcast(const struct ranks *r, void *bytes, size_t size);

/* The processors that this one may use, a share of those that others of the node may use too. */
unsigned ranks_processors(const struct ranks *r);

/* To the leader of the set; and by the leader, from each of the others. What is received after memory ran out is lost,
 * and `bytes` failed. */
void ranks_give(const struct ranks *r, const struct bytes *bytes);
void ranks_take(const struct ranks *r, int from, struct bytes *bytes);

/* A directory's name with %N (the host's name up to the first dot), %n (its number), %t (the rank's) and %%. */
bool ranks_path(const struct ranks *r, const char *pattern, char *path, size_t size, struct error *e);

/* Prints the error of the first rank that failed, by that one, and returns its exit status, on all. */
int ranks_report(const struct ranks *r, const struct error *e);

/* Not before all has been said: what a launcher does with ranks that have failed is to end them. */
void ranks_stop(struct ranks *r);

static inline bool ranks_are_several(const struct ranks *r)
{
    return r->state != NULL;
}

static inline bool ranks_leads(const struct ranks *r)
{
    return r->set_rank == 0;
}

#endif
