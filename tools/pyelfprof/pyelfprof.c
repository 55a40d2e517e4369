/* pyelfprof: measures a real application into a profile, from which pyelfgen makes a set of the same shape. pyelfprof.h
 * shows the passes.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cli.h"
#include "base/process.h"
#include "base/replacement.h"
#include "base/result_file.h"
#include "tools/capture/prof.h"
#include "tools/pyelfprof/pyelfprof.h"

enum {
    OPTION_NAMES = 256,
    OPTION_ONLY,
    OPTION_WITHOUT,
    OPTION_WITHOUT_LIBC,
    OPTION_SUMMARY,
    OPTION_LIST,
    OPTION_EXPLAIN,
    OPTION_NO_DWARF,
    OPTION_FULL,
    OPTION_LOAD,
    OPTION_DEBUG_DIR,
    OPTION_EXEC,
    OPTION_PYTHON,
    OPTION_RUN,
    OPTION_PID,
};

static const struct cli_option options[] = {
    {'o', "output", "PROFILE", "write the profile to this file; - for standard output"},
    {OPTION_EXEC, "exec", NULL, "capture PROGRAMs or libraries, and what they would load"},
    {OPTION_PYTHON, "python", NULL, "run a Python SCRIPT; capture what it imports, and what that needs"},
    {OPTION_RUN, "run", NULL, "run a COMMAND; capture what it really loads, in order"},
    {OPTION_PID, "pid", "PROCESS", "capture what a process has loaded, in order"},
    {OPTION_ONLY, "only", "PATTERN", "only files whose path or name matches; may be repeated"},
    {OPTION_WITHOUT, "without", "PATTERN", "no files whose path or name matches; may be repeated"},
    {OPTION_WITHOUT_LIBC, "without-libc", NULL, "no files of the C library: a twin uses the real one"},
    {OPTION_DEBUG_DIR, "debug-dir", "DIRECTORY", "also look for debug files there; may be repeated"},
    {OPTION_NO_DWARF, "no-dwarf", NULL, "only count the bytes of debug information; compress nothing"},
    {OPTION_FULL, "full", NULL, "read and compress everything; default: samples of what is large"},
    {OPTION_LOAD, "load", NULL, "load the libraries, and measure the memory that their constructors take"},
    {OPTION_SUMMARY, "summary", NULL, "write sums only, a profile of a few lines, if pyelfgen can make a set of it"},
    {OPTION_NAMES, "names", NULL, "keep the names of libraries, for profiles that stay in house"},
    {OPTION_LIST, "list", "FILE", "write which file each library of a twin stands for; - for standard output"},
    {OPTION_EXPLAIN, "explain", NULL, "say in sentences what a PROFILE says; - for standard input"},
    {'q', "quiet", NULL, "report only what went wrong"},
};

static const struct cli_program program = {
    .name = "pyelfprof",
    .usage = "[OPTION]... -o PROFILE FILE|DIRECTORY...\n"
             "[OPTION]... -o PROFILE --exec PROGRAM...\n"
             "[OPTION]... -o PROFILE --python SCRIPT [ARGUMENT]...\n"
             "[OPTION]... -o PROFILE --run COMMAND [ARGUMENT]...\n"
             "[OPTION]... -o PROFILE --pid PROCESS\n"
             "--explain PROFILE",
    .summary = "Measure an application's shared libraries, and write a profile of them for pyelfgen.",
    .details = "FILEs are captured whatever they are, in the order given. A core file stands for the\n"
               "files that its process had loaded. Of a DIRECTORY, all shared objects in it and below\n"
               "are captured; of a set, those that its manifest names. What is not ELF, or is for 32\n"
               "bits, is passed over there. Separate debug files are found by build-id and by\n"
               ".gnu_debuglink, in /usr/lib/debug, in every --debug-dir and beside the library.\n"
               "\n"
               "A profile holds numbers: sizes, counts, distributions, and which library needs which, by\n"
               "number. It has no name, path, string, version or build-id of the application, unless\n"
               "--names asks for the names of libraries. docs/capture.md says what each key reveals.\n"
               "--list writes what is not in the profile: for each library of the twin a line with its\n"
               "name, a tab, and the path of the file.\n"
               "\n"
               "A PROGRAM without '/' is looked for in PATH, and then in the working directory. Libraries\n"
               "that PROGRAMs need are found as ld.so(8) finds them, without running anything:\n"
               "by DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, /etc/ld.so.cache and the system's directories.\n"
               "A SCRIPT runs under the python3 in PATH; the extension modules that are there at its end\n"
               "are captured, in the order of their import. A COMMAND runs with an audit library\n"
               "(rtld-audit(7)), and so do all processes that it starts with its environment; others\n"
               "are told where they run for some time.\n"
               "\n"
               "All words after --python or --run belong to the script or command; give other options\n"
               "before. If it fails, the profile has what it had loaded until then; of a script that a\n"
               "signal ends there is none. With -o -, all that it prints goes to standard error.\n"
               "\n"
               "--load runs code of the application: a process of its own loads all libraries of the\n"
               "profile but the C library's, and so runs their constructors. No file says how much memory\n"
               "these take. It shows in page faults at the start: where constructors fill many tables, in\n"
               "as many as all others together.\n"
               "\n"
               "A PATTERN is one of the shell's, in which * matches / too. --without-libc leaves out the\n"
               "files of glibc: ld-linux-x86-64.so.2, libc.so.6, libm.so.6, libmvec.so.1,\n"
               "libpthread.so.0, libdl.so.2, librt.so.1, libutil.so.1, libresolv.so.2, libanl.so.1,\n"
               "libBrokenLocale.so.1, libnss_*.so.2, libthread_db.so.1, libc_malloc_debug.so.0, and what\n"
               "these were called before glibc 2.34. A twin of them would be loaded beside the real ones,\n"
               "and the twin would take up to 1.5 times as long to load.\n"
               "\n"
               "Examples:\n"
               "  pyelfprof -o realapp.prof /opt/realapp\n"
               "                    all shared objects in a directory and below\n"
               "  pyelfprof -o realapp.prof --without '/usr/lib/*' /opt/realapp /usr/lib/libx.so\n"
               "                    the same and a library, without those of the system\n"
               "  pyelfprof -o realapp.prof --without-libc --exec /usr/bin/realapp\n"
               "                    a program and what it would load\n"
               "  pyelfprof -o realapp.prof --without-libc --run mpirun -n 2 python3 realapp.py\n"
               "                    what a run really loads\n"
               "  pyelfprof --list - --without-libc --exec /usr/bin/realapp\n"
               "                    which files a profile would be of, without writing one\n"
               "  pyelfprof --explain realapp.prof\n"
               "                    what the profile says, in sentences\n"
               "  pyelfgen --profile realapp.prof -o twin\n"
               "                    makes a set from it\n"
               "\n"
               "Exit status:\n"
               "  0  everything was captured\n"
               "  1  a file could not be captured (the others are in the profile all the same), a command\n"
               "     failed, or pyelfgen can make no set of the sums of --summary (there is no profile)\n"
               "  2  the command line is wrong\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

struct command {
    struct prof p;
    bool explain, quiet;
    unsigned modes; /* how many of them were chosen; one is allowed */
    const char *pid;
    char **operand; /* ends in NULL */
    size_t operands;
};

static void add_text(const char **list, size_t *count, const char *text)
{
    list[(*count)++] = text;
}

static void choose(struct command *c, enum prof_from from)
{
    c->modes++;
    c->p.options.from = from;
}

static bool take_option(struct command *c, int key, const char *value, struct error *e)
{
    struct prof *p = &c->p;
    switch (key) {
    case 'o':
        p->options.output = value;
        break;
    case OPTION_ONLY:
        add_text(p->options.only.text, &p->options.only.count, value);
        break;
    case OPTION_WITHOUT:
        add_text(p->options.without.text, &p->options.without.count, value);
        break;
    case OPTION_WITHOUT_LIBC:
        p->options.without_libc = true;
        break;
    case OPTION_DEBUG_DIR:
        add_text(p->options.debug_dir, &p->options.debug_dirs, value);
        return prof_is_debug_dir(value, e);
    case OPTION_NO_DWARF:
        p->options.no_dwarf = true;
        break;
    case OPTION_FULL:
        p->options.full = true;
        break;
    case OPTION_LOAD:
        p->options.load = true;
        break;
    case OPTION_SUMMARY:
        p->options.summary = true;
        break;
    case OPTION_LIST:
        p->options.list = value;
        break;
    case OPTION_NAMES:
        p->options.names = true;
        break;
    case OPTION_EXPLAIN:
        c->explain = true;
        break;
    case 'q':
        c->quiet = true;
        break;
    case OPTION_EXEC:
        choose(c, FROM_EXEC);
        break;
    case OPTION_PYTHON:
        choose(c, FROM_PYTHON);
        break;
    case OPTION_RUN:
        choose(c, FROM_RUN);
        break;
    case OPTION_PID:
        choose(c, FROM_PID);
        c->pid = value;
        break;
    default:
        return false; /* the error is set */
    }
    return true;
}

/* Whether all further words belong to the command or script. */
static bool runs(const struct command *c)
{
    return c->p.options.from == FROM_RUN || c->p.options.from == FROM_PYTHON;
}

static bool asks_for_capture(const struct command *c)
{
    const struct prof *p = &c->p;
    return c->modes || p->options.output || p->options.list || p->options.names || p->options.summary ||
           p->options.no_dwarf || p->options.full || p->options.load || p->options.without_libc ||
           p->options.only.count || p->options.without.count;
}

static bool check(const struct command *c, struct error *e)
{
    if (c->explain)
        return (c->operands == 1 && !asks_for_capture(c)) ||
               error_set(e, ERROR_USAGE,
                         "--explain takes one PROFILE, and no option that says what to capture or "
                         "where to write it; see --help");
    if (c->p.options.list && !*c->p.options.list)
        return error_set(e, ERROR_USAGE, "--list: which file? see --help");
    if (c->p.options.output && c->p.options.list && replacement_is_same(c->p.options.output, c->p.options.list))
        return error_set(e, ERROR_USAGE, "--output and --list are to write the same file; give each its own");
    if (c->p.options.list && c->p.options.summary)
        return error_set(e, ERROR_USAGE, "--summary has no rows to list; leave out --list");
    if (!c->p.options.output && !c->p.options.list)
        return error_set(e, ERROR_USAGE, "no --output PROFILE is given%s; see --help",
                         runs(c) ? " before --run or --python, behind which all words are the command's" : "");
    if (c->modes > 1)
        return error_set(e, ERROR_USAGE, "only one of --exec, --python, --run and --pid can be; see --help");
    if (c->pid) {
        uint64_t pid;
        return cli_number(c->pid, "--pid", 1, INT32_MAX, &pid, e) &&
               (c->operands == 0 || error_set(e, ERROR_USAGE, "--pid: no operand goes with it; see --help"));
    }
    if (c->operands && c->p.options.from == FROM_PYTHON && c->operand[0][0] == '-' && access(c->operand[0], F_OK) != 0)
        return error_set(e, ERROR_USAGE, "--python takes a SCRIPT, and '%.40s' is none; give --run python3 %.40s%s",
                         c->operand[0], c->operand[0], c->operands > 1 ? " ..." : "");
    if (c->operands == 0 && c->p.options.from != FROM_FILES)
        return error_set(e, ERROR_USAGE, "it is not said of what to make the profile; see --help");
    if (c->operands == 0)
        return error_set(e, ERROR_USAGE, "no FILE or DIRECTORY is given; see --help");
    if (c->p.options.summary && c->p.options.names)
        return error_set(e, ERROR_USAGE, "--summary has sums and no names; leave out --names");
    if (c->p.options.summary && c->p.options.load)
        return error_set(e, ERROR_USAGE, "--summary has no rows to say what constructors take; leave out --load");
    return true;
}

/* Returns -1 to go on, otherwise the exit status. */
static int parse(int argc, char **argv, struct command *c)
{
    struct cli cli = cli_start(&program, argc, argv);
    struct error e;
    const char *value;
    for (int key; (key = cli_next(&cli, &value, &e)) != CLI_END;) {
        if (key == CLI_OPERAND)
            c->operand[c->operands++] = (char *)value;
        else if (key == CLI_DONE)
            return 0;
        else if (!take_option(c, key, value, &e))
            return error_report(program.name, &e);
        /* The words that follow may be options of another program. */
        cli.only_operands |= key == OPTION_PYTHON || key == OPTION_RUN;
    }
    return check(c, &e) ? -1 : error_report(program.name, &e);
}

static void find(struct command *c)
{
    struct prof *p = &c->p;
    switch (p->options.from) {
    case FROM_EXEC:
        for (size_t i = 0; i < c->operands; i++) /* each program is a process of its own */
            prof_exec(p, &c->operand[i], 1);
        break;
    case FROM_PYTHON:
        prof_python(p, c->operand);
        break;
    case FROM_RUN:
        prof_run(p, c->operand);
        break;
    case FROM_PID:
        prof_process(p, c->pid);
        break;
    case FROM_FILES:
    case FROM_CORE:
        for (size_t i = 0; i < c->operands; i++) {
            if (prof_is_core(c->operand[i])) {
                prof_core(p, c->operand[i]);
                p->options.from = FROM_CORE;
            } else {
                prof_find(p, c->operand[i]);
            }
        }
    }
}

/* Whether the user asked for a file of the C library by name. */
static bool asked_for_libc(const struct command *c)
{
    const bool files =
        c->p.options.from != FROM_PYTHON && c->p.options.from != FROM_RUN; /* not arguments of a program */
    for (size_t i = 0; files && i < c->operands; i++)
        if (prof_is_libc(c->operand[i]))
            return true;
    for (size_t i = 0; i < c->p.options.only.count; i++)
        if (prof_is_libc(c->p.options.only.text[i]))
            return true;
    return false;
}

static void tell_of_libc(const struct command *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->p.count; i++)
        count += prof_is_libc(c->p.file[i].name);
    if (count && !asked_for_libc(c))
        fprintf(
            stderr,
            "%s: %zu file%s of the C library %s among them; a twin runs on the real one as well, and costs up to 1.5 "
            "times as much to load and debug: leave %s out with --without-libc%s\n",
            program.name, count, count == 1 ? "" : "s", count == 1 ? "is" : "are", count == 1 ? "it" : "them",
            !runs(c)                        ? ""
            : c->p.options.from == FROM_RUN ? " before --run"
                                            : " before --python");
}

/* A command may run others, such as mpirun, or a shell: their libraries are captured as well. */
static void tell_of_programs(const struct command *c)
{
    enum { NAMED_MOST = 4 };
    const struct prof *const p = &c->p;
    char names[256] = "";
    size_t count = 0;
    for (size_t i = 0; i < p->count && p->options.from == FROM_RUN; i++) {
        if (!p->file[i].capture.kind.executable)
            continue;
        const size_t length = strlen(names);
        if (count++ < NAMED_MOST)
            snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                     prof_base_name(p->file[i].name));
    }
    if (count > 1)
        fprintf(
            stderr,
            "%s: %zu programs are among them, with their libraries: %s%s; to capture one alone, start %s where that "
            "is started, as in mpirun -n 1 %s ... --run PROGRAM, or use --pid\n",
            program.name, count, names, count > NAMED_MOST ? ", ..." : "", program.name, program.name);
}

/* They are misspelt, maybe. */
static void tell_of_unmatched(const char *option, const struct prof_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!patterns->matched[i])
            fprintf(stderr, "%s: %s '%s' matches none of the files that were found\n", program.name, option,
                    patterns->text[i]);
}

/* Skeletons whose .dwo files are gone are captured alone, and so is their twin. */
static void tell_of_dwos(const struct prof *p)
{
    uint64_t missing = 0, found = 0;
    for (size_t i = 0; i < p->count; i++) {
        missing += p->file[i].dwo.missing;
        found += p->file[i].dwo.files;
    }
    if (missing)
        fprintf(stderr,
                "%s: %" PRIu64 " of %" PRIu64 " .dwo files cannot be found, and the profile has nothing of what was "
                "split into them; name their directory with --debug-dir\n",
                program.name, missing, missing + found);
}

/* Libraries whose debug files are of another build are captured without them. */
static void tell_of_other_debug(const struct prof *p)
{
    char more[64] = "";
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = p->count; i-- > 0;)
        if (p->file[i].other_debug) {
            first = p->file[i].other_debug;
            count++;
        }
    if (!count)
        return;
    struct error e;
    if (count > 1)
        snprintf(more, sizeof more, ", and the same goes for %zu more", count - 1);
    error_set(&e, ERROR_INPUT,
              "has not the checksum that .gnu_debuglink states, and the profile has nothing of it%s; name the "
              "directory of the right debug files with --debug-dir",
              more);
    error_at(&e, first, 0);
    error_report(program.name, &e); /* no failure: the library itself is captured */
}

/* Prints nothing where the profile goes to the standard output. Uses the standard error where a script or a command
 * prints to the standard output. */
static void tell_of_success(const struct command *c)
{
    const struct prof *p = &c->p;
    FILE *to = runs(c) ? stderr : stdout;
    if (result_file_is_written_through(p->options.output) || replacement_is_standard(p->options.list))
        return;
    fprintf(to, "%s: %zu librar%s", p->options.output, p->count, p->count == 1 ? "y" : "ies");
    if (p->unreadable)
        fprintf(to, ", %zu could not be read", p->unreadable);
    putc('\n', to);
}

/* A reader that has closed the pipe is no failure. */
static void tell(const struct command *c)
{
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    tell_of_success(c);
    tell_of_libc(c);
    tell_of_programs(c);
    tell_of_unmatched("--only", &c->p.options.only);
    tell_of_unmatched("--without", &c->p.options.without);
    tell_of_dwos(&c->p);
    tell_of_other_debug(&c->p);
    if (c->p.options.summary)
        prof_tell_of_sums(&c->p);
    if (fflush(stdout) != 0 && errno == EPIPE)
        clearerr(stdout);
    signal(SIGPIPE, before);
}

static void nothing_there(const struct command *c, struct error *e)
{
    error_set(e, ERROR_INPUT, "there is no shared object for 64 bits to make a profile of; see --help");
    if (c->operands == 1)
        error_at(e, c->operand[0], 0);
}

/* The passes that measure the files and write the profile; false where there is no profile. */
static bool measure(struct command *c)
{
    struct prof *p = &c->p;
    struct error e;
    if (!p->options.no_dwarf && !p->options.summary)
        prof_dwarf(p);
    prof_graph(p);
    if (p->options.load)
        prof_load(p);
    if ((!p->options.summary || prof_sums_suffice(p, &e)) && prof_write(p, &e))
        return true;
    prof_complain(p, &e);
    return false;
}

static bool can_write(struct prof *p)
{
    struct error e;
    if ((!p->options.output || result_file_possible(p->options.output, RESULT_PROFILE, &e)) &&
        (!p->options.list || result_file_possible(p->options.list, RESULT_REPORT, &e)))
        return true;
    prof_complain(p, &e);
    return false;
}

/* All passes, in order. */
static void profile(struct command *c)
{
    struct prof *p = &c->p;
    struct error e;
    if (!can_write(p))
        return;
    find(c);
    const bool nothing_wanted = p->count == 0 && p->refusals > 0;
    /* From here on no file is added. prof_capture removes those that are not the application's. */
    prof_capture(p);
    if (p->count == 0) {
        if (nothing_wanted)
            prof_nothing_wanted(p, &e);
        else
            nothing_there(c, &e);
        if (nothing_wanted || !p->failed) /* otherwise a complaint has said why */
            prof_complain(p, &e);
        return;
    }
    if (p->options.output && !measure(c))
        return;
    if (p->options.list && !prof_write_list(p, &e)) {
        prof_complain(p, &e);
        return;
    }
    if (p->options.output && !c->quiet)
        tell(c);
}

int main(int argc, char **argv)
{
    process_start();
    struct command *c = prof_must(calloc(1, sizeof *c));
    size_t most = (size_t)argc + 1;
    struct prof_patterns *const patterns[] = {&c->p.options.only, &c->p.options.without};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        patterns[i]->text = prof_must(arena_zeroed(&c->p.arena, most, sizeof *patterns[i]->text));
        patterns[i]->matched = prof_must(arena_zeroed(&c->p.arena, most, sizeof *patterns[i]->matched));
    }
    c->p.options.debug_dir = prof_must(arena_zeroed(&c->p.arena, most, sizeof *c->p.options.debug_dir));
    c->operand = prof_must(arena_zeroed(&c->p.arena, most, sizeof *c->operand));
    c->p.options.debug_dir[c->p.options.debug_dirs++] = "/usr/lib/debug";
    int status = parse(argc, argv, c);
    if (status < 0 && c->explain) {
        struct error e;
        status = prof_explain(c->operand[0], &e) ? 0 : error_report(program.name, &e);
    } else if (status < 0) {
        profile(c);
        status = c->p.failed ? 1 : 0;
    }
    if (status == 0 && !process_printed(program.name)) /* where the profile failed, that was said already */
        status = EXIT_FAILURE;
    prof_free(&c->p);
    free(c);
    return status;
}
