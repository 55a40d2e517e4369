/* A result file that appears under its name as a whole or not at all.
 *
 * It is written under a temporary name in the same directory, synced to the disk, and renamed. Until then an old file
 * of that name stays as it was. The new file gets the permissions of the old one and, if allowed, its owner. Symbolic
 * links are followed, even dangling ones, so that a link stays a link. Devices, pipes and directories are refused,
 * because the rename would replace them by a file. ELF files, manifests of sets and, for results that are no profile
 * themselves, profiles are refused, too: whoever writes a result over one of these has forgotten an argument.
 *
 * Where SIGINT, SIGTERM or SIGHUP ends the program meanwhile, the temporary file is removed first, if this was the only
 * replacement that was open.
 */
#ifndef BASE_REPLACEMENT_H
#define BASE_REPLACEMENT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Whether `path` is "-" or /dev/stdout, the standard output, which is written to and not replaced. False for NULL. */
bool replacement_is_standard(const char *path);

/* Whether two paths lead to the same result, however they are spelled, and whether it exists or not. */
bool replacement_is_same(const char *one, const char *other);

/* What a result is. A report replaces no profile. */
enum result { RESULT_REPORT, RESULT_PROFILE };

struct replacement {
    FILE *file;          /* write to this; NULL unless it is open */
    char name[PATH_MAX]; /* the name in messages */
    char path[PATH_MAX]; /* the path behind symbolic links */
    char temporary[PATH_MAX + 16];
};

/* Opens a new file that is to become `path`. If it replaces no file, it has the permissions that the umask leaves.
 * After true, end it by replacement_keep or replacement_drop. */
bool replacement_open(struct replacement *r, const char *path, enum result result, struct error *e);

/* Says, by errno, why the file cannot be written, and what to do. Returns false. */
bool replacement_cannot(const struct replacement *r, struct error *e);

/* Ends the replacement and gives the file its name. If anything could not be written, the temporary file is removed,
 * nothing is replaced, and `e` says why. */
bool replacement_keep(struct replacement *r, struct error *e);

/* Ends the replacement and leaves no trace. */
void replacement_drop(struct replacement *r);

/* Whether such a file could be made now. This makes one, because permissions do not tell. It is for programs that work
 * for a long time before they have something to write. */
bool replacement_possible(const char *path, enum result result, struct error *e);

#endif
