#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_begin.h"
#include "base/manifest.h"

bool replacement_is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static bool cannot(const struct replacement *r, struct error *e)
{
    const char *advice = errno == ENOSPC || errno == EDQUOT ? "make room, and run again" : "choose another directory";
    char what[64];
    snprintf(what, sizeof what, "cannot be written; %s", advice);
    return error_errno(e, r->name, what);
}

/* What no program of ours makes as a result; NULL of what may be replaced, and of
 * what cannot be read. */
static const char *who_stays(const char *path)
{
    static const char manifest[] = "{\n  \"" MANIFEST_KEY "\"";
    char begin[sizeof manifest - 1] = "";
    ssize_t size;
    if (!file_begin(path, begin, sizeof begin, &size))
        return NULL;
    if (file_begin_is_elf(begin, size))
        return "a library or program";
    return size == sizeof begin && memcmp(begin, manifest, sizeof begin) == 0 ? "the manifest of a set" : NULL;
}

static bool find_path(struct replacement *r, const char *path, struct error *e)
{
    struct stat st;
    const char *what = NULL;
    snprintf(r->name, sizeof r->name, "%s", path);
    if (strlen(path) >= sizeof r->path) {
        errno = ENAMETOOLONG;
        return cannot(r, e);
    }
    if (stat(path, &st) != 0) {
        strcpy(r->path, path);
    } else if (!S_ISREG(st.st_mode)) {
        error_set(e, ERROR_USAGE, "is %s; give another name", S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
        return error_at(e, path, 0);
    } else if (!realpath(path, r->path)) {
        return cannot(r, e);
    } else if ((what = who_stays(r->path))) {
        error_set(e, ERROR_USAGE, "is %s, which no result replaces; give another name", what);
        return error_at(e, path, 0);
    }
    snprintf(r->temporary, sizeof r->temporary, "%s.XXXXXX", r->path);
    return true;
}

bool replacement_open(struct replacement *r, const char *path, struct error *e)
{
    r->file = NULL;
    if (!find_path(r, path, e))
        return false;
    const int fd = mkostemp(r->temporary, O_CLOEXEC);
    if (fd < 0)
        return cannot(r, e);
    /* mkostemp made it private to the user. */
    const mode_t mask = umask(0);
    umask(mask);
    r->file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (r->file)
        return true;
    cannot(r, e);
    close(fd);
    unlink(r->temporary);
    return false;
}

/* Why what was written some time ago did not go: what goes on writing is told, and it is dropped anyhow. */
static int error_of(int fd)
{
    static const char more[1 << 16];
    errno = 0;
    const ssize_t written = write(fd, more, sizeof more);
    if (written == (ssize_t)sizeof more || (written >= 0 && write(fd, more, sizeof more) >= 0))
        return EIO;
    return errno;
}

/* Whether all of it has come to the disk; errno says why not. */
static bool finish(FILE *f)
{
    errno = 0;
    /* Some file systems have no fsync, and do without. */
    const bool well = fflush(f) == 0 && !ferror(f) && (fsync(fileno(f)) == 0 || errno == EINVAL);
    const int number = well || errno ? errno : error_of(fileno(f));
    const bool closed = fclose(f) == 0;
    if (!well)
        errno = number;
    return well && closed;
}

bool replacement_keep(struct replacement *r, struct error *e)
{
    const bool well = finish(r->file) && rename(r->temporary, r->path) == 0;
    r->file = NULL;
    if (well)
        return true;
    cannot(r, e);
    unlink(r->temporary);
    return false;
}

void replacement_drop(struct replacement *r)
{
    fclose(r->file);
    r->file = NULL;
    unlink(r->temporary);
}

bool replacement_possible(const char *path, struct error *e)
{
    struct replacement r;
    if (!replacement_open(&r, path, e))
        return false;
    replacement_drop(&r);
    return true;
}
