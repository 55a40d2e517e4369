/* See descendants.h. */
#include "tools/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool descendants_hold(sigset_t *awaited, sigset_t *mask, struct error *e)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigemptyset(awaited);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        /* What nohup(1) has had ignored would come all the same while it is blocked. */
        struct sigaction now;
        if (signals[i] == SIGCHLD)
            signal(SIGCHLD, SIG_DFL);
        if (sigaction(signals[i], NULL, &now) == 0 && (signals[i] == SIGCHLD || now.sa_handler != SIG_IGN))
            sigaddset(awaited, signals[i]);
    }
    if (sigprocmask(SIG_BLOCK, awaited, mask) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return error_errno(e, "", "this process cannot keep hold of those that it will start");
    return true;
}

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

void descendants_end(void)
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
