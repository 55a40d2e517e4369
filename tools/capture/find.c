/* Chooses the files: those that are given, and those in directories; see prof.h. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_begin.h"
#include "base/manifest.h"
#include "tools/capture/prof.h"
#include "tools/common/set.h"

/* ---- what all parts use ---- */

void *prof_must(void *p)
{
    if (!p) {
        fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
        exit(1);
    }
    return p;
}

char *prof_copy(struct prof *p, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(prof_must(arena_take(&p->arena, size)), text, size);
}

char *prof_format(struct prof *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        prof_must(NULL);
    va_end(arguments);
    char *copy = prof_copy(p, text);
    free(text);
    return copy;
}

void prof_complain(struct prof *p, const struct error *e)
{
    p->failed = true;
    if (p->options.hear)
        p->options.hear(p->options.hearer, e);
    else
        error_report("pyelfprof", e);
}

void prof_complain_at(struct prof *p, const char *file, unsigned line, const char *text)
{
    struct error e;
    error_set(&e, ERROR_INPUT, "%s", text);
    error_at(&e, file, line);
    prof_complain(p, &e);
}

void prof_complain_errno(struct prof *p, const char *file, const char *what)
{
    struct error e;
    error_errno(&e, file, what);
    prof_complain(p, &e);
}

int prof_open_regular(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- files ---- */

static bool matches(const char *pattern, const char *path)
{
    return fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, prof_base_name(path), 0) == 0;
}

/* The files of glibc that processes load, by the names that ld.so looks for. Until glibc 2.33 these names were links to
 * files with the version in their names, and a core has the names of those files. NSS plugins are loaded by the C
 * library itself, whoever made them. */
static const char *const libc[] = {
    "ld-linux-x86-64.so.2",
    "ld-2.*.so",
    "libc.so.6",
    "libc-2.*.so",
    "libm.so.6",
    "libm-2.*.so",
    "libmvec.so.1",
    "libmvec-2.*.so",
    "libpthread.so.0",
    "libpthread-2.*.so",
    "libdl.so.2",
    "libdl-2.*.so",
    "librt.so.1",
    "librt-2.*.so",
    "libutil.so.1",
    "libutil-2.*.so",
    "libresolv.so.2",
    "libresolv-2.*.so",
    "libanl.so.1",
    "libanl-2.*.so",
    "libBrokenLocale.so.1",
    "libBrokenLocale-2.*.so",
    "libnss_*.so.2",
    "libnss_*-2.*.so",
    "libthread_db.so.1",
    "libthread_db-1.0.so",
    "libc_malloc_debug.so.0",
};

bool prof_is_libc(const char *path)
{
    for (size_t i = 0; i < sizeof libc / sizeof libc[0]; i++)
        if (matches(libc[i], path))
            return true;
    return false;
}

/* Whether one of the patterns matches a file, by the path that it was found by or by its own, which may be NULL. Notes
 * all patterns that do. */
static bool is_matched(const struct prof_patterns *patterns, const char *path, const char *own)
{
    bool any = false;
    for (size_t i = 0; i < patterns->count; i++) {
        const bool is = matches(patterns->text[i], path) || (own && matches(patterns->text[i], own));
        patterns->matched[i] |= is;
        any |= is;
    }
    return any;
}

/* Where /lib leads to /usr/lib, ld.so finds libraries by paths that nobody writes in a pattern. */
bool prof_wants(const struct prof *p, const char *path)
{
    char *const own = p->options.only.count || p->options.without.count ? realpath(path, NULL) : NULL;
    const bool only = !p->options.only.count || is_matched(&p->options.only, path, own);
    const bool without = is_matched(&p->options.without, path, own);
    free(own);
    return only && !without && !(p->options.without_libc && prof_is_libc(path));
}

static int by_place(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct prof_place));
}

/* Whether the file is met for the first time. */
static bool is_new(struct prof *p, const struct stat *st)
{
    const struct prof_place place = {st->st_dev, st->st_ino};
    if (tfind(&place, &p->met, by_place))
        return false;
    struct prof_place *const kept = prof_must(arena_take(&p->arena, sizeof *kept));
    *kept = place;
    prof_must(tsearch(kept, &p->met, by_place));
    return true;
}

static void keep(void *place)
{
    (void)place; /* the arena has it */
}

void prof_free(struct prof *p)
{
    for (size_t i = 0; i < p->count; i++)
        capture_free(&p->file[i].capture);
    free(p->file);
    tdestroy(p->met, keep);
    free(p->refused);
    for (unsigned i = 0; i < PROF_LANGUAGES; i++)
        stats_free(&p->dwarf[i]);
    arena_free(&p->arena);
}

static struct prof_file *add(struct prof *p, const char *path, const char *name)
{
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 64;
        p->file = prof_must(realloc(p->file, p->capacity * sizeof *p->file));
    }
    struct prof_file *file = &p->file[p->count++];
    *file = (struct prof_file){.path = prof_copy(p, path)};
    file->name = name == path ? file->path : prof_copy(p, name);
    return file;
}

/* Whether the file begins as ELF files do. A file that cannot be read may be one; the capture will complain of it. */
static bool may_be_elf(const char *path)
{
    char magic[SELFMAG];
    ssize_t got;
    if (!file_begin(path, magic, sizeof magic, &got))
        return errno != ENOENT;
    return file_begin_is_elf(magic, got);
}

/* Notes an ELF file that the options have left out, as long as they have let none in. The notes serve only for the
 * message that nothing is left. */
static void refuse(struct prof *p, const char *path)
{
    struct stat st;
    if (p->count > 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !may_be_elf(path))
        return;
    if (p->refusals == p->refusal_capacity) {
        p->refusal_capacity = 2 * p->refusals + 64;
        p->refused = prof_must(realloc(p->refused, p->refusal_capacity * sizeof *p->refused));
    }
    p->refused[p->refusals++] = (struct prof_place){st.st_dev, st.st_ino};
}

/* Counts the files that were refused. The same file may have been found by several names, or in several processes. */
static size_t count_refused(const struct prof *p)
{
    size_t count = 0;
    qsort(p->refused, p->refusals, sizeof *p->refused, by_place);
    for (size_t i = 0; i < p->refusals; i++)
        count += i == 0 || by_place(&p->refused[i - 1], &p->refused[i]) != 0;
    return count;
}

static void name_option(char *text, size_t size, const char *option)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? " " : "", option);
}

static void name_patterns(char *text, size_t size, const char *option, const struct prof_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++) {
        name_option(text, size, option);
        const size_t length = strlen(text);
        snprintf(text + length, size - length, " '%s'", patterns->text[i]);
    }
}

bool prof_nothing_wanted(const struct prof *p, struct error *e)
{
    char options[512] = "";
    const size_t count = count_refused(p);
    name_patterns(options, sizeof options, "--only", &p->options.only);
    name_patterns(options, sizeof options, "--without", &p->options.without);
    if (p->options.without_libc)
        name_option(options, sizeof options, "--without-libc");
    if (count == 1)
        return error_set(e, ERROR_INPUT, "%s: the one ELF file that was found is not left; see --help", options);
    return error_set(e, ERROR_INPUT, "%s: none of the %zu ELF files that were found is left; see --help", options,
                     count);
}

void prof_add(struct prof *p, const char *path, bool given)
{
    prof_add_as(p, path, path, given);
}

void prof_add_as(struct prof *p, const char *path, const char *name, bool given)
{
    struct stat st;
    if (!prof_wants(p, name)) {
        refuse(p, path);
        return;
    }
    if (stat(path, &st) == 0) {
        if ((!given && !S_ISREG(st.st_mode)) || !is_new(p, &st))
            return;
        add(p, path, name)->given = given;
    } else if (given || errno != ENOENT) {
        struct prof_file *file = add(p, path, name);
        file->given = given;
        file->failed = prof_must(calloc(1, sizeof *file->failed));
        error_errno(file->failed, path, "cannot be found");
    }
}

/* ---- directories ---- */

static int by_version(const FTSENT **a, const FTSENT **b)
{
    return strverscmp((*a)->fts_name, (*b)->fts_name);
}

static void complain_errno(struct prof *p, int number, const char *path, const char *what)
{
    struct error e;
    errno = number;
    error_errno(&e, path, what);
    prof_complain(p, &e);
}

/* Follows links to files, but no links to directories, which may lead anywhere. */
static void find_in(struct prof *p, const char *path)
{
    char *paths[] = {(char *)path, NULL};
    FTS *tree = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_version);
    if (!tree) {
        complain_errno(p, errno, path, "cannot list");
        return;
    }
    for (FTSENT *entry; (entry = fts_read(tree));) {
        struct stat st;
        switch (entry->fts_info) {
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
            complain_errno(p, entry->fts_errno, entry->fts_path, "cannot list");
            break;
        case FTS_SL:
            if (stat(entry->fts_path, &st) != 0 || !S_ISREG(st.st_mode))
                break;
            /* fall through */
        case FTS_F:
            if (prof_wants(p, entry->fts_path) ? may_be_elf(entry->fts_path) : p->count == 0)
                prof_add(p, entry->fts_path, false);
            break;
        }
    }
    fts_close(tree);
}

/* Whether the file is the JSON of some other program that uses the same file name: neither a manifest of pyelfgen nor
 * the beginning of one that was cut off. */
static bool is_foreign(const char *path)
{
    static const char key[] = "\"" MANIFEST_KEY "\"";
    static const char blank[] = " \t\r\n";
    char start[4096];
    ssize_t n;
    if (!file_begin(path, start, sizeof start - 1, &n) || n <= 0 || memmem(start, (size_t)n, key, sizeof key - 1))
        return false;
    start[n] = '\0';
    const char *text = start + strspn(start, blank);
    if (*text != '{')
        return *text == '[';
    text += 1 + strspn(text + 1, blank);
    return strncmp(text, key, strlen(text)) != 0;
}

/* Adds the libraries that the manifest of a set names, in its order. Where the manifest cannot be used it complains and
 * adds none. False where the directory is no set. */
static bool find_set(struct prof *p, const char *path)
{
    struct set set;
    struct error e;
    const char *manifest = prof_format(p, "%s/" MANIFEST_FILE, path);
    struct stat st;
    if (lstat(manifest, &st) != 0)
        return false;
    if (!set_read(path, &p->arena, &set, &e)) {
        if (is_foreign(manifest))
            return false;
        prof_complain(p, &e);
        return true;
    }
    for (size_t i = 0; i < set.count; i++) {
        size_t before = p->count;
        prof_add(p, set.libraries[i].path, true);
        if (p->count > before)
            p->file[before].debug_path = set.libraries[i].debug_path;
    }
    return true;
}

void prof_find(struct prof *p, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        prof_add(p, path, true);
    else if (!find_set(p, path))
        find_in(p, path);
}
