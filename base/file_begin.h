/* What a file begins with: enough to tell what it is.
 *
 * The path may lead anywhere: opening waits for nobody at the other end of a FIFO,
 * and takes no terminal.
 */
#ifndef BASE_FILE_BEGIN_H
#define BASE_FILE_BEGIN_H

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

/* Reads up to `size` bytes of it; *got is how many, or -1 where it cannot be read. False,
 * with errno and *got -1, where it cannot even be opened. */
bool file_begin(const char *path, void *begin, size_t size, ssize_t *got);

/* Whether it begins as ELF files do. */
static inline bool file_begin_is_elf(const void *begin, ssize_t got)
{
    return got >= SELFMAG && memcmp(begin, ELFMAG, SELFMAG) == 0;
}

/* Whether this could be the beginning of a profile, which may begin with comments. */
static inline bool file_begin_is_profile(const void *begin, ssize_t got)
{
    static const char key[] = "pyelfgen-profile:";
    return got > 0 && memmem(begin, (size_t)got, key, sizeof key - 1);
}

#endif
