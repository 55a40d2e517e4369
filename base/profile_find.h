/* Finds and opens profiles, for all programs that take one.
 *
 * A profile is a regular file, standard input ("-") or a FIFO, such as <(...). The last two can be read only once, by
 * one process, so they are copied first: whoever reads the profile always has a file. Devices are refused, because they
 * can flood a program.
 */
#ifndef BASE_PROFILE_FIND_H
#define BASE_PROFILE_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PROFILE_FIND_BYTES_MOST = 1 << 26 }; /* bytes of a profile */

/* Finds the profile that the user has named: "-", a path that exists, or the name of a shipped profile. A shipped
 * profile is NAME.prof in `$PYELFGEN_PROFILES`, or in share/pyelfgen/profiles beside the directory of the program.
 * Writes its path to `path`, which has `path_size` bytes. */
bool profile_find(const char *name, char *path, size_t path_size, struct error *e);

/* Whether `name` is standard input; whether it is standard input or a FIFO. */
bool profile_find_is_standard(const char *name);
bool profile_find_is_stream(const char *name);

/* The name for a path in messages; borrowed. */
const char *profile_find_shown(const char *path);

/* Reads the profile at `path`, at most PROFILE_FIND_BYTES_MOST + 1 bytes; the parser refuses a profile that long. The
 * caller frees the text, which has no terminating zero. NULL on failure. */
char *profile_find_read(const char *path, size_t *size, struct error *e);

#endif
