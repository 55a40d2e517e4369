/* pyelf-memory: makes a set in memory, and becomes the command that loads it from there.
 *
 * It is a program of its own so that programs that run a set need not know how one is made. pyelfrun --memory executes
 * it, and pyelf-memory executes pyelfrun again with the set (base/memory_set.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory_set.h"
#include "base/process.h"
#include "emit/options_set.h"
#include "emit/prepare.h"
#include "emit/set/memory.h"

static const struct cli_option table[] = {
    OPTIONS_SET_SEED,
    OPTIONS_SET_JOBS,
    OPTIONS_SET_CHOICES,
    {'q', "quiet", NULL, "print no progress"},
};

static const struct cli_program program = {
    .name = "pyelf-memory",
    .usage = "[OPTION]... PROFILE COMMAND [ARGUMENT]...",
    .summary = "Generate the libraries of a profile into memory, and execute a command that loads them from there.",
    .details =
        "pyelfrun --memory PROFILE does this by itself. pyelf-memory is for sets with other options than the\n"
        "profile's, as in: pyelf-memory --seed=7 PROFILE pyelfrun --memory PROFILE.\n"
        "\n"
        "Exit status: that of the command; 1 when the set could not be made; 2 when the command line is wrong.\n",
    .options = table,
    .option_count = sizeof table / sizeof table[0],
};

/* What this run makes, and for which command. */
struct run {
    struct options options;
    const char *profile; /* as the user named it */
    char **command;
};

static enum options_result refuse_operands(struct error *e)
{
    error_set(e, ERROR_USAGE, "give a profile and a command that loads its libraries; see --help");
    return OPTIONS_WRONG;
}

/* Takes the profile. All that follows it in argv is the command. */
static enum options_result take_operands(struct run *r, const char *profile, char **command, struct error *e)
{
    r->profile = profile;
    r->command = command;
    if (!profile_find(profile, r->options.profile, sizeof r->options.profile, e))
        return OPTIONS_WRONG;
    return *command ? OPTIONS_RUN : refuse_operands(e);
}

static enum options_result parse(struct run *r, int argc, char **argv, struct error *e)
{
    if (!options_set_start(&r->options, e))
        return OPTIONS_WRONG;
    struct cli c = cli_start(&program, argc, argv);
    for (;;) {
        const char *value;
        const int key = cli_next(&c, &value, e);
        switch (key) {
        case CLI_DONE:
            return OPTIONS_DONE;
        case CLI_WRONG:
            return OPTIONS_WRONG;
        case CLI_END:
            return refuse_operands(e);
        case CLI_OPERAND:
            return take_operands(r, value, argv + c.next, e);
        case 'q':
            r->options.quiet = true;
            break;
        default:
            if (!options_set_take(&r->options, key, value, e))
                return OPTIONS_WRONG;
        }
    }
}

static bool generate(struct run *r, int *fd, struct error *e)
{
    struct options *o = &r->options;
    struct prepared p;
    struct progress progress;
    bool ok = prepare(&p, o, e);
    if (ok) {
        progress_start(&progress, "generating", p.plan.library_count, o->quiet);
        ok = memory_make(r->profile, &p.plan, p.stock, &p.builders, &progress, fd, e);
        progress_end(&progress);
    }
    prepare_free(&p);
    return ok;
}

/* Returns only where it failed. */
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
    struct run r = {0};
    struct error e = {0};
    int fd = -1;
    int status = EXIT_SUCCESS;
    process_start();
    const enum options_result parsed = parse(&r, argc, argv, &e);
    if (parsed == OPTIONS_WRONG || (parsed == OPTIONS_RUN && !(generate(&r, &fd, &e) && execute(r.command, fd, &e))))
        status = error_report(program_invocation_short_name, &e); /* pyelfrun, where that has become this program */
    options_free(&r.options);
    return process_printed(program.name) ? status : EXIT_FAILURE;
}
