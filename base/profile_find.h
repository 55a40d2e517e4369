/* Finding and opening profiles, for all programs that take one.
 *
 * A profile is a regular file; or standard input, "-", or a FIFO, as of <(...), which can be read once, by one process:
 * these are copied first, so that whoever reads the profile has a file in any case. A device can flood a program, and
 * is refused.
 */
#ifndef BASE_PROFILE_FIND_H
#define BASE_PROFILE_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PROFILE_FIND_BYTES_MOST = 1 << 26 }; /* of a profile */

/* Finds a profile by what the user gave: "-", a path that exists, or the name of a
 * shipped profile (NAME.prof in `$PYELFGEN_PROFILES`, in `profiles/` beside the
 * source tree when run from a build, or in the installed data directory).
 * Writes the path to `path` (PATH_MAX bytes). */
bool profile_find(const char *name, char *path, size_t path_size, struct error *e);

/* Whether it is standard input; or that, or a FIFO. */
bool profile_find_is_standard(const char *name);
bool profile_find_is_stream(const char *name);

/* What a path is called in messages; borrowed. */
const char *profile_find_shown(const char *path);

/* Reads what was found, no more of it than a byte beyond PROFILE_FIND_BYTES_MOST, which whoever parses it refuses. The
 * caller frees the text, which no zero ends; NULL on failure. */
char *profile_find_read(const char *path, size_t *size, struct error *e);

#endif
