/* Reads and writes whole buffers, where read(2) and write(2) may transfer less than was wanted, or nothing because of a
 * signal. There is no struct error: the caller reports failures, from errno. */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Return how many of `size` bytes were read: fewer only at the end of the file. whole_read begins at the current
 * position, whole_read_at at `offset`. -1 with errno on failure, even if some bytes were read before it. */
ssize_t whole_read(int fd, void *to, size_t size);
ssize_t whole_read_at(int fd, void *to, size_t size, uint64_t offset);

/* Returns what can be read from the current position, `most` bytes of it at most, and sets *size to how many these are.
 * The buffer grows with what is read, so that `most` may be large. The caller frees it. NULL with errno on failure,
 * ENOMEM if there is no memory. */
char *whole_read_most(int fd, size_t most, size_t *size);

/* Whether errno says that there is no room left to write to. */
static inline bool whole_is_full(void)
{
    return errno == ENOSPC || errno == EDQUOT;
}

/* Return whether all `size` bytes were written. If not, some of them may have been, and errno says why; it is ENOSPC if
 * the system took none without an error. */
bool whole_write(int fd, const void *from, size_t size);
bool whole_write_at(int fd, const void *from, size_t size, uint64_t offset);

#endif
