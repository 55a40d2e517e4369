/* See starter.h. */
#include "tools/pyelfprobe/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "tools/pyelfprobe/options.h"

enum { WORD_FD = 2, WORD_PARENT, WORD_OUT, WORD_LOG, WORD_COUNT, WORD_FIRST };

enum { NUMBER_SIZE = 24 }; /* bytes of a number as a word */

struct said {
    pid_t child;
    int number;   /* errno where there is no child */
    double begun; /* when the child was */
};

/* ---- the starter ---- */

static void open_as(int number, const char *path, int flags)
{
    const int fd = open(*path ? path : "/dev/null", flags | O_NOCTTY, 0600);
    if (fd < 0 || (fd != number && dup2(fd, number) < 0))
        _exit(CHILD_NOT_EXECUTED);
    if (fd != number)
        close(fd);
}

static void change_environment(char **words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strchr(words[i], '='))
            putenv(words[i]);
        else
            unsetenv(words[i]);
    }
}

/* Runs in the child, and never returns. */
static _Noreturn void become(char **argv)
{
    const char *const out = argv[WORD_OUT], *const log = argv[WORD_LOG];
    const int count = atoi(argv[WORD_COUNT]);
    char **const words = argv + WORD_FIRST + count;
    setpgid(0, 0);
    process_end_with((pid_t)atoi(argv[WORD_PARENT]), SIGKILL);
    /* Where Yama restricts ptrace, this lets any process attach. Without Yama it fails. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    open_as(STDIN_FILENO, "", O_RDONLY);
    open_as(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
    if (*out && strcmp(out, log) == 0)
        dup2(STDOUT_FILENO, STDERR_FILENO);
    else
        open_as(STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC);
    change_environment(argv + WORD_FIRST, count);
    execv(words[0], words);
    dprintf(STDERR_FILENO, "%s: cannot be executed: %s\n", words[0], strerror(errno));
    _exit(CHILD_NOT_EXECUTED);
}

bool starter_is_meant(int argc, char **argv)
{
    return argc > WORD_FIRST && strcmp(argv[1], PROBE_STARTER) == 0;
}

static bool tell(int fd, const struct said *said)
{
    return write(fd, said, sizeof *said) == (ssize_t)sizeof *said; /* a pipe takes so little at once */
}

int starter_run(int argc, char **argv)
{
    const int fd = atoi(argv[WORD_FD]);
    (void)argc;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    struct said said = {.begun = child_clock()};
    /* as fork(2) with another parent, for which libc has no function */
    said.child = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (said.child == 0)
        become(argv);
    said.number = errno;
    return tell(fd, &said) ? 0 : 1;
}

/* ---- pyelfprobe ---- */

static size_t count_words(const char *const *words)
{
    size_t n = 0;
    while (words && words[n])
        n++;
    return n;
}

/* The starter's command line, to be freed; it borrows all words. NULL where memory ran out. */
static const char **make_words(const struct child_order *order, const char *fd, const char *parent, char *count)
{
    const char *const *const program = (const char *const *)order->words;
    const size_t changes = count_words(order->environment), all = count_words(program);
    const char **words = calloc(WORD_FIRST + changes + all + 1, sizeof *words);
    if (!words)
        return NULL;
    snprintf(count, NUMBER_SIZE, "%zu", changes);
    words[0] = PROBE_PROGRAM;
    words[1] = PROBE_STARTER;
    words[WORD_FD] = fd;
    words[WORD_PARENT] = parent;
    words[WORD_OUT] = order->out ? order->out : "";
    words[WORD_LOG] = order->log ? order->log : "";
    words[WORD_COUNT] = count;
    if (changes > 0)
        memcpy(words + WORD_FIRST, order->environment, changes * sizeof *words);
    memcpy(words + WORD_FIRST + changes, program, all * sizeof *words);
    return words;
}

/* Runs in what pyelfprobe has forked, and never returns. */
static _Noreturn void become_starter(const char **words, const sigset_t *mask, int fd, pid_t parent)
{
    setpgid(0, 0);
    process_end_with(parent, SIGKILL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    fcntl(fd, F_SETFD, 0);
    execv("/proc/self/exe", (char *const *)words);
    tell(fd, &(struct said){.child = -1, .number = errno});
    _exit(CHILD_NOT_EXECUTED);
}

/* What the starter says, who has ended then. */
static struct said hear(pid_t starter, int fd)
{
    struct said said;
    ssize_t n;
    while ((n = read(fd, &said, sizeof said)) < 0 && errno == EINTR) {
    }
    while (waitpid(starter, NULL, 0) < 0 && errno == EINTR) {
    }
    return n == (ssize_t)sizeof said ? said : (struct said){.child = -1, .number = ECHILD};
}

bool starter_begin(const struct child_order *order, const sigset_t *mask, pid_t *child, double *begun)
{
    char fd[NUMBER_SIZE], parent[NUMBER_SIZE], count[NUMBER_SIZE];
    const pid_t self = getpid();
    struct said said = {.child = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    snprintf(fd, sizeof fd, "%d", ends[1]);
    snprintf(parent, sizeof parent, "%d", (int)self);
    const char **words = make_words(order, fd, parent, count);
    fflush(NULL);
    const pid_t starter = words ? fork() : -1;
    said.number = errno;
    if (starter == 0)
        become_starter(words, mask, ends[1], self);
    close(ends[1]);
    if (starter > 0)
        said = hear(starter, ends[0]);
    close(ends[0]);
    free(words);
    *child = said.child;
    *begun = said.begun;
    errno = said.number;
    return said.child > 0;
}
