/* The ranks of a run, if mpirun or srun has started several: they share the work.
 *
 * pyelfgen itself is not linked with MPI: a library that is, is loaded only if the environment says that a launcher has
 * started several processes (ranks_library.h). Otherwise the run is rank 0 of 1, and these functions do nothing.
 *
 * The rule that keeps a run from hanging: between two collective calls a rank may fail on its own, and
 * every such stretch ends in ranks_agree, after which all take the same way.
 */
#ifndef EMIT_SET_RANKS_H
#define EMIT_SET_RANKS_H

#include "base/bytes.h"
#include "base/error.h"
#include "emit/set/ranks_library.h"

struct ranks {
    struct ranks_place place;   /* who and where this rank is; if it works alone, its rank is the launcher's */
    int set, sets;              /* the number of the set that this rank works on, and how many are made */
    int leader;                 /* the first of all ranks that works on this set */
    int set_rank, set_count;    /* this rank's number among those that work on the set, 0 leads; and their count */
    uint64_t token;             /* a number that identifies this run: the same on all ranks */
    struct ranks_failed failed; /* set by ranks_agree */
    bool tells;                 /* this rank is the one that prints the error */
    bool launched;              /* a launcher started it as one of several */
    struct ranks_state *state;  /* of ranks_library; NULL: this rank is alone */
    const struct ranks_library *library;
};

/* One rank, alone. */
struct ranks ranks_one(void);

/* Finds the other ranks, if there are any and `alone` is false. False where a launcher has started several processes
 * that cannot communicate: each would do all the work. */
bool ranks_start(struct ranks *r, bool alone, struct error *e);

/* Collective. Whether `well` is true on every rank. If not, no collective call may follow except ranks_stop, and `e` is
 * ERROR_ELSEWHERE on ranks that did not fail themselves. If this rank failed and others do not call this within a
 * minute, it ends all ranks and does not return. */
bool ranks_agree(struct ranks *r, bool well, struct error *e);

/* A rank that failed while others may work for long calls ranks_tell, on its way to ranks_agree. The others call
 * ranks_stopped now and then, on the thread that called ranks_start: true, with `e`, if there is no point in going on.
 */
void ranks_tell(struct ranks *r, const struct error *e);
bool ranks_stopped(const struct ranks *r, struct error *e);

/* Decides which ranks work on one set: all of them or, if `local`, those of one node that name the same directory. */
bool ranks_divide(struct ranks *r, bool local, const char *directory, struct error *e);

/* Sends `size` bytes of rank 0 to all ranks. */
void ranks_broadcast(const struct ranks *r, void *bytes, size_t size);

/* How many processors this rank should use: its share of those that several ranks of the node may use. */
unsigned ranks_processors(const struct ranks *r);

/* Send bytes to the leader of the set; receive, on the leader, what rank `from` of the set sends. Where memory runs
 * out, what is received is lost and `bytes` has failed. */
void ranks_give(const struct ranks *r, const struct bytes *bytes);
void ranks_take(const struct ranks *r, int from, struct bytes *bytes);

/* Expands a directory's name: %N is the host's name up to the first dot, %n the node's number, %t the rank's, %% a '%'.
 */
bool ranks_path(const struct ranks *r, const char *pattern, char *path, size_t size, struct error *e);

/* The first rank that failed prints its error; returns that rank's exit status on all ranks. */
int ranks_report(const struct ranks *r, const struct error *e);

/* Ends the communication. To be called after everything has been printed, as launchers kill the ranks of a run that has
 * failed. */
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
