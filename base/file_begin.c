/* See file_begin.h. */
#include "base/file_begin.h"

#include <fcntl.h>
#include <unistd.h>

bool file_begin(const char *path, void *begin, size_t size, ssize_t *got)
{
    *got = -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    *got = pread(fd, begin, size, 0);
    close(fd);
    return true;
}

bool file_is_profile(const char *path)
{
    char begin[FILE_BEGIN_PROFILE];
    ssize_t got;
    return file_begin(path, begin, sizeof begin, &got) && file_begin_is_profile(begin, got);
}
