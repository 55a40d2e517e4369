/* Reading and writing all of something, where read(2) and write(2) may do less than was wanted, or nothing as a signal
 * came. There is no struct error: what cannot be read or written is the caller's to say, from errno.
 */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How many of `size` bytes were read, from where the descriptor stands or, by the second, from `offset`: fewer only at
 * the end. -1 with errno on failure, whatever was read before. */
ssize_t whole_read(int fd, void *to, size_t size);
ssize_t whole_read_at(int fd, void *to, size_t size, uint64_t offset);

/* Whether errno says that there is no room left to write to. */
static inline bool whole_is_full(void)
{
    return errno == ENOSPC || errno == EDQUOT;
}

/* Whether all `size` bytes were written; errno says why not, ENOSPC also where the system took none and said nothing.
 * Some of them may have been. */
bool whole_write(int fd, const void *from, size_t size);
bool whole_write_at(int fd, const void *from, size_t size, uint64_t offset);

#endif
