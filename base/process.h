/* What every program does first and last, and where it keeps temporary files.
 *
 * Shells, batch systems and launchers start programs with various limits, open descriptors and ignored signals. All
 * programs treat these alike.
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Makes sure that no file opened later gets the number of a standard descriptor, that writing beyond a limit
 * (RLIMIT_FSIZE) is an error of write(2) and does not end the process, and that children can be waited for. Programs
 * that this one executes find descriptors and limits as this one did. */
void process_start(void);

/* Call this at the end. False, with a message on stderr, if what was printed could not be written. */
bool process_printed(const char *program);

/* Ends the process by a signal that was blocked or handled until everything was tidied up. So whoever started this
 * program sees what ended it: a shell, for example, then ends its loop. */
_Noreturn void process_end_by(int number);

/* For a process that `parent` has just forked: it will get signal `number` when the parent ends, for whatever reason.
 * If the parent has already ended, this process exits here. (What counts is the end of the thread that forked.) */
void process_end_with(pid_t parent, int number);

/* Returns the permissions that the umask takes away, or those of group and others if it is unknown. It is read from a
 * file and not asked by umask(2), which would change it for threads that make files meanwhile. So call it once for many
 * files. */
mode_t process_umask(void);

/* The absolute path of this program; process_directory gives that of its directory. */
bool process_program(char path[PATH_MAX], struct error *e);
bool process_directory(char path[PATH_MAX], struct error *e);

/* The directory for temporary files: $TMPDIR, or /tmp. */
const char *process_temporary(void);

/* The signals that end a program from outside: SIGINT, SIGQUIT, SIGTERM, SIGHUP, and those by which batch systems
 * announce the end of a job's time, SIGUSR1, SIGUSR2 and SIGXCPU. Ignored ones, as after nohup(1) or of a shell's
 * background jobs, are left out: while they are blocked they would be delivered all the same. */
void process_endings(sigset_t *endings);

#endif
