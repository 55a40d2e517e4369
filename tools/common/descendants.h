/* Ends everything that a program has started, directly or not. The program adopts orphans (PR_SET_CHILD_SUBREAPER), so
 * that it can end each of them, whatever its process group. It has to notice SIGINT, SIGTERM and SIGHUP where it waits;
 * then nothing stays behind.
 *
 * A program may have children before it starts any, as a shell's where the shell has executed the program in its place.
 * Nobody may end those. So the program then goes on in a process of its own, and its first process stands for it.
 */
#ifndef TOOLS_COMMON_DESCENDANTS_H
#define TOOLS_COMMON_DESCENDANTS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Blocks the signals in *awaited: those that would end the program, without those that are ignored, and SIGCHLD. *mask
 * is what was blocked before, which children should have. The call may return in another process. So start threads and
 * children, and ask for the process number, only afterwards. */
bool descendants_hold(sigset_t *awaited, sigset_t *mask, struct error *e);

/* Calls `each` for every descendant of this process that is there now. */
void descendants_each(void (*each)(void *context, pid_t process), void *context);

/* Kills every descendant of this process, and waits for them all. */
void descendants_end(void);

#endif
