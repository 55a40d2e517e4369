/* What pyelfrun can be asked to do; --help and the man page come from here. */
#include "driver/options.h"

#include "base/cli.h"
#include "base/error.h"

enum { OPTION_NO_PYTHON = 256, OPTION_LAZY, OPTION_QUIET };

static const struct cli_option pyelfrun_options[] = {
    {OPTION_NO_PYTHON, "no-python", NULL, "open and visit the libraries with plain dlopen"},
    {OPTION_LAZY, "lazy", NULL, "bind functions at their first call (RTLD_LAZY), not on opening"},
    {OPTION_QUIET, "quiet", NULL, "no progress bar"},
};

static const struct cli_program pyelfrun_program = {
    .name = "pyelfrun",
    .usage = "[OPTION]... SET\n",
    .summary = "Imports every module of a set in CPython, visits all its functions and tests MPI.",
    .details = "SET is a directory that pyelfgen has written. What runs is checked against its\n"
               "manifest: the result of every entry and the visit of every function.\n"
               "\n"
               "Times are in seconds: startup is from the start of the process to main, import\n"
               "and visit are those of all modules in the manifest's order, MPI is a fractal that\n"
               "the ranks compute together. Startup is known to 0.01 s, or exactly where the\n"
               "environment has PYELFRUN_START, the seconds of CLOCK_MONOTONIC at the start, read\n"
               "on the same host.\n"
               "\n"
               "Examples:\n"
               "  pyelfrun SET                 one process\n"
               "  mpirun -n 4 pyelfrun SET     four ranks\n"
               "  pyelfrun --no-python SET     what the dynamic linker alone takes\n"
               "\n"
               "Exit status: 0 when everything ran and every result was right, 1 when something\n"
               "failed on any rank, 2 when the command line is wrong.\n",
    .options = pyelfrun_options,
    .option_count = sizeof pyelfrun_options / sizeof pyelfrun_options[0],
};

static bool wrong(const struct error *e, int *status)
{
    *status = error_report(pyelfrun_program.name, e);
    return false;
}

bool options_parse(struct options *o, int argc, char **argv, int *status)
{
    *o = (struct options){.python = true};
    *status = 0;
    struct error e;
    struct cli cli = cli_start(&pyelfrun_program, argc, argv);
    for (;;) {
        const char *value;
        switch (cli_next(&cli, &value, &e)) {
        case CLI_OPERAND:
            if (o->set) {
                error_set(&e, ERROR_USAGE, "one set at a time: '%.100s' comes after '%.100s'; see --help", value,
                          o->set);
                return wrong(&e, status);
            }
            o->set = value;
            break;
        case OPTION_NO_PYTHON:
            o->python = false;
            break;
        case OPTION_LAZY:
            o->lazy = true;
            break;
        case OPTION_QUIET:
            o->quiet = true;
            break;
        case CLI_DONE:
            return false;
        case CLI_END:
            if (o->set && o->set[0])
                return true;
            error_set(&e, ERROR_USAGE, "which set? name its directory; see --help");
            return wrong(&e, status);
        default:
            return wrong(&e, status);
        }
    }
}
