/* What a command or a script loads when it runs; see pyelfprof.h.
 *
 * A command runs with the audit library libpyelflog.so (runtime/audit_log.h), which all its processes inherit. Its
 * standard error passes through this program. Those processes that are Python, and have it too, report there how long
 * their imports take (PYTHONPROFILEIMPORTTIME). This program takes these lines out.
 *
 * A script runs under python3, which at its end names the extension modules that are there. What these need is then
 * looked for as for --exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "runtime/audit_log.h"
#include "tools/pyelfprof/child.h"
#include "tools/pyelfprof/log.h"
#include "tools/pyelfprof/pyelfprof.h"
#include "tools/pyelfprof/unseen.h"

/* Runs a script as python3 does, and reports texts that each end in a zero: the line of the script where something went
 * wrong, what that was ("0" and nothing where all went well), and files. The files are Python's own and those of the
 * extension modules in the order of their import. There are none where the script failed before it had imported such a
 * module.
 *
 * What the script prints is its own; its status is the status of this program. runpy runs only archives, directories
 * and compiled scripts: it imports modules for itself and opens a script twice, whereas a pipe can be read only once.
 * An interrupt prints no traceback, nor does a second one during the report. There is no report where the script has
 * closed all descriptors, because a file of its own may have the number. */
static const char script_text[] =
    "import os, sys\n"
    "report = int(sys.argv[1])\n"
    "os.set_inheritable(report, False)\n"
    "def place():\n"
    "    try:\n"
    "        status = os.fstat(report)\n"
    "        return status.st_dev, status.st_ino\n"
    "    except OSError:\n"
    "        return None\n"
    "there = place()\n"
    "sys.argv = sys.argv[2:]\n"
    "script = sys.argv[0]\n"
    "if not getattr(sys.flags, 'safe_path', False):\n" /* PYTHONSAFEPATH: python3 puts no directory in front */
    "    sys.path[0] = os.path.dirname(os.path.abspath(script))\n"
    "def extensions():\n"
    "    files = [getattr(module, '__file__', None) for module in list(sys.modules.values())]\n"
    "    return [os.path.abspath(f) for f in files if isinstance(f, str) and '.so' in os.path.basename(f)]\n"
    "def told(e):\n"
    "    text = ' '.join(str(e).split())[:400]\n"
    "    return type(e).__name__ + (text and ': ' + text)\n"
    "def judged(e):\n"
    "    lines, at = [], e.__traceback__\n"
    "    while at:\n"
    "        file = at.tb_frame.f_code.co_filename\n"
    "        if file == script or file.startswith(script + os.sep):\n"
    "            lines.append(at.tb_lineno)\n"
    "        at = at.tb_next\n"
    "    if lines and set(extensions()) <= set(own):\n"
    "        return lines[-1], 'had imported no extension module when it raised ' + told(e)\n"
    "    if lines:\n"
    "        return lines[-1], 'raised ' + told(e)\n"
    "    if isinstance(e, SyntaxError) and e.filename == script:\n"
    "        return e.lineno or 0, 'cannot be run as Python: ' + (e.msg or '')\n"
    "    return 0, 'cannot be run as Python: ' + told(e)\n"
    "def run():\n"
    "    packed = os.path.isdir(script) or script.endswith('.pyc')\n"
    "    if not packed:\n"
    "        with open(script, 'rb') as file:\n"
    "            text = file.read()\n"
    "        packed = os.path.isfile(script) and b'PK\\3\\4' in text[:256]\n"
    "    if packed:\n"
    "        import runpy\n"
    "        runpy.run_path(script, run_name='__main__')\n"
    "        return\n"
    "    code = compile(text, script, 'exec', dont_inherit=True)\n"
    "    main = sys.modules['__main__'] = type(sys)('__main__')\n"
    "    main.__file__, main.__builtins__ = script, __builtins__\n"
    "    exec(code, main.__dict__)\n"
    "def shown(kind, e, trace):\n"
    "    if not issubclass(kind, KeyboardInterrupt):\n"
    "        hook(kind, e, trace)\n"
    "hook, sys.excepthook = sys.excepthook, shown\n"
    "before, own, code, line, wrong = os.getpid(), extensions(), 0, 0, ''\n"
    "try:\n"
    "    run()\n"
    "except SystemExit as e:\n"
    "    code = e.code\n"
    "    raise\n"
    "except BaseException as e:\n"
    "    if os.getpid() != before:\n"
    "        raise\n"
    "    line, wrong = judged(e)\n"
    "    sys.exit(1)\n"
    "finally:\n"
    "    if os.getpid() == before and place() == there:\n"
    "        files = extensions()\n"
    "        if wrong.startswith('cannot') or (code or wrong) and set(files) <= set(own):\n"
    "            files = []\n"
    "        else:\n"
    "            files = [sys.executable or os.path.realpath('/proc/self/exe')] + files\n"
    "        texts = [str(line).encode(), wrong.encode('utf-8', 'replace')] + [os.fsencode(f) for f in files]\n"
    "        with os.fdopen(report, 'wb') as pipe:\n"
    "            pipe.write(b''.join(text + b'\\0' for text in texts))\n";

static void complain(struct prof *p, const char *file, const char *text)
{
    prof_complain_at(p, file, 0, text);
}

/* ---- python ---- */

static bool inherit(const void *context)
{
    return fcntl(*(const int *)context, F_SETFD, 0) == 0;
}

/* Runs the script. False where it could not be run, with a complaint, or where a signal came. */
static bool run_script(struct prof *p, struct prof_child *c, char **script, struct prof_report *r)
{
    int ends[2];
    size_t count = 0;
    while (script[count])
        count++;
    char **words = prof_must(arena_zeroed(&p->arena, count + 5, sizeof *words));
    if (pipe2(ends, O_CLOEXEC) != 0) {
        prof_complain_errno(p, "python3", "cannot make a pipe to it");
        return false;
    }
    words[0] = "python3";
    words[1] = "-c";
    words[2] = (char *)script_text;
    words[3] = prof_format(p, "%d", ends[1]);
    memcpy(words + 4, script, count * sizeof *script);
    bool started = prof_child_start(p, c, words, inherit, &ends[1]);
    close(ends[1]);
    const bool ended = started && prof_child_listen(c, ends[0], prof_report_take, r);
    close(ends[0]);
    return ended;
}

/* The files of the report, from `from` on, as an array that ends in NULL. */
static char **files_in(struct prof *p, const struct prof_report *r, const char *from, size_t *count)
{
    const char *end = r->text + r->size;
    *count = 0;
    for (const char *file = from; file < end; file += strlen(file) + 1)
        ++*count;
    char **files = prof_must(arena_zeroed(&p->arena, *count + 1, sizeof *files));
    for (size_t i = 0; i < *count; i++, from += strlen(from) + 1)
        files[i] = prof_copy(p, from);
    return files;
}

/* Whether the report has the line and what went wrong, and ends where a text does. The script can write to the
 * descriptor too. */
static bool is_report(const struct prof_report *r)
{
    const char *const end = r->text + r->size;
    const char *const line = r->size ? memchr(r->text, '\0', r->size) : NULL;
    const char *const wrong = line ? memchr(line + 1, '\0', (size_t)(end - line - 1)) : NULL;
    return wrong && (end[-1] == '\0' || r->full);
}

static void take_script(struct prof *p, const struct prof_child *c, const char *script, const struct prof_report *r)
{
    size_t count;
    if (!is_report(r)) {
        complain(p, script,
                 prof_format(p,
                             "%s before its end, where its modules are counted, or had closed all descriptors; nothing "
                             "is captured",
                             prof_child_how(p, c)));
        return;
    }
    if (r->full)
        complain(p, script, "has imported more than can be read, and libraries are missing");
    const unsigned line = (unsigned)strtoul(r->text, NULL, 10);
    const char *wrong = r->text + strlen(r->text) + 1;
    char **files = files_in(p, r, wrong + strlen(wrong) + 1, &count);
    if (count)
        prof_exec(p, files, count);
    const char *captured = p->count ? "what it had imported until then" : "nothing";
    const char *without = count ? "" : " and had imported no extension module";
    if (*wrong)
        prof_complain_at(p, script, line, prof_format(p, "%s; %s is captured", wrong, captured));
    else if (c->status != 0)
        complain(p, script, prof_format(p, "%s%s; %s is captured", prof_child_how(p, c), without, captured));
}

void prof_python(struct prof *p, char **script)
{
    struct prof_child c;
    struct prof_report r = {0};
    if (access(script[0], R_OK) != 0) {
        prof_complain_errno(p, script[0], "cannot be read");
        return;
    }
    if (!prof_child_hold(p, &c))
        return;
    bool ended = run_script(p, &c, script, &r);
    prof_child_release(&c);
    if (ended)
        take_script(p, &c, script[0], &r);
    free(r.text);
}

/* ---- how long imports take ---- */

/* What one Python said of one module. */
struct import {
    char *module; /* malloc */
    uint64_t microseconds;
};

struct imports {
    struct import *import;
    size_t count, capacity;
    char line[4096]; /* the beginning of a line that is not complete yet */
    size_t length;
    bool passing; /* until its end, a line of another kind goes on as it comes */
};

#define IMPORT_BEGINS "import time:"

/* Takes "import time:       123 |        456 |   package.module". False for a line that is neither that nor the
 * heading. */
static bool take_import(struct imports *s, const char *line)
{
    uint64_t own;
    uint64_t all;
    int module = 0;
    line += sizeof IMPORT_BEGINS - 1;
    if (sscanf(line, "%" SCNu64 " | %" SCNu64 " | %n", &own, &all, &module) < 2 || !module)
        return strstr(line, "imported package");
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 256;
        s->import = prof_must(realloc(s->import, s->capacity * sizeof *s->import));
    }
    s->import[s->count++] = (struct import){prof_must(strdup(line + module)), own};
    return true;
}

/* Passes on a line that is not about an import, up to its end. Returns how many characters that were. */
static size_t pass_line(struct imports *s, const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    const size_t length = end ? (size_t)(end + 1 - text) : size;
    fwrite(text, 1, length, stderr);
    s->passing = !end;
    return length;
}

/* Holds a line that may be about an import until it is complete; passes on all else as it comes. */
static void pass_on(void *to, const char *text, size_t size)
{
    struct imports *s = to;
    for (size_t i = 0; i < size;) {
        if (s->passing) {
            i += pass_line(s, text + i, size - i);
            continue;
        }
        const char c = text[i++];
        s->line[s->length++] = c;
        const size_t begun = s->length < sizeof IMPORT_BEGINS - 1 ? s->length : sizeof IMPORT_BEGINS - 1;
        if (memcmp(s->line, IMPORT_BEGINS, begun) != 0 || s->length == sizeof s->line) {
            fwrite(s->line, 1, s->length, stderr);
            s->passing = c != '\n';
            s->length = 0;
        } else if (c == '\n') {
            s->line[s->length - 1] = '\0';
            if (!take_import(s, s->line))
                fprintf(stderr, "%s\n", s->line);
            s->length = 0;
        }
    }
}

/* Whether the module is in the file: "package.module", ".../module.cpython-311.so". */
static bool is_module(const char *path, const char *module)
{
    const char *dot = strrchr(module, '.');
    const char *file = prof_base_name(path);
    size_t stem = strcspn(file, ".");
    module = dot ? dot + 1 : module;
    return strlen(module) == stem && strncmp(module, file, stem) == 0 && strstr(file + stem, ".so");
}

static void take_imports(struct prof *p, struct imports *s)
{
    for (size_t i = 0; i < s->count; i++) {
        for (size_t j = 0; j < p->count; j++) {
            if (p->file[j].imported || !is_module(p->file[j].path, s->import[i].module))
                continue;
            p->file[j].imported = s->import[i].microseconds;
            break;
        }
        free(s->import[i].module);
    }
    free(s->import);
}

/* ---- any command ---- */

static const char *audit_library(struct prof *p)
{
    const char *const path = prof_libexec(p, LOG_LIBRARY);
    if (!path || !strpbrk(path, ":$"))
        return path;
    complain(p, path, "cannot be told to ld.so with ':' or '$' in its path; install or build it elsewhere");
    return NULL;
}

/* Adds the file of a record "PROCESS NANOSECONDS PATH", if it has an end. */
static void take_record(struct prof *p, char *record, const char *library)
{
    const size_t length = strlen(record);
    if (!length || record[length - 1] != LOG_END)
        return; /* cut off */
    record[length - 1] = '\0';
    uint64_t process;
    uint64_t when;
    int path = 0;
    if (sscanf(record, "%" SCNu64 " %" SCNu64 " %n", &process, &when, &path) < 2 || !path ||
        !strchr(record + path, '/'))
        return; /* the vDSO has no file */
    if (strcmp(prof_base_name(record + path), prof_base_name(library)) == 0)
        return;
    size_t before = p->count;
    prof_add(p, record + path, true);
    if (!p->first_loaded)
        p->first_loaded = when;
    if (p->count > before && when >= p->first_loaded) {
        p->file[before].timed = true;
        p->file[before].loaded = when - p->first_loaded;
    }
}

/* What the command is started with. */
struct audit {
    const char *libraries; /* for LD_AUDIT */
    const char *log;
    const char *imports;  /* for LOG_IMPORTS */
    const char *tunables; /* for GLIBC_TUNABLES; NULL: as they are */
    int error;            /* descriptor for its standard error */
};

#define TUNABLES "GLIBC_TUNABLES"

/* With an audit library, ld.so makes room for thread-local variables before it knows how many the program's libraries
 * have that need a fixed place (initial-exec). The usual room is some 1.6 kB; librustc_driver.so wants 24 kB. Each
 * thread's stack is smaller by what is given. Returns what to set, or NULL where the user has set it. */
static const char *with_more_tls(struct prof *p)
{
    static const char more[] = "glibc.rtld.optional_static_tls=32768";
    const char *const set = getenv(TUNABLES);
    if (!set || !*set)
        return more;
    return strstr(set, "glibc.rtld.optional_static_tls") ? NULL : prof_format(p, "%s:%s", set, more);
}

static bool prepare(const void *context)
{
    const struct audit *a = context;
    return setenv("LD_AUDIT", a->libraries, 1) == 0 && setenv(LOG_VARIABLE, a->log, 1) == 0 &&
           setenv(LOG_IMPORTS, a->imports, 1) == 0 && (!a->tunables || setenv(TUNABLES, a->tunables, 1) == 0) &&
           dup2(a->error, STDERR_FILENO) >= 0;
}

/* Processes that the command has left running may go on to write to its standard error. A process of our own passes
 * that on, with the incomplete line that is held. Its standard input and output are closed, so that nobody waits for
 * their end because of it. Signals end it. */
static void pass_on_later(const struct prof_child *c, int fd, struct imports *imports)
{
    struct pollfd more = {.fd = fd, .events = POLLIN};
    if (poll(&more, 1, 0) == 1 && (more.revents & (POLLIN | POLLHUP)) == POLLHUP)
        return;
    const pid_t process = fork();
    if (process > 0)
        imports->length = 0;
    if (process != 0)
        return;
    char text[1 << 12];
    sigprocmask(SIG_SETMASK, &c->mask, NULL);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    for (ssize_t n; (n = read(fd, text, sizeof text)) > 0 || (n < 0 && errno == EINTR);)
        pass_on(imports, text, n > 0 ? (size_t)n : 0);
    fwrite(imports->line, 1, imports->length, stderr);
    _exit(0);
}

/* False where the command could not be run, or a signal came. */
static bool run_audited(struct prof *p, struct prof_child *c, char **command, struct audit *audit,
                        struct imports *imports)
{
    int ends[2];
    struct stat pipe;
    if (pipe2(ends, O_CLOEXEC) != 0 || fstat(ends[1], &pipe) != 0) {
        prof_complain_errno(p, command[0], "cannot make a pipe to it");
        return false;
    }
    audit->error = ends[1];
    audit->imports = prof_format(p, LOG_PIPE "%ju]", (uintmax_t)pipe.st_ino);
    bool started = prof_child_start(p, c, command, prepare, audit);
    close(ends[1]);
    const bool ended = started && prof_child_listen(c, ends[0], pass_on, imports);
    if (ended)
        pass_on_later(c, ends[0], imports);
    fwrite(imports->line, 1, imports->length, stderr);
    close(ends[0]);
    return ended;
}

static void tell_unseen(struct prof *p, const struct unseen *u, const char *command)
{
    if (!u->count)
        return;
    const char *const others = u->count == 1 ? "" : prof_format(p, " and %zu processes more", u->count - 1);
    complain(p, command,
             prof_format(p,
                         "has started %s%s without LD_AUDIT, and what was loaded there is missing: something resets "
                         "the environment, as 'env -i' does; keep LD_AUDIT and " LOG_VARIABLE " in it, or use --pid",
                         *u->first ? u->first : "a program", others));
}

/* Processes that cannot write to the log. */
struct losses {
    const char *first; /* the program of one, empty where it is not known; NULL: there is none */
    bool others;
};

/* What came while the log was there: later, those that were left running cannot write to it either. */
static struct losses losses_of(struct prof *p, const struct prof_log *log)
{
    struct losses l = {.first = prof_log_loss(p, log)};
    l.others = l.first && prof_log_loss(p, log);
    return l;
}

/* Word of such processes comes from other users, too, so the path may be any text. */
static void tell_losses(struct prof *p, const struct losses *l, const char *command)
{
    if (!l->first)
        return;
    complain(p, command,
             prof_format(p,
                         "has started %s%s as another user or in another root directory, and what was loaded there is "
                         "missing: the list of it cannot be written from there; run pyelfprof there, or use --pid",
                         *l->first ? l->first : "a program", l->others ? " and others" : ""));
}

static void take_log(struct prof *p, const struct prof_child *c, const char *command, const struct prof_log *log,
                     const char *library)
{
    struct prof_report r = {0};
    const bool is_read = prof_log_read(log, &r);
    const bool well = c->status == 0;
    const char *who;
    const char *const lacks = prof_log_lacks(log, command, &who);
    if (!is_read)
        complain(p, command, "has loaded more than can be read, and libraries are missing");
    else if (lacks)
        complain(p, who, lacks);
    else if (r.size == 0)
        complain(p, command,
                 prof_format(p,
                             "%s%sloaded nothing that the audit library saw: it is static, or runs with other rights",
                             well ? "" : prof_child_how(p, c), well ? "" : "; it "));
    for (char *record = r.text, *next; record && record < r.text + r.size; record = next) {
        next = record + strlen(record) + 1;
        take_record(p, record, library);
    }
    if (r.size > 0 && !well)
        complain(
            p, command,
            prof_format(p, "%s%s", prof_child_how(p, c), p->count ? "; what it loaded until then is captured" : ""));
    free(r.text);
}

void prof_run(struct prof *p, char **command)
{
    const char *library = audit_library(p);
    const char *others = getenv("LD_AUDIT");
    struct prof_log log;
    struct prof_child c;
    if (!library || !prof_child_hold(p, &c))
        return;
    if (!prof_log_make(p, &log)) {
        prof_child_release(&c);
        return;
    }
    struct audit audit = {.log = log.path};
    audit.tunables = with_more_tls(p);
    audit.libraries = others && *others ? prof_format(p, "%s:%s", others, library) : library;
    struct imports *imports = prof_must(calloc(1, sizeof *imports));
    struct unseen *unseen = prof_must(calloc(1, sizeof *unseen));
    c.watch = unseen_look;
    c.watched = unseen;
    bool ended = run_audited(p, &c, command, &audit, imports);
    const struct losses losses = losses_of(p, &log);
    prof_log_remove(&log);
    prof_child_release(&c);
    if (ended) {
        take_log(p, &c, command[0], &log, library);
        tell_unseen(p, unseen, command[0]);
        tell_losses(p, &losses, command[0]);
    }
    free(unseen->process);
    free(unseen);
    prof_log_close(&log);
    take_imports(p, imports);
    free(imports);
}
