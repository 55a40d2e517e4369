/* What pyelfgen asks of MPI: the one object that libexec/pyelfgen/pyelfgen-mpi.so exports.
 *
 * It is loaded only where a launcher has started several ranks (ranks.c). All calls are
 * for the thread that called `start`, and collective but where it says otherwise. An error of MPI itself
 * ends all ranks. Who waits sleeps between looks, but in start, divide and end, which are MPI's own: ranks that are
 * done leave the processors to others.
 */
#ifndef EMIT_RANKS_LIBRARY_H
#define EMIT_RANKS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_LIBRARY        "pyelfgen-mpi.so"
#define RANKS_LIBRARY_SYMBOL "pyelfgen_ranks_library"

enum { RANKS_HOST_MOST = 256 };

/* Who and where a rank is. */
struct ranks_place {
    int rank, count; /* of all */
    int node, nodes; /* those that share memory: the number of this rank's, and how many there are */
    char host[RANKS_HOST_MOST];
};

/* Of those that failed. */
struct ranks_failed {
    int count;
    int first, status; /* which is the first of them, and its exit status */
};

struct ranks_state; /* the library's own */

struct ranks_library {
    char version[16]; /* of the pyelfgen that it was built with */

    /* NULL when memory ran out. */
    struct ranks_state *(*start)(struct ranks_place *place);

    /* From rank 0 to all. */
    void (*broadcast)(struct ranks_state *s, void *bytes, size_t size);

    /* `size` bytes of every rank, in their order, to all. */
    void (*gather)(struct ranks_state *s, const void *mine, size_t size, void *all);

    /* Sums over the ranks of the node. */
    void (*sum_node)(struct ranks_state *s, uint32_t *values, unsigned count);

    /* Makes groups of those that give the same number; `rank` of `count` in its own, in the order of all. */
    void (*divide)(struct ranks_state *s, int number, int *rank, int *count);

    /* To and from rank 0 of the group; not collective, every send has its receive of as many bytes,
     * which are lost where `bytes` is NULL. */
    void (*send)(struct ranks_state *s, const void *bytes, size_t size);
    void (*receive)(struct ranks_state *s, int from, void *bytes, size_t size);

    /* Says to all others that there is no point in going on; not collective, not after another has said so. Whether
     * any has said it so far, by `told`. */
    void (*tell)(struct ranks_state *s);
    bool (*told)(struct ranks_state *s);

    /* Which ranks failed, of which each gives the exit status, 1 or 2, and the others 0; the end of what was told.
     * False where this one failed and others did not come within `seconds`. */
    bool (*agree)(struct ranks_state *s, int status, double seconds, struct ranks_failed *failed);

    /* Ends all ranks at once; not collective. */
    void (*abandon)(struct ranks_state *s);

    void (*end)(struct ranks_state *s);
};

#endif
