/* See workers.h. */
#include "base/workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

struct crew {
    workers_function *work;
    void *context;
    uint32_t count;
    atomic_uint next;
    atomic_bool failed;
    pthread_mutex_t lock;
    uint32_t failed_index;
    struct error error;
};

struct worker {
    struct crew *crew;
    unsigned number;
};

static void *run(void *argument)
{
    const struct worker *w = argument;
    struct crew *c = w->crew;
    while (!atomic_load(&c->failed)) {
        uint32_t index = atomic_fetch_add(&c->next, 1);
        if (index >= c->count)
            break;
        struct error e = {0};
        if (c->work(c->context, w->number, index, &e))
            continue;
        pthread_mutex_lock(&c->lock);
        if (!atomic_load(&c->failed) || index < c->failed_index) {
            c->failed_index = index;
            c->error = e;
        }
        atomic_store(&c->failed, true);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

bool workers_run(unsigned threads, uint32_t count, workers_function *work, void *context, struct error *e)
{
    struct crew crew = {.work = work, .context = context, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct worker workers[WORKERS_MOST];
    pthread_t ids[WORKERS_MOST];
    if (threads > WORKERS_MOST)
        threads = WORKERS_MOST;
    if (threads > count)
        threads = count;
    /* Only the calling thread receives signals. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    unsigned started = 0;
    for (unsigned i = 1; i < threads; i++) {
        workers[i] = (struct worker){&crew, i};
        if (pthread_create(&ids[i], NULL, run, &workers[i]) != 0)
            break; /* the other threads do its share */
        started = i;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    workers[0] = (struct worker){&crew, 0};
    run(&workers[0]);
    for (unsigned i = 1; i <= started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&crew.lock);
    if (atomic_load(&crew.failed) && e)
        *e = crew.error;
    return !atomic_load(&crew.failed);
}

/* Counts the usable ones among `most` processors. 0 if the machine may have more than `most`, -1 if the number cannot
 * be found. */
static int count_processors(unsigned most)
{
    cpu_set_t *set = CPU_ALLOC(most);
    const size_t size = CPU_ALLOC_SIZE(most);
    int count = -1;
    if (set && sched_getaffinity(0, size, set) == 0)
        count = CPU_COUNT_S(size, set);
    else if (set && errno == EINVAL)
        count = 0;
    CPU_FREE(set);
    return count;
}

unsigned workers_processors(void)
{
    enum { USUAL = 1024, EVER = 1 << 20 };
    int count = 0;
    for (unsigned most = USUAL; count == 0 && most <= EVER; most *= 2)
        count = count_processors(most);
    return count < 1 ? 1 : count > WORKERS_MOST ? WORKERS_MOST : (unsigned)count;
}
