/* See directory.h.
 *
 * flock(2) and not fcntl(2), whose write locks want a descriptor open for writing,
 * which a directory never is.
 */
#include "emit/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs that fail one after the other, each of which removes what it has made. */
enum { TRIES = 100 };

/* Whether someone else holds it: whatever else goes wrong means that here are no locks. */
static bool is_taken(int directory)
{
    int locked;
    do
        locked = flock(directory, LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    return locked != 0 && errno == EWOULDBLOCK;
}

/* Whether the run that had it has removed it since it was opened. */
static bool is_removed(int directory)
{
    struct stat st;
    return fstat(directory, &st) == 0 && st.st_nlink == 0;
}

static int refuse(int directory, const char *path, struct error *e)
{
    error_set(
        e, ERROR_SYSTEM,
        "another pyelfgen, or another rank of this one, is writing a set there; wait for its end, or give another "
        "directory");
    error_at(e, path, 0);
    close(directory);
    return -1;
}

int directory_take(const char *path, bool *made, struct error *e)
{
    for (unsigned tries = 0;; tries++) {
        *made = mkdir(path, 0777) == 0;
        if (!*made && errno != EEXIST) {
            error_errno(e, path, "cannot make the directory");
            return -1;
        }
        int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0 && (errno != ENOENT || tries == TRIES)) {
            error_errno(e, path, "cannot open the directory");
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
