/* See watchdog.h. The process ends by _exit, because MPI must not be called from a second thread. The launcher then
 * ends the other ranks; if it does not, their own limits do. */
#include "driver/watchdog.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GRACE = 3 }; /* seconds */

static void tell(const struct watchdog *w)
{
    struct error e;
    const size_t library = atomic_load(&w->library);
    const bool known = library < w->run->manifest.count;
    error_set(&e, ERROR_SYSTEM,
              "not done after %" PRIu64 " s: was in phase %s%s%s; look at this host, or give --timeout more",
              w->seconds, atomic_load(&w->phase), known ? ", at " : "",
              known ? w->run->manifest.libraries[library].stem : "");
    ranks_report(&w->run->ranks, &e);
}

/* Waits until the run is over or the time has come; returns whether the run is over. Called with the lock held. */
static bool is_over(struct watchdog *w, const struct timespec *until)
{
    int status = 0;
    while (!w->over && status != ETIMEDOUT)
        status = pthread_cond_timedwait(&w->wake, &w->lock, until);
    return w->over;
}

/* A rank that waits for others is not to blame. The first message ends all ranks, so it leaves that message to the rank
 * for which it waits. */
static bool only_waits(const struct watchdog *w)
{
    return strcmp(atomic_load(&w->phase), WATCHDOG_BARRIER) == 0;
}

static void *watch(void *argument)
{
    struct watchdog *w = argument;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)w->seconds;
    pthread_mutex_lock(&w->lock);
    bool over = is_over(w, &until);
    if (!over && only_waits(w)) {
        until.tv_sec += GRACE;
        over = is_over(w, &until);
    }
    if (!over) {
        tell(w);
        _exit(EXIT_FAILURE);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

bool watchdog_start(struct watchdog *w, const struct run *run, struct error *e)
{
    *w = (struct watchdog){.run = run, .seconds = run->options.timeout};
    watchdog_phase(w, "preparation"); /* the phase before the first one */
    if (w->seconds == 0)
        return true;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&w->lock, NULL);
    /* Only the thread that runs the set receives signals. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    w->running = errno == 0;
    return w->running || error_errno(e, "--timeout", "cannot start a thread");
}

void watchdog_stop(struct watchdog *w)
{
    if (!w->running)
        return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    w->running = false;
}
