/* The first bytes of a file, from which its kind is recognised.
 *
 * The path may lead anywhere. Opening it does not wait for the other end of a FIFO, and does not make a terminal the
 * controlling one.
 */
#ifndef BASE_FILE_BEGIN_H
#define BASE_FILE_BEGIN_H

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

/* Reads up to `size` bytes from the beginning of the file. *got is how many were read; -1 if it cannot be read. False,
 * with errno set and *got -1, if it cannot be opened. */
bool file_begin(const char *path, void *begin, size_t size, ssize_t *got);

/* Whether these bytes begin an ELF file. */
static inline bool file_begin_is_elf(const void *begin, ssize_t got)
{
    return got >= SELFMAG && memcmp(begin, ELFMAG, SELFMAG) == 0;
}

enum { FILE_BEGIN_PROFILE = 4096 }; /* bytes in which a profile's first key is looked for */
/* Whether these bytes may begin a profile. Comments may come before the key. */
static inline bool file_begin_is_profile(const void *begin, ssize_t got)
{
    static const char key[] = "pyelfgen-profile:";
    return got > 0 && memmem(begin, (size_t)got, key, sizeof key - 1);
}

/* Whether the file can be read and begins so. */
bool file_is_profile(const char *path);

#endif
