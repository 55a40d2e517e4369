/* A command that pyelfprof runs, and what it writes meanwhile.
 *
 * SIGINT, SIGTERM and SIGHUP are held from prof_child_hold to prof_child_release. prof_child_listen notices them: it
 * ends the command and all that the command has started. So the caller can remove its files before prof_child_release
 * lets the signal end this process too. Where no signal came, processes that the command left running stay.
 */
#ifndef TOOLS_PYELFPROF_CHILD_H
#define TOOLS_PYELFPROF_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "tools/capture/prof.h"

struct prof_child {
    sigset_t awaited, mask; /* signals that are held, and those that were blocked before */
    struct sigaction pipe;  /* the old handling of SIGPIPE, which is ignored meanwhile */
    pid_t process;
    int status; /* as waitpid(2) has it */
    int signal; /* the signal that came; 0: none */
    /* Called ever again while the command runs, at first soon; NULL: nothing. */
    void (*watch)(void *watched);
    void *watched;
};

/* Finds a file that belongs to this program, relative to the program as it was built or installed. NULL where the file
 * is not there, with a complaint, or where /proc/self/exe cannot be read. */
const char *prof_libexec(struct prof *p, const char *name);

/* What a command has written into a pipe. The text ends in a zero. */
struct prof_report {
    char *text; /* malloc */
    size_t size, capacity;
    bool full; /* more came than there is room for, and was dropped */
};
/* A `take` for prof_child_listen; `to` is a struct prof_report. */
void prof_report_take(void *to, const char *text, size_t size);

bool prof_child_hold(struct prof *p, struct prof_child *c);

/* Starts the command `words`. `prepare` is called in the child first and may refuse, with errno. Returns false, with a
 * complaint, where the command cannot be run. Where the profile or the list goes to the standard output, what the
 * command prints there goes to the standard error. */
bool prof_child_start(struct prof *p, struct prof_child *c, char *const *words, bool (*prepare)(const void *context),
                      const void *context);

/* Calls `take` with what comes on the descriptor, until the command has ended. Processes that it left running may go on
 * to write there. Returns false where a signal has come. */
bool prof_child_listen(struct prof_child *c, int fd, void (*take)(void *to, const char *text, size_t size), void *to);

/* How the command ended: "ended with status 3". */
const char *prof_child_how(struct prof *p, const struct prof_child *c);

/* Ends what prof_child_hold began. Where a signal has come, that signal ends this process now. */
void prof_child_release(const struct prof_child *c);

#endif
