/* The file in which libpyelflog.so records what the dynamic linker loads.
 *
 * The starter of a process makes the file and puts its path into the environment. Every process with that environment
 * appends a record for each object, in the order in which they are opened:
 *
 *     process, nanoseconds (CLOCK_MONOTONIC), path, with spaces between, then a zero
 *
 * Each record is one write, so records of several processes do not mix. If a record cannot be written whole, as on a
 * full disk, the mode of the file becomes LOG_SPOILT; that needs no room.
 */
#ifndef RUNTIME_AUDIT_LOG_H
#define RUNTIME_AUDIT_LOG_H

#define LOG_VARIABLE "PYELFPROF_LOG" /* the path of the file */
#define LOG_LIBRARY  "libpyelflog.so"

enum { LOG_RECORD_MOST = 4096 + 64, LOG_SPOILT = 0200 };

#endif
