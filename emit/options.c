/* The table of options, and the meaning of Pynamic's arguments; see options.h. */
#include "emit/options.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/cli.h"
#include "emit/options_set.h"
#include "emit/profile/keys.h"

#define PYNAMIC_BIG "200 MB"

enum {
    OPTION_SOURCES = OPTIONS_SET_END,
    OPTION_STATIC,
    OPTION_NO_LIBRARIES,
    OPTION_BIGEXE,
    OPTION_DRY_RUN,
    OPTION_FORCE,
    OPTION_VERIFY,
    OPTION_SETTLE,
    OPTION_NODE_LOCAL,
    OPTION_ALONE,
    OPTION_IGNORED,
    OPTION_IGNORED_VALUE
};

static const struct cli_option table[] = {
    {'P', "profile", "PROFILE", "the profile to generate from: a file, - for standard input, or a shipped profile"},
    {'o', "output", "SET", "the directory to write the set to; made if it is not there"},
    {OPTION_NODE_LOCAL, "node-local", "DIR",
     "instead of -o: write a set on each node of mpirun or srun, to the node's own directory DIR; %N in it is the "
     "host's name"},
    {OPTION_ALONE, "alone", NULL, "do not share the work with other ranks of mpirun or srun"},
    OPTIONS_SET_SEED,
    {'j', "jobs", "N", "use N threads; default: one for each processor, divided among the ranks of a node"},
    {OPTION_FORCE, "force", NULL, "write every file of the set anew, even those that are right already"},
    OPTIONS_SET_CHOICES,
    {OPTION_SOURCES, "sources", NULL,
     "also write the source that debug information describes, to SET/sources, for debuggers to list"},
    OPTIONS_SET_LINK,
    {OPTION_STATIC, "static", NULL, "also write an executable that contains all libraries, SET/pyelf-static"},
    {OPTION_NO_LIBRARIES, "no-libraries", NULL, "with --static: write that executable instead of the libraries"},
    OPTIONS_SET_LIBPYTHON,
    {OPTION_BIGEXE, "bigexe", "SIZE",
     "give executables SIZE of code, symbols and debug information of their own, as in '200 MB'"},
    {OPTION_DRY_RUN, "dry-run", NULL,
     "plan the set, print its sizes and what differs from the profile, and write nothing"},
    {OPTION_SETTLE, "settle", "FILE",
     "write no set but the profile once more, to FILE, with what has to be searched for to make its libraries as their "
     "rows say: from it the same set is made without a search; - for standard output"},
    {OPTION_VERIFY, "verify", "SET", "compare every library and executable of a set with its manifest"},
    {'q', "quiet", NULL, "print no progress and no tables; what differs from the profile is in SET/differences.json"},
    {'u', NULL, "UTILITIES AVERAGE",
     "Pynamic: how many of the FILES are utilities, and their average number of functions"},
    {'e', NULL, NULL, "Pynamic: each module's entry calls the extern function of the module before it"},
    {'n', NULL, "LENGTH", "Pynamic: append LENGTH digits to each function's name"},
    {'d', NULL, "DEPTH", "Pynamic: number of functions in a chain of calls; default: 10"},
    {'s', NULL, "SEED", "Pynamic: same as --seed"},
    {'c', NULL, "OPTION", NULL},
    {'i', NULL, "DIRECTORY", NULL},
    {'b', NULL, NULL, "Pynamic: same as --link --bigexe '" PYNAMIC_BIG "'"},
    {'p', NULL, NULL, NULL},
    {OPTION_IGNORED_VALUE, "with-cc", "CC", NULL},
    {OPTION_IGNORED_VALUE, "with-python", "PYTHON", NULL},
    {OPTION_IGNORED, "with-mpi4py", NULL, NULL},
    {OPTION_IGNORED, "with-pympi", NULL, NULL},
};

static const struct cli_program program = {
    .name = "pyelfgen",
    .usage = "[OPTION]... --profile PROFILE -o SET\n"
             "[OPTION]... FILES AVERAGE [-u UTILITIES AVERAGE] [-e] [-n LENGTH] -o SET\n"
             "--profile PROFILE --settle FILE\n"
             "--verify SET",
    .summary = "Generate shared libraries of a given shape: code, symbols and debug information, without a compiler.",
    .details =
        "A PROFILE describes the libraries; docs/profile.md has its keys. A SET is a directory with the\n"
        "libraries, manifest.json, which describes them, and driver.py, which runs them.\n"
        "\n"
        "The second form takes Pynamic's arguments: FILES is the number of libraries, and AVERAGE their average\n"
        "number of functions. The sizes follow from these counts. Options for Pynamic's compiler (-c, -i,\n"
        "--with-...) are accepted and have no effect.\n"
        "\n"
        "Examples:\n"
        "  pyelfgen --profile small -o /tmp/small\n"
        "                    a first set, of 12 libraries\n"
        "  pyelfgen --profile realapp.prof -o set -j 8 --seed 7\n"
        "                    a set from a profile of your own\n"
        "  pyelfgen 495 1850 -e -u 215 1850 -n 100 -o set\n"
        "                    what config_pynamic.py makes of the same arguments\n"
        "  mpirun -n 4 pyelfgen --profile realapp.prof -o set\n"
        "                    four ranks together write the set that one process would write\n"
        "  srun pyelfgen --profile realapp.prof --node-local /tmp/set\n"
        "                    every node writes a set of its own\n"
        "\n"
        "Exit status:\n"
        "  0  the set was generated or planned, or with --verify is as its manifest says\n"
        "  1  it was not, or is not\n"
        "  2  the command line is wrong, or the directory that it names holds files of others\n",
    .options = table,
    .option_count = sizeof table / sizeof table[0],
};

/* Pynamic's counts, as given. */
struct pynamic {
    bool any;
    bool has_utilities;
    uint64_t operand[2];
    unsigned operands;
    uint64_t utilities, utility_functions;
    uint64_t pad, depth;
    bool cross_module;
};

static bool take_operand(struct pynamic *p, const char *text, struct error *e)
{
    static const char *const what[] = {"the number of files", "the average number of functions"};
    if (p->operands == 2)
        return error_set(e, ERROR_USAGE, "'%.60s' is one argument too many; see --help", text);
    /* many programs take a file as an operand, so users may try that here */
    char path[PATH_MAX];
    if (!p->any && !isdigit((unsigned char)*text) && profile_find(text, path, sizeof path, NULL))
        return error_set(e, ERROR_USAGE, "'%.200s' is no number of files; a profile is given as --profile=%.200s", text,
                         text);
    p->any = true;
    uint64_t most = p->operands ? PROFILE_FUNCTIONS_MOST : PROFILE_LIBRARIES_MOST;
    if (!cli_number(text, what[p->operands], 1, most, &p->operand[p->operands], e))
        return false;
    p->operands++;
    return true;
}

static bool take_big(struct options *o, const char *text, struct error *e)
{
    struct error wrong = {0};
    if (!profile_size(text, &o->executables.big, &wrong))
        return error_set(e, ERROR_USAGE, "--bigexe: %s", wrong.text);
    return o->executables.big || error_set(e, ERROR_USAGE, "--bigexe: 0 is the executable without it; leave it out");
}

static bool refuse_second(const struct options *o, const char *set, struct error *e)
{
    return error_set(e, ERROR_USAGE, "--verify: one set at a time: '%.200s' comes after '%.200s'; see --help", set,
                     o->verify);
}

static bool take_option(struct options *o, struct pynamic *p, struct cli *c, int key, const char *value,
                        struct error *e)
{
    switch (key) {
    case CLI_OPERAND:
        if (o->verify)
            return refuse_second(o, value, e);
        if (o->profile[0] && !isdigit((unsigned char)*value))
            return error_set(e, ERROR_USAGE, "'%.200s' is one argument too many beside --profile; see --help", value);
        return take_operand(p, value, e);
    case 'P':
        return profile_find(value, o->profile, sizeof o->profile, e);
    case 'o':
        o->output = value;
        return true;
    case 's':
        return options_set_take(o, OPTION_SEED, value, e);
    case OPTION_SOURCES:
        return o->sources = true;
    case OPTION_STATIC:
        return o->executables.joined = true;
    case OPTION_NO_LIBRARIES:
        return o->executables.alone = true;
    case OPTION_BIGEXE:
        return take_big(o, value, e);
    case OPTION_FORCE:
        return o->force = true;
    case OPTION_DRY_RUN:
        return o->dry_run = true;
    case OPTION_VERIFY:
        if (o->verify)
            return refuse_second(o, value, e);
        o->verify = value;
        return true;
    case OPTION_SETTLE:
        if (o->settle)
            return error_set(e, ERROR_USAGE, "--settle: one file at a time: '%.200s' comes after '%.200s'; see --help",
                             value, o->settle);
        o->settle = value;
        return true;
    case OPTION_NODE_LOCAL:
        o->node_local = value;
        return true;
    case OPTION_ALONE:
        return o->alone = true;
    case 'q':
        return o->quiet = true;
    case 'u':
        p->any = p->has_utilities = true;
        if (c->next >= c->argc)
            return error_set(e, ERROR_USAGE, "-u needs two numbers: utilities and their average functions; see --help");
        return cli_number(value, "the number of utilities", 0, PROFILE_LIBRARIES_MOST, &p->utilities, e) &&
               cli_number(c->argv[c->next++], "the average number of functions of utilities", 1, PROFILE_FUNCTIONS_MOST,
                          &p->utility_functions, e);
    case 'e':
        return p->any = p->cross_module = true;
    case 'n':
        p->any = true;
        return cli_number(value, "the length to append", 0, PROFILE_NAME_MOST, &p->pad, e);
    case 'd':
        p->any = true;
        return cli_number(value, "the depth", 1, PROFILE_DEPTH_MOST, &p->depth, e);
    case 'b':
        p->any = o->executables.link = true;
        return take_big(o, PYNAMIC_BIG, e);
    case 'p':
        return error_set(e, ERROR_USAGE, "-p (functions that print) is not available: visits are checked by results");
    case 'c':
    case 'i':
    case OPTION_IGNORED:
    case OPTION_IGNORED_VALUE:
        return true; /* options for the compiler, which is not used */
    default:
        return options_set_take(o, key, value, e);
    }
}

/* What Pynamic's arguments mean: every module needs every utility and calls any of its functions, chains of extern
 * calls are unbroken, names are padded by digits, libraries have no SONAME, sizes follow. */
static bool pynamic_counts(struct options *o, const struct pynamic *p, struct error *e)
{
    if (p->operands < 2)
        return error_set(e, ERROR_USAGE, "give the number of files and the average number of functions; see --help");
    if (p->utilities >= p->operand[0])
        return error_set(e, ERROR_USAGE, "%llu utilities of %llu files leave no module; see --help",
                         (unsigned long long)p->utilities, (unsigned long long)p->operand[0]);
    struct profile *c = &o->counts;
    c->modules = (int64_t)(p->operand[0] - p->utilities);
    c->utilities = (int64_t)p->utilities;
    c->functions = (int64_t)p->operand[1];
    if (p->has_utilities && p->utilities)
        c->utility_functions = (int64_t)p->utility_functions;
    c->calls.depth = p->depth ? (int64_t)p->depth : 10;
    c->calls.cross_module = p->cross_module;
    c->calls.cross_module_chain = 0;
    c->calls.repeat = 10;
    c->calls.random = true;
    c->calls.need_all = true;
    c->elf.soname = false;
    if (p->pad)
        c->names.pad = (int64_t)p->pad;
    return true;
}

/* Whether any option says what to generate, besides those for the profile and the directory. */
static bool says_more(const struct options *o)
{
    bool any = o->has_seed || o->copies || o->sources || o->force || o->dry_run || o->executables.link ||
               o->executables.joined || o->executables.alone || o->executables.big;
    for (int key = 0; key < KEY_COUNT; key++)
        any |= o->instead[key] != NULL;
    return any;
}

static bool check_settle(const struct options *o, const struct pynamic *p, struct error *e)
{
    if (o->output || o->node_local)
        return error_set(e, ERROR_USAGE, "--settle writes no set; leave %s out", o->output ? "-o" : "--node-local");
    if (o->copies)
        return error_set(
            e, ERROR_USAGE,
            "--settle is for the profile as it is; leave --copies out: what is found is not used for copies");
    if (p->any || says_more(o))
        return error_set(
            e, ERROR_USAGE,
            "--settle takes no option that says what to generate, or how: what is found is for the profile "
            "as it is; set the key in the profile instead");
    if (!*o->settle)
        return error_set(e, ERROR_USAGE, "--settle: which file? see --help");
    if (o->profile[0] && profile_find_is_stream(o->profile))
        return error_set(e, ERROR_USAGE, "--settle needs a profile that can be read twice; give the name of a file");
    return true;
}

static bool check_options(struct options *o, const struct pynamic *p, struct error *e)
{
    if (o->verify) {
        if (o->profile[0] || p->any || o->output || o->node_local || o->settle)
            return error_set(e, ERROR_USAGE, "--verify takes no profile and no -o; see --help");
        return !says_more(o) || error_set(e, ERROR_USAGE,
                                          "--verify takes no option that says what to generate, as a set is as its "
                                          "manifest says; see --help");
    }
    if (o->profile[0] && p->any)
        return error_set(e, ERROR_USAGE, "--profile and Pynamic's arguments exclude each other; see --help");
    if (!o->profile[0] && !p->any)
        return error_set(e, ERROR_USAGE,
                         "nothing to generate: give --profile PROFILE, or Pynamic's arguments; see "
                         "--help");
    if (o->settle && !check_settle(o, p, e))
        return false;
    if (o->output && o->node_local)
        return error_set(e, ERROR_USAGE, "-o and --node-local exclude each other; see --help");
    if (!o->output && !o->node_local && !o->dry_run && !o->settle)
        return error_set(e, ERROR_USAGE, "nowhere to write: give -o SET, or --dry-run; see --help");
    if ((o->output && !*o->output) || (o->node_local && !*o->node_local))
        return error_set(e, ERROR_USAGE, "%s needs the name of a directory; see --help",
                         o->output ? "-o" : "--node-local");
    if (o->output && strcmp(o->output, "-") == 0)
        return error_set(e, ERROR_USAGE,
                         "-o takes a directory, not the standard output; one called '-' is given as ./-");
    return options_set_check(o, e) && (o->profile[0] || pynamic_counts(o, p, e));
}

/* Whether the argument is --alone or an abbreviation of it. A process that is alone waits for no others, even where
 * another option before this one is wrong. */
static bool is_alone(const char *argument)
{
    const size_t length = strlen(argument);
    return length > 2 && strncmp(argument, "--alone", length) == 0;
}

enum options_result options_parse(struct options *o, int argc, char **argv, struct error *e)
{
    struct pynamic pynamic = {0};
    const bool ok = options_set_start(o, e);
    for (int i = 1; i < argc; i++)
        o->alone |= is_alone(argv[i]);
    if (!ok)
        return OPTIONS_WRONG;
    struct cli c = cli_start(&program, argc, argv);
    for (;;) {
        const char *value;
        int key = cli_next(&c, &value, e);
        if (key == CLI_END)
            return check_options(o, &pynamic, e) ? OPTIONS_RUN : OPTIONS_WRONG;
        if (key == CLI_DONE)
            return OPTIONS_DONE;
        if (key == CLI_WRONG || !take_option(o, &pynamic, &c, key, value, e))
            return OPTIONS_WRONG;
    }
}
