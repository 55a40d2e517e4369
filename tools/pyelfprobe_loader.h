/* The application as pyelfprobe itself runs it: a program that opens the files of
 * a list with dlopen, in order.
 *
 *     pyelfprobe --loader LIST REPORT|- signal|- FILE:FUNCTION|- wait|-
 *
 * LIST has one path a line. Of what it did it writes a line to REPORT, which
 * appears by rename: "objects loaded, seconds, seconds of CPU, kB of peak memory,
 * page faults, files that could not be opened", and why the first could not. With
 * `signal` it sends itself SIGUSR1 when all is loaded, which a debugger stops at;
 * then it calls the function of that file, and with `wait` does not end.
 * tools/pyelfprobe_load.py is the same for modules that Python imports.
 */
#ifndef TOOLS_PYELFPROBE_LOADER_H
#define TOOLS_PYELFPROBE_LOADER_H

#include <stdbool.h>

/* Whether this is the command line of a loader. */
bool loader_is_meant(int argc, char **argv);

/* The exit status: 1 where no file could be opened. */
int loader_run(int argc, char **argv);

#endif
