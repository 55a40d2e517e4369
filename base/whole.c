/* See whole.h. */
#include "base/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* In both functions `offset` may be NULL: from the current position. */
static ssize_t read_all(int fd, char *to, size_t size, const uint64_t *offset)
{
    size_t done = 0;
    while (done < size) {
        const size_t rest = size - done;
        const ssize_t n = offset ? pread(fd, to + done, rest, (off_t)(*offset + done)) : read(fd, to + done, rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static bool write_all(int fd, const char *from, size_t size, const uint64_t *offset)
{
    size_t done = 0;
    while (done < size) {
        const size_t rest = size - done;
        const ssize_t n =
            offset ? pwrite(fd, from + done, rest, (off_t)(*offset + done)) : write(fd, from + done, rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

ssize_t whole_read(int fd, void *to, size_t size)
{
    return read_all(fd, to, size, NULL);
}

ssize_t whole_read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return read_all(fd, to, size, &offset);
}

char *whole_read_most(int fd, size_t most, size_t *size)
{
    char *text = NULL;
    size_t capacity = 0;
    *size = 0;
    while (*size == capacity && (!text || capacity < most)) {
        capacity = capacity ? 4 * capacity : 1 << 16;
        capacity = capacity < most ? capacity : most;
        char *const grown = realloc(text, capacity);
        const ssize_t n = grown ? whole_read(fd, grown + *size, capacity - *size) : -1;
        text = grown ? grown : text;
        if (n < 0) {
            const int reason = errno;
            free(text);
            errno = reason;
            return NULL;
        }
        *size += (size_t)n;
    }
    return text;
}

bool whole_write(int fd, const void *from, size_t size)
{
    return write_all(fd, from, size, NULL);
}

bool whole_write_at(int fd, const void *from, size_t size, uint64_t offset)
{
    return write_all(fd, from, size, &offset);
}
