/* See options.h. */
#include "tools/pyelfprobe/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cli.h"

#define PROBE_NAME(id, name) name,
const char *const start_names[STARTS] = {PROBE_STARTS(PROBE_NAME)};

enum {
    OPTION_BREAK = 256,
    OPTION_BREAKPOINTS,
    OPTION_CACHE,
    OPTION_COMMAND,
    OPTION_JSON,
    OPTION_LIBRARIES,
    OPTION_MODEL,
    OPTION_PATTERN,
    OPTION_PHASES,
    OPTION_PRELOAD,
    OPTION_PYTHON,
    OPTION_START,
    OPTION_TASKS,
    OPTION_TIMEOUT,
    OPTION_TOOLS,
    OPTION_UNTIL,
    OPTION_WARM_UP,
};

static const struct cli_option options[] = {
    {OPTION_TOOLS, "tools", "LIST", "use only these: load, gdb, lldb, eu-stack, perf, nm, readelf, dwz"},
    {OPTION_PHASES, "phases", "LIST",
     "of debuggers, measure only these steps: phase1, break, functions,\n"
     "                              backtrace, phase2, attach"},
    {OPTION_CACHE, "cache", "LIST", "measure only with this page cache: warm or cold"},
    {'r', "repeat", "N", "measure everything N times, in turn, and print medians (default: 3)"},
    {OPTION_WARM_UP, "warm-up", "N", "run everything N times before, which does not count (default: 1)"},
    {OPTION_TIMEOUT, "timeout", "LIST", "seconds for each run (default: 600), also by tool: 60,readelf=300"},
    {OPTION_START, "start", "HOW", "start applications by loader, python or link"},
    {OPTION_PRELOAD, "preload", "FILE", "load a library before all others; may be repeated"},
    {OPTION_PYTHON, "python", "PROGRAM", "the Python of --start=python (default: python3)"},
    {OPTION_COMMAND, "command", "COMMAND", "measure a command instead of files; may be given twice"},
    {OPTION_UNTIL, "until", "FUNCTION", "the function at which the command has loaded all (default: its end)"},
    {OPTION_BREAK, "break", "FUNCTION", "the function to break at (default: one of the last library)"},
    {OPTION_PATTERN, "pattern", "REGEX", "which functions to list (default: init)"},
    {OPTION_MODEL, "model", NULL, "measure T1 and T2 of the cost model M x N x (T1 + B x T2)"},
    {OPTION_LIBRARIES, "libraries", "M", "extrapolate the model to M libraries (default: those there are)"},
    {OPTION_TASKS, "tasks", "N", "extrapolate it to N tasks (default: 500)"},
    {OPTION_BREAKPOINTS, "breakpoints", "B", "measure and extrapolate it with B breakpoints (default: 10)"},
    {OPTION_JSON, "json", "FILE", "write everything measured to FILE, as JSON"},
    {'q', "quiet", NULL, "show no progress on a terminal"},
};

static const struct cli_program program = {
    .name = PROBE_PROGRAM,
    .usage = "[OPTION]... APPLICATION [TWIN]\n[OPTION]... --command=COMMAND [--command=COMMAND]",
    .summary = "Measure what debuggers and other tools cost on an application: time, processor time\n"
               "and memory. Of two applications, measure both in turn and print their ratio.",
    .details = "An APPLICATION is a set of pyelfgen, any other directory with shared objects (*.so and\n"
               "*.so.*, also in directories below), or a file with one path a line, as pyelfprof --list\n"
               "writes it, in the order of loading.\n"
               "\n"
               "How applications are started (--start):\n"
               "  python  python3 imports the modules of a set, and opens the files of anything else\n"
               "  loader  a process without Python opens the files with dlopen, in order\n"
               "  link    the set's pyelf-link is run, which pyelfgen --link writes\n"
               "\n"
               "The default is python if every application is a set with modules, and otherwise loader.\n"
               "The loader has no Python in it. Extension modules that refer to data of libpython need\n"
               "--start=python, or the libpython that they are made for, as in\n"
               "--preload=libpython3.11.so.1.0.\n"
               "\n"
               "Rows, for gdb and lldb each:\n"
               "  start      until the debugger takes commands\n"
               "  phase1     until the application, which is linked with all libraries, is at its entry\n"
               "             point: link map and symbols\n"
               "  break      a breakpoint by name\n"
               "  functions  a list of all functions that match --pattern\n"
               "  backtrace  the frames of a function; in a set, at the end of a chain of calls\n"
               "  phase2     from the entry point of an application that is linked with nothing until\n"
               "             all is loaded: the load events of its imports or dlopens\n"
               "  attach     attaching to the application when it has loaded all\n"
               "\n"
               "Other rows:\n"
               "  load              the application without a tool\n"
               "  eu-stack          where the application is when it has loaded all\n"
               "  perf              where the application was while it loaded\n"
               "  nm, readelf, dwz  reading its files; readelf with --debug-dump=info\n"
               "\n"
               "Columns:\n"
               "  seconds      the median of the runs; least and most are the shortest and the longest\n"
               "  CPU          seconds of the tool's processor time, user and system\n"
               "  MB           the most memory that the tool had so far\n"
               "  found        how many libraries, places, functions or frames there were\n"
               "\n"
               "Two applications take turns. B/A are the medians of the ratios of pairs. With a cold\n"
               "cache, the files are dropped from the page cache before each run. Where that cannot be,\n"
               "a line says so.\n"
               "\n"
               "With --model, phase 2 is measured for several numbers of libraries and of breakpoints.\n"
               "A fit by least squares gives T1, for each library, and T2, for each breakpoint and\n"
               "library. time = M x N x (T1 + B x T2) is what N tasks would take that are debugged one\n"
               "after the other (Pynamic, 2007).\n"
               "\n"
               "Examples:\n"
               "  pyelfprobe SET\n"
               "                    all tools that are there, cold and warm\n"
               "  pyelfprobe --tools=gdb,nm --cache=warm REAL TWIN\n"
               "                    two tools on two directories in turn, with the ratios\n"
               "  pyelfprobe --tools=gdb --model --libraries=500 --tasks=500 SET\n"
               "                    the paper's model of a debugger, for 500 libraries and 500 tasks\n"
               "  pyelfprobe --preload=/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0 DIRECTORY\n"
               "                    extension modules, which take symbols of libpython without naming it\n"
               "  pyelfprobe --command='python3 application.py' --until=break_here\n"
               "                    an application as it is started, up to a function\n"
               "\n"
               "Exit status:\n"
               "  0  everything was measured that there is a tool for\n"
               "  1  something failed, was not found or took longer than --timeout\n"
               "  2  the command line is wrong\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

/* ---- words ---- */

static bool find_word(const char *word, size_t length, const char *const *names, size_t count, size_t *found)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0) {
            *found = i;
            return true;
        }
    return false;
}

static bool no_word(const char *option, const char *word, size_t length, const char *const *names, size_t count,
                    struct error *e)
{
    char all[256] = "";
    for (size_t i = 0; i < count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    return error_set(e, ERROR_USAGE, "--%s: there is no '%.*s', but: %s", option, (int)(length < 60 ? length : 60),
                     word, all);
}

/* Reads a list with commas. Only the names in it become wanted. The first `skipped` names cannot be given on the
 * command line. */
static bool read_list(const char *option, const char *text, const char *const *names, size_t skipped, size_t count,
                      bool *wanted, struct error *e)
{
    memset(wanted, 0, count * sizeof *wanted);
    for (;;) {
        const size_t length = strcspn(text, ",");
        size_t found;
        if (!find_word(text, length, names + skipped, count - skipped, &found))
            return no_word(option, text, length, names + skipped, count - skipped, e);
        wanted[skipped + found] = true;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

static bool read_seconds(const char *text, size_t length, double *seconds, struct error *e)
{
    char word[32], *end = word;
    snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), text);
    if (length && length < 31 && strspn(word, "0123456789.") == length)
        *seconds = strtod(word, &end);
    if (end != word + length || !length || *seconds < 0.001 || *seconds > 1e6)
        return error_set(e, ERROR_USAGE, "--timeout: '%s' is not a number of seconds from 0.001 to 1000000; see --help",
                         word);
    return true;
}

/* Reads `60,readelf=300`: a limit for all tools, and limits for some by name. */
static bool read_limits(const char *text, double *limit, struct error *e)
{
    for (;;) {
        const size_t length = strcspn(text, ","), name = strcspn(text, ",=");
        double seconds = 0;
        size_t tool = TOOLS;
        if (name < length && !find_word(text, name, tool_names, TOOLS, &tool))
            return no_word("timeout", text, name, tool_names, TOOLS, e);
        const size_t skip = name < length ? name + 1 : 0;
        if (!read_seconds(text + skip, length - skip, &seconds, e))
            return false;
        for (size_t i = 0; i < TOOLS; i++)
            if (tool == TOOLS || tool == i)
                limit[i] = seconds;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

/* Reads a text that goes into a debugger's command or a line of a file. */
static bool read_plain(const char *option, const char *text, const char **value, struct error *e)
{
    *value = text;
    if (!*text || strpbrk(text, "\n\r"))
        return error_set(e, ERROR_USAGE, "--%s: one line that is not empty is needed", option);
    return true;
}

static bool read_start(const char *text, struct probe_options *o, struct error *e)
{
    size_t found;
    if (!find_word(text, strlen(text), start_names, START_COMMAND, &found))
        return no_word("start", text, strlen(text), start_names, START_COMMAND, e);
    o->start = (enum start)found;
    o->start_given = true;
    return true;
}

/* ---- options ---- */

static bool add_app(struct probe_options *o, const char *value, bool command, struct error *e)
{
    if (o->apps && o->commands != command)
        return error_set(e, ERROR_USAGE, "--command takes the place of APPLICATIONs: give either; see --help");
    if (o->apps == APPS_MOST)
        return error_set(e, ERROR_USAGE, "'%.100s': two applications are compared, no more; see --help", value);
    o->commands = command;
    o->app[o->apps++] = value;
    return true;
}

/* A path has to lead to a file. A name without `/` is left to the dynamic linker, and live_try sees whether it found
 * it. */
static bool add_preload(struct probe_options *o, const char *value, struct error *e)
{
    struct stat st;
    if (o->preloads == PRELOADS_MOST)
        return error_set(e, ERROR_USAGE, "--preload: %d libraries are the most", PRELOADS_MOST);
    if (strchr(value, '/') && (stat(value, &st) != 0 || !S_ISREG(st.st_mode) || access(value, R_OK) != 0))
        return error_set(e, ERROR_USAGE, "--preload: there is no file '%.300s' that can be read; give a library's path",
                         value);
    return read_plain("preload", value, &o->preload[o->preloads++], e);
}

/* Notes that an option asks for the model; the first one is what messages name. */
static void want_model(struct probe_options *o, const char *option)
{
    if (!o->model)
        o->model = option;
}

static bool take(struct probe_options *o, int key, const char *value, struct error *e)
{
    switch (key) {
    case CLI_OPERAND:
        return add_app(o, value, false, e);
    case OPTION_COMMAND:
        return add_app(o, value, true, e);
    case OPTION_TOOLS:
        return read_list("tools", value, tool_names, 0, TOOLS, o->tool, e);
    case OPTION_PHASES:
        return read_list("phases", value, step_names, STEP_PHASE1, STEPS, o->step, e);
    case OPTION_CACHE:
        return read_list("cache", value, cache_names, 0, CACHES, o->cache, e);
    case 'r':
        return cli_number(value, "--repeat", 1, 1000, &o->repeat, e);
    case OPTION_WARM_UP:
        return cli_number(value, "--warm-up", 0, 1000, &o->warm_up, e);
    case OPTION_TIMEOUT:
        return read_limits(value, o->limit, e);
    case OPTION_START:
        return read_start(value, o, e);
    case OPTION_PRELOAD:
        return add_preload(o, value, e);
    case OPTION_PYTHON:
        o->python_given = true;
        return read_plain("python", value, &o->python, e);
    case OPTION_UNTIL:
        return read_plain("until", value, &o->until, e);
    case OPTION_BREAK:
        return read_plain("break", value, &o->place, e);
    case OPTION_PATTERN:
        return read_plain("pattern", value, &o->pattern, e);
    case OPTION_MODEL:
        want_model(o, "--model");
        return true;
    case OPTION_LIBRARIES:
        want_model(o, "--libraries");
        return cli_number(value, "--libraries", 1, 1000000000, &o->libraries, e);
    case OPTION_TASKS:
        want_model(o, "--tasks");
        return cli_number(value, "--tasks", 1, 1000000000, &o->tasks, e);
    case OPTION_BREAKPOINTS:
        want_model(o, "--breakpoints");
        return cli_number(value, "--breakpoints", 1, 1000, &o->breakpoints, e);
    case OPTION_JSON:
        return read_plain("json", value, &o->json, e);
    default:
        o->quiet = true;
        return true;
    }
}

static bool check(const struct probe_options *o, struct error *e)
{
    if (o->apps == 0)
        return error_set(e, ERROR_USAGE, "no APPLICATION is given; see --help");
    if (o->commands && (o->start_given || o->preloads))
        return error_set(e, ERROR_USAGE, "--command: it is started as it is; leave --start and --preload out");
    if (o->commands && o->model)
        return error_set(e, ERROR_USAGE, "%s: the number of a command's libraries cannot be varied; give files",
                         o->model);
    if (o->until && !o->commands)
        return error_set(e, ERROR_USAGE, "--until is of a --command: when files are loaded is known");
    if (o->model && !o->tool[TOOL_GDB] && !o->tool[TOOL_LLDB])
        return error_set(e, ERROR_USAGE, "%s is of debuggers: --tools needs gdb or lldb for it", o->model);
    return true;
}

int probe_options_read(struct probe_options *o, int argc, char **argv)
{
    struct cli cli = cli_start(&program, argc, argv);
    struct error e;
    const char *value;
    *o = (struct probe_options){.repeat = 3,
                                .warm_up = 1,
                                .python = "python3",
                                .pattern = "init",
                                .breakpoints = 10,
                                .tasks = 500,
                                .cache = {true, true}};
    for (int i = 0; i < TOOLS; i++) {
        o->tool[i] = true;
        o->limit[i] = 600;
    }
    for (int i = 0; i < STEPS; i++)
        o->step[i] = true;
    for (int key; (key = cli_next(&cli, &value, &e)) != CLI_END;) {
        if (key == CLI_DONE)
            return 0;
        if (key == CLI_WRONG || !take(o, key, value, &e))
            return error_report(PROBE_PROGRAM, &e);
    }
    o->step[STEP_WHOLE] = o->step[STEP_BEGIN] = true;
    return check(o, &e) ? -1 : error_report(PROBE_PROGRAM, &e);
}
