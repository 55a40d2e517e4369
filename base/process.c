/* See process.h. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"

/* Opens each closed standard descriptor in the direction that nobody uses, so that its use still fails. */
static void hold_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) /* open(2) takes the lowest free number, which is this one */
            (void)!open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

static void go_on(int number)
{
    (void)number;
}

static void hear_of_limits(void)
{
    /* A signal that is ignored stays so after exec(2), whereas a handled one does not. So it is handled. */
    struct sigaction limit;
    if (sigaction(SIGXFSZ, NULL, &limit) == 0 && limit.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = go_on, .sa_flags = SA_RESTART}, NULL);
}

/* Where whoever started this program ignores SIGCHLD, how children end would be lost, and no wait for one succeed. */
static void hear_of_children(void)
{
    signal(SIGCHLD, SIG_DFL);
}

/* Ends the program if its stack is so small that some of it might end by SIGSEGV. Threads have stacks as small. */
static void want_stack(void)
{
    enum { LEAST = 192 << 10 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LEAST)
        return;
    struct error e;
    error_set(&e, ERROR_SYSTEM, "stacks are limited to %llu bytes, of which %d are needed; raise the limit (ulimit -s)",
              (unsigned long long)limit.rlim_cur, LEAST);
    error_report(program_invocation_short_name, &e);
    exit(EXIT_FAILURE);
}

/* Programs differ in what an empty TMPDIR means: Open MPI takes it for the root directory. Without one all use /tmp. */
static void drop_empty_tmpdir(void)
{
    const char *const directory = getenv("TMPDIR");
    if (directory && !*directory)
        unsetenv("TMPDIR");
}

void process_start(void)
{
    want_stack();
    drop_empty_tmpdir();
    hold_descriptors();
    hear_of_limits();
    hear_of_children();
}

bool process_printed(const char *program)
{
    struct error e;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    error_errno(&e, "standard output", "cannot write");
    error_report(program, &e);
    return false;
}

_Noreturn void process_end_by(int number)
{
    sigset_t only;
    fflush(stdout);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

void process_end_with(pid_t parent, int number)
{
    prctl(PR_SET_PDEATHSIG, number);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
}

mode_t process_umask(void)
{
    char line[128];
    unsigned mask = 077; /* without /proc only the user may */
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "Umask: %o", &mask) != 1)
        ;
    if (f)
        fclose(f);
    return mask;
}

bool process_program(char path[PATH_MAX], struct error *e)
{
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (n <= 0)
        return error_errno(e, "/proc/self/exe", "cannot be read; is /proc mounted?");
    path[n] = '\0';
    /* a file without a path, as of memfd_create(2), has a name all the same */
    return path[0] == '/' || error_set(e, ERROR_SYSTEM, "/proc/self/exe has no directory");
}

bool process_directory(char path[PATH_MAX], struct error *e)
{
    if (!process_program(path, e))
        return false;
    char *const slash = strrchr(path, '/');
    slash[slash == path] = '\0';
    return true;
}

const char *process_temporary(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

void process_endings(sigset_t *endings)
{
    static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
    sigemptyset(endings);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(endings, signals[i]);
    }
}
