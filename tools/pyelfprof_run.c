/* What a command or a script loads when it runs; see pyelfprof.h.
 *
 * A command runs with the audit library libpyelflog.so (runtime/audit_log.h), which all
 * its processes inherit. Those that are Python say how long their imports take, on their
 * standard error (PYTHONPROFILEIMPORTTIME): it passes through us, but for these lines. A
 * script runs under python3, which names the extension modules
 * that are there at its end; what these need is then looked for as for --exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/audit_log.h"
#include "tools/pyelfprof.h"

enum { TEXT_MOST = 1 << 28 };

/* The modules in the order of their import. What the script prints is its own; its
 * status is that of this. */
static const char script_text[] = "import os, runpy, sys\n"
                                  "report = int(sys.argv[1])\n"
                                  "sys.argv = sys.argv[2:]\n"
                                  "sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))\n"
                                  "before = os.getpid()\n"
                                  "try:\n"
                                  "    runpy.run_path(sys.argv[0], run_name='__main__')\n"
                                  "finally:\n"
                                  "    if os.getpid() == before:\n"
                                  "        files = [sys.executable]\n"
                                  "        for module in list(sys.modules.values()):\n"
                                  "            file = getattr(module, '__file__', None)\n"
                                  "            if isinstance(file, str) and '.so' in os.path.basename(file):\n"
                                  "                files.append(os.path.abspath(file))\n"
                                  "        with os.fdopen(report, 'wb') as pipe:\n"
                                  "            pipe.write(b''.join(os.fsencode(file) + b'\\0' for file in files))\n";

static void complain(struct prof *p, const char *file, const char *text)
{
    struct error e;
    error_set(&e, ERROR_INPUT, "%s", text);
    error_at(&e, file, 0);
    prof_complain(p, &e);
}

static void complain_errno(struct prof *p, const char *file, const char *what)
{
    struct error e;
    error_errno(&e, file, what);
    prof_complain(p, &e);
}

/* All that comes up to the end; NULL where it is too much. Ends in a zero. */
static char *read_all(int fd, size_t *size)
{
    size_t capacity = 1 << 16;
    char *text = prof_must(malloc(capacity));
    *size = 0;
    for (;;) {
        ssize_t n = read(fd, text + *size, capacity - *size - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            text[*size] = '\0';
            return text;
        }
        *size += (size_t)n;
        if (capacity - *size == 1) {
            capacity *= 2;
            if (capacity > TEXT_MOST) {
                free(text);
                return NULL;
            }
            text = prof_must(realloc(text, capacity));
        }
    }
}

/* Complains of a process that did not end well. */
static void judge(struct prof *p, int status, const char *command)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    if (WIFSIGNALED(status))
        complain(p, command,
                 prof_format(p, "was ended by signal %d; what it loaded until then is captured", WTERMSIG(status)));
    else
        complain(p, command,
                 prof_format(p, "ended with status %d; what it loaded until then is captured", WEXITSTATUS(status)));
}

static void wait_for(struct prof *p, pid_t process, const char *command)
{
    int status;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) {
            complain_errno(p, command, "cannot wait for it");
            return;
        }
    }
    judge(p, status, command);
}

/* ---- python ---- */

void prof_python(struct prof *p, char **script)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        complain_errno(p, "python3", "cannot make a pipe to it");
        return;
    }
    pid_t process = fork();
    if (process == 0) {
        char number[16];
        size_t count = 0;
        while (script[count])
            count++;
        char **arguments = prof_must(calloc(count + 5, sizeof *arguments));
        arguments[0] = "python3";
        arguments[1] = "-c";
        arguments[2] = (char *)script_text;
        arguments[3] = number;
        memcpy(arguments + 4, script, count * sizeof *script);
        snprintf(number, sizeof number, "%d", ends[1]);
        fcntl(ends[1], F_SETFD, 0);
        execvp(arguments[0], arguments);
        fprintf(stderr, "pyelfprof: python3: cannot be run: %s\n", strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    if (process < 0) {
        complain_errno(p, "python3", "cannot make a process for it");
        close(ends[0]);
        return;
    }
    size_t size;
    char *text = read_all(ends[0], &size);
    close(ends[0]);
    wait_for(p, process, script[0]);
    size_t count = 0;
    for (size_t i = 0; text && i < size; i++)
        count += text[i] == '\0';
    char **paths = prof_must(arena_zeroed(&p->arena, count + 1, sizeof *paths));
    count = 0;
    for (char *path = text; path && path < text + size; path += strlen(path) + 1)
        paths[count++] = prof_copy(p, path);
    free(text);
    if (count)
        prof_exec(p, paths, count);
    else
        complain(p, script[0], "did not come to its end, where its modules are counted");
}

/* ---- how long imports take ---- */

/* What a Python said of one module. */
struct import {
    char *module; /* malloc */
    uint64_t microseconds;
};

struct imports {
    struct import *import;
    size_t count, capacity;
    char line[4096]; /* the beginning of one that is not whole yet */
    size_t length;
};

/* "import time:       123 |        456 |   package.module"; false for any other line. */
static bool take_import(struct imports *s, const char *line)
{
    static const char begin[] = "import time:";
    uint64_t own;
    uint64_t all;
    int module = 0;
    if (strncmp(line, begin, strlen(begin)) != 0)
        return false;
    if (sscanf(line + strlen(begin), "%" SCNu64 " | %" SCNu64 " | %n", &own, &all, &module) < 2 || !module)
        return true; /* the heading */
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 256;
        s->import = prof_must(realloc(s->import, s->capacity * sizeof *s->import));
    }
    s->import[s->count++] = (struct import){prof_must(strdup(line + strlen(begin) + module)), own};
    return true;
}

static void pass_on(struct imports *s, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool whole = text[i] == '\n';
        if (!whole)
            s->line[s->length++] = text[i];
        if (!whole && s->length < sizeof s->line - 1)
            continue;
        s->line[s->length] = '\0';
        if (!whole || !take_import(s, s->line))
            fprintf(stderr, "%s%s", s->line, whole ? "\n" : "");
        s->length = 0;
    }
}

/* Passes on what comes until the command has ended; what it left running may go on to
 * write there. */
static void listen_to(struct prof *p, struct imports *s, pid_t process, int fd, const char *command)
{
    bool open = true;
    int status = 0;
    for (bool ended = false; !ended;) {
        pid_t answer = waitpid(process, &status, WNOHANG);
        ended = answer == process || (answer < 0 && errno != EINTR);
        struct pollfd ready = {.fd = open ? fd : -1, .events = POLLIN};
        while (poll(&ready, 1, ended ? 0 : 50) > 0) {
            char text[4096];
            ssize_t n = read(fd, text, sizeof text);
            open = n > 0 || (n < 0 && errno == EINTR);
            ready.fd = open ? fd : -1;
            if (n > 0)
                pass_on(s, text, (size_t)n);
            if (!ended)
                break;
        }
    }
    s->line[s->length] = '\0';
    fputs(s->line, stderr);
    judge(p, status, command);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the module is of the file: "package.module", ".../module.cpython-311.so". */
static bool is_module(const char *path, const char *module)
{
    const char *dot = strrchr(module, '.');
    const char *file = base_name(path);
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

/* The audit library, where it is built or installed: seen from this program. */
static const char *audit_library(struct prof *p)
{
    char self[PATH_MAX];
    static const char *const places[] = {PYELFPROF_TO_LIBEXEC "/" LOG_LIBRARY, "../libexec/pyelfgen/" LOG_LIBRARY};
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *path = prof_format(p, "%s/%s", self, places[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    complain(p, LOG_LIBRARY, "is not where it was built or installed, so that nothing can be run with it");
    return NULL;
}

/* Adds a record's file: "PROCESS NANOSECONDS PATH". */
static void take_record(struct prof *p, const char *record, const char *library)
{
    uint64_t process;
    uint64_t when;
    int path = 0;
    if (sscanf(record, "%" SCNu64 " %" SCNu64 " %n", &process, &when, &path) < 2 || !path || record[path] != '/')
        return; /* the vDSO has no file */
    if (strcmp(base_name(record + path), base_name(library)) == 0)
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

static void run_audited(struct prof *p, char **command, const char *library, const char *log, struct imports *imports)
{
    const char *others = getenv("LD_AUDIT");
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        complain_errno(p, command[0], "cannot make a pipe to it");
        return;
    }
    pid_t process = fork();
    if (process == 0) {
        char *audit = NULL;
        if (asprintf(&audit, "%s%s%s", others ? others : "", others && *others ? ":" : "", library) < 0 ||
            setenv("LD_AUDIT", audit, 1) != 0 || setenv(LOG_VARIABLE, log, 1) != 0 ||
            setenv("PYTHONPROFILEIMPORTTIME", "1", 1) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
            _exit(126);
        execvp(command[0], command);
        fprintf(stderr, "pyelfprof: %s: cannot be run: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    if (process < 0)
        complain_errno(p, command[0], "cannot make a process for it");
    else
        listen_to(p, imports, process, ends[0], command[0]);
    close(ends[0]);
}

void prof_run(struct prof *p, char **command)
{
    const char *library = audit_library(p);
    const char *directory = getenv("TMPDIR");
    char *log = prof_format(p, "%s/pyelfprof.XXXXXX", directory && *directory ? directory : "/tmp");
    int fd = library ? mkostemp(log, O_CLOEXEC) : -1;
    if (!library)
        return;
    if (fd < 0) {
        complain_errno(p, log, "cannot write");
        return;
    }
    struct imports *imports = prof_must(calloc(1, sizeof *imports));
    run_audited(p, command, library, log, imports);
    unlink(log);
    size_t size;
    char *text = read_all(fd, &size);
    close(fd);
    if (!text || size == 0)
        complain(p, command[0], "loaded nothing that the audit library saw: it is static, or runs with other rights");
    for (char *record = text; text && record < text + size; record += strlen(record) + 1)
        take_record(p, record, library);
    free(text);
    take_imports(p, imports);
    free(imports);
}
