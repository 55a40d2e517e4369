/* See output.h. */
#include "elf/write/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/whole.h"

static bool cannot_write(const char *path, struct error *e)
{
    return error_errno(e, path,
                       whole_is_full() ? "cannot write the file; make room, and run again" : "cannot write the file");
}

bool output_begin(struct output *o, int directory, const char *name, const char *path, mode_t mode, uint64_t size,
                  struct error *e)
{
    *o = (struct output){.fd = -1, .directory = directory, .name = name, .path = path};
    snprintf(o->temporary, sizeof o->temporary, ".%s.tmp", name);
    o->fd = openat(directory, o->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (o->fd < 0)
        return error_errno(e, path,
                           errno == ENOSPC ? "cannot create the file; make room, or see that there are inodes (df -i), "
                                             "and run again"
                                           : "cannot create the file");
    if (!size || ftruncate(o->fd, (off_t)size) == 0)
        return true;
    cannot_write(path, e);
    return output_end(o, false, NULL);
}

/* File systems allocate slices of this size well, and other threads can write between them. */
enum { SLICE = 1 << 20 };

bool output_write(const struct output *o, const void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    const uint8_t *p = bytes;
    while (size) {
        const uint64_t rest = SLICE - offset % SLICE;
        const uint64_t slice = size < rest ? size : rest;
        if (!whole_write_at(o->fd, p, slice, offset))
            return cannot_write(o->path, e);
        p += slice;
        offset += slice;
        size -= slice;
    }
    return true;
}

bool output_read(const struct output *o, void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    const ssize_t n = whole_read_at(o->fd, bytes, size, offset);
    if (n >= 0 && (uint64_t)n == size)
        return true;
    if (n >= 0)
        errno = EIO;
    return error_errno(e, o->path, "cannot read the file back");
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
        whole = cannot_write(o->path, e);
    o->fd = -1;
    if (whole && renameat(o->directory, o->temporary, o->directory, o->name) != 0)
        whole = error_errno(e, o->path, "cannot give the file its name");
    if (!whole)
        unlinkat(o->directory, o->temporary, 0);
    return whole;
}

bool output_whole(int directory, const char *name, const char *path, mode_t mode, const void *bytes, uint64_t size,
                  struct error *e)
{
    struct output o;
    return output_begin(&o, directory, name, path, mode, 0, e) &&
           output_end(&o, output_write(&o, bytes, size, 0, e), e);
}
