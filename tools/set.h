/* What belongs to a set, and what was wanted of it.
 *
 * A set is a directory. Its manifest (docs/manifest.md) names its libraries
 * and the sizes that were wanted; a directory without one is taken to be all
 * its *.so, in version order. The manifest may come from anywhere: it is
 * checked before it is believed, and no name in it leads out of the set.
 * Of a file with several names only one counts, which is no symbolic link if any is none.
 */
#ifndef TOOLS_SET_H
#define TOOLS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* The columns of a size report. The total is of the five sizes; bss, which
 * takes no room in a file, stands outside it. */
enum size_column {
    COLUMN_TEXT,
    COLUMN_DATA,
    COLUMN_DEBUG,
    COLUMN_SYMTAB,
    COLUMN_STRTAB,
    COLUMN_TOTAL,
    COLUMN_BSS,
    COLUMNS
};
extern const char *const size_column_names[COLUMNS];

struct counts { /* in bytes */
    uint64_t of[COLUMNS];
    bool known[COLUMNS]; /* false: `of` is 0 and means nothing */
};

struct library {
    const char *name; /* within the set */
    const char *path;
    const char *debug_path; /* of the file of its debug information; NULL where it has it itself */

    /* Of split debug information: the .dwo files, or the package, and, by the
     * manifest, the bytes of debug sections in all files and before it was split. */
    const char **split_path;
    size_t split_paths;
    uint64_t split, before_split;
};

struct set {
    const char *path;
    const char *application; /* as the manifest has it, "" when unknown */
    struct counts wanted;
    struct library *libraries; /* modules and utilities; markers are outside the sizes */
    size_t count;
    /* Without a manifest: */
    size_t below;    /* *.so in directories below it, which do not count */
    bool incomplete; /* there are files that pyelfgen leaves when it is interrupted */
};

/* Reads the set in the directory `path`, which is borrowed; everything else
 * that *set points to is taken from the arena. */
bool set_read(const char *path, struct arena *arena, struct set *set, struct error *e);

#endif
