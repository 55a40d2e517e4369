/* libpyelflog.so: records which objects the dynamic linker opens (rtld-audit(7)), and when; see audit_log.h.
 *
 * Like libpyelfaudit.so (audit.c) it lives in a namespace of its own without a libc, and makes its few system calls
 * itself. It looks at no symbol, so binding is as fast as without it.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/audit_log.h"
#include "runtime/audit_plain.h"

/* -1: nobody wants a log. */
static int log_fd = -1;

static const char *find_variable(char **environment, const char *variable)
{
    for (; *environment; environment++) {
        const char *text = *environment;
        const char *name = variable;
        while (*name && *text == *name)
            text++, name++;
        if (!*name && *text == '=')
            return text + 1;
    }
    return NULL;
}

/* Runs before la_version. glibc passes the arguments of main to constructors. */
__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    const char *path = find_variable(environment, LOG_VARIABLE);
    if (path)
        log_fd = (int)system_call(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_APPEND | O_CLOEXEC, 0, 0, 0);
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
    if (log_fd < 0 || namespace_ != LM_ID_BASE)
        return 0;
    system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    to = put_number(to, system_call(SYS_getpid, 0, 0, 0, 0, 0, 0));
    to = put_number(to, now.tv_sec * 1000000000 + now.tv_nsec);
    if (*object->l_name) {
        to = put_path(to, record + sizeof record - 1, object->l_name);
    } else { /* the program itself */
        long length = system_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)to, 4000, 0, 0);
        to += length > 0 ? length : 0;
    }
    *to++ = '\0';
    if (system_call(SYS_write, log_fd, (long)record, to - record, 0, 0, 0) != to - record)
        system_call(SYS_fchmod, log_fd, LOG_SPOILT, 0, 0, 0, 0);
    return 0;
}
