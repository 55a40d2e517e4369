/* The file in which libpyelflog.so records what the dynamic linker loads.
 *
 * The starter of a process makes the file and puts its path into the environment. Every process with that environment
 * appends a record for each object, in the order in which they are opened:
 *
 *     a zero; process, nanoseconds (CLOCK_MONOTONIC), path, with spaces between; LOG_END and a zero
 *
 * Each record is one write, so records of several processes do not mix. If a record cannot be written whole, the mode
 * of the file becomes LOG_LIMITED where the process may write no larger files (ulimit -f), otherwise LOG_SPOILT, as on
 * a full disk; that needs no room. What there is of the record has no end then, and the zero of the next one is behind
 * it.
 *
 * A process may not be able to open the file: it runs as another user, or its root directory is another. It sends the
 * path of its program to a datagram socket of the starter, once. The socket's address is the name of the file, without
 * its directory, in the abstract namespace (unix(7)), where neither users nor directories matter.
 *
 * Python reports on the standard error how long imports take where LOG_IMPORTS is not empty. The starter, which wants
 * the report from its own pipe only, sets it to what /proc/PID/fd has of that pipe: "pipe:[NUMBER]". In processes whose
 * standard error is something else the library makes it empty, because others may read that. It leaves any other value
 * alone, which somebody else has set.
 */
#ifndef RUNTIME_AUDIT_LOG_H
#define RUNTIME_AUDIT_LOG_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#define LOG_VARIABLE "PYELFPROF_LOG" /* the path of the file */
#define LOG_LIBRARY  "libpyelflog.so"
#define LOG_IMPORTS  "PYTHONPROFILEIMPORTTIME"
#define LOG_PIPE     "pipe:[" /* what the name of a pipe begins with */

enum { LOG_RECORD_MOST = 4096 + 64, LOG_END = '\n', LOG_SPOILT = 0200, LOG_LIMITED = 0300 };

/* Fills in the address of the socket that belongs to a log. *to is all zero before. Returns the size of the address. */
static inline socklen_t log_address(struct sockaddr_un *to, const char *path)
{
    const char *name = path;
    size_t n = 1; /* a name in the abstract namespace begins with a zero */
    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    to->sun_family = AF_UNIX;
    while (*name && n < sizeof to->sun_path)
        to->sun_path[n++] = *name++;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

#endif
