/* A result file that appears under its name as a whole or not at all.
 *
 * It is written under a temporary name in the same directory, synced to the disk,
 * and renamed; until then an old file of that name stays as it was. The new file
 * gets the old one's permissions and, where allowed, its owner. Symbolic links are
 * followed, even dangling ones, so that a link stays a link. Devices, pipes and
 * directories are refused, because the rename would replace them by a file. So are
 * ELF files and manifests of sets: whoever writes a result over one of these has
 * forgotten an argument.
 */
#ifndef BASE_REPLACEMENT_H
#define BASE_REPLACEMENT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Whether a path stands for the standard output, "-", which is not replaced but written to. NULL does not. */
bool replacement_is_standard(const char *path);

/* Whether two paths stand for one result, however they are spelled, be it there or not yet. */
bool replacement_is_same(const char *one, const char *other);

struct replacement {
    FILE *file;          /* write to this; NULL unless it is open */
    char name[PATH_MAX]; /* what messages call it */
    char path[PATH_MAX]; /* behind symbolic links */
    char temporary[PATH_MAX + 16];
};

/* Opens a new file, with the rights that the umask leaves where it replaces none,
 * which is to become `path`. After true, replacement_keep or replacement_drop ends it. */
bool replacement_open(struct replacement *r, const char *path, struct error *e);

/* Ends it: the file has its name now. Where anything could not be written, the
 * temporary file is removed, nothing is replaced, and `e` says why. */
bool replacement_keep(struct replacement *r, struct error *e);

/* Ends it and leaves no trace. */
void replacement_drop(struct replacement *r);

/* Whether such a file could be made now. Permissions do not tell, making one
 * does: for programs that work for long before they have something to write. */
bool replacement_possible(const char *path, struct error *e);

#endif
