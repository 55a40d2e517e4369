/* Misses of simulated caches, counted by cachegrind, a tool of valgrind.
 *
 * cachegrind reports its totals only when a process ends. So a reading is a child of this process that ends at once.
 * valgrind simulates the child from fork on with the totals and the caches that the process had until then. When it
 * ends, valgrind writes its totals, with its number in front of every line:
 *
 *     ==4711== D1  misses:        3,512  ( 2,806 rd   +   706 wr)
 *
 * The lines go to a file in memory that the launcher has made. So one run has the totals at every border between
 * phases, and nothing is estimated. A reading costs a system call and a few lines of our code.
 */
#include "runtime/simulation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/source.h"

#define VARIABLE "PYELFRUN_SIMULATION" /* "process:descriptor"; cachegrind writes to that file */

/* name, unit, beginning of cachegrind's line */
#define TOTALS(X)                                                                                                      \
    X(instructions, "instructions", "I   refs:")                                                                       \
    X(data_accesses, "accesses", "D   refs:")                                                                          \
    X(I1_misses, "misses", "I1  misses:")                                                                              \
    X(D1_misses, "misses", "D1  misses:")                                                                              \
    X(LL_instruction_misses, "misses", "LLi misses:")                                                                  \
    X(LL_data_misses, "misses", "LLd misses:")

enum total {
#define TOTAL(name, unit, line) TOTAL_##name,
    TOTALS(TOTAL)
#undef TOTAL
        COUNT
};

static const struct {
    const char *name, *unit, *line;
} totals[COUNT] = {
#define TOTAL(name, unit, line) {"simulated_" #name, unit, line},
    TOTALS(TOTAL)
#undef TOTAL
};

/* --- the launcher ------------------------------------------------------------------- */

/* Makes the command line in one block of memory, which the caller frees; NULL when memory ran out. */
static char **make_words(const char *path, char **argv, const struct simulation_caches *caches, int log)
{
    static const char *const constant[] = {"valgrind",
                                           "--command-line-only=yes", /* options of the user would change the lines */
                                           "--tool=cachegrind",
                                           "--cache-sim=yes",
                                           "--cachegrind-out-file=/dev/null",
                                           "--trace-children=no",
                                           "--vgdb=no", /* its pipes would stay in TMPDIR if it is killed */
                                           "--child-silent-after-fork=no"};
    enum { CONSTANT = sizeof constant / sizeof constant[0], OURS = 4, TEXT = 64 };
    size_t count = 0;
    while (argv[count])
        count++;
    const size_t all = CONSTANT + OURS + 1 + count + 1;
    char **words = malloc(all * sizeof *words + OURS * TEXT);
    if (!words)
        return NULL;
    char(*ours)[TEXT] = (char(*)[TEXT])(words + all);
    snprintf(ours[0], TEXT, "--I1=%s", caches->i1);
    snprintf(ours[1], TEXT, "--D1=%s", caches->d1);
    snprintf(ours[2], TEXT, "--LL=%s", caches->ll);
    snprintf(ours[3], TEXT, "--log-fd=%d", log);
    size_t n = 0;
    for (size_t i = 0; i < CONSTANT; i++)
        words[n++] = (char *)constant[i];
    for (size_t i = 0; i < OURS; i++)
        words[n++] = ours[i];
    words[n++] = (char *)path;
    for (size_t i = 1; i < count; i++)
        words[n++] = argv[i];
    words[n] = NULL;
    return words;
}

bool simulation_execute(const char *path, char **argv, const struct simulation_caches *caches, struct error *e)
{
    /* valgrind takes its descriptor for itself; the program uses the other one. */
    const int log = memfd_create("pyelfrun-simulation", 0);
    const int ours = log < 0 ? -1 : dup(log); /* errno stays the first */
    char variable[64];
    snprintf(variable, sizeof variable, "%ld:%d", (long)getpid(), ours);
    char **words = make_words(path, argv, caches, log);
    if (log < 0 || ours < 0 || !words || setenv(VARIABLE, variable, 1) != 0) {
        error_errno(e, "memfd", "there is no memory for what cachegrind writes");
        free(words);
        return false;
    }
    /* Open MPI uses an instruction of the processor that valgrind does not answer. */
    setenv("HWLOC_COMPONENTS", "-x86", 0);
    execvp(words[0], words);
    const int reason = errno;
    free(words);
    if (reason == ENOENT)
        return error_set(e, ERROR_SYSTEM, "--simulate: there is no valgrind; install the Debian package valgrind");
    errno = reason;
    return error_errno(e, "valgrind", "cannot be executed");
}

/* --- the program under it ------------------------------------------------------------ */

struct simulation {
    int fd;     /* -1: nothing is simulated */
    off_t seen; /* bytes of that file that were read */
};

/* Returns the descriptor of the file that cachegrind writes; -1 with the reason. */
static int take_descriptor(const char **why)
{
    char *place = getenv(VARIABLE);
    *why = "cachegrind has not been started: pyelfrun --simulate does";
    if (!place || strtol(place, &place, 10) != getpid() || *place++ != ':')
        return -1;
    int fd = (int)strtol(place, NULL, 10);
    unsetenv(VARIABLE);
    if (lseek(fd, 0, SEEK_END) >= 0)
        return fd;
    *why = VARIABLE " names no file of cachegrind's";
    return -1;
}

static bool simulation_open(void **state, struct counter *list, size_t *count, struct error *e)
{
    struct simulation *s = *state = calloc(1, sizeof *s);
    if (!s)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the simulated counters");
    const char *why;
    s->fd = take_descriptor(&why);
    *count = COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(list[i].name, sizeof list[i].name, "%s", totals[i].name);
        list[i].unit = totals[i].unit;
        if (s->fd < 0)
            source_absent(&list[i], "%s", why);
    }
    return true;
}

/* Makes a child that ends at once, without what libraries do after a fork. Returns its number. */
static pid_t end_a_child(void)
{
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0)
        syscall(SYS_exit_group, 0);
    int how;
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    return child;
}

/* Takes the number with which a text such as "3,512 ( 2,806 rd ..." begins, without its commas. */
static bool take_total(const char *text, uint64_t *total)
{
    text += strspn(text, " ");
    if (*text < '0' || *text > '9')
        return false;
    for (*total = 0; (*text >= '0' && *text <= '9') || *text == ','; text++)
        if (*text != ',')
            *total = 10 * *total + (uint64_t)(*text - '0');
    return true;
}

static void take_line(const char *line, const char *prefix, uint64_t *values)
{
    if (strncmp(line, prefix, strlen(prefix)) != 0)
        return;
    line += strlen(prefix);
    for (size_t i = 0; i < COUNT; i++)
        if (strncmp(line, totals[i].line, strlen(totals[i].line)) == 0)
            take_total(line + strlen(totals[i].line), &values[i]);
}

static void simulation_read(void *state, uint64_t *values)
{
    struct simulation *s = state;
    pid_t child = s->fd < 0 ? -1 : end_a_child();
    off_t end = child > 0 ? lseek(s->fd, 0, SEEK_END) : 0;
    char *text = end > s->seen ? malloc((size_t)(end - s->seen) + 1) : NULL;
    if (!text)
        return;
    char prefix[32];
    ssize_t length = pread(s->fd, text, (size_t)(end - s->seen), s->seen);
    text[length > 0 ? length : 0] = '\0';
    snprintf(prefix, sizeof prefix, "==%ld== ", (long)child);
    char *place = NULL;
    for (char *line = strtok_r(text, "\n", &place); line; line = strtok_r(NULL, "\n", &place))
        take_line(line, prefix, values);
    free(text);
    s->seen = end;
}

static void simulation_close(void *state)
{
    struct simulation *s = state;
    if (s->fd >= 0)
        close(s->fd);
    free(s);
}

const struct source source_simulation = {"cachegrind", simulation_open, NULL, simulation_read, simulation_close};
