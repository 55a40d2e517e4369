/* Captures the files, and finds their debug files; see prof.h.
 *
 * Debug files are found as gdb finds them: first by build-id in every debug directory; then by .gnu_debuglink beside
 * the library, in .debug there, and in the debug directories under the library's own path and under every end of that
 * path.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file_begin.h"
#include "base/whole.h"
#include "base/workers.h"
#include "tools/capture/prof.h"

enum { BUILD_ID_PLACE = 2 * CAPTURE_BUILD_ID_MOST + sizeof "/.build-id//.debug" };

/* What the threads share, each of which works on one file at a time. They take nothing from the arena. */
struct task {
    struct prof *p;
    struct capture_wish wish;
    char **debug_path;  /* for each file the path of its debug file; malloc; NULL: none */
    char **other_debug; /* the same for prof_file.other_debug */
};

static void note(struct error **to, const struct error *e)
{
    if (!*to)
        *to = prof_must(malloc(sizeof **to));
    **to = *e;
}

/* ---- debug files ---- */

/* Limits for computing a checksum. No debug file is as large as CRC_MOST, but a sparse file can claim to be. A file
 * above CRC_ALWAYS, which takes more than a moment, must have blocks for 1/CRC_TIMES of its size. Files have that also
 * where the file system compresses. */
#define CRC_MOST   (UINT64_C(1) << 36)
#define CRC_ALWAYS (UINT64_C(1) << 28)
enum { CRC_TIMES = 32 };

static bool is_as_large_as_it_says(const struct stat *st)
{
    const uint64_t size = (uint64_t)st->st_size;
    return size < CRC_MOST && (size <= CRC_ALWAYS || size / S_BLKSIZE / CRC_TIMES <= (uint64_t)st->st_blocks);
}

/* Computes zlib's CRC of a file. False where the file is not worth it, or cannot be read, which sets the error. */
static bool compute_crc(const char *path, uint32_t *crc, struct error *e)
{
    static const size_t size = 1 << 18;
    const int fd = prof_open_regular(path);
    unsigned char *const block = prof_must(malloc(size));
    uLong sum = crc32(0, NULL, 0);
    struct stat st;
    ssize_t n = -1;
    const bool worthwhile = fd >= 0 && fstat(fd, &st) == 0 && is_as_large_as_it_says(&st);
    while (worthwhile && (n = whole_read(fd, block, size)) > 0)
        sum = crc32(sum, block, (uInt)n);
    if (worthwhile && n < 0)
        error_errno(e, path, "cannot be read for its checksum");
    free(block);
    if (fd >= 0)
        close(fd);
    *crc = (uint32_t)sum;
    return n == 0;
}

/* A search by .gnu_debuglink: the library as captured, its real path, and what is found. */
struct search {
    const struct capture *c;
    const char *library;
    char *path;  /* PATH_MAX bytes: the debug file */
    char *other; /* PATH_MAX bytes: the first file of that name with another checksum; "": none */
    struct error **remark;
};

/* Whether the file at s->path has the checksum that .gnu_debuglink states. Such a name may be the library's own. */
static bool is_debug_file(struct search *s)
{
    uint32_t crc;
    struct error e = {0};
    const bool is_known = access(s->path, R_OK) == 0 && compute_crc(s->path, &crc, &e);
    if (e.code)
        note(s->remark, &e);
    if (!is_known)
        return false;
    if (crc != s->c->links.debuglink_crc && !*s->other && strcmp(s->path, s->library) != 0)
        strcpy(s->other, s->path);
    return crc == s->c->links.debuglink_crc;
}

/* Where in a directory the build-id leads. */
static bool build_id_place(const struct capture *c, char place[BUILD_ID_PLACE])
{
    char digits[2 * CAPTURE_BUILD_ID_MOST + 1];
    if (c->links.build_id_size < 2)
        return false;
    for (size_t i = 0; i < c->links.build_id_size; i++)
        snprintf(digits + 2 * i, 3, "%02x", c->links.build_id[i]);
    snprintf(place, BUILD_ID_PLACE, "/.build-id/%.2s/%s.debug", digits, digits + 2);
    return true;
}

static bool find_by_build_id(const struct capture *c, const char *directory, char *path)
{
    char place[BUILD_ID_PLACE];
    return build_id_place(c, place) && snprintf(path, PATH_MAX, "%s%s", directory, place) < PATH_MAX &&
           access(path, R_OK) == 0;
}

/* Whether the path, which may come from a manifest, ends where the build-id leads. */
static bool is_at_build_id(const struct capture *c, const char *path)
{
    char place[BUILD_ID_PLACE];
    const size_t length = strlen(path);
    return build_id_place(c, place) && length > strlen(place) && strcmp(path + length - strlen(place), place) == 0;
}

/* After a failure `other` has a file with another checksum, if there is one; else "". */
static bool find_by_link(const struct prof *p, struct prof_file *file, char *path, char *other)
{
    char real[PATH_MAX], directory[PATH_MAX];
    const struct capture *const c = &file->capture;
    struct search s = {c, real, path, other, &file->remark};
    if (!c->links.debuglink || strchr(c->links.debuglink, '/') || !realpath(file->path, real))
        return false;
    strcpy(directory, real);
    *strrchr(directory, '/') = '\0';
    static const char *const beside[] = {"", "/.debug"};
    for (size_t i = 0; i < 2; i++) {
        if (snprintf(path, PATH_MAX, "%s%s/%s", directory, beside[i], c->links.debuglink) < PATH_MAX &&
            is_debug_file(&s))
            return true;
    }
    for (size_t i = 0; i < p->options.debug_dirs; i++) {
        /* The library may stand in a copy of the system: /copy/usr/lib/liba.so. */
        for (const char *within = directory; within; within = *within ? strchr(within + 1, '/') : NULL) {
            if (snprintf(path, PATH_MAX, "%s%s/%s", p->options.debug_dir[i], within, c->links.debuglink) < PATH_MAX &&
                is_debug_file(&s))
                return true;
        }
        if (snprintf(path, PATH_MAX, "%s/%s", p->options.debug_dir[i], c->links.debuglink) < PATH_MAX &&
            is_debug_file(&s))
            return true;
    }
    return false;
}

static bool find_debug_file(const struct prof *p, struct prof_file *file, char *path, char *other)
{
    *other = '\0';
    for (size_t i = 0; i < p->options.debug_dirs; i++) {
        if (find_by_build_id(&file->capture, p->options.debug_dir[i], path))
            return true;
    }
    return find_by_link(p, file, path, other);
}

static void add_debug_file(struct task *t, struct prof_file *file, const char *path, uint32_t index)
{
    struct capture debug;
    struct error e;
    const struct prof_state state = prof_state_of(path);
    bool ok = capture_read(path, &t->wish, &debug, &e) && prof_unchanged(path, &state, &e) &&
              capture_add_debug_file(&file->capture, &debug, path, &e);
    capture_free(&debug);
    if (!ok)
        note(&file->remark, &e);
    else if (file->capture.debug_file) {
        t->debug_path[index] = prof_must(strdup(path));
        file->by_build_id = is_at_build_id(&file->capture, path);
        file->state = state;
    }
}

bool prof_is_debug_dir(const char *path, struct error *e)
{
    struct stat st;
    char reason[128];
    int number = stat(path, &st) != 0 ? errno : !S_ISDIR(st.st_mode) ? ENOTDIR : access(path, X_OK) != 0 ? errno : 0;
    return number == 0 || error_set(e, ERROR_USAGE, "--debug-dir: '%s' is no directory that can be searched: %s", path,
                                    strerror_r(number, reason, sizeof reason));
}

/* ---- files ---- */

/* Whether a file that was found in a directory is the application's: a shared object with code of its own that a 64-bit
 * process could load. */
static bool is_shared_object(const struct capture *c)
{
    return c->kind.library && c->kind.wide && !c->kind.executable && !c->kind.debug_only;
}

/* Whether the file is a script of Python, by its name or by its first line. */
static bool is_python(const char *path, const char *start, ssize_t n)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".py") == 0)
        return true;
    const char *line = n > 2 && memcmp(start, "#!", 2) == 0 ? memchr(start, '\n', (size_t)n) : NULL;
    return line && memmem(start, (size_t)(line - start), "python", 6);
}

/* Corrects the error for an operand that is a profile or a script and no ELF file. */
static void advise(const char *path, struct error *e)
{
    char start[256];
    ssize_t n;
    if (strcmp(e->text, "is not an ELF file") != 0 || !file_begin(path, start, sizeof start, &n))
        return;
    if (is_python(path, start, n))
        error_set(e, ERROR_INPUT, "is a Python script; give --python before it to capture what it imports");
    else if (n > 2 && start[0] == '#' && start[1] == '!')
        error_set(e, ERROR_INPUT, "is a script; give the program that it starts, or capture a run of it with --run");
    else if (file_begin_is_profile(start, n))
        error_set(e, ERROR_INPUT, "is a profile already; --explain says what is in it");
    else
        return;
    error_at(e, path, 0);
}

static bool capture_one(void *context, unsigned worker, uint32_t index, struct error *unused)
{
    struct task *t = context;
    struct prof_file *file = &t->p->file[index];
    struct error e;
    char path[PATH_MAX], other[PATH_MAX];
    (void)worker, (void)unused;
    if (file->failed)
        return true;
    file->state = prof_state_of(file->path);
    const bool well = capture_read(file->path, &t->wish, &file->capture, &e);
    if (!well)
        advise(file->path, &e);
    if (!prof_unchanged(file->path, &file->state, &e) || !well) {
        note(&file->failed, &e);
        return true;
    }
    const struct capture *c = &file->capture;
    if (!file->given && !is_shared_object(c)) {
        file->left_out = true;
    } else if (c->kind.core) {
        error_set(&e, ERROR_INPUT,
                  "is a core file, and no library or program; pyelfprof CORE, without --exec, captures "
                  "what its process had loaded");
        error_at(&e, file->path, 0);
        note(&file->failed, &e);
    } else if (c->kind.debug_only && t->p->options.output) { /* no set could be made of it */
        error_set(&e, ERROR_INPUT, "has debug information alone, and no code; give the file that it belongs to");
        error_at(&e, file->path, 0);
        note(&file->failed, &e);
    } else if (!c->has_symtab || c->mix[MIX_INFO] == 0) {
        if (file->debug_path)
            add_debug_file(t, file, file->debug_path, index);
        else if (find_debug_file(t->p, file, path, other))
            add_debug_file(t, file, path, index);
        else if (*other)
            t->other_debug[index] = prof_must(strdup(other));
    }
    return true;
}

unsigned prof_threads(void)
{
    const unsigned n = workers_processors();
    return n < 16 ? n : 16;
}

/* Complains of files that failed, and closes the gaps that they and the files left out leave. */
static void keep_good(struct prof *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        struct prof_file *file = &p->file[i];
        if (file->failed) {
            prof_complain(p, file->failed);
            p->unreadable++;
        } else if (file->remark) {
            prof_complain(p, file->remark);
        }
        bool good = !file->failed && !file->left_out;
        free(file->failed);
        free(file->remark);
        file->failed = file->remark = NULL;
        if (good)
            p->file[kept++] = *file;
        else
            capture_free(&file->capture);
    }
    p->count = kept;
}

void prof_capture(struct prof *p)
{
    struct task t = {.p = p,
                     .wish = {.compress = !p->options.summary && !p->options.no_dwarf,
                              .full = p->options.full,
                              .keep = p->options.keep}};
    t.debug_path = prof_must(calloc(p->count + 1, sizeof *t.debug_path));
    t.other_debug = prof_must(calloc(p->count + 1, sizeof *t.other_debug));
    workers_run(prof_threads(), (uint32_t)p->count, capture_one, &t, NULL);
    for (size_t i = 0; i < p->count; i++) {
        p->file[i].debug_path = t.debug_path[i] ? prof_copy(p, t.debug_path[i]) : NULL;
        p->file[i].other_debug = t.other_debug[i] ? prof_copy(p, t.other_debug[i]) : NULL;
        free(t.debug_path[i]);
        free(t.other_debug[i]);
    }
    free(t.debug_path);
    free(t.other_debug);
    keep_good(p);
    for (size_t i = 0; i < p->count; i++) {
        histogram_add(&p->functions, &p->file[i].capture.functions);
        histogram_add(&p->name_lengths, &p->file[i].capture.name_lengths);
    }
}
