/* See pyelfprobe_child.h. */
#include "tools/pyelfprobe_child.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_EXECUTE = 127 };

double child_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool children_start(struct children *c, struct error *e)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    *c = (struct children){0};
    sigemptyset(&c->awaited);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        /* What nohup(1) has had ignored would come all the same while it is blocked. */
        struct sigaction now;
        if (signals[i] == SIGCHLD)
            signal(SIGCHLD, SIG_DFL);
        if (sigaction(signals[i], NULL, &now) == 0 && (signals[i] == SIGCHLD || now.sa_handler != SIG_IGN))
            sigaddset(&c->awaited, signals[i]);
    }
    if (sigprocmask(SIG_BLOCK, &c->awaited, &c->mask) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return error_errno(e, "", "this process cannot keep hold of those that it will start");
    return true;
}

/* ---- descendants ---- */

struct process {
    pid_t pid, parent;
};

/* The parent by /proc/PID/stat, where the name in parentheses may hold anything. */
static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    const char *behind = strrchr(text, ')');
    int parent = 0;
    return behind && sscanf(behind, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Every process that there is, in an array that the caller frees. */
static struct process *list_processes(size_t *count)
{
    DIR *proc = opendir("/proc");
    struct process *all = NULL;
    size_t room = 0;
    *count = 0;
    for (const struct dirent *entry; proc && (entry = readdir(proc));) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (*count == room) {
            struct process *more = realloc(all, (room = room * 2 + 256) * sizeof *all);
            if (!more)
                break;
            all = more;
        }
        all[(*count)++] = (struct process){(pid_t)atoi(entry->d_name), parent_of(entry->d_name)};
    }
    if (proc)
        closedir(proc);
    return all;
}

static bool descends(const struct process *all, size_t count, pid_t pid, pid_t from)
{
    for (size_t steps = 0; pid > 1 && steps <= count; steps++) {
        size_t i = 0;
        while (i < count && all[i].pid != pid)
            i++;
        if (i == count)
            return false;
        pid = all[i].parent;
        if (pid == from)
            return true;
    }
    return false;
}

void children_end(void)
{
    /* Descendants without a child there cannot be: orphans are ours. What is forked while
     * the list is read is found the next time: its parent is dead then. */
    for (int turn = 0; turn < 100; turn++) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
        }
        if (ended < 0)
            return;
        size_t count;
        struct process *all = list_processes(&count);
        for (size_t i = 0; i < count; i++)
            if (descends(all, count, all[i].pid, getpid()))
                kill(all[i].pid, SIGKILL);
        free(all);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

/* ---- one child ---- */

static void open_as(int number, const char *path, int flags)
{
    const int fd = open(path ? path : "/dev/null", flags | O_NOCTTY, 0600);
    if (fd < 0 || (fd != number && dup2(fd, number) < 0))
        _exit(CANNOT_EXECUTE);
    if (fd != number)
        close(fd);
}

/* In the child: never returns. */
static _Noreturn void become(const struct children *c, const struct child_order *order)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Any process may attach to it, where Yama asks; without Yama this fails. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    open_as(STDIN_FILENO, NULL, O_RDONLY);
    open_as(STDOUT_FILENO, order->out, O_WRONLY | O_CREAT | O_TRUNC);
    if (order->out && order->log && strcmp(order->out, order->log) == 0)
        dup2(STDOUT_FILENO, STDERR_FILENO);
    else
        open_as(STDERR_FILENO, order->log, O_WRONLY | O_CREAT | O_TRUNC);
    for (const char *const *v = order->environment; v && *v; v++) {
        const char *equals = strchr(*v, '=');
        if (equals)
            putenv((char *)*v);
        else
            unsetenv(*v);
    }
    sigprocmask(SIG_SETMASK, &c->mask, NULL);
    execv(order->words[0], order->words);
    dprintf(STDERR_FILENO, "%s: cannot be executed: %s\n", order->words[0], strerror(errno));
    _exit(CANNOT_EXECUTE);
}

bool child_begin(const struct children *c, const struct child_order *order, pid_t *child, double *begun,
                 struct error *e)
{
    fflush(NULL);
    *begun = child_clock();
    *child = fork();
    if (*child == 0)
        become(c, order);
    if (*child < 0)
        return error_errno(e, order->words[0], "cannot be started");
    setpgid(*child, *child); /* whoever is first */
    return true;
}

/* The next signal within so many seconds: its number, 0 when there was none. */
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

void child_how(const struct child_end *end, char *text, size_t size)
{
    if (WIFSIGNALED(end->status))
        snprintf(text, size, "ended by signal %d (%s)", WTERMSIG(end->status), strsignal(WTERMSIG(end->status)));
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(end->status));
}
