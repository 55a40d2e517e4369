/* See directory.h. */
#include "base/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int directory_each(int at, const char *name, directory_function *visit, void *context)
{
    const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *const d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        const int number = errno;
        if (fd >= 0)
            close(fd);
        return number;
    }
    bool goes_on = true;
    int number = 0;
    while (goes_on) {
        errno = 0;
        const struct dirent *const entry = readdir(d);
        number = entry ? 0 : errno;
        if (!entry)
            break;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            goes_on = visit(context, fd, entry->d_name);
    }
    closedir(d);
    return number;
}
