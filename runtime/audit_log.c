/* libpyelflog.so: records which objects the dynamic linker opens (rtld-audit(7)), and when; see audit_log.h.
 *
 * Like libpyelfaudit.so (audit.c) it lives in a namespace of its own without a libc, and makes its few system calls
 * itself. It looks at no symbol, so binding is as fast as without it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/audit_log.h"
#include "runtime/audit_plain.h"

/* LOG_HIGH: no program that closes descriptors up to 255, and no shell, gets as far, and most limits are above it. */
enum { LOG_HIGH = 960 };

/* The path of the log; empty: nobody wants one. It is a copy, because programs write over their environment to change
 * what ps(1) shows of them. */
static char log_path[4096];
/* The descriptor that this process was given for the log, -1 before, and which file that is. */
static int log_fd = -1;
static dev_t log_device;
static ino_t log_inode;

static char *find_variable(char **environment, const char *variable)
{
    for (; *environment; environment++) {
        char *text = *environment;
        const char *name = variable;
        while (*name && *text == *name)
            text++, name++;
        if (!*name && *text == '=')
            return text + 1;
    }
    return NULL;
}

static bool begins_with(const char *text, const char *begin)
{
    while (*begin && *text == *begin)
        text++, begin++;
    return !*begin;
}

/* Whether the standard error is the pipe of this name. */
static bool is_standard_error(const char *name)
{
    char link[64];
    const long length =
        system_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/fd/2", (long)link, sizeof link - 1, 0, 0);
    link[length > 0 ? length : 0] = '\0';
    return begins_with(link, name) && begins_with(name, link);
}

/* Runs before la_version, and before the program can read its environment, whose strings are in memory that belongs to
 * the process and may be changed in place. glibc passes the arguments of main to constructors. */
__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    const char *path = find_variable(environment, LOG_VARIABLE);
    for (size_t i = 0; path && path[i] && i < sizeof log_path - 1; i++)
        log_path[i] = path[i];
    char *const imports = find_variable(environment, LOG_IMPORTS);
    if (imports && begins_with(imports, LOG_PIPE) && !is_standard_error(imports))
        *imports = '\0';
}

/* Moves a descriptor to a high number, out of the way of the program, which may choose low ones for itself: a shell by
 * `exec 3>file`. It is never a standard descriptor, where it would take what the program prints. Returns the number, or
 * an error. */
static long move_high(long fd)
{
    long high = -1;
    for (int least = LOG_HIGH; high < 0 && least > 2; least /= 2) /* at the limit, or beyond it */
        high = system_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least, 0, 0, 0);
    if (high < 0 && fd > 2)
        return fd;
    system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    return high;
}

/* Whether the descriptor is still that of the log. The program may have closed it, and have a file of its own there. */
static bool is_open(void)
{
    struct stat s;
    return log_fd >= 0 && system_call(SYS_fstat, log_fd, (long)&s, 0, 0, 0, 0) == 0 && s.st_dev == log_device &&
           s.st_ino == log_inode;
}

static bool open_log(void)
{
    struct stat s;
    const long fd = system_call(SYS_openat, AT_FDCWD, (long)log_path, O_WRONLY | O_APPEND | O_CLOEXEC, 0, 0, 0);
    log_fd = fd < 0 ? -1 : (int)move_high(fd);
    if (log_fd < 0 || system_call(SYS_fstat, log_fd, (long)&s, 0, 0, 0, 0) != 0)
        return false;
    log_device = s.st_dev;
    log_inode = s.st_ino;
    return true;
}

static char *put_number(char *to, long number)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0)
        *to++ = digits[--n];
    *to++ = ' ';
    return to;
}

/* Writes a path; a relative one gets the current directory in front. A name without a slash is that of the vDSO. */
static char *put_path(char *to, char *end, const char *path)
{
    if (*path != '/' && has_slash(path)) {
        const long length = system_call(SYS_getcwd, (long)to, end - to, 0, 0, 0, 0);
        to += length > 0 ? length : 0; /* the length includes the terminating zero, which a slash replaces */
        if (length > 0)
            to[-1] = '/';
    }
    while (*path && to < end)
        *to++ = *path++;
    return to;
}

/* Writes the path of the program, where /proc tells it. */
static char *put_program(char *to)
{
    const long length = system_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)to, 4000, 0, 0);
    return to + (length > 0 ? length : 0);
}

/* Writes to the log. Returns 0, or why not all could be written. At the limit for the size of files there is no
 * SIGXFSZ, by which the program would end. */
static long append(const char *record, long size)
{
    const unsigned long limit = 1UL << (SIGXFSZ - 1);
    const struct timespec at_once = {0};
    unsigned long before;
    long n = 0;
    system_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&limit, (long)&before, sizeof before, 0, 0);
    for (long done = 0; done < size; done += n) {
        n = system_call(SYS_write, log_fd, (long)record + done, size - done, 0, 0, 0);
        if (n <= 0)
            break;
    }
    if (n == -EFBIG)
        system_call(SYS_rt_sigtimedwait, (long)&limit, 0, (long)&at_once, sizeof limit, 0, 0);
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before, 0, 0);
    return n > 0 ? 0 : n < 0 ? n : -ENOSPC;
}

/* Writes the record whole, or says in the log's mode that it could not. False where neither can be done. */
static bool write_down(const char *record, long size)
{
    if (!is_open() && !open_log())
        return false;
    const long failed = append(record, size);
    return !failed || system_call(SYS_fchmod, log_fd, failed == -EFBIG ? LOG_LIMITED : LOG_SPOILT, 0, 0, 0, 0) == 0;
}

/* Sends word that records of this process are missing; `room` is for a path. Nothing waits: where the socket is full,
 * others have told. */
static void tell_of_loss(char *room)
{
    static struct sockaddr_un to; /* static, because there is no libc that could set it to zero */
    static bool told;
    if (told)
        return;
    told = true;
    const long size = log_address(&to, log_path);
    const long fd = system_call(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return;
    system_call(SYS_sendto, fd, (long)room, put_program(room) - room, MSG_DONTWAIT, (long)&to, size);
    system_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

unsigned int la_version(unsigned int version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned int la_objopen(struct link_map *object, Lmid_t namespace_, uintptr_t *cookie)
{
    (void)cookie;
    char record[LOG_RECORD_MOST];
    char *to = record;
    struct timespec now = {0};
    if (!*log_path || namespace_ != LM_ID_BASE)
        return 0;
    system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    *to++ = '\0';
    to = put_number(to, system_call(SYS_getpid, 0, 0, 0, 0, 0, 0));
    to = put_number(to, now.tv_sec * 1000000000 + now.tv_nsec);
    to = *object->l_name ? put_path(to, record + sizeof record - 2, object->l_name) : put_program(to);
    *to++ = LOG_END;
    *to++ = '\0';
    if (!write_down(record, to - record))
        tell_of_loss(record);
    return 0;
}
