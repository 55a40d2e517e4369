/* What else is in a set's directory: older sets, what interrupted runs left, and
 * what belongs to no set and is never touched.
 *
 * A set's files are known by their names and by what they hold (ours.h); those that a set's manifest lists by that,
 * so that what was damaged is made again. Files that were not finished are known by their names alone.
 */
#ifndef EMIT_TIDY_H
#define EMIT_TIDY_H

#include "emit/set.h"

/* What the name of the temporary file begins and ends with by which several ranks recognise their common directory
 * (together.h). */
#define TIDY_MEETING_START ".pyelfgen-"
#define TIDY_MEETING_END   ".tmp"

/* Whether `name` is that of such a file. */
bool tidy_is_meeting(const char *name);

/* Whether whoever goes by names takes `name` for that of a library: lib*.so. */
bool tidy_looks_like_library(const char *name);

/* Fails, and changes nothing, where the directory holds anything that is not of a set; or, where it is a set, a library
 * that is not of sets, or another's file with a name of ours. It is a set if its manifest is one of ours. In messages
 * the directory is called `path`. Of a set, files that were damaged are removed: they are known by the manifest alone,
 * which goes before the first change. */
bool tidy_take_over(int directory, const char *path, struct error *e);

enum tidy_kind {
    TIDY_TEMPORARY, /* files that were not finished */
    TIDY_STALE,     /* libraries, executables, debug files and sources that are not among those written */
    TIDY_ALL,       /* everything of a set, the manifest too */
};

/* Removes files of sets, by their names; to be called after tidy_take_over, or in a new directory. `set` is needed for
 * TIDY_STALE only: its libraries and sources have been written, and which executables were removed is noted there. */
bool tidy_remove(int directory, const char *path, enum tidy_kind kind, struct set *set, struct error *e);

#endif
