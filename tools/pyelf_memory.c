/* pyelf-memory: makes a set in memory and becomes the command that loads it from there.
 *
 * What runs a set need not know how one is made, so that this is a program of its own: pyelfrun --memory
 * executes it, and is executed by it again, with the set (base/memory_set.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory_set.h"
#include "emit/memory.h"
#include "emit/options_set.h"
#include "emit/prepare.h"

static const struct cli_option table[] = {
    OPTIONS_SET_SEED,
    OPTIONS_SET_JOBS,
    OPTIONS_SET_CHOICES,
    {'q', "quiet", NULL, "no progress"},
};

static const struct cli_program program = {
    .name = "pyelf-memory",
    .usage = "[OPTION]... PROFILE COMMAND [ARGUMENT]...",
    .summary = "Generates the libraries of a profile into memory, and executes a command that loads them from there.",
    .details =
        "pyelfrun --memory PROFILE does this by itself; as its COMMAND here it runs a set of other options than\n"
        "the profile's: pyelf-memory --seed=7 PROFILE pyelfrun --memory PROFILE.\n"
        "\n"
        "Exit status: that of the command, 1 when the set could not be made, 2 for wrong usage.\n",
    .options = table,
    .option_count = sizeof table / sizeof table[0],
};

/* *command becomes what follows the profile in argv. */
static enum options_result parse(struct options *o, int argc, char **argv, char ***command, struct error *e)
{
    if (!options_set_start(o, e))
        return OPTIONS_WRONG;
    struct cli c = cli_start(&program, argc, argv);
    for (;;) {
        const char *value;
        int key = cli_next(&c, &value, e);
        if (key == CLI_DONE)
            return OPTIONS_DONE;
        if (key == CLI_WRONG)
            return OPTIONS_WRONG;
        if (key == CLI_OPERAND) {
            *command = argv + c.next;
            if (!profile_find(value, o->profile, sizeof o->profile, e))
                return OPTIONS_WRONG;
        }
        if (key == CLI_END || (key == CLI_OPERAND && !**command)) {
            error_set(e, ERROR_USAGE, "give a profile and a command that loads its libraries; see --help");
            return OPTIONS_WRONG;
        }
        if (key == CLI_OPERAND)
            return OPTIONS_RUN;
        if (key == 'q')
            o->quiet = true;
        else if (!options_set_take(o, key, value, e))
            return OPTIONS_WRONG;
    }
}

static bool generate(struct options *o, int *fd, struct error *e)
{
    struct prepared p;
    struct progress progress;
    bool ok = prepare(&p, o, e);
    if (ok) {
        progress_start(&progress, "generating", p.plan.library_count, o->quiet);
        ok = memory_make(&p.plan, p.stock, o->threads, &progress, fd, e);
        progress_end(&progress);
    }
    prepare_free(&p);
    return ok;
}

/* Returns only when it failed. */
static bool execute(char **command, int fd, struct error *e)
{
    char number[16];
    snprintf(number, sizeof number, "%d", fd);
    if (setenv(MEMORY_SET_VARIABLE, number, 1) != 0)
        return error_set(e, ERROR_MEMORY, "out of memory");
    execvp(command[0], command);
    return error_errno(e, command[0], "cannot be executed");
}

int main(int argc, char **argv)
{
    struct options options;
    struct error e = {0};
    char **command = NULL;
    int fd = -1;
    int status = EXIT_SUCCESS;
    const enum options_result parsed = parse(&options, argc, argv, &command, &e);
    if (parsed == OPTIONS_WRONG ||
        (parsed == OPTIONS_RUN && !(generate(&options, &fd, &e) && execute(command, fd, &e))))
        status = error_report(program.name, &e);
    options_free(&options);
    return status;
}
