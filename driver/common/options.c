/* The options of pyelfrun; --help and the man page come from here. */
#include "driver/common/options.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/cli.h"
#include "base/error.h"
#include "base/profile_find.h"
#include "base/replacement.h"

const char *const mode_names[MODES] = {"vanilla", "link", "bind-now", "static"};
const char *const phase_names[PHASES] = {"import", "visit", "mpi"};

enum {
    OPTION_MODE = 256,
    OPTION_LAUNCHER,
    OPTION_REPEAT,
    OPTION_PHASES,
    OPTION_IMPORT_ORDER,
    OPTION_VISIT_ORDER,
    OPTION_COLD,
    OPTION_WARM,
    OPTION_MEMORY,
    OPTION_DLOPEN_FLAGS,
    OPTION_LAZY,
    OPTION_COUNTERS,
    OPTION_AUDIT,
    OPTION_SIMULATE,
    OPTION_TIMEOUT,
    OPTION_PICTURE,
    OPTION_NO_PYTHON,
    OPTION_JSON,
    OPTION_PYNAMIC,
    OPTION_QUIET,
    OPTION_TREE,
    OPTION_TURN,
    OPTION_PART,
};

static const struct cli_option pyelfrun_options[] = {
    {OPTION_MODE, "mode", "MODE,...", "how libraries are loaded: vanilla, link, bind-now, static"},
    {OPTION_LAUNCHER, "launcher", "COMMAND", "start the ranks of every run with COMMAND, as 'mpirun -n 4'"},
    {OPTION_REPEAT, "repeat", "N", "run every mode N times, in turn"},
    {OPTION_PHASES, "phases", "PHASE,...", "run only these phases, of import, visit and mpi"},
    {OPTION_IMPORT_ORDER, "import-order", "ORDER", "order of imports: given, random[:SEED], shifted (by rank)"},
    {OPTION_VISIT_ORDER, "visit-order", "ORDER", "order of visits, likewise"},
    {OPTION_COLD, "cold", NULL, "drop the set from the page cache first"},
    {OPTION_WARM, "warm", NULL, "read the set into the page cache first"},
    {OPTION_MEMORY, "memory", NULL, "SET is a profile, whose libraries are made in memory"},
    {OPTION_DLOPEN_FLAGS, "dlopen-flags", "FLAG,...", "for mode vanilla: now, lazy, global, deepbind"},
    {OPTION_LAZY, "lazy", NULL, "add lazy to the --dlopen-flags"},
    {OPTION_COUNTERS, "counters", "SOURCE,...", "use only these counters, of os, sde and papi; or none"},
    {OPTION_AUDIT, "audit", NULL, "count what the dynamic linker searches, opens and binds"},
    {OPTION_SIMULATE, "simulate", NULL, "run one rank under cachegrind: misses of simulated caches"},
    {OPTION_TIMEOUT, "timeout", "SECONDS", "end a run whose phases take longer, and say where it was"},
    {OPTION_PICTURE, "picture", "FILE", "write the fractal of the MPI test to FILE, as a PNG"},
    {OPTION_NO_PYTHON, "no-python", NULL, "open and visit the libraries with plain dlopen"},
    {OPTION_JSON, "json", "FILE", "write the results of all runs, rank by rank"},
    {OPTION_PYNAMIC, "pynamic", NULL, "print what Pynamic 1.3.3 prints, for scripts that read it"},
    {OPTION_QUIET, "quiet", NULL, "show no progress bar"},
    {OPTION_TREE, "tree", "MODE", NULL},
    {OPTION_TURN, "turn", "N", NULL},
    {OPTION_PART, "part", "FILE", NULL},
};

static const struct cli_program pyelfrun_program = {
    .name = "pyelfrun",
    .usage = "[OPTION]... SET\n"
             "[OPTION]... --memory PROFILE\n",
    .summary = "Import every module of a set in CPython, visit all its functions and test MPI.",
    .details = "SET is a directory that pyelfgen has written. What runs is checked against its\n"
               "manifest: the result of every entry, and the visit of every function.\n"
               "\n"
               "Modes; the first three are those of the Pynamic paper:\n"
               "  vanilla   every import opens its module with dlopen (the default)\n"
               "  link      an executable is linked with all libraries (pyelfgen --link), and\n"
               "            functions are bound when they are first called\n"
               "  bind-now  the same, but all functions are bound at its start (LD_BIND_NOW)\n"
               "  static    an executable contains all libraries (pyelfgen --static)\n"
               "\n"
               "Phases, timed in seconds:\n"
               "  startup   from before the program is executed to its first line, with what the\n"
               "            dynamic linker does in between\n"
               "  import    the import of all modules\n"
               "  visit     the visit of all modules\n"
               "  MPI       a fractal of 400 by 400 points, which the ranks compute together, and\n"
               "            which is compared with what one computes alone; then, untimed, where\n"
               "            every rank has mpi4py, Python objects are sent\n"
               "\n"
               "A set without modules, such as the twin of an application in C or C++, needs\n"
               "--no-python. Phase import then opens every library with dlopen, in the order of the\n"
               "manifest, and there is no visit.\n"
               "\n"
               "With --memory, SET is a PROFILE: a file, - for standard input, or a shipped one. Every\n"
               "rank generates its libraries into memory before the clock starts, and loads them from\n"
               "there. This shows what importing costs without any file system.\n"
               "\n"
               "Counters, for each phase, of the rank that has the most:\n"
               "  os    faults, memory, switches and bytes read, from the operating system\n"
               "  sde   what is loaded and relocated, counted by pyelfrun; if asked for by name, also\n"
               "        as software-defined events, which PAPI's tools see\n"
               "  papi  cache misses and cycles of the processor through PAPI, or the events that the\n"
               "        variable PAPI_EVENTS names, with commas between them\n"
               "\n"
               "Without --counters, all of them are counted where that costs nothing. What a machine\n"
               "does not count is named with the reason. --audit slows down what it counts. With\n"
               "--simulate there are no times.\n"
               "\n"
               "Options that take a list add up: --counters os --counters sde is --counters os,sde.\n"
               "\n"
               "Each of several modes, and each repetition, is a run of its own: a fresh process, or\n"
               "what the launcher starts. A table at the end has a row for each mode: the times of the\n"
               "slowest rank, and of repeated runs the median.\n"
               "\n"
               "The FILE of --json appears when all runs are done, or when one has failed after others.\n"
               "With - it goes to standard output, and there are no tables. docs/results.md describes\n"
               "its format. pyelfstat --runs puts several such files side by side.\n"
               "\n"
               "Examples:\n"
               "  pyelfrun SET\n"
               "                    one process\n"
               "  mpirun -n 4 pyelfrun SET\n"
               "                    four ranks\n"
               "  srun -n 4 pyelfrun --mode link SET\n"
               "                    under Slurm, with the executable that is linked with all libraries\n"
               "  pyelfrun --mode vanilla,link,bind-now --launcher 'mpirun -n 4' SET\n"
               "                    three modes, each with four ranks, and a table of all\n"
               "  pyelfrun --repeat 5 --json a.json SET\n"
               "                    five runs, with the times of every rank in a file\n"
               "  pyelfrun --simulate --phases import,visit --mode vanilla,link SET\n"
               "                    misses of simulated caches\n"
               "  pyelfrun --memory llnl-2007\n"
               "                    a set without files\n"
               "  pyelfrun --no-python SET\n"
               "                    what the dynamic linker alone takes\n"
               "\n"
               "Exit status:\n"
               "  0      everything ran and every result was right\n"
               "  1      something failed on any rank\n"
               "  2      the command line is wrong\n"
               "  other  how else a run ended: 127 if the dynamic linker found no library, 128 and its\n"
               "         number for a signal, otherwise the status of the --launcher\n",
    .options = pyelfrun_options,
    .option_count = sizeof pyelfrun_options / sizeof pyelfrun_options[0],
};

static bool wrong(const struct error *e, int *status)
{
    *status = error_report(pyelfrun_program.name, e);
    return false;
}

/* --- words -------------------------------------------------------------------------- */

/* The index among `names` of the first `length` characters of `text`; `count` if there is none. */
static unsigned find_word(const char *const *names, unsigned count, const char *text, size_t length)
{
    unsigned i = 0;
    while (i < count && !(strlen(names[i]) == length && memcmp(names[i], text, length) == 0))
        i++;
    return i;
}

/* Takes the next of several words divided by commas. Returns its index among `names`, or -1 with `e` filled. *text
 * becomes NULL after the last word. */
static int next_word(const char **text, const char *const *names, unsigned count, const char *what, struct error *e)
{
    const char *word = *text;
    size_t length = strcspn(word, ",");
    *text = word[length] ? word + length + 1 : NULL;
    unsigned found = find_word(names, count, word, length);
    if (found < count)
        return (int)found;
    char known[128];
    size_t used = 0;
    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    assert(used < sizeof known);
    error_set(e, ERROR_USAGE, "--%s: there is no '%.*s', but: %s", what, length < 100 ? (int)length : 100, word, known);
    return -1;
}

static bool take_modes(struct options *o, const char *text, struct error *e)
{
    while (text) {
        int mode = next_word(&text, mode_names, MODES, "mode", e);
        if (mode < 0)
            return false;
        if (o->mode_count == OPTIONS_RUNS_MOST)
            return error_set(e, ERROR_USAGE, "--mode: more than %d; use --repeat", OPTIONS_RUNS_MOST);
        o->mode[o->mode_count++] = (enum mode)mode;
    }
    return true;
}

/* Sets given[i] for each of `names` that is among the words. */
static bool mark_words(bool *given, const char *text, const char *const *names, unsigned count, const char *what,
                       struct error *e)
{
    while (text) {
        int word = next_word(&text, names, count, what, e);
        if (word < 0)
            return false;
        given[word] = true;
    }
    return true;
}

static bool take_phases(struct options *o, const char *text, struct error *e)
{
    if (!o->phases_asked)
        memset(o->phase, 0, sizeof o->phase);
    o->phases_asked = true;
    return mark_words(o->phase, text, phase_names, PHASES, "phases", e);
}

static bool take_flags(struct options *o, const char *text, struct error *e)
{
    static const char *const names[] = {"now", "lazy", "global", "deepbind"};
    bool given[4] = {o->now, o->lazy, o->global, o->deep};
    if (!mark_words(given, text, names, 4, "dlopen-flags", e))
        return false;
    o->now = given[0];
    o->lazy = given[1];
    o->global = given[2];
    o->deep = given[3];
    return true;
}

static bool take_counters(struct options *o, const char *text, struct error *e)
{
    static const char *const names[] = {"os", "sde", "papi", "none"};
    struct counters_option *c = &o->counters;
    bool given[4] = {false};
    if (c->asked)
        memcpy(given, (const bool[4]){c->os, c->sde, c->papi, !c->os && !c->sde && !c->papi}, sizeof given);
    if (!mark_words(given, text, names, 4, "counters", e))
        return false;
    if (given[3] && (given[0] || given[1] || given[2]))
        return error_set(e, ERROR_USAGE, "--counters: none excludes the others");
    *c = (struct counters_option){given[0], given[1], given[2], true};
    return true;
}

static bool take_cache(struct options *o, enum cache_wish wish, struct error *e)
{
    if (o->cache != CACHE_AS_IT_IS && o->cache != wish)
        return error_set(e, ERROR_USAGE, "--cold and --warm exclude one another; give one");
    o->cache = wish;
    return true;
}

static bool take_order(struct order_wish *wish, const char *text, const char *what, struct error *e)
{
    static const char *const names[] = {"given", "random", "shifted"};
    size_t length = strcspn(text, ":");
    unsigned kind = find_word(names, 3, text, length);
    *wish = (struct order_wish){(enum order_kind)kind, 1};
    if (kind == 3 || (text[length] && kind != ORDER_RANDOM))
        return error_set(e, ERROR_USAGE, "%s: there is no '%.100s', but: given, random[:SEED], shifted", what, text);
    return !text[length] || cli_number(text + length + 1, what, 0, UINT64_MAX, &wish->seed, e);
}

/* --- all of it ---------------------------------------------------------------------- */

static bool take(struct options *o, int key, const char *value, struct error *e)
{
    switch (key) {
    case CLI_OPERAND:
        if (o->set)
            return error_set(e, ERROR_USAGE, "one set at a time: '%.100s' comes after '%.100s'; see --help", value,
                             o->set);
        o->set = value;
        return true;
    case OPTION_MODE:
        return o->tree || take_modes(o, value, e);
    case OPTION_TREE: /* driver/launch/trees.c puts this first */
        o->tree = true;
        return take_modes(o, value, e);
    case OPTION_LAUNCHER:
        o->launcher = value;
        return true;
    case OPTION_REPEAT:
        return cli_number(value, "--repeat", 1, 1000, &o->repeat, e);
    case OPTION_PHASES:
        return take_phases(o, value, e);
    case OPTION_IMPORT_ORDER:
        return take_order(&o->import_order, value, "--import-order", e);
    case OPTION_VISIT_ORDER:
        return take_order(&o->visit_order, value, "--visit-order", e);
    case OPTION_COLD:
        return take_cache(o, CACHE_COLD, e);
    case OPTION_WARM:
        return take_cache(o, CACHE_WARM, e);
    case OPTION_MEMORY:
        return o->memory = true;
    case OPTION_DLOPEN_FLAGS:
        return take_flags(o, value, e);
    case OPTION_LAZY:
        o->lazy = true;
        return true;
    case OPTION_COUNTERS:
        return take_counters(o, value, e);
    case OPTION_AUDIT:
        o->audit = true;
        return true;
    case OPTION_SIMULATE:
        o->simulate = true;
        return true;
    case OPTION_TIMEOUT:
        return cli_number(value, "--timeout", 1, 1000000, &o->timeout, e);
    case OPTION_PICTURE:
        if (replacement_is_standard(value))
            return error_set(e, ERROR_USAGE, "--picture: standard output has the tables; give the name of a file");
        o->picture = value;
        return true;
    case OPTION_NO_PYTHON:
        o->python = false;
        return true;
    case OPTION_JSON:
        o->json = value;
        return true;
    case OPTION_PYNAMIC:
        o->pynamic = true;
        return true;
    case OPTION_QUIET:
        o->quiet = true;
        return true;
    case OPTION_TURN:
        return cli_number(value, "--turn", 1, 1000, &o->turn, e);
    case OPTION_PART:
        o->part = value;
        return true;
    default:
        return false;
    }
}

static bool is_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, OPTIONS_PART, strlen(OPTIONS_PART)) == 0;
}

static bool check(const struct options *o, struct error *e)
{
    if (o->part && (!o->tree || !is_part(o->part)))
        return error_set(e, ERROR_USAGE, "--part is for pyelfrun itself; use --json");
    if (!o->set || !o->set[0])
        return error_set(e, ERROR_USAGE, "which set? name its directory; see --help");
    if (o->simulate && o->counters.asked && (o->counters.os || o->counters.papi))
        return error_set(e, ERROR_USAGE,
                         "--simulate: os and papi would count the simulator; leave them out of --counters");
    if (o->now && o->lazy)
        return error_set(e, ERROR_USAGE, "--dlopen-flags: now and lazy exclude one another");
    if (o->phase[PHASE_VISIT] && !o->phase[PHASE_IMPORT])
        return error_set(e, ERROR_USAGE, "--phases: what is visited has to be imported; use --phases import,visit");
    if (o->picture && !o->phase[PHASE_MPI])
        return error_set(e, ERROR_USAGE, "--picture: it is phase mpi that draws; add it to --phases");
    if (o->json && !o->json[0])
        return error_set(e, ERROR_USAGE, "--json: which file? see --help");
    if (o->json && o->picture && !replacement_is_standard(o->json) && replacement_is_same(o->json, o->picture))
        return error_set(e, ERROR_USAGE, "--json and --picture are to write the same file; give each its own");
    if (o->memory && o->cache != CACHE_AS_IT_IS)
        return error_set(e, ERROR_USAGE,
                         "--memory: no file is read, so that --cold and --warm mean nothing; leave them out");
    if (o->simulate && o->cache != CACHE_AS_IT_IS)
        return error_set(e, ERROR_USAGE,
                         "--simulate: nothing is timed, so that --cold and --warm mean nothing; leave them out");
    if (o->memory && (o->repeat > 1 || o->launcher) && profile_find_is_stream(o->set))
        return error_set(e, ERROR_USAGE,
                         "--memory: %.200s can be read once only, by one run without --launcher; give a file",
                         profile_find_shown(o->set));
    for (unsigned i = 0; i < o->mode_count; i++)
        if (o->mode[i] != MODE_VANILLA && o->memory)
            return error_set(e, ERROR_USAGE,
                             "--memory: mode %s is an executable, which the dynamic linker starts from a file; use "
                             "--mode vanilla",
                             mode_names[o->mode[i]]);
    for (unsigned i = 0; i < o->mode_count; i++)
        if (o->mode[i] != MODE_VANILLA && (o->lazy || o->global || o->deep) && !o->tree)
            return error_set(e, ERROR_USAGE, "--dlopen-flags: in mode %s nothing is opened; leave the flags out",
                             mode_names[o->mode[i]]);
    return true;
}

bool options_parse(struct options *o, int argc, char **argv, const char *set, int *status)
{
    *o = (struct options){
        .python = true, .repeat = 1, .turn = 1, .phase = {true, true, true}, .counters = {true, true, true, false}};
    *status = 0;
    struct error e = {0};
    struct cli cli = cli_start(&pyelfrun_program, argc, argv);
    for (;;) {
        const char *value;
        int key = cli_next(&cli, &value, &e);
        if (key == CLI_DONE)
            return false;
        if (key == CLI_END)
            break;
        if (key == CLI_WRONG || !take(o, key, value, &e))
            return wrong(&e, status);
    }
    if (o->tree) {
        o->launcher = NULL;
        o->repeat = 1;
    }
    /* the system and the processor would count the simulator */
    if (o->simulate && !o->counters.asked)
        o->counters.os = o->counters.papi = false;
    if (!o->set)
        o->set = set;
    return check(o, &e) || wrong(&e, status);
}

int options_dlopen_flags(const struct options *o)
{
    return (o->lazy ? RTLD_LAZY : RTLD_NOW) | (o->global ? RTLD_GLOBAL : RTLD_LOCAL) | (o->deep ? RTLD_DEEPBIND : 0);
}
