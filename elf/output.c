/* See output.h. */
#include "elf/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

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
enum { SLICE = 1 << 17, STRETCH = 1 << 24 };

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

bool output_read(const struct output *o, uint64_t size, output_take *take, void *context, struct error *e)
{
    uint8_t *buffer = NULL;
    bool ok = true;
    for (uint64_t at = 0; ok && at < size; at += STRETCH) {
        const uint64_t rest = size - at < STRETCH ? size - at : STRETCH;
        void *p = buffer ? MAP_FAILED : map_stretch(o, rest, at);
        if (p != MAP_FAILED) {
            take(context, p, rest);
            munmap(p, rest);
            continue;
        }
        if (!buffer && !(buffer = malloc(STRETCH)))
            return error_set(e, ERROR_MEMORY, "out of memory for reading a file back");
        ok = read_stretch(o, buffer, rest, at, e);
        if (ok)
            take(context, buffer, rest);
    }
    free(buffer);
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
