/* The ranks by MPI; see ranks_library.h. MPI's own errors are fatal to all ranks (MPI_ERRORS_ARE_FATAL), so return
 * values are not checked. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include "base/version.h"
#include "emit/set/ranks_library.h"

extern const struct ranks_library pyelfgen_ranks_library;

enum { TAG_RESULTS, TAG_STOP };
enum { PIECE = 1 << 16 }; /* bytes in a message */
enum { STATUSES = 3 };
enum { LOOKS = 100 };              /* polls before the first sleep */
enum { SLEEP_MOST = 1000 * 1000 }; /* nanoseconds */

struct ranks_state {
    MPI_Comm node, group;
    int rank, count;
    MPI_Request *telling; /* one for each rank, to tell it to stop; NULL: this rank has told nothing */
};

/* Waits for all requests, but not longer than `seconds`, unless that is 0. Whether all have completed. */
static bool comes(MPI_Request *requests, int count, double seconds)
{
    struct timespec nap = {.tv_nsec = 10000};
    const double until = MPI_Wtime() + seconds;
    int done = 0;
    for (unsigned looks = 0;; looks++) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done || (seconds > 0 && MPI_Wtime() > until))
            return done;
        if (looks < LOOKS)
            continue;
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec * 2 < SLEEP_MOST ? nap.tv_nsec * 2 : SLEEP_MOST;
    }
}

static void await(MPI_Request *request)
{
    comes(request, 1, 0);
}

static void broadcast_in(MPI_Comm comm, void *bytes, size_t size)
{
    MPI_Request request;
    MPI_Ibcast(bytes, (int)size, MPI_BYTE, 0, comm, &request);
    await(&request);
}

/* Numbers the nodes by the first rank of each. */
static void number_nodes(const struct ranks_state *s, struct ranks_place *place)
{
    MPI_Comm leaders;
    int local;
    int numbers[2] = {0, 0};
    MPI_Comm_rank(s->node, &local);
    MPI_Comm_split(MPI_COMM_WORLD, local == 0 ? 0 : MPI_UNDEFINED, place->rank, &leaders);
    if (local == 0) {
        MPI_Comm_rank(leaders, &numbers[0]);
        MPI_Comm_size(leaders, &numbers[1]);
        MPI_Comm_free(&leaders);
    }
    broadcast_in(s->node, numbers, sizeof numbers);
    place->node = numbers[0];
    place->nodes = numbers[1];
}

static struct ranks_state *start(struct ranks_place *place)
{
    static_assert(sizeof place->host >= MPI_MAX_PROCESSOR_NAME, "MPI writes its longest host name");
    int provided;
    int length;
    struct ranks_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->count);
    MPI_Get_processor_name(place->host, &length);
    place->rank = s->rank;
    place->count = s->count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, s->rank, MPI_INFO_NULL, &s->node);
    MPI_Comm_dup(MPI_COMM_WORLD, &s->group);
    number_nodes(s, place);
    return s;
}

static void broadcast(struct ranks_state *s, void *bytes, size_t size)
{
    (void)s;
    broadcast_in(MPI_COMM_WORLD, bytes, size);
}

static void gather(struct ranks_state *s, const void *mine, size_t size, void *all)
{
    MPI_Request request;
    (void)s;
    MPI_Iallgather(mine, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, MPI_COMM_WORLD, &request);
    await(&request);
}

static void sum_node(struct ranks_state *s, uint32_t *values, unsigned count)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT32_T, MPI_SUM, s->node, &request);
    await(&request);
}

static void divide(struct ranks_state *s, int number, int *rank, int *count)
{
    MPI_Comm_free(&s->group);
    MPI_Comm_split(MPI_COMM_WORLD, number, s->rank, &s->group);
    MPI_Comm_rank(s->group, rank);
    MPI_Comm_size(s->group, count);
}

static int piece_of(size_t rest)
{
    return rest < PIECE ? (int)rest : PIECE;
}

static void send(struct ranks_state *s, const void *bytes, size_t size)
{
    MPI_Request request;
    for (size_t at = 0; at < size; at += PIECE) {
        MPI_Isend((const char *)bytes + at, piece_of(size - at), MPI_BYTE, 0, TAG_RESULTS, s->group, &request);
        await(&request);
    }
}

static void receive(struct ranks_state *s, int from, void *bytes, size_t size)
{
    MPI_Request request;
    char lost[PIECE] = "";
    for (size_t at = 0; at < size; at += PIECE) {
        MPI_Irecv(bytes ? (char *)bytes + at : lost, piece_of(size - at), MPI_BYTE, from, TAG_RESULTS, s->group,
                  &request);
        await(&request);
    }
}

static bool told(struct ranks_state *s)
{
    int there;
    (void)s;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_STOP, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return there;
}

static void tell(struct ranks_state *s)
{
    s->telling = told(s) ? NULL : malloc((size_t)s->count * sizeof(MPI_Request));
    for (int i = 0; s->telling && i < s->count; i++) {
        s->telling[i] = MPI_REQUEST_NULL;
        if (i != s->rank)
            MPI_Isend(NULL, 0, MPI_BYTE, i, TAG_STOP, MPI_COMM_WORLD, &s->telling[i]);
    }
}

/* Receives the messages of `tellers` ranks that told others to stop, and completes those of this rank. */
static void hear(struct ranks_state *s, int tellers)
{
    MPI_Request request;
    for (int i = s->telling ? 1 : 0; i < tellers; i++) {
        MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_STOP, MPI_COMM_WORLD, &request);
        await(&request);
    }
    if (s->telling)
        comes(s->telling, s->count, 0);
    free(s->telling);
    s->telling = NULL;
}

static bool agree(struct ranks_state *s, int status, double seconds, struct ranks_failed *failed)
{
    const int mine = status ? s->rank * STATUSES + status : INT_MAX;
    const int counts[2] = {status != 0, s->telling != NULL};
    int first;
    int sums[2] = {0, 0};
    MPI_Request requests[2];
    MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(counts, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    if (!comes(requests, 2, status ? seconds : 0))
        return false;
    hear(s, sums[1]);
    *failed = (struct ranks_failed){.count = sums[0], .first = first / STATUSES, .status = first % STATUSES};
    return true;
}

static void abandon(struct ranks_state *s)
{
    (void)s;
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void end(struct ranks_state *s)
{
    MPI_Comm_free(&s->group);
    MPI_Comm_free(&s->node);
    MPI_Finalize();
    free(s);
}

const struct ranks_library pyelfgen_ranks_library = {
    .version = PYELFGEN_VERSION,
    .start = start,
    .broadcast = broadcast,
    .gather = gather,
    .sum_node = sum_node,
    .divide = divide,
    .send = send,
    .receive = receive,
    .tell = tell,
    .told = told,
    .agree = agree,
    .abandon = abandon,
    .end = end,
};
