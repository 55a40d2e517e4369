/* What pyelfgen uses of MPI: the one object that libexec/pyelfgen/pyelfgen-mpi.so exports.
 *
 * It is loaded only where a launcher has started several ranks (ranks.c). All functions must be called by the thread
 * that called `start`, and are collective unless said otherwise. An error of MPI itself ends all ranks. A rank that
 * waits sleeps between polls, so that it leaves the processors to others, except in start, divide and end, where MPI
 * itself waits.
 */
#ifndef EMIT_SET_RANKS_LIBRARY_H
#define EMIT_SET_RANKS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_LIBRARY        "pyelfgen-mpi.so"
#define RANKS_LIBRARY_SYMBOL "pyelfgen_ranks_library"

enum { RANKS_HOST_MOST = 256 };

/* Who and where a rank is. */
struct ranks_place {
    int rank, count; /* this rank's number, and the number of all ranks */
    int node, nodes; /* the number of this rank's node (ranks that share memory), and how many nodes there are */
    char host[RANKS_HOST_MOST];
};

/* Which ranks failed. */
struct ranks_failed {
    int count;
    int first, status; /* the lowest rank that failed, and its exit status */
};

struct ranks_state; /* the library's own */

struct ranks_library {
    char version[16]; /* version of the pyelfgen that it was built with */

    /* NULL when memory ran out. */
    struct ranks_state *(*start)(struct ranks_place *place);

    /* Sends `size` bytes from rank 0 to all. */
    void (*broadcast)(struct ranks_state *s, void *bytes, size_t size);

    /* Sends `size` bytes of every rank to all; `all` gets them in the order of ranks. */
    void (*gather)(struct ranks_state *s, const void *mine, size_t size, void *all);

    /* Replaces each value by its sum over the ranks of the node. */
    void (*sum_node)(struct ranks_state *s, uint32_t *values, unsigned count);

    /* Makes groups of ranks that give the same number. Sets this one's rank in its group, in the order of all ranks,
     * and the group's size. */
    void (*divide)(struct ranks_state *s, int number, int *rank, int *count);

    /* Send to rank 0 of the group; receive there from rank `from`. Not collective: every send needs a receive of as
     * many bytes. With `bytes` NULL, what is received is dropped. */
    void (*send)(struct ranks_state *s, const void *bytes, size_t size);
    void (*receive)(struct ranks_state *s, int from, void *bytes, size_t size);

    /* `tell` says to all others that there is no point in going on, and `told` is whether any rank has said so. Not
     * collective. `tell` must not be called when another rank has said so. */
    void (*tell)(struct ranks_state *s);
    bool (*told)(struct ranks_state *s);

    /* Finds which ranks failed: each passes its exit status, 1 or 2, or 0 if it did not fail. Also ends the use of tell
     * and told before it. False where this rank failed and others did not call this within `seconds`. */
    bool (*agree)(struct ranks_state *s, int status, double seconds, struct ranks_failed *failed);

    /* Ends all ranks at once; not collective. */
    void (*abandon)(struct ranks_state *s);

    void (*end)(struct ranks_state *s);
};

#endif
