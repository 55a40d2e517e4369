/* See child.h. */
#include "tools/pyelfprobe/child.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/descendants.h"
#include "tools/pyelfprobe/starter.h"

double child_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool children_start(struct children *c, struct error *e)
{
    *c = (struct children){0};
    return descendants_hold(&c->awaited, &c->mask, e);
}

void children_end(void)
{
    descendants_end();
}

/* ---- one child ---- */

bool child_begin(const struct children *c, const struct child_order *order, pid_t *child, double *begun,
                 struct error *e)
{
    if (!starter_begin(order, &c->mask, child, begun))
        return error_errno(e, order->words[0], "cannot be started");
    setpgid(*child, *child); /* child and parent both do this: either may run first */
    return true;
}

/* Waits so many seconds for a signal, and returns its number; 0: none came. */
static int next_signal(const struct children *c, double seconds)
{
    const double whole = floor(seconds);
    const struct timespec left = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
    const int number = sigtimedwait(&c->awaited, NULL, &left);
    return number > 0 ? number : 0;
}

static bool interrupted_by(struct children *c, int number, struct error *e)
{
    c->interrupted = number;
    children_end();
    return error_set(e, ERROR_SYSTEM, "ended by signal %d (%s); nothing was written", number, strsignal(number));
}

bool children_pause(struct children *c, double seconds, struct error *e)
{
    const int number = next_signal(c, seconds);
    return number == 0 || number == SIGCHLD || interrupted_by(c, number, e);
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

bool child_wait(struct children *c, pid_t child, const struct child_order *order, struct child_end *end,
                struct error *e)
{
    const double begun = end->begun;
    for (;;) {
        struct rusage used;
        int status;
        const pid_t ended = wait4(child, &status, WNOHANG, &used);
        const double wall = child_clock() - begun;
        if (ended < 0 && errno != EINTR)
            return error_errno(e, order->words[0], "cannot be waited for");
        if (ended == child) {
            *end = (struct child_end){true,
                                      status,
                                      begun,
                                      wall,
                                      seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime),
                                      (uint64_t)used.ru_maxrss * 1024};
            return true;
        }
        const double left = order->limit > 0 ? order->limit - wall : 3600;
        if (left <= 0) {
            kill(-child, SIGKILL);
            children_end();
            *end = (struct child_end){.in_time = false, .begun = begun, .wall = wall};
            return true;
        }
        const int number = next_signal(c, left < 3600 ? left : 3600);
        if (number && number != SIGCHLD)
            return interrupted_by(c, number, e);
    }
}

bool child_run(struct children *c, const struct child_order *order, struct child_end *end, struct error *e)
{
    pid_t child;
    *end = (struct child_end){0};
    return child_begin(c, order, &child, &end->begun, e) && child_wait(c, child, order, end, e);
}

bool child_was_not_executed(const struct child_end *end)
{
    return WIFEXITED(end->status) && WEXITSTATUS(end->status) == CHILD_NOT_EXECUTED;
}

void child_how(const struct child_end *end, char *text, size_t size)
{
    if (WIFSIGNALED(end->status))
        snprintf(text, size, "ended by signal %d (%s)", WTERMSIG(end->status), strsignal(WTERMSIG(end->status)));
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(end->status));
}
