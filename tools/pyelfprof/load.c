/* How much memory the constructors of libraries take; see pyelfprof.h. No file says it, so the libraries are loaded to
 * find out.
 *
 * A process (tools/pyelf_load.c) loads them one after the other and reports on each. Each library comes after those
 * that it needs, so that what is measured is its own. Where a library ends the process, the process is started again
 * without that library.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/loader_error.h"
#include "base/whole.h"
#include "tools/pyelfprof/child.h"
#include "tools/pyelfprof/pyelfprof.h"

enum {
    REPORT = 3,    /* descriptor in the process */
    TRIES = 100,   /* how many files may end the process */
    LEAST = 16384, /* bytes; fewer are chance */
    MOST = 1 << 30 /* bytes; the most that a profile may state */
};

#define LOADER "pyelf-load"

/* What is loaded, in order. `skipped`: the file has ended the process. */
struct loads {
    struct prof_file **file;
    bool *skipped;
    size_t count;
};

static bool is_loaded(const struct prof_file *f)
{
    return !f->failed && !f->left_out && f->capture.kind.machine == EM_X86_64 && !f->capture.kind.executable &&
           !prof_is_libc(f->name);
}

/* The files to load, each behind those that it needs: depth first, with a stack of files that are begun. */
static struct loads loads_of(struct prof *p)
{
    struct loads l = {.file = prof_must(calloc(p->count + 1, sizeof *l.file)),
                      .skipped = prof_must(calloc(p->count + 1, sizeof *l.skipped))};
    bool *const seen = prof_must(calloc(p->count + 1, sizeof *seen));
    size_t *const begun = prof_must(calloc(p->count + 1, sizeof *begun));
    size_t *const next = prof_must(calloc(p->count + 1, sizeof *next));
    for (size_t i = 0; i < p->count; i++) {
        size_t depth = 0;
        if (!seen[i])
            begun[depth++] = i;
        seen[i] = true;
        while (depth) {
            const size_t at = begun[depth - 1];
            struct prof_file *const f = &p->file[at];
            if (next[at] < f->edges) {
                const uint32_t to = f->edge[next[at]++].to;
                if (!seen[to])
                    begun[depth++] = to;
                seen[to] = true;
            } else {
                depth--;
                if (is_loaded(f))
                    l.file[l.count++] = f;
            }
        }
    }
    free(seen);
    free(begun);
    free(next);
    return l;
}

/* A memory file with the paths that are not skipped, each ended by a zero. Returns its descriptor, or -1 with errno. */
static int put_list(const struct loads *l)
{
    const int fd = memfd_create("pyelfprof", MFD_CLOEXEC);
    bool ok = fd >= 0;
    for (size_t i = 0; ok && i < l->count; i++) {
        const char *const path = l->file[i]->path;
        if (l->skipped[i])
            continue;
        ok = (strchr(path, '/') || whole_write(fd, "./", 2)) && whole_write(fd, path, strlen(path) + 1);
    }
    if (ok && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Descriptors for the process. */
struct ends {
    int list, report;
};

static bool prepare(const void *context)
{
    const struct ends *const e = context;
    return dup2(e->list, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
           (e->report == REPORT ? fcntl(REPORT, F_SETFD, 0) >= 0 : dup2(e->report, REPORT) >= 0);
}

/* The file that has this number in the process, and its place in the list. */
static struct prof_file *numbered(const struct loads *l, uint64_t number, size_t *at)
{
    for (*at = 0; *at < l->count; ++*at)
        if (!l->skipped[*at] && number-- == 0)
            return l->file[*at];
    return NULL;
}

/* One complaint for all files: every extension module fails for want of Python. */
static void complain_of_python(struct prof *p, const struct prof_file *first, size_t others)
{
    const unsigned minor = loader_error_python(first->name);
    char more[64] = "", version[16] = "N";
    if (minor)
        snprintf(version, sizeof version, "%u", minor);
    if (others)
        snprintf(more, sizeof more, ", nor %zu %s", others, others == 1 ? "other" : "others");
    prof_complain_at(p, first->name, 0,
                     prof_format(p,
                                 "cannot be loaded%s: Python is in the program and in none of these libraries; start "
                                 "pyelfprof with LD_PRELOAD=libpython3.%s.so.1.0",
                                 more, version));
}

static uint64_t counted(uint64_t bytes)
{
    return bytes < LEAST ? 0 : bytes < MOST ? bytes : MOST;
}

/* Takes the report. Returns the place of the file that was begun last where its end was not reported, and l->count
 * otherwise. */
static size_t take_report(struct prof *p, const struct loads *l, char *text)
{
    size_t last = l->count;
    const struct prof_file *first = NULL; /* the first file that wants Python; `others` counts the others */
    size_t others = 0;
    for (char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        uint64_t number;
        uint64_t taken, touched;
        size_t at;
        int why = 0;
        char kind;
        *end = '\0';
        if (sscanf(line, "%c %" SCNu64 " %n", &kind, &number, &why) < 2)
            continue;
        struct prof_file *const f = numbered(l, number, &at);
        if (!f)
            continue;
        last = kind == '+' ? at : l->count;
        if (kind == '=' && sscanf(line, "= %" SCNu64 " %" SCNu64 " %" SCNu64, &number, &taken, &touched) == 3) {
            f->constructor_memory = counted(taken);
            f->constructor_bss = counted(touched);
        }
        if (kind == '!' && loader_error_is_python(line + why)) {
            others += first != NULL;
            first = first ? first : f;
        } else if (kind == '!') {
            prof_complain_at(
                p, f->name, 0,
                prof_format(p, "cannot be loaded, and what its constructors do is not known: %s", line + why));
        }
    }
    if (first)
        complain_of_python(p, first, others);
    return last;
}

/* Runs the process. False where it could not be run, with a complaint, or where a signal came. */
static bool run(struct prof *p, struct prof_child *c, const char *loader, const struct loads *l, struct prof_report *r)
{
    char *words[] = {(char *)loader, NULL};
    int ends[2];
    struct ends its = {.list = put_list(l)};
    if (its.list < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        prof_complain_errno(p, LOADER, "cannot be given what to load");
        if (its.list >= 0)
            close(its.list);
        return false;
    }
    its.report = ends[1];
    const bool started = prof_child_start(p, c, words, prepare, &its);
    close(ends[1]);
    close(its.list);
    const bool ended = started && prof_child_listen(c, ends[0], prof_report_take, r);
    close(ends[0]);
    return ended;
}

/* Loads the files once. False where nothing more can be found out. */
static bool load_once(struct prof *p, const char *loader, struct loads *l)
{
    struct prof_child c;
    struct prof_report r = {0};
    if (!prof_child_hold(p, &c))
        return false;
    const bool ended = run(p, &c, loader, l, &r);
    prof_child_release(&c);
    const bool well = c.status == 0;
    const size_t last = ended ? take_report(p, l, r.text) : l->count;
    free(r.text);
    if (!ended || well)
        return false;
    if (last == l->count) {
        prof_complain_at(
            p, LOADER, 0,
            prof_format(p, "%s; what constructors take is not known of all libraries", prof_child_how(p, &c)));
        return false;
    }
    prof_complain_at(p, l->file[last]->name, 0,
                     prof_format(p, "its constructors are not known: what loads it %s", prof_child_how(p, &c)));
    l->skipped[last] = true;
    return true;
}

void prof_load(struct prof *p)
{
    const char *const loader = prof_libexec(p, LOADER);
    if (!loader)
        return;
    struct loads l = loads_of(p);
    unsigned tries = 0;
    bool again = l.count > 0;
    for (; again && tries < TRIES; tries++)
        again = load_once(p, loader, &l);
    if (again)
        prof_complain_at(p, LOADER, 0,
                         prof_format(p, "ended %u times; what constructors take is not known of all libraries", tries));
    free(l.file);
    free(l.skipped);
}
