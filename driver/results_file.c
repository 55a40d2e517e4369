/* The file of --json: beside its name first, then under it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/results.h"

/* What is renamed at the end, and onto what. */
struct target {
    char path[PATH_MAX]; /* behind symbolic links */
    char temporary[PATH_MAX + 8];
};

/* Devices and pipes would be replaced by the file. */
static bool find_target(struct target *t, const char *path, struct error *e)
{
    struct stat st;
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            error_set(e, ERROR_USAGE, "is no regular file; give another name for the results");
            return error_at(e, path, 0);
        }
        if (!realpath(path, t->path))
            return error_errno(e, path, "cannot be found");
    } else if (strlen(path) < sizeof t->path) {
        strcpy(t->path, path);
    } else {
        errno = ENAMETOOLONG;
        return error_errno(e, path, "cannot be written");
    }
    snprintf(t->temporary, sizeof t->temporary, "%s.XXXXXX", t->path);
    return true;
}

/* Opens the temporary file with the rights that a new file would have; -1, with
 * `e` filled, where there can be none. */
static int make_temporary(struct target *t, const char *path, struct error *e)
{
    if (!find_target(t, path, e))
        return -1;
    int fd = mkostemp(t->temporary, O_CLOEXEC);
    if (fd < 0) {
        error_errno(e, path, "cannot be written; choose another directory for the results");
        return -1;
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fd;
}

bool results_can_save(const char *path, struct error *e)
{
    struct target t;
    int fd = make_temporary(&t, path, e);
    if (fd < 0)
        return false;
    close(fd);
    unlink(t.temporary);
    return true;
}

/* Whether all of it has come to the disk, or the error is set. */
static bool finish(FILE *f, const char *path, struct error *e)
{
    /* Some file systems have no fsync, and do without. */
    const bool well = fflush(f) == 0 && !ferror(f) && (fsync(fileno(f)) == 0 || errno == EINVAL);
    const int number = errno;
    const bool closed = fclose(f) == 0;
    if (!well)
        errno = number;
    return (well && closed) || error_errno(e, path, "cannot be written; make room, and run again");
}

bool results_save(const struct results *r, const char *path, struct error *e)
{
    struct target t;
    int fd = make_temporary(&t, path, e);
    if (fd < 0)
        return false;
    FILE *f = fdopen(fd, "w");
    bool well = f != NULL;
    if (well) {
        results_write_json(r, f);
        well = finish(f, path, e);
    } else {
        error_errno(e, path, "cannot be written");
        close(fd);
    }
    if (well && rename(t.temporary, t.path) != 0)
        well = error_errno(e, path, "cannot be written; choose another directory for the results");
    if (!well)
        unlink(t.temporary);
    return well;
}
