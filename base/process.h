/* What every program does first and last, and where it keeps temporary files.
 *
 * A program is started from shells, batch systems and launchers, with limits and
 * descriptors as they have left them; what it makes of these is the same for all.
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* From here on no file that is opened gets the number of a standard descriptor, and
 * one that would go beyond a limit (RLIMIT_FSIZE) is an error of write(2), and not
 * the end. Programs that this one executes find both as it has found them. */
void process_start(void);

/* To be called at the end. False, with a message on stderr, if what was printed could not be written. */
bool process_printed(const char *program);

/* Ends by a signal that was blocked or handled until all was tidy, so that whoever has
 * started this program sees what has ended it: a shell ends its loop then. */
_Noreturn void process_end_by(int number);

/* In a process that `parent` has just forked: it gets the signal when that ends, by whatever signal, and ends here
 * where that has ended before this could be set. (What counts is the end of the thread that forked.) */
void process_end_with(pid_t parent, int number);

/* What the umask takes away, asked for without umask(2), which would change it for threads that make files meanwhile.
 * All permissions where that is not known. It takes a file to be read: once is enough for many files. */
mode_t process_umask(void);

/* The directory for temporary files: $TMPDIR, or /tmp. */
const char *process_temporary(void);

/* The signals that end a program from outside: SIGINT, SIGTERM and SIGHUP, but for those that are ignored, as nohup(1)
 * has it, which would come all the same while they are blocked. */
void process_endings(sigset_t *endings);

#endif
