/* See replacement.h. */
#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_begin.h"
#include "base/manifest.h"
#include "base/process.h"
#include "base/whole.h"

bool replacement_is_standard(const char *path)
{
    return path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

/* Finds the path at which a file would be created: follows links, also those that lead to nothing. */
static bool follow(const char *path, char to[PATH_MAX])
{
    enum { LINKS_MOST = 40 }; /* the limit of Linux */
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(to, path);
    for (int links = 0; links <= LINKS_MOST; links++) {
        char next[PATH_MAX];
        const ssize_t length = readlink(to, next, sizeof next);
        if (length < 0)
            return true;
        char *slash = strrchr(to, '/');
        char *name = next[0] == '/' || !slash ? to : slash + 1;
        if (name + length >= to + PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(name, next, (size_t)length);
        name[length] = '\0';
    }
    errno = ELOOP;
    return false;
}

/* Finds where a result of that name goes: the path behind symbolic links. Of a new file only the directory is resolved.
 */
static bool resolve(const char *path, char to[PATH_MAX])
{
    char end[PATH_MAX];
    char directory[PATH_MAX];
    if (realpath(path, to))
        return true;
    if (errno != ENOENT || !follow(path, end))
        return false;
    const char *slash = strrchr(end, '/');
    const char *name = slash ? slash + 1 : end;
    snprintf(directory, sizeof directory, "%.*s", (int)(name - end), end);
    if (!realpath(*directory ? directory : ".", to))
        return false;
    const size_t length = strlen(to);
    return (size_t)snprintf(to + length, PATH_MAX - length, "/%s", name) < PATH_MAX - length;
}

bool replacement_is_same(const char *one, const char *other)
{
    char path[2][PATH_MAX];
    if (replacement_is_standard(one) || replacement_is_standard(other))
        return replacement_is_standard(one) && replacement_is_standard(other);
    if (!resolve(one, path[0]) || !resolve(other, path[1]))
        return strcmp(one, other) == 0;
    return strcmp(path[0], path[1]) == 0;
}

bool replacement_cannot(const struct replacement *r, struct error *e)
{
    const char *advice = whole_is_full()  ? "make room, and run again"
                         : errno == EFBIG ? "raise 'ulimit -f'"
                                          : "choose another directory";
    char what[64];
    snprintf(what, sizeof what, "cannot be written; %s", advice);
    return error_errno(e, r->name, what);
}

/* Names the kind of a file that must not be replaced: it is another kind of file than the result. NULL for a file that
 * may be replaced or cannot be read. */
static const char *who_stays(const char *path, enum result result)
{
    static const char manifest[] = "{\n  \"" MANIFEST_KEY "\"";
    char begin[FILE_BEGIN_PROFILE];
    ssize_t size;
    if (!file_begin(path, begin, sizeof begin, &size))
        return NULL;
    if (file_begin_is_elf(begin, size))
        return "a library or program";
    if (size >= (ssize_t)strlen(manifest) && memcmp(begin, manifest, strlen(manifest)) == 0)
        return "the manifest of a set";
    return result != RESULT_PROFILE && file_begin_is_profile(begin, size) ? "a profile" : NULL;
}

/* Finds the path of the result. `old` describes the file that is replaced; its mode is 0 if there is none. */
static bool find_path(struct replacement *r, const char *path, enum result result, struct stat *old, struct error *e)
{
    const char *what = NULL;
    snprintf(r->name, sizeof r->name, "%s", path);
    if (stat(path, old) != 0) {
        *old = (struct stat){0};
        if (errno != ENOENT || !follow(path, r->path))
            return replacement_cannot(r, e);
    } else if (!S_ISREG(old->st_mode)) {
        error_set(e, ERROR_INPUT, "is %s; give another name",
                  S_ISDIR(old->st_mode) ? "a directory" : "no regular file");
        return error_at(e, path, 0);
    } else if (!realpath(path, r->path)) {
        return replacement_cannot(r, e);
    } else if ((what = who_stays(r->path, result))) {
        error_set(e, ERROR_INPUT, "is %s, which no result replaces; give another name", what);
        return error_at(e, path, 0);
    }
    return true;
}

/* What a signal that ends the program would leave behind; NULL: nothing. Handlers get nothing but a number. */
static const char *_Atomic unfinished;
static sigset_t handled;
static struct sigaction before[NSIG];

static void remove_unfinished(int number)
{
    const char *const path = atomic_load(&unfinished);
    if (path)
        unlink(path);
    sigaction(number, &before[number], NULL);
    raise(number);
}

/* From here on a signal that ends the program removes the file first. */
static void remove_at_end(const char *path, const sigset_t *endings)
{
    const struct sigaction action = {.sa_handler = remove_unfinished, .sa_mask = *endings};
    const char *none = NULL;
    if (!atomic_compare_exchange_strong(&unfinished, &none, path))
        return; /* another one is open */
    handled = *endings;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&handled, number) == 1)
            sigaction(number, &action, &before[number]);
}

static void forget_unfinished(const char *path)
{
    if (atomic_load(&unfinished) != path)
        return;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&handled, number) == 1)
            sigaction(number, &before[number], NULL);
    atomic_store(&unfinished, NULL);
}

/* Makes a temporary file whose name begins with the result's. If that is too long, it gets a short name. */
static int open_temporary(struct replacement *r)
{
    snprintf(r->temporary, sizeof r->temporary, "%s.XXXXXX", r->path);
    const int fd = mkostemp(r->temporary, O_CLOEXEC);
    if (fd >= 0 || errno != ENAMETOOLONG)
        return fd;
    const char *slash = strrchr(r->path, '/');
    const int directory = slash ? (int)(slash + 1 - r->path) : 0;
    snprintf(r->temporary, sizeof r->temporary, "%.*spyelfgen.XXXXXX", directory, r->path);
    return mkostemp(r->temporary, O_CLOEXEC);
}

/* As open_temporary; what ends the program meanwhile waits until it is known what to remove. */
static int open_removable(struct replacement *r)
{
    sigset_t endings, mask;
    process_endings(&endings);
    pthread_sigmask(SIG_BLOCK, &endings, &mask);
    const int fd = open_temporary(r);
    const int number = errno;
    if (fd >= 0)
        remove_at_end(r->temporary, &endings);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = number;
    return fd;
}

static void remove_temporary(const struct replacement *r)
{
    unlink(r->temporary);
    forget_unfinished(r->temporary);
}

/* Sets the permissions and the owner: mkostemp has made the file private to the user. */
static bool set_rights(int fd, const struct stat *old)
{
    struct stat st;
    if (old->st_mode == 0)
        return fchmod(fd, 0666 & ~process_umask()) == 0;
    /* Only root may give a file away. If this fails, the file stays the user's. */
    if (fstat(fd, &st) == 0 && (st.st_uid != old->st_uid || st.st_gid != old->st_gid))
        (void)!fchown(fd, old->st_uid, old->st_gid);
    return fchmod(fd, old->st_mode & 0777) == 0;
}

bool replacement_open(struct replacement *r, const char *path, enum result result, struct error *e)
{
    struct stat old;
    r->file = NULL;
    if (!find_path(r, path, result, &old, e))
        return false;
    const int fd = open_removable(r);
    if (fd < 0)
        return replacement_cannot(r, e);
    r->file = set_rights(fd, &old) ? fdopen(fd, "w") : NULL;
    if (r->file)
        return true;
    replacement_cannot(r, e);
    close(fd);
    remove_temporary(r);
    return false;
}

/* Finds out why an earlier write failed: writing more fails for the same reason. The file is dropped anyway. */
static int error_of(int fd)
{
    static const char more[1 << 16];
    errno = 0;
    const ssize_t written = write(fd, more, sizeof more);
    if (written == (ssize_t)sizeof more || (written >= 0 && write(fd, more, sizeof more) >= 0))
        return EIO;
    return errno;
}

/* Whether all of the file is on the disk; errno says why not. */
static bool finish(FILE *f)
{
    errno = 0;
    /* Some file systems do not support fsync. */
    const bool well = fflush(f) == 0 && !ferror(f) && (fsync(fileno(f)) == 0 || errno == EINVAL);
    const int number = well || errno ? errno : error_of(fileno(f));
    const bool closed = fclose(f) == 0;
    if (!well)
        errno = number;
    return well && closed;
}

/* Syncs the directory, so that the new name is on the disk, too, as far as that is possible. */
static void sync_directory(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    const int fd = open(dirname(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!fsync(fd);
    close(fd);
}

bool replacement_keep(struct replacement *r, struct error *e)
{
    const bool well = finish(r->file) && rename(r->temporary, r->path) == 0;
    r->file = NULL;
    if (well) {
        forget_unfinished(r->temporary);
        sync_directory(r->path);
        return true;
    }
    replacement_cannot(r, e);
    remove_temporary(r);
    return false;
}

void replacement_drop(struct replacement *r)
{
    fclose(r->file);
    r->file = NULL;
    remove_temporary(r);
}

bool replacement_possible(const char *path, enum result result, struct error *e)
{
    struct replacement r;
    if (!replacement_open(&r, path, result, e))
        return false;
    replacement_drop(&r);
    return true;
}
