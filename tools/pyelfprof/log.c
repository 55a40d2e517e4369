/* See log.h. */
#include "tools/pyelfprof/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "base/whole.h"
#include "runtime/audit_log.h"

static bool fail(struct prof *p, const struct prof_log *log, const char *path, const char *what)
{
    prof_complain_errno(p, path, what);
    if (log->fd >= 0)
        unlink(path);
    prof_log_close(log);
    return false;
}

bool prof_log_make(struct prof *p, struct prof_log *log)
{
    char path[PATH_MAX];
    struct sockaddr_un address = {0};
    char *const name = prof_format(p, "%s/pyelfprof.XXXXXX", process_temporary());
    *log = (struct prof_log){.fd = mkostemp(name, O_CLOEXEC), .losses = -1};
    if (log->fd < 0 || !realpath(name, path))
        return fail(p, log, name, "cannot be written; set TMPDIR to another directory");
    log->path = prof_copy(p, path);
    log->losses = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const socklen_t size = log_address(&address, log->path);
    if (log->losses < 0 || bind(log->losses, (const struct sockaddr *)&address, size) != 0)
        return fail(p, log, name, "cannot have a socket, on which processes tell what is missing");
    return true;
}

void prof_log_remove(const struct prof_log *log)
{
    unlink(log->path);
}

bool prof_log_read(const struct prof_log *log, struct prof_report *r)
{
    char text[1 << 14];
    ssize_t n;
    while ((n = whole_read(log->fd, text, sizeof text)) > 0)
        prof_report_take(r, text, (size_t)n);
    return n == 0 && !r->full;
}

const char *prof_log_lacks(const struct prof_log *log, const char *command, const char **who)
{
    struct stat s;
    const mode_t mode = fstat(log->fd, &s) == 0 ? s.st_mode & ALLPERMS : LOG_SPOILT;
    *who = mode == LOG_LIMITED ? command : process_temporary();
    return mode == LOG_LIMITED ? "may only write files that are smaller than the list of what it has loaded, and "
                                 "libraries are missing; raise 'ulimit -f'"
           : mode == LOG_SPOILT
               ? "had no room for the list of what the command loaded, and libraries are missing; make "
                 "room, or set TMPDIR to another directory"
               : NULL;
}

const char *prof_log_loss(struct prof *p, const struct prof_log *log)
{
    char program[PATH_MAX];
    const ssize_t n = recv(log->losses, program, sizeof program - 1, MSG_DONTWAIT);
    if (n < 0)
        return NULL;
    program[n] = '\0';
    return prof_copy(p, program);
}

void prof_log_close(const struct prof_log *log)
{
    if (log->fd >= 0)
        close(log->fd);
    if (log->losses >= 0)
        close(log->losses);
}
