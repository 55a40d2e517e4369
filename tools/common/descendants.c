/* See descendants.h. */
#include "tools/common/descendants.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/process.h"

/* Whether this process had children before it started any: children of the program that became this one, as a shell
 * does by `exec`. */
static bool has_children(void)
{
    siginfo_t any;
    return waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Runs in the process that was there first. Hands signals on to the other process, except those of the terminal, which
 * both get, and ends as the other one does. */
static _Noreturn void stand_for(pid_t other, sigset_t awaited)
{
    int status;
    sigaddset(&awaited, SIGCHLD);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    while (waitpid(other, &status, WNOHANG) != other) {
        siginfo_t s;
        const int number = sigwaitinfo(&awaited, &s);
        if (number > 0 && number != SIGCHLD && s.si_code != SI_KERNEL)
            kill(other, number);
    }
    if (WIFSIGNALED(status))
        process_end_by(WTERMSIG(status));
    _exit(WEXITSTATUS(status));
}

/* Goes on in a process without children. The earlier children may leave orphans behind, which this process would adopt
 * and could not tell from its own descendants. The new process does not get them. */
static bool leave_children(const sigset_t *endings, struct error *e)
{
    const pid_t self = getpid();
    fflush(NULL);
    const pid_t other = fork();
    if (other < 0)
        return error_errno(e, NULL, "this process has children already, and cannot leave them alone");
    if (other > 0)
        stand_for(other, *endings);
    process_end_with(self, sigismember(endings, SIGTERM) ? SIGTERM : SIGKILL); /* SIGTERM leaves it time to tidy up */
    return true;
}

bool descendants_hold(sigset_t *awaited, sigset_t *mask, struct error *e)
{
    process_endings(awaited);
    signal(SIGCHLD, SIG_DFL);
    if (has_children() && !leave_children(awaited, e))
        return false;
    sigaddset(awaited, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, awaited, mask) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return error_errno(e, NULL, "this process cannot keep hold of those that it will start");
    return true;
}

struct process {
    pid_t pid, parent;
};

/* The parent, from /proc/PID/stat. The name in parentheses may contain anything. 0: not known. */
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

/* Every process of the system. */
struct processes {
    struct process *all;
    size_t count, room;
};

static bool add_process(void *context, int proc, const char *name)
{
    struct processes *const p = context;
    (void)proc;
    if (!isdigit((unsigned char)name[0]))
        return true;
    if (p->count == p->room) {
        struct process *more = realloc(p->all, (p->room = p->room * 2 + 256) * sizeof *p->all);
        if (!more)
            return false;
        p->all = more;
    }
    p->all[p->count++] = (struct process){(pid_t)atoi(name), parent_of(name)};
    return true;
}

static bool descends(const struct processes *p, pid_t pid, pid_t from)
{
    for (size_t steps = 0; pid > 1 && steps <= p->count; steps++) {
        size_t i = 0;
        while (i < p->count && p->all[i].pid != pid)
            i++;
        if (i == p->count)
            return false;
        pid = p->all[i].parent;
        if (pid == from)
            return true;
    }
    return false;
}

void descendants_each(void (*each)(void *context, pid_t process), void *context)
{
    struct processes p = {0};
    directory_each(AT_FDCWD, "/proc", add_process, &p); /* what cannot be read is left out */
    for (size_t i = 0; i < p.count; i++)
        if (descends(&p, p.all[i].pid, getpid()))
            each(context, p.all[i].pid);
    free(p.all);
}

static void end(void *context, pid_t process)
{
    (void)context;
    kill(process, SIGKILL);
}

void descendants_end(void)
{
    /* While there are descendants there is a child, because this process adopts orphans. A process that was forked
     * while the list was read is found in the next turn, when its parent is dead. */
    for (int turn = 0; turn < 100; turn++) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
        }
        if (ended < 0)
            return;
        descendants_each(end, NULL); /* what cannot be read now is read in the next turn */
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}
