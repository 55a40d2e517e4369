/* Compares a set with its manifest; see set.h. Every file must be there, usable, with its size and digest. No other
 * library or executable may be there; driver.py is neither. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/executable.h"
#include "base/manifest.h"
#include "base/whole.h"
#include "base/workers.h"
#include "emit/plan/digest.h"
#include "emit/set/ranks.h"
#include "emit/set/set.h"
#include "emit/set/share.h"
#include "emit/set/tidy.h"

enum { READ_SLICE = 1 << 18 };

/* A set that is being verified. */
struct check {
    const char *path;
    int directory;
    struct manifest manifest;
    struct progress *progress;
    struct ranks *ranks;
    struct share share;        /* items that this rank compares */
    struct set_faults *faults; /* NULL: it ends at the first */
    pthread_mutex_t lock;      /* guards *faults */
    unsigned char *buffers;    /* READ_SLICE for each thread */
};

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for verifying the set");
}

/* --- what is in the directory --------------------------------------------------------- */

/* Whether `name` looks like that of a library or executable, but is none of the set's. `names` are those of the set's
 * libraries, sorted. */
static bool is_unlisted(const struct manifest *m, const char **names, const char *name)
{
    if (strcmp(name, EXECUTABLE_LINK) == 0)
        return !manifest_executable(m, MANIFEST_LINK);
    if (strcmp(name, EXECUTABLE_STATIC) == 0)
        return !manifest_executable(m, MANIFEST_STATIC);
    return tidy_looks_like_library(name) && (m->joined || !manifest_lists(names, m->count, name));
}

/* A search for the first such name in the order of strcmp. */
struct unlisted {
    const struct manifest *manifest;
    const char **names;
    char found[256]; /* "" when there is none */
};

static bool take_unlisted(void *context, int directory, const char *name)
{
    struct unlisted *const u = context;
    (void)directory;
    if ((!u->found[0] || strcmp(name, u->found) < 0) && is_unlisted(u->manifest, u->names, name))
        snprintf(u->found, sizeof u->found, "%s", name);
    return true;
}

static bool check_directory(const struct check *c, struct error *e)
{
    const struct manifest *m = &c->manifest;
    struct unlisted u = {.manifest = m, .names = manifest_names(m)};
    if (!u.names)
        return no_memory(e);
    errno = directory_each(c->directory, ".", take_unlisted, &u);
    bool ok = errno == 0 || error_errno(e, c->path, "cannot read the directory");
    free(u.names);
    if (ok && u.found[0]) {
        ok = error_set(
            e, ERROR_MISMATCH, "%s is not in the manifest%s; remove it from the set", u.found,
            m->joined && tidy_looks_like_library(u.found) ? ", which has no libraries but in " EXECUTABLE_STATIC : "");
        error_at(e, c->path, 0);
    }
    return ok;
}

/* --- what is in the files ------------------------------------------------------------- */

/* Digests a file that should have `size` bytes. *there becomes its size, or some number above `size` where it is
 * longer. False only where the system refuses. */
static bool digest_file(int fd, unsigned char *buffer, uint64_t size, uint64_t *there, uint64_t digest[2])
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return false;
    XXH3_128bits_reset(state);
    ssize_t n;
    *there = 0;
    while (*there <= size && (n = whole_read(fd, buffer, READ_SLICE)) != 0) {
        if (n < 0) {
            XXH3_freeState(state);
            return false;
        }
        XXH3_128bits_update(state, buffer, (size_t)n);
        *there += (uint64_t)n;
    }
    XXH128_hash_t h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    digest[0] = h.high64;
    digest[1] = h.low64;
    return true;
}

static bool check_content(int fd, const struct manifest_file *f, unsigned char *buffer, struct error *e)
{
    struct stat st;
    uint64_t size;
    uint64_t digest[2] = {0};
    if (fstat(fd, &st) != 0)
        return error_errno(e, NULL, "cannot examine the file");
    if (!S_ISREG(st.st_mode))
        return error_set(e, ERROR_MISMATCH, "is not a regular file; remove it, and generate the set again");
    size = (uint64_t)st.st_size;
    if (size == f->size && !digest_file(fd, buffer, f->size, &size, digest))
        return error_errno(e, NULL, "cannot read the file");
    if (size != f->size) {
        error_set(e, ERROR_MISMATCH, "has %" PRIu64 " bytes, the manifest says %" PRIu64 "; generate the set again",
                  size, f->size);
        e->wanted = (int64_t)f->size;
        e->possible = (int64_t)size;
        return false;
    }
    if (digest[0] != f->digest[0] || digest[1] != f->digest[1])
        return error_set(e, ERROR_MISMATCH,
                         "is not what was generated: its XXH3-128 differs from the manifest's; generate the set again");
    return true;
}

/* Whether the owner can use the file by its mode. That it could be opened says little: root may read what nobody else
 * may. */
static bool check_mode(int fd, const char *name, struct error *e)
{
    const bool program = strcmp(name, EXECUTABLE_LINK) == 0 || strcmp(name, EXECUTABLE_STATIC) == 0;
    const mode_t needed = program ? S_IRUSR | S_IXUSR : S_IRUSR;
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_errno(e, NULL, "cannot examine the file");
    return (st.st_mode & needed) == needed ||
           error_set(e, ERROR_MISMATCH, "has mode %04o, by which its owner may not %s it; generate the set again",
                     (unsigned)st.st_mode & 07777, st.st_mode & S_IRUSR ? "execute" : "read");
}

static bool check_file(const struct check *c, unsigned worker, const struct manifest_file *f, struct error *e)
{
    char path[sizeof e->file];
    snprintf(path, sizeof path, "%s/%s", c->path, f->name);
    int fd = openat(c->directory, f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (fd < 0 && errno == ELOOP) {
        error_set(e, ERROR_MISMATCH, "is a symbolic link; generate the set again");
        return error_at(e, path, 0);
    }
    if (fd < 0 && errno == ENOENT) {
        error_set(e, ERROR_MISMATCH, "is missing; generate the set again");
        return error_at(e, path, 0);
    }
    if (fd < 0)
        return error_errno(e, path, "cannot open the file");
    bool ok = (check_content(fd, f, c->buffers + (size_t)worker * READ_SLICE, e) && check_mode(fd, f->name, e)) ||
              error_at(e, path, 0);
    close(fd);
    return ok;
}

/* Orders faults by item. One thread looks at all files of an item, in their order, so numbers order faults within an
 * item. */
static int by_order(const void *a, const void *b)
{
    const struct set_fault *p = a;
    const struct set_fault *q = b;
    if (p->item != q->item)
        return p->item < q->item ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

/* Where to put the next fault, which is of this item. The faults that come first in the manifest are kept, whichever
 * thread was first. NULL where there are enough before it. */
static struct set_fault *place_of(struct set_faults *faults, uint32_t item)
{
    if (faults->count < SET_FAULTS_MOST)
        return &faults->fault[faults->count];
    struct set_fault *last = &faults->fault[0];
    for (unsigned i = 1; i < SET_FAULTS_MOST; i++)
        if (by_order(&faults->fault[i], last) > 0)
            last = &faults->fault[i];
    return item < last->item ? last : NULL;
}

/* Lists a file that is wrong; false where the check has to end at it. */
static bool list_fault(struct check *c, uint32_t item, const struct error *e)
{
    if (!c->faults || e->code == ERROR_MEMORY)
        return false;
    pthread_mutex_lock(&c->lock);
    struct set_fault *const place = place_of(c->faults, item);
    if (place)
        *place = (struct set_fault){item, c->faults->count, *e};
    c->faults->count++;
    pthread_mutex_unlock(&c->lock);
    return true;
}

static bool check_or_list(struct check *c, unsigned worker, uint32_t item, const struct manifest_file *f,
                          struct error *e)
{
    return !f->name || check_file(c, worker, f, e) || list_fault(c, item, e);
}

/* Checks the files of an item: its own, and those with its debug information. */
static bool check_files(struct check *c, unsigned worker, uint32_t item, const struct manifest_file *own,
                        const struct manifest_file *debug, const struct manifest_file *split, size_t count,
                        struct error *e)
{
    if (!check_or_list(c, worker, item, own, e) || !check_or_list(c, worker, item, debug, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!check_or_list(c, worker, item, &split[i], e))
            return false;
    progress_step(c->progress);
    return true;
}

/* Checks one item: items are the libraries, then the executables. */
static bool check_item(void *context, unsigned worker, uint32_t turn, struct error *e)
{
    struct check *c = context;
    const struct manifest *m = &c->manifest;
    const uint32_t index = c->share.item[turn];
    if (worker == 0 && ranks_stopped(c->ranks, e))
        return false;
    if (index < m->count) {
        const struct manifest_library *l = &m->libraries[index];
        return check_files(c, worker, index, &l->file, &l->debug_file, l->split_file, l->split_files, e);
    }
    const struct manifest_executable *x = &m->executables[index - m->count];
    return check_files(c, worker, index, &x->file, &x->debug_file, x->split_file, x->split_files, e);
}

static uint64_t weight_of(const struct manifest_file *own, const struct manifest_file *debug,
                          const struct manifest_file *split, size_t count)
{
    uint64_t bytes = own->size + debug->size;
    for (size_t i = 0; i < count; i++)
        bytes += split[i].size;
    return bytes;
}

static bool divide(struct check *c, struct error *e)
{
    const struct manifest *m = &c->manifest;
    const size_t count = m->count + m->executable_count;
    uint64_t *weight = calloc(count, sizeof *weight);
    for (size_t i = 0; weight && i < m->count; i++) {
        const struct manifest_library *l = &m->libraries[i];
        weight[i] = weight_of(&l->file, &l->debug_file, l->split_file, l->split_files);
    }
    for (size_t i = 0; weight && i < m->executable_count; i++) {
        const struct manifest_executable *x = &m->executables[i];
        weight[m->count + i] = weight_of(&x->file, &x->debug_file, x->split_file, x->split_files);
    }
    const bool ok =
        weight && share_make(&c->share, weight, (uint32_t)count, 0, c->ranks->set_rank, c->ranks->set_count);
    free(weight);
    return ok || no_memory(e);
}

/* Does what has the same result on every rank of a set and does not take long. */
static bool start(struct check *c, struct error *e)
{
    c->directory = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->directory < 0)
        return error_errno(e, c->path, "cannot open the set");
    c->buffers = malloc((size_t)WORKERS_MOST * READ_SLICE);
    if (!c->buffers)
        return no_memory(e);
    return divide(c, e) && check_directory(c, e);
}

/* Whether no file is wrong. If any is, `e` gets the last of those listed, or how many more there are. */
static bool tell_faults(const struct check *c, struct error *e)
{
    struct set_faults *f = c->faults;
    const uint32_t listed = !f ? 0 : f->count < SET_FAULTS_MOST ? f->count : SET_FAULTS_MOST;
    if (!listed)
        return true;
    qsort(f->fault, listed, sizeof *f->fault, by_order);
    if (f->count == listed) {
        *e = f->fault[listed - 1].error;
        return false;
    }
    error_set(e, ERROR_MISMATCH, "%" PRIu32 " more files are not as the manifest says; generate the set again",
              f->count - listed);
    return error_at(e, c->path, 0);
}

static bool check_share(struct check *c, unsigned threads, struct error *e)
{
    c->progress->total = c->share.count;
    const bool ok = workers_run(threads, c->share.count, check_item, c, e) && tell_faults(c, e);
    if (!ok)
        ranks_tell(c->ranks, e);
    return ok;
}

bool set_verify(const char *path, unsigned threads, struct ranks *ranks, struct progress *progress,
                struct set_faults *faults, struct error *e)
{
    struct check c = {.path = path,
                      .directory = -1,
                      .progress = progress,
                      .ranks = ranks,
                      .faults = ranks->launched ? NULL : faults,
                      .lock = PTHREAD_MUTEX_INITIALIZER};
    *faults = (struct set_faults){0};
    const bool read = manifest_read(&c.manifest, path, NULL, e);
    const bool ok = ranks_agree(ranks, read && start(&c, e), e) && ranks_agree(ranks, check_share(&c, threads, e), e);
    if (c.directory >= 0)
        close(c.directory);
    share_free(&c.share);
    free(c.buffers);
    if (read)
        manifest_free(&c.manifest);
    return ok;
}
