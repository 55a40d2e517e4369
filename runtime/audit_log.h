/* The file in which libpyelflog.so says what the dynamic linker loads.
 *
 * Whoever starts a process makes the file and names it in the environment. Every
 * process with that environment appends a record for each object, in the order in
 * which they are opened:
 *
 *     process, nanoseconds (CLOCK_MONOTONIC), path, with spaces between, then a zero
 *
 * in one write each, so that records of several processes do not mix. Where one cannot be
 * written whole, as on a full disk, the file's mode becomes LOG_SPOILT, which takes no room.
 */
#ifndef RUNTIME_AUDIT_LOG_H
#define RUNTIME_AUDIT_LOG_H

#define LOG_VARIABLE "PYELFPROF_LOG" /* the path of the file */
#define LOG_LIBRARY  "libpyelflog.so"

enum { LOG_RECORD_MOST = 4096 + 64, LOG_SPOILT = 0200 };

#endif
