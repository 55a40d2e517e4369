/* A library to preload. It makes system calls on files fail as a full disk, a quota or an
 * impatient scheduler makes them fail. faults.py says what must hold nevertheless.
 *
 * Calls are counted from 1. FAULT_KIND says what happens at the call with the number FAULT_AT:
 *     eio enospc edquot emfile   the call fails; if FAULT_ON is set, all later calls fail too
 *     short                      from then on a write takes one byte in a hundred, at least one
 *     eintr                      from then on every other write is interrupted
 *     kill                       the process ends by SIGKILL
 * With FAULT_AFTER=TEXT counting begins at the first openat of a path that begins with TEXT.
 *
 * Calls that open, write, truncate, close, rename and remove files and make directories count.
 * Standard input, output and errors do not count, nor do write and close of anything but files
 * and directories: threads of MPI wake one another through sockets and the like.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long at = -1;
static bool on;
static char kind[16];
static char after[64];
static atomic_bool before; /* the openat that FAULT_AFTER names has not come yet: nothing counts */

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAULT_AT");
    const char *name = getenv("FAULT_KIND");
    at = number ? atol(number) : -1;
    on = getenv("FAULT_ON") != NULL;
    if (name)
        strncpy(kind, name, sizeof kind - 1);
    if (getenv("FAULT_AFTER"))
        strncpy(after, getenv("FAULT_AFTER"), sizeof after - 1);
    before = after[0];
}

static bool is(const char *name)
{
    return strcmp(kind, name) == 0;
}

/* Counts a call. Returns the errno that it has to fail with, or 0. */
static int fault(void)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {{"eio", EIO}, {"enospc", ENOSPC}, {"edquot", EDQUOT}, {"emfile", EMFILE}};
    if (before)
        return 0;
    const long number = atomic_fetch_add(&calls, 1) + 1;
    if (at < 0 || number < at)
        return 0;
    if (is("kill"))
        kill(getpid(), SIGKILL);
    for (unsigned i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (is(errors[i].name) && (number == at || on))
            return errors[i].number;
    return 0;
}

/* Whether the kind is `name` and its effect on writes has begun. */
static bool writes_are(const char *name)
{
    return at >= 0 && is(name) && atomic_load(&calls) >= at;
}

static size_t write_size(size_t size)
{
    return writes_are("short") ? size / 100 + (size > 0) : size;
}

static bool is_interrupted(void)
{
    return writes_are("eintr") && atomic_load(&calls) % 2 == 0;
}

#define REAL(name) __typeof__(name) *const real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL()                                                                                                         \
    do {                                                                                                               \
        const int number = fault();                                                                                    \
        if (number) {                                                                                                  \
            errno = number;                                                                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
    } while (0)

#define INTERRUPT()                                                                                                    \
    do {                                                                                                               \
        if (is_interrupted()) {                                                                                        \
            errno = EINTR;                                                                                             \
            return -1;                                                                                                 \
        }                                                                                                              \
    } while (0)

static bool is_file(int fd)
{
    struct stat found;
    return fd > 2 && fstat(fd, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    REAL(write);
    if (is_file(fd)) {
        FAIL();
        INTERRUPT();
        size = write_size(size);
    }
    return real(fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    REAL(pwrite);
    FAIL();
    INTERRUPT();
    return real(fd, bytes, write_size(size), offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    return pwrite(fd, bytes, size, offset);
}

int openat(int directory, const char *path, int flags, ...)
{
    REAL(openat);
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (before && strncmp(path, after, strlen(after)) == 0)
        before = false;
    FAIL();
    return real(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return openat(directory, path, flags, mode);
}

int ftruncate(int fd, off_t size)
{
    REAL(ftruncate);
    FAIL();
    return real(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return ftruncate(fd, size);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
    REAL(mkdirat);
    FAIL();
    return real(directory, path, mode);
}

int renameat(int from, const char *old, int to, const char *new)
{
    REAL(renameat);
    FAIL();
    return real(from, old, to, new);
}

int unlinkat(int directory, const char *path, int flags)
{
    REAL(unlinkat);
    FAIL();
    return real(directory, path, flags);
}

/* As in Linux, the descriptor is closed even if the call fails. */
int close(int fd)
{
    REAL(close);
    const bool counts = is_file(fd);
    const int done = real(fd);
    if (counts)
        FAIL();
    return done;
}
