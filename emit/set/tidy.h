/* What else is in a set's directory: older sets, what interrupted runs left, and what belongs to no set and is never
 * touched.
 *
 * A set's files are recognised by their names and by what they hold (ours.h). A file that the set's manifest lists is
 * recognised by that alone, so that a damaged one is made again. Unfinished files are recognised by their names alone.
 */
#ifndef EMIT_SET_TIDY_H
#define EMIT_SET_TIDY_H

#include "emit/set/set.h"

/* Beginning and end of the name of a temporary file by which several ranks recognise their common directory
 * (together.h). */
#define TIDY_MEETING_START ".pyelfgen-"
#define TIDY_MEETING_END   ".tmp"

/* Whether `name` is the name of such a file. */
bool tidy_is_meeting(const char *name);

/* Whether `name` looks like that of a library: lib*.so. */
bool tidy_looks_like_library(const char *name);

/* Whether a set may be written into the directory; fails, and changes nothing, where it may not. The directory is a set
 * if its manifest is one of ours. If it is not a set, it must hold nothing but files of sets. If it is, it must hold no
 * other libraries, and no file of others under one of our names. Files of a set that were damaged are removed: only the
 * manifest tells that they are the set's, and the manifest goes before the first change. Messages call the directory
 * `path`. */
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
