/* Several runs, each a fresh process tree; see launch.h. */
#include "driver/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "driver/options_launcher.h"

extern char **environ;

/* Takes the next word of *text in place, as a shell would without expanding
 * anything: blanks divide, quotes keep together. NULL at the end. */
static char *take_word(char **text)
{
    char *in = *text + strspn(*text, " \t\n");
    char *word = in, *out = in;
    char quote = '\0';
    if (!*in)
        return NULL;
    for (; *in && (quote || !strchr(" \t\n", *in)); in++) {
        if (quote ? *in == quote : *in == '\'' || *in == '"')
            quote = quote ? '\0' : *in;
        else
            *out++ = *in;
    }
    *text = *in ? in + 1 : in;
    *out = '\0';
    return word;
}

/* The command line of a tree: the launcher's words, pyelfrun, --tree MODE, and
 * what the user gave. */
struct command {
    char **word;
    size_t count;
    char *launcher; /* owns the launcher's words */
    char own[PATH_MAX];
    char tree[sizeof "--tree=" + 16];
};

static bool make_command(struct command *c, const struct options *o, int argc, char **argv, struct error *e)
{
    *c = (struct command){.launcher = strdup(o->launcher ? o->launcher : "")};
    c->word = c->launcher ? calloc(strlen(c->launcher) + (size_t)argc + 4, sizeof *c->word) : NULL;
    if (!c->word)
        return error_set(e, ERROR_MEMORY, "out of memory");
    if (!launch_own_path(c->own, sizeof c->own, e))
        return false;
    char *rest = c->launcher;
    while ((c->word[c->count] = take_word(&rest)))
        c->count++;
    if (o->launcher && c->count == 0)
        return error_set(e, ERROR_USAGE, "--launcher: no command is given");
    c->word[c->count++] = c->own;
    c->word[c->count++] = c->tree;
    for (int i = 1; i < argc; i++)
        c->word[c->count++] = argv[i];
    return true;
}

static void free_command(struct command *c)
{
    free(c->word);
    free(c->launcher);
}

/* Runs one tree to its end. */
static bool run_tree(struct command *c, enum mode mode, int *status, struct error *e)
{
    pid_t child;
    int how;
    snprintf(c->tree, sizeof c->tree, "--tree=%s", mode_names[mode]);
    fflush(stdout);
    errno = posix_spawnp(&child, c->word[0], NULL, NULL, c->word, environ);
    if (errno != 0)
        return error_errno(e, c->word[0], "cannot be started; install it, or give another --launcher");
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            return error_errno(e, c->word[0], "cannot be waited for");
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : EXIT_FAILURE;
    if (WIFSIGNALED(how))
        return error_set(e, ERROR_SYSTEM, "mode %s: %s was ended by signal %d (%s)", mode_names[mode], c->word[0],
                         WTERMSIG(how), strsignal(WTERMSIG(how)));
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
    struct command c;
    bool well = make_command(&c, o, argc, argv, e);
    /* srun leaves ranks waiting for one that has failed, unless it is told not to. */
    setenv("SLURM_KILL_BAD_EXIT", "1", 0);
    *status = EXIT_SUCCESS;
    for (uint64_t round = 0; well && *status == EXIT_SUCCESS && round < o->repeat; round++)
        for (unsigned i = 0; well && *status == EXIT_SUCCESS && i < o->mode_count; i++) {
            if (o->repeat * o->mode_count > 1)
                printf("%s== %s, run %" PRIu64 " of %" PRIu64 "\n", round + i ? "\n" : "", mode_names[o->mode[i]],
                       round + 1, o->repeat);
            well = run_tree(&c, o->mode[i], status, e);
        }
    free_command(&c);
    return well;
}
