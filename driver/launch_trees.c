/* Several runs, each a fresh process tree; see launch.h. */
#include "driver/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cli.h"
#include "base/launched.h"
#include "driver/launch_parts.h"

extern char **environ;

/* The command line of a tree: the launcher's words, pyelfrun, which run of which
 * mode it is and where its results go, and what the user gave. */
struct command {
    char **word;
    size_t count;
    char *launcher; /* owns the launcher's words */
    char own[PATH_MAX];
    char tree[sizeof "--tree=" + 16];
    char turn[sizeof "--turn=" + 20];
    char part[sizeof "--part=" + PATH_MAX];
};

static bool make_command(struct command *c, const struct options *o, const char *part, int argc, char **argv,
                         struct error *e)
{
    *c = (struct command){.launcher = strdup(o->launcher ? o->launcher : "")};
    c->word = c->launcher ? calloc(strlen(c->launcher) + (size_t)argc + 6, sizeof *c->word) : NULL;
    if (!c->word)
        return error_set(e, ERROR_MEMORY, "out of memory");
    if (!launch_own_path(c->own, sizeof c->own, e))
        return false;
    char *rest = c->launcher;
    bool closed = true;
    while (closed && (c->word[c->count] = cli_word(&rest, &closed)))
        c->count++;
    if (!closed)
        return error_set(e, ERROR_USAGE, "--launcher: a quote is not closed: %.300s", o->launcher);
    if (o->launcher && c->count == 0)
        return error_set(e, ERROR_USAGE, "--launcher: no command is given");
    c->word[c->count++] = c->own;
    c->word[c->count++] = c->tree;
    c->word[c->count++] = c->turn;
    snprintf(c->part, sizeof c->part, "--part=%s", part);
    if (*part)
        c->word[c->count++] = c->part;
    for (int i = 1; i < argc; i++)
        c->word[c->count++] = argv[i];
    return true;
}

static void free_command(struct command *c)
{
    free(c->word);
    free(c->launcher);
}

/* As system(3) does: who interrupts from the terminal interrupts the tree, and
 * this process has still to tidy up, and to say so where the tree does not. Who ends
 * this process only, as a batch system may, means the tree as well: that signal is
 * waited for and handed on. */
struct interrupts {
    struct sigaction before[3]; /* of those in `changed` */
    sigset_t restored;          /* those that the tree does not ignore */
    sigset_t awaited;           /* blocked here: the end of the tree, and what is handed on */
    sigset_t mask;              /* what was blocked before */
    int handed_on;              /* 0: nothing */
    int interrupted;            /* SIGINT or SIGQUIT, which the tree has got from the terminal; 0: neither */
};
static const int changed[3] = {SIGINT, SIGQUIT, SIGCHLD};
static const int handed_on[2] = {SIGTERM, SIGHUP};

static void interrupts_take(struct interrupts *s)
{
    s->handed_on = s->interrupted = 0;
    sigemptyset(&s->restored);
    sigemptyset(&s->awaited);
    for (unsigned i = 0; i < 3; i++) {
        /* Of a SIGCHLD that is ignored nothing would come. */
        const bool waits = changed[i] == SIGCHLD;
        const struct sigaction action = {.sa_handler = waits ? SIG_DFL : SIG_IGN};
        sigaction(changed[i], &action, &s->before[i]);
        if (s->before[i].sa_handler != SIG_IGN)
            sigaddset(&s->restored, changed[i]);
        /* What is ignored and blocked can be waited for all the same. */
        if (waits || s->before[i].sa_handler != SIG_IGN)
            sigaddset(&s->awaited, changed[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        /* What nohup(1) has had ignored would come all the same while it is blocked. */
        struct sigaction now;
        if (sigaction(handed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&s->awaited, handed_on[i]);
    }
    sigprocmask(SIG_BLOCK, &s->awaited, &s->mask);
}

/* Takes what has come from the terminal and has not been waited for. */
static void interrupts_drain(struct interrupts *s)
{
    const struct timespec at_once = {0, 0};
    sigset_t terminal;
    sigemptyset(&terminal);
    for (unsigned i = 0; i < 2; i++)
        if (sigismember(&s->awaited, changed[i]))
            sigaddset(&terminal, changed[i]);
    for (int number; (number = sigtimedwait(&terminal, NULL, &at_once)) > 0;)
        s->interrupted = number;
}

static void interrupts_restore(const struct interrupts *s)
{
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
    for (unsigned i = 0; i < 3; i++)
        sigaction(changed[i], &s->before[i], NULL);
}

static int start_tree(const struct command *c, const struct interrupts *s, pid_t *child)
{
    posix_spawnattr_t attributes;
    int failed = posix_spawnattr_init(&attributes);
    if (failed)
        return failed;
    posix_spawnattr_setsigdefault(&attributes, &s->restored);
    posix_spawnattr_setsigmask(&attributes, &s->mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    failed = posix_spawnp(child, c->word[0], NULL, &attributes, c->word, environ);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

/* To the end of the tree. */
static bool wait_tree(struct interrupts *s, pid_t child, int *how)
{
    for (;;) {
        const pid_t ended = waitpid(child, how, WNOHANG);
        if (ended != 0) {
            interrupts_drain(s);
            return ended == child;
        }
        const int number = sigwaitinfo(&s->awaited, NULL);
        if (number == SIGTERM || number == SIGHUP) {
            s->handed_on = number;
            kill(child, number);
        } else if (number == SIGINT || number == SIGQUIT) {
            s->interrupted = number;
        }
    }
}

/* Runs one tree to its end. */
static bool run_tree(struct command *c, enum mode mode, uint64_t turn, int *status, struct error *e)
{
    struct interrupts interrupts;
    pid_t child;
    int how = 0;
    snprintf(c->tree, sizeof c->tree, "--tree=%s", mode_names[mode]);
    snprintf(c->turn, sizeof c->turn, "--turn=%" PRIu64, turn);
    fflush(stdout);
    interrupts_take(&interrupts);
    errno = start_tree(c, &interrupts, &child);
    bool well = errno == 0;
    if (!well)
        error_errno(e, c->word[0], "cannot be started; install it, or give another --launcher");
    if (well && !wait_tree(&interrupts, child, &how))
        well = error_errno(e, c->word[0], "cannot be waited for");
    interrupts_restore(&interrupts);
    *status = well && WIFEXITED(how) ? WEXITSTATUS(how) : EXIT_FAILURE;
    if (well && WIFSIGNALED(how))
        well = error_set(e, ERROR_SYSTEM, "mode %s: %s was ended by signal %d (%s)", mode_names[mode], c->word[0],
                         WTERMSIG(how), strsignal(WTERMSIG(how)));
    else if (well && interrupts.interrupted && *status != EXIT_SUCCESS) /* otherwise it has gone on, and so do we */
        well = error_set(e, ERROR_SYSTEM, "mode %s: interrupted by signal %d (%s), and so was %s", mode_names[mode],
                         interrupts.interrupted, strsignal(interrupts.interrupted), c->word[0]);
    else if (well && interrupts.handed_on)
        well = error_set(e, ERROR_SYSTEM, "mode %s: ended by signal %d (%s), which %s has got too", mode_names[mode],
                         interrupts.handed_on, strsignal(interrupts.handed_on), c->word[0]);
    if (!well)
        *status = EXIT_FAILURE;
    return well;
}

/* Of a launcher that fails by itself nobody else says anything. */
static void tell_of_launcher(const struct command *c, const struct launch_parts *parts, enum mode mode, int status)
{
    struct error e;
    if (status == EXIT_SUCCESS || launch_parts_begun(parts))
        return;
    error_set(&e, ERROR_SYSTEM, "mode %s: %s ended with status %d and has started no pyelfrun that sees %s",
              mode_names[mode], c->word[0], status, parts->path);
    error_report("pyelfrun", &e);
}

/* Every mode, in turn, until one fails. */
static bool run_trees(struct command *c, const struct options *o, struct launch_parts *parts, int *status,
                      struct error *e)
{
    for (uint64_t turn = 1; turn <= o->repeat; turn++)
        for (unsigned i = 0; i < o->mode_count; i++) {
            if (o->repeat * o->mode_count > 1 && options_print_tables(o))
                printf("%s== %s, run %" PRIu64 " of %" PRIu64 "\n", turn > 1 || i ? "\n" : "", mode_names[o->mode[i]],
                       turn, o->repeat);
            if (!launch_parts_expect(parts, e))
                return false;
            const bool well = run_tree(c, o->mode[i], turn, status, e);
            if (well && o->launcher)
                tell_of_launcher(c, parts, o->mode[i], *status);
            launch_parts_take(parts, o->mode[i], turn, *status);
            if (!well || *status != EXIT_SUCCESS)
                return well;
        }
    return true;
}

bool launch_trees(const struct options *o, int argc, char **argv, int *status, struct error *e)
{
    const struct launched launched = launched_by();
    if (launched.count > 1)
        return error_set(e, ERROR_USAGE,
                         "several runs are several process trees, but this is one already: start pyelfrun without %s, "
                         "as pyelfrun --launcher '%s ...'",
                         launched.by, launched.by);
    for (unsigned i = 0; i < o->mode_count; i++) {
        char path[PATH_MAX];
        if (!launch_find(path, o, o->mode[i], e))
            return false;
    }
    struct launch_parts parts;
    struct command c = {0};
    /* srun leaves ranks waiting for one that has failed, unless it is told not to. */
    setenv("SLURM_KILL_BAD_EXIT", "1", 0);
    *status = EXIT_SUCCESS;
    bool well = launch_parts_start(&parts, o, e) && make_command(&c, o, parts.path, argc, argv, e) &&
                run_trees(&c, o, &parts, status, e);
    /* What was done before a run failed is worth keeping; what is wrong with that
     * is told only where nothing else is. */
    struct error unkept = {0};
    if (!launch_parts_finish(&parts, o, &unkept) && well && *status == EXIT_SUCCESS) {
        *e = unkept;
        well = false;
    }
    free_command(&c);
    launch_parts_free(&parts);
    return well;
}
