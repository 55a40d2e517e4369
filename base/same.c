/* See same.h. */
#include "base/same.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"

enum { SLICE = 1 << 14 }; /* bytes compared at a time, on the stack */

int same_open(int directory, const char *name, uint64_t size)
{
    struct stat st;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != size)) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool read_piece(int fd, uint8_t *bytes, size_t size, uint64_t offset)
{
    return whole_read_at(fd, bytes, size, offset) == (ssize_t)size;
}

static size_t slice_at(uint64_t at, uint64_t size)
{
    return size - at < SLICE ? (size_t)(size - at) : SLICE;
}

bool same_piece(int fd, const void *bytes, uint64_t size, uint64_t offset)
{
    uint8_t slice[SLICE];
    bool same = true;
    for (uint64_t at = 0; same && at < size; at += SLICE) {
        const size_t n = slice_at(at, size);
        same = read_piece(fd, slice, n, offset + at) && memcmp(slice, (const uint8_t *)bytes + at, n) == 0;
    }
    return same;
}

/* Adds the permissions that the file lacks. It keeps any others, because somebody wanted these. If they cannot be
 * added, as on a read-only file system, it is enough that the owner can read and execute the file as `mode` wants. */
bool same_mode(int fd, mode_t mode)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    const mode_t missing = mode & ~st.st_mode & 0777;
    return !missing || fchmod(fd, (st.st_mode | missing) & 07777) == 0 || !(missing & (S_IRUSR | S_IXUSR));
}

bool same_bytes(int directory, const char *name, mode_t mode, const void *bytes, uint64_t size)
{
    const int there = same_open(directory, name, size);
    const bool same = there >= 0 && same_piece(there, bytes, size, 0) && same_mode(there, mode);
    if (there >= 0)
        close(there);
    return same;
}

bool same_file(int directory, const char *name, int fd)
{
    uint8_t slice[SLICE];
    uint8_t wanted[SLICE];
    struct stat st;
    const int there = fstat(fd, &st) == 0 ? same_open(directory, name, (uint64_t)st.st_size) : -1;
    bool same = there >= 0;
    for (uint64_t at = 0; same && at < (uint64_t)st.st_size; at += SLICE) {
        const size_t n = slice_at(at, (uint64_t)st.st_size);
        same = read_piece(there, slice, n, at) && read_piece(fd, wanted, n, at) && memcmp(slice, wanted, n) == 0;
    }
    same = same && same_mode(there, st.st_mode);
    if (there >= 0)
        close(there);
    return same;
}

bool same_place(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}
