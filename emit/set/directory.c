/* See directory.h.
 *
 * The lock is by flock(2) and not by fcntl(2): write locks of fcntl(2) need a descriptor that is open for writing,
 * which a directory never is.
 */
#include "emit/set/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/manifest.h"
#include "base/process.h"

/* How often a directory may vanish while it is opened: other runs may fail one after the other, and each removes the
 * directory that it has made. */
enum { TRIES = 100 };

/* Whether another run holds the lock. Any other error means that the file system has no locks. */
static bool is_taken(int directory)
{
    int locked;
    do
        locked = flock(directory, LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    return locked != 0 && errno == EWOULDBLOCK;
}

/* Sets the error for a directory that cannot be opened. It does not stay if this run has made it. */
static void cannot_open(const char *path, bool made, struct error *e)
{
    const int number = errno;
    if (made)
        rmdir(path);
    errno = number;
    if (errno != ENOTDIR) {
        error_errno(e, path, "cannot open the directory");
        return;
    }
    error_set(e, ERROR_SYSTEM, "is a file; give another name");
    error_at(e, path, 0);
}

/* Whether another run has removed the directory since it was opened. */
static bool is_removed(int directory)
{
    struct stat st;
    return fstat(directory, &st) == 0 && st.st_nlink == 0;
}

static int refuse(int directory, const char *path, struct error *e)
{
    error_set(
        e, ERROR_SYSTEM,
        "another pyelfgen is writing a set there, or with --alone another rank of this one; wait for its end, or give "
        "each a directory of its own");
    error_at(e, path, 0);
    close(directory);
    return -1;
}

static bool is_there(const char *path, size_t length)
{
    char directory[DIRECTORY_PATH_MOST];
    snprintf(directory, sizeof directory, "%.*s", (int)length, path);
    return access(directory, F_OK) == 0;
}

/* Whether a directory cannot be made there, by this user. */
static bool is_elsewhere(int number)
{
    return number == EROFS || number == EACCES || number == EPERM || number == ENOTDIR;
}

/* Sets the error for a directory that cannot be made. If its parent is not there, the message names the parent. The
 * parent is not made, because its name may be a typing error. */
static void cannot_make(const char *path, struct error *e)
{
    const int number = errno;
    char what[DIRECTORY_PATH_MOST + 64] = "cannot make the directory";
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (number == ENOENT && length > 0 && length < DIRECTORY_PATH_MOST)
        snprintf(what, sizeof what,
                 is_there(path, length) ? "cannot make a directory in %.*s; give another"
                                        : "cannot make the directory; make %.*s first",
                 (int)length, path);
    else if (is_elsewhere(number))
        snprintf(what, sizeof what, "cannot make the directory; give another");
    errno = number;
    error_errno(e, path, what);
}

static int take(const char *path, bool *made, struct error *e)
{
    for (unsigned tries = 0;; tries++) {
        *made = mkdir(path, 0777) == 0;
        if (!*made && errno != EEXIST) {
            cannot_make(path, e);
            return -1;
        }
        int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0 && (errno != ENOENT || tries == TRIES)) {
            cannot_open(path, *made, e);
            return -1;
        }
        if (directory >= 0 && is_taken(directory))
            return refuse(directory, path, e);
        if (directory >= 0 && (!is_removed(directory) || tries == TRIES))
            return directory;
        if (directory >= 0)
            close(directory);
    }
}

static void look_for_manifest(struct directory *d)
{
    d->manifest = d->fd >= 0 && faccessat(d->fd, MANIFEST_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool directory_open(struct directory *d, const char *path, bool force, struct error *e)
{
    *d = (struct directory){.path = path, .umask = process_umask(), .force = force};
    pthread_mutex_init(&d->lock, NULL);
    d->fd = take(path, &d->made, e);
    look_for_manifest(d);
    return d->fd >= 0;
}

bool directory_join(struct directory *d, const char *path, bool force, struct error *e)
{
    *d = (struct directory){.path = path, .umask = process_umask(), .force = force};
    pthread_mutex_init(&d->lock, NULL);
    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    look_for_manifest(d);
    return d->fd >= 0 || error_errno(e, path, "cannot open the directory");
}

bool directory_change(struct directory *d, struct error *e)
{
    bool ok = true;
    pthread_mutex_lock(&d->lock);
    if (d->manifest) {
        ok = unlinkat(d->fd, MANIFEST_FILE, 0) == 0 || errno == ENOENT ||
             error_errno(e, d->path, "cannot remove the old " MANIFEST_FILE);
        d->manifest = !ok;
    }
    pthread_mutex_unlock(&d->lock);
    return ok;
}

void directory_path(const struct directory *d, const char *name, char path[DIRECTORY_PATH_MOST])
{
    snprintf(path, DIRECTORY_PATH_MOST, "%s/%s", d->path, name);
}

void directory_close(struct directory *d)
{
    if (d->fd >= 0)
        close(d->fd);
    pthread_mutex_destroy(&d->lock);
}
