/* The log of what a command loads (runtime/audit_log.h), as pyelfprof has it. */
#ifndef TOOLS_PYELFPROF_LOG_H
#define TOOLS_PYELFPROF_LOG_H

#include <stdbool.h>

#include "tools/pyelfprof/child.h"

struct prof_log {
    const char *path; /* absolute, because processes change their directory; from the arena */
    int fd;
    int losses; /* the socket on which processes tell that they cannot write to the log */
};

/* Makes the log, which is empty. False with a complaint. */
bool prof_log_make(struct prof *p, struct prof_log *log);

/* Takes the path of the log away. Processes that are left running may still have it open. */
void prof_log_remove(const struct prof_log *log);

/* Reads the records. False where they could not be read to their end. */
bool prof_log_read(const struct prof_log *log, struct prof_report *r);

/* What no room was for, if records are missing; NULL: none are. It begins with a verb, and says what to do. `who` is
 * what it is said of: the command, or the directory of the log. */
const char *prof_log_lacks(const struct prof_log *log, const char *command, const char **who);

/* The program of the next process that could not write to the log, from the arena; empty where it is not known. NULL:
 * no process more. */
const char *prof_log_loss(struct prof *p, const struct prof_log *log);

void prof_log_close(const struct prof_log *log);

#endif
