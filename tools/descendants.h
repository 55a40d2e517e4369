/* What a program has started, and all that this started: it adopts orphans
 * (PR_SET_CHILD_SUBREAPER), so that it can end every one of them, whatever its
 * process group. SIGINT, SIGTERM and SIGHUP are for the program to notice where it
 * waits: then nothing of it stays behind.
 *
 * Children that are there before, as of a shell that has executed the program in its
 * place, are nobody's to end: the program goes on in a process of its own then, and
 * its first process stands for it.
 */
#ifndef TOOLS_DESCENDANTS_H
#define TOOLS_DESCENDANTS_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

/* Blocks the signals in *awaited: those that would end the program, but for what is
 * ignored, and SIGCHLD. *mask is what was blocked before, as children should have it.
 * It may return in another process, so that threads, children and what is remembered
 * of this one come later. */
bool descendants_hold(sigset_t *awaited, sigset_t *mask, struct error *e);

/* Kills every descendant of this process, and buries them. */
void descendants_end(void);

#endif
