/* Runs several process trees, one after the other; see launch.h. */
#include "driver/launch/launch.h"

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
#include "base/process.h"
#include "base/relay.h"
#include "driver/launch/parts.h"

extern char **environ;

/* The command line of a tree: the launcher's words, pyelfrun, the mode and number of the run, the file for its results,
 * and what the user gave. */
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
    if (!process_program(c->own, e))
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

/* Signals that interrupt or end this process while a tree runs.
 *
 * An interrupt from the terminal reaches the tree as well. This process still has to tidy up, and to report it if the
 * tree does not. Others are passed on if the tree still runs after PATIENCE (base/relay.h). All these signals are
 * blocked, and waited for, as long as there is a part to remove.
 */
enum { PATIENCE = 2000 /* milliseconds */ };

struct interrupts {
    struct sigaction before; /* the action of SIGCHLD before */
    sigset_t awaited;        /* SIGCHLD for the end of the tree, and the signals that end or interrupt */
    sigset_t mask;           /* signals that were blocked before */
    int number;              /* last signal that came; 0: none */
    struct relay relay;      /* what the tree may not have got */
    bool final;              /* it did not come from the terminal, whose signals a tree may handle and continue */
};

static void interrupts_take(struct interrupts *s)
{
    *s = (struct interrupts){.relay = {.due = RELAY_NEVER}};
    process_endings(&s->awaited);
    /* An ignored SIGCHLD would never come. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &s->before);
    sigaddset(&s->awaited, SIGCHLD);
    sigprocmask(SIG_BLOCK, &s->awaited, &s->mask);
}

/* Remembers a signal that has come. A second one is passed on to the tree, if there is one, at once. */
static void interrupts_notice(struct interrupts *s, const siginfo_t *what, pid_t tree)
{
    const int number = what->si_signo;
    if (number == SIGCHLD)
        return;
    s->number = number;
    if (what->si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT))
        return; /* the terminal sends it to all */
    s->final = true;
    if (tree > 0 && relay_note(&s->relay, number, PATIENCE) == RELAYED_ANOTHER)
        kill(tree, number);
}

/* Waits for a signal and notices it, or passes on the one that is due. */
static void interrupts_await(struct interrupts *s, pid_t tree)
{
    siginfo_t what;
    const int64_t left = s->relay.due - relay_now();
    const struct timespec wait = {left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000000 : 0};
    const bool is_due = s->relay.due != RELAY_NEVER;
    if ((is_due ? sigtimedwait(&s->awaited, &what, &wait) : sigwaitinfo(&s->awaited, &what)) > 0)
        interrupts_notice(s, &what, tree);
    relay_pass(&s->relay, tree);
}

/* Takes the signals that have come and were not waited for. */
static void interrupts_drain(struct interrupts *s)
{
    const struct timespec at_once = {0, 0};
    siginfo_t what;
    while (sigtimedwait(&s->awaited, &what, &at_once) > 0)
        interrupts_notice(s, &what, 0);
}

static void interrupts_restore(const struct interrupts *s)
{
    sigaction(SIGCHLD, &s->before, NULL);
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

static int start_tree(const struct command *c, const struct interrupts *s, pid_t *child)
{
    posix_spawnattr_t attributes;
    int failed = posix_spawnattr_init(&attributes);
    if (failed)
        return failed;
    posix_spawnattr_setsigmask(&attributes, &s->mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    failed = posix_spawnp(child, c->word[0], NULL, &attributes, c->word, environ);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

/* Waits for the end of the tree. */
static bool wait_tree(struct interrupts *s, pid_t child, int *how)
{
    for (;;) {
        const pid_t ended = waitpid(child, how, WNOHANG);
        if (ended != 0) {
            interrupts_drain(s);
            return ended == child;
        }
        interrupts_await(s, child);
    }
}

/* Sets the error for a tree that was interrupted. */
static bool tell_of_interrupt(const struct interrupts *s, const struct command *c, enum mode mode, struct error *e)
{
    return error_set(e, ERROR_SYSTEM,
                     s->number == SIGINT || s->number == SIGQUIT
                         ? "mode %s: interrupted by signal %d (%s), and so was %s"
                         : "mode %s: ended by signal %d (%s), which %s has got too",
                     mode_names[mode], s->number, strsignal(s->number), c->word[0]);
}

/* Runs one tree to its end. */
static bool run_tree(struct command *c, struct interrupts *s, enum mode mode, uint64_t turn, struct launch_end *end,
                     struct error *e)
{
    pid_t child;
    int how = 0;
    snprintf(c->tree, sizeof c->tree, "--tree=%s", mode_names[mode]);
    snprintf(c->turn, sizeof c->turn, "--turn=%" PRIu64, turn);
    fflush(stdout);
    end->status = EXIT_FAILURE;
    errno = start_tree(c, s, &child);
    if (errno != 0)
        return error_errno(e, c->word[0], "cannot be started; install it, or give another --launcher");
    if (!wait_tree(s, child, &how))
        return error_errno(e, c->word[0], "cannot be waited for");
    end->status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    /* If the tree has continued in spite of the terminal's signal, so does this process. */
    if (!s->final && end->status == EXIT_SUCCESS)
        s->number = 0;
    end->signal = s->number;
    if (s->number && end->status == EXIT_SUCCESS)
        end->status = 128 + s->number;
    if (WIFSIGNALED(how))
        return error_set(e, ERROR_SYSTEM, "mode %s: %s was ended by signal %d (%s)", mode_names[mode], c->word[0],
                         WTERMSIG(how), strsignal(WTERMSIG(how)));
    return s->number == 0 || tell_of_interrupt(s, c, mode, e);
}

/* Reports a launcher that failed by itself, because nobody else does. */
static void tell_of_launcher(const struct command *c, const struct launch_parts *parts, enum mode mode, int status)
{
    struct error e;
    if (status == EXIT_SUCCESS || launch_parts_begun(parts))
        return;
    const char *slash = strrchr(parts->path, '/');
    const int directory = slash == parts->path ? 1 : (int)(slash - parts->path);
    error_set(
        &e, ERROR_SYSTEM,
        "mode %s: %s ended with status %d without starting pyelfrun on this host or one that shares %.*s; see what "
        "it said, or name a directory that all hosts share with --json or TMPDIR",
        mode_names[mode], c->word[0], status, directory, parts->path);
    error_report("pyelfrun", &e);
}

/* Runs every mode, in each turn, until one fails. */
static bool run_trees(struct command *c, struct interrupts *s, const struct options *o, struct launch_parts *parts,
                      struct launch_end *end, struct error *e)
{
    for (uint64_t turn = 1; turn <= o->repeat; turn++)
        for (unsigned i = 0; i < o->mode_count; i++) {
            /* A signal between two trees has reached no tree. */
            interrupts_drain(s);
            if (s->number) {
                end->signal = s->number;
                return error_set(e, ERROR_SYSTEM, "ended by signal %d (%s) before mode %s, run %" PRIu64, s->number,
                                 strsignal(s->number), mode_names[o->mode[i]], turn);
            }
            if (o->repeat * o->mode_count > 1 && options_print_tables(o))
                printf("%s== %s, run %" PRIu64 " of %" PRIu64 "\n", turn > 1 || i ? "\n" : "", mode_names[o->mode[i]],
                       turn, o->repeat);
            if (!launch_parts_expect(parts, e))
                return false;
            const bool well = run_tree(c, s, o->mode[i], turn, end, e);
            if (well && o->launcher)
                tell_of_launcher(c, parts, o->mode[i], end->status);
            launch_parts_take(parts, o->mode[i], turn, end->status);
            if (!well || end->status != EXIT_SUCCESS)
                return well;
        }
    return true;
}

bool launch_trees(const struct options *o, int argc, char **argv, struct launch_end *end, struct error *e)
{
    const struct launched launched = launched_by();
    *end = (struct launch_end){EXIT_SUCCESS, 0};
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
    /* Without this srun leaves ranks waiting for one that has failed. */
    setenv("SLURM_KILL_BAD_EXIT", "1", 0);
    struct interrupts interrupts;
    interrupts_take(&interrupts);
    bool well = launch_parts_start(&parts, o, e) && make_command(&c, o, parts.path, argc, argv, e) &&
                run_trees(&c, &interrupts, o, &parts, end, e);
    /* The results of the runs before a failed one are kept. An error in keeping them is reported only if there is no
     * other. */
    struct error unkept = {0};
    if (!launch_parts_finish(&parts, o, &unkept) && well && end->status == EXIT_SUCCESS) {
        *e = unkept;
        well = false;
    }
    free_command(&c);
    launch_parts_free(&parts);
    interrupts_restore(&interrupts);
    return well;
}
