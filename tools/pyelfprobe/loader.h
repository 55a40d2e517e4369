/* The program that pyelfprobe itself is as an application: it opens the files of a list with dlopen, in order.
 *
 *     pyelfprobe --loader LIST REPORT|- signal|- FILE:FUNCTION|- wait|-
 *
 * LIST has one path on each line. When all is loaded, REPORT appears by rename, with a line: "objects loaded, seconds,
 * seconds of CPU, kB of peak memory, page faults, files that could not be opened", and why the first of them could not.
 * Then the loader calls the function of that file, if it has one. Then, with `signal`, it sends itself SIGUSR1, at
 * which a debugger stops that has not come to its breakpoint. With `wait` it does not end.
 * tools/pyelfprobe/load.py does the same for modules that Python imports.
 */
#ifndef TOOLS_PYELFPROBE_LOADER_H
#define TOOLS_PYELFPROBE_LOADER_H

#include <stdbool.h>

/* Whether this is the command line of a loader. */
bool loader_is_meant(int argc, char **argv);

/* Runs the loader, and returns its exit status: 1 where the list cannot be read or the report not written. */
int loader_run(int argc, char **argv);

#endif
