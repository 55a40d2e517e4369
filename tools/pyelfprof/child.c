/* See child.h. */
#include "tools/pyelfprof/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/relay.h"
#include "base/replacement.h"
#include "tools/common/descendants.h"

enum {
    /* Milliseconds: */
    GRACE = 3000,     /* that a command has to end after a signal */
    PATIENCE = 1000,  /* before a signal is passed on to it */
    WATCH_FIRST = 10, /* between calls of `watch`: at first; this doubles, up to */
    WATCH_LAST = 320,
    WATCH_REST = 20,     /* at least so many times as long as a call takes */
    TEXT_MOST = 1 << 28, /* bytes of a report */
};

const char *prof_libexec(struct prof *p, const char *name)
{
    char self[PATH_MAX];
    struct error e;
    static const char *const places[] = {PYELFPROF_TO_LIBEXEC, "../libexec/pyelfgen"};
    if (!process_directory(self, &e)) {
        prof_complain(p, &e);
        return NULL;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *path = prof_format(p, "%s/%s/%s", self, places[i], name);
        if (access(path, R_OK) == 0)
            return path;
    }
    prof_complain_at(p, name, 0, "is not where it was built or installed, so that nothing can be run with it");
    return NULL;
}

void prof_report_take(void *to, const char *text, size_t size)
{
    struct prof_report *r = to;
    r->full |= size > TEXT_MOST - r->size;
    if (r->full)
        return;
    if (r->size + size + 1 > r->capacity) {
        r->capacity = 2 * (r->size + size + 1);
        r->text = prof_must(realloc(r->text, r->capacity));
    }
    memcpy(r->text + r->size, text, size);
    r->size += size;
    r->text[r->size] = '\0';
}

bool prof_child_hold(struct prof *p, struct prof_child *c)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct error e;
    *c = (struct prof_child){0};
    sigaction(SIGPIPE, &ignore, &c->pipe);
    if (descendants_hold(&c->awaited, &c->mask, &e))
        return true;
    sigaction(SIGPIPE, &c->pipe, NULL);
    prof_complain(p, &e);
    return false;
}

static bool complain_errno(struct prof *p, const char *command, const char *what)
{
    prof_complain_errno(p, command, what);
    return false;
}

bool prof_child_start(struct prof *p, struct prof_child *c, char *const *words, bool (*prepare)(const void *context),
                      const void *context)
{
    int ends[2]; /* a pipe that tells why the command cannot be run */
    int why = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return complain_errno(p, words[0], "cannot make a pipe to it");
    c->process = fork();
    if (c->process == 0) {
        sigaction(SIGPIPE, &c->pipe, NULL);
        sigprocmask(SIG_SETMASK, &c->mask, NULL);
        /* Nothing else may go where the profile or the list goes. */
        const bool is_ours = replacement_is_standard(p->options.output) || replacement_is_standard(p->options.list);
        if ((!is_ours || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) && prepare(context))
            execvp(words[0], words);
        why = errno;
        (void)!write(ends[1], &why, sizeof why);
        _exit(127);
    }
    close(ends[1]);
    const bool forked = c->process > 0 || complain_errno(p, words[0], "cannot make a process for it");
    const bool ran = forked && read(ends[0], &why, sizeof why) != sizeof why;
    close(ends[0]);
    if (ran || !forked)
        return ran;
    waitpid(c->process, &c->status, 0);
    errno = why;
    return complain_errno(p, words[0], "cannot be run");
}

/* Takes a signal. After the first one the command has GRACE to end, from when that is passed on. After another one
 * nothing is waited for. Sets *end to when the command is not waited for any longer. */
static void notice(struct prof_child *c, int signals, struct relay *relay, int64_t *end)
{
    struct signalfd_siginfo s;
    if (read(signals, &s, sizeof s) != sizeof s || s.ssi_signo == SIGCHLD)
        return;
    switch (relay_note(relay, (int)s.ssi_signo, s.ssi_code == SI_KERNEL ? RELAY_NEVER : PATIENCE)) {
    case RELAYED_FIRST:
        *end = relay_now() + PATIENCE + GRACE;
        break;
    case RELAYED_AGAIN:
        return;
    case RELAYED_ANOTHER:
        *end = 0;
        break;
    }
    c->signal = relay->signal;
}

/* How many milliseconds to wait at most for what is due next; a negative number is for ever. */
static int wait_for(const struct relay *relay, int64_t end)
{
    const int64_t now = relay_now();
    const int64_t next = relay->due < end ? relay->due : end;
    return next == RELAY_NEVER ? -1 : next > now ? (int)(next - now) : 0;
}

/* Takes `most` bytes at most. Returns how many; 0 at the end of the stream, negative on an error. */
static ssize_t take_some(int fd, size_t most, void (*take)(void *to, const char *text, size_t size), void *to)
{
    char text[4096];
    ssize_t n;
    do
        n = read(fd, text, most < sizeof text ? most : sizeof text);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        take(to, text, (size_t)n);
    return n;
}

/* Takes what is in the pipe now. What comes after that is of processes that were left running, and may never end. */
static void take_rest(int fd, void (*take)(void *to, const char *text, size_t size), void *to)
{
    int left;
    ssize_t n = 1;
    if (ioctl(fd, FIONREAD, &left) != 0)
        return;
    for (; left > 0 && n > 0; left -= (int)n)
        n = take_some(fd, (size_t)left, take, to);
}

/* Calls `watch` where it is time for it. Returns how many milliseconds to wait at most until the next time, of `wait`;
 * a negative number is for ever. */
static int watch(const struct prof_child *c, int64_t *next, int64_t *pause, int wait)
{
    if (!c->watch)
        return wait;
    const int64_t now = relay_now();
    if (now >= *next) {
        c->watch(c->watched);
        const int64_t took = relay_now() - now; /* longer where there are thousands of processes */
        *next = now + took + (*pause > WATCH_REST * took ? *pause : WATCH_REST * took);
        *pause = *pause < WATCH_LAST ? 2 * *pause : WATCH_LAST;
    }
    const int64_t left = *next - now;
    return wait >= 0 && wait < left ? wait : (int)left;
}

bool prof_child_listen(struct prof_child *c, int fd, void (*take)(void *to, const char *text, size_t size), void *to)
{
    const int signals = signalfd(-1, &c->awaited, SFD_CLOEXEC);
    struct relay relay = {.due = RELAY_NEVER};
    int64_t end = RELAY_NEVER; /* when the command is not waited for any longer */
    int64_t next = relay_now() + WATCH_FIRST;
    int64_t pause = 2 * WATCH_FIRST;
    struct pollfd ready[] = {{.fd = fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    while (waitpid(c->process, &c->status, WNOHANG) != c->process && relay_now() < end) {
        /* Without a descriptor for signals the loop looks every 50 ms. */
        relay_pass(&relay, c->process);
        const int wait = signals < 0 ? 50 : wait_for(&relay, end);
        if (poll(ready, 2, watch(c, &next, &pause, wait)) <= 0)
            continue;
        if (ready[1].revents)
            notice(c, signals, &relay, &end);
        if (ready[0].revents && take_some(fd, SIZE_MAX, take, to) <= 0)
            ready[0].fd = -1;
    }
    if (ready[0].fd >= 0)
        take_rest(fd, take, to);
    if (signals >= 0)
        close(signals);
    if (c->signal)
        descendants_end();
    return c->signal == 0;
}

const char *prof_child_how(struct prof *p, const struct prof_child *c)
{
    if (WIFSIGNALED(c->status))
        return prof_format(p, "was ended by signal %d (%s)", WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
    return prof_format(p, "ended with status %d", WEXITSTATUS(c->status));
}

void prof_child_release(const struct prof_child *c)
{
    sigaction(SIGPIPE, &c->pipe, NULL);
    if (c->signal)
        signal(c->signal, SIG_DFL);
    sigprocmask(SIG_SETMASK, &c->mask, NULL);
    if (c->signal) {
        raise(c->signal);
        _exit(128 + c->signal); /* reached where the signal was blocked before */
    }
}
