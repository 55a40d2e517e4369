/* The input of a fuzzer as a file, for readers that want a path. */
#ifndef TESTS_FUZZ_FILE_H
#define TESTS_FUZZ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file {
    int fd;
    char path[64]; /* valid while fd is open */
};

/* Makes a file in memory with these bytes. The caller closes its fd. False, with nothing open, if that fails. */
static inline bool fuzz_file_make(struct fuzz_file *f, const uint8_t *data, size_t size)
{
    f->fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (f->fd < 0 || write(f->fd, data, size) != (ssize_t)size) {
        close(f->fd);
        return false;
    }
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    return true;
}

#endif
