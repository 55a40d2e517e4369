/* See text_file.h. */
#include "emit/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/same.h"

static bool write_bytes(int fd, const struct bytes *text)
{
    for (size_t at = 0; at < text->size;) {
        ssize_t n = write(fd, text->data + at, text->size - at);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool text_file_write(int directory, const char *name, const char *path, const struct bytes *text, struct error *e)
{
    char temporary[300];
    if (same_bytes(directory, name, text->data, text->size))
        return true;
    snprintf(temporary, sizeof temporary, ".%s.tmp", name);
    int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return error_errno(e, path, "cannot create the file");
    bool ok = write_bytes(fd, text) || error_errno(e, path, "cannot write the file");
    if (close(fd) != 0 && ok)
        ok = error_errno(e, path, "cannot write the file");
    if (ok && renameat(directory, temporary, directory, name) != 0)
        ok = error_errno(e, path, "cannot give the file its name");
    if (!ok)
        unlinkat(directory, temporary, 0);
    return ok;
}
