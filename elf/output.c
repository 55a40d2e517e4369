/* See output.h. */
#include "elf/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/workers.h"

#ifndef MADV_POPULATE_READ /* Linux 5.14; older ones refuse it */
#define MADV_POPULATE_READ 22
#endif

bool output_begin(struct output *o, int directory, const char *name, const char *path, uint64_t size, struct error *e)
{
    *o = (struct output){.fd = -1, .directory = directory, .name = name, .path = path};
    snprintf(o->temporary, sizeof o->temporary, ".%s.tmp", name);
    o->fd = openat(directory, o->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0777);
    if (o->fd < 0)
        return error_errno(e, path, "cannot create the file");
    if (ftruncate(o->fd, (off_t)size) == 0)
        return true;
    error_errno(e, path, "cannot write the file");
    return output_end(o, false, NULL);
}

/* Slices are what file systems allocate well, and let other threads in between. */
enum { SLICE = 1 << 20, STRETCH = 1 << 23, READERS_MOST = 3 };

bool output_write(const struct output *o, const void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    const uint8_t *p = bytes;
    while (size) {
        const uint64_t rest = SLICE - offset % SLICE;
        const ssize_t n = pwrite(o->fd, p, size < rest ? size : rest, (off_t)offset);
        if (n <= 0) {
            if (n < 0 && errno == EINTR)
                continue;
            if (n == 0)
                errno = ENOSPC;
            return error_errno(e, o->path, "cannot write the file");
        }
        p += n;
        offset += (uint64_t)n;
        size -= (uint64_t)n;
    }
    return true;
}

/* A stretch of the file in memory, not copied; MAP_FAILED where that cannot be. All of its
 * pages are there: what could not be read fails here, and not where it is looked at. */
static void *map_stretch(const struct output *o, uint64_t size, uint64_t offset)
{
    void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, o->fd, (off_t)offset);
    if (p == MAP_FAILED || madvise(p, size, MADV_POPULATE_READ) == 0)
        return p;
    munmap(p, size);
    return MAP_FAILED;
}

static bool read_stretch(const struct output *o, uint8_t *p, uint64_t size, uint64_t offset, struct error *e)
{
    while (size) {
        const ssize_t n = pread(o->fd, p, size, (off_t)offset);
        if (n <= 0) {
            if (n < 0 && errno == EINTR)
                continue;
            if (n == 0)
                errno = EIO;
            return error_errno(e, o->path, "cannot read the file back");
        }
        p += n;
        offset += (uint64_t)n;
        size -= (uint64_t)n;
    }
    return true;
}

/* Threads that read: while one takes a stretch, the others get the next ones. */
struct reading {
    const struct output *o;
    uint64_t size;
    output_take *take;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint32_t turn; /* the stretch that is next to be taken */
    bool failed;
};

/* Waits until all stretches before this one have been taken; false where one never will be. */
static bool await_turn(struct reading *r, uint32_t index)
{
    pthread_mutex_lock(&r->lock);
    while (r->turn != index && !r->failed)
        pthread_cond_wait(&r->moved, &r->lock);
    const bool ok = !r->failed;
    pthread_mutex_unlock(&r->lock);
    return ok;
}

static void end_turn(struct reading *r, bool ok)
{
    pthread_mutex_lock(&r->lock);
    r->turn++;
    r->failed = r->failed || !ok;
    pthread_cond_broadcast(&r->moved);
    pthread_mutex_unlock(&r->lock);
}

static bool copy_stretch(struct reading *r, uint32_t index, uint64_t size, uint64_t offset, struct error *e)
{
    uint8_t *copy = malloc(size);
    bool ok = copy ? read_stretch(r->o, copy, size, offset, e)
                   : error_set(e, ERROR_MEMORY, "out of memory for reading a file back");
    if (await_turn(r, index) && ok)
        r->take(r->context, copy, size);
    free(copy);
    end_turn(r, ok);
    return ok;
}

static bool take_stretch(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct reading *r = context;
    const uint64_t at = (uint64_t)index * STRETCH;
    const uint64_t size = r->size - at < STRETCH ? r->size - at : STRETCH;
    void *p = map_stretch(r->o, size, at);
    (void)worker;
    if (p == MAP_FAILED)
        return copy_stretch(r, index, size, at, e);
    if (await_turn(r, index))
        r->take(r->context, p, size);
    munmap(p, size);
    end_turn(r, true);
    return true;
}

bool output_read(const struct output *o, uint64_t size, unsigned threads, output_take *take, void *context,
                 struct error *e)
{
    struct reading r = {
        .o = o,
        .size = size,
        .take = take,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .moved = PTHREAD_COND_INITIALIZER,
    };
    const uint32_t stretches = (uint32_t)((size + STRETCH - 1) / STRETCH);
    const bool ok = workers_run(threads < READERS_MOST ? threads : READERS_MOST, stretches, take_stretch, &r, e);
    pthread_cond_destroy(&r.moved);
    pthread_mutex_destroy(&r.lock);
    return ok;
}

bool output_write_headers(const struct output *o, const struct layout *l, struct error *e)
{
    const uint64_t end = l->section[SECTION_SHSTRTAB].offset;
    uint8_t head[LAYOUT_HEAD_MOST];
    uint8_t *tail = calloc(l->file_size - end, 1);
    if (!tail)
        return error_set(e, ERROR_MEMORY, "out of memory for section headers");
    const uint64_t size = layout_write_head(l, head);
    layout_write_tail(l, tail);
    bool ok = output_write(o, head, size, 0, e) && output_write(o, tail, l->file_size - end, end, e);
    free(tail);
    return ok;
}

bool output_end(struct output *o, bool whole, struct error *e)
{
    if (o->fd < 0)
        return false;
    if (close(o->fd) != 0 && whole)
        whole = error_errno(e, o->path, "cannot write the file");
    o->fd = -1;
    if (whole && renameat(o->directory, o->temporary, o->directory, o->name) != 0)
        whole = error_errno(e, o->path, "cannot give the file its name");
    if (!whole)
        unlinkat(o->directory, o->temporary, 0);
    return whole;
}
