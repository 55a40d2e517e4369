/* A command that pyelfprof runs, and what it says while it does.
 *
 * From prof_child_hold to prof_child_release SIGINT, SIGTERM and SIGHUP wait to be
 * noticed by prof_child_listen: then the command, and all that it has started, is
 * ended, so that the caller can remove its files before the signal ends this process,
 * too. Processes that the command has left running stay where no signal came.
 */
#ifndef TOOLS_PYELFPROF_CHILD_H
#define TOOLS_PYELFPROF_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "tools/pyelfprof.h"

struct prof_child {
    sigset_t awaited, mask; /* signals that are noticed, and those that were blocked before */
    struct sigaction pipe;  /* what SIGPIPE did: a reader of the standard error that leaves is not waited for */
    pid_t process;
    int status; /* as waitpid(2) has it */
    int signal; /* that came meanwhile; 0: none */
};

/* A file that belongs to this program, where it is built or installed: seen from the program. NULL where it is not
 * there, which is complained of. */
const char *prof_libexec(struct prof *p, const char *name);

/* What came of a command by a pipe, which ends in a zero. */
struct prof_report {
    char *text; /* malloc */
    size_t size, capacity;
    bool full; /* more came than there is room for */
};
/* For prof_child_listen, with a struct prof_report. */
void prof_report_take(void *to, const char *text, size_t size);

bool prof_child_hold(struct prof *p, struct prof_child *c);

/* Starts what `words` say; `prepare` is called in the child before, and may refuse
 * by errno. False where it cannot be run, which is complained of. What it prints
 * goes to the standard error where the profile goes to the standard output. */
bool prof_child_start(struct prof *p, struct prof_child *c, char *const *words, bool (*prepare)(const void *context),
                      const void *context);

/* Has what comes on the descriptor taken until the command has ended; what it left
 * running may go on to write there. False where a signal has come. */
bool prof_child_listen(struct prof_child *c, int fd, void (*take)(void *to, const char *text, size_t size), void *to);

/* How it ended: "ended with status 3". */
const char *prof_child_how(struct prof *p, const struct prof_child *c);

/* Returns where no signal has come. */
void prof_child_release(const struct prof_child *c);

#endif
