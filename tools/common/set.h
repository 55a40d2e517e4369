/* The libraries that belong to a set, and the sizes that were wanted of it.
 *
 * A set is a directory. Its manifest (docs/manifest.md) names its libraries and the sizes that were wanted. A directory
 * without a manifest counts as a set of all its *.so, in version order. The manifest may come from anywhere: it is
 * checked before it is believed, and no name in it leads out of the set. Without a manifest, a file with several names
 * counts once, by a name that is no symbolic link if there is one.
 */
#ifndef TOOLS_COMMON_SET_H
#define TOOLS_COMMON_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* The columns of a size report. The total is that of the five sizes. bss takes no room in a file and is not in it. */
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
    bool known[COLUMNS]; /* false: `of` is 0 and has no meaning */
};

struct library {
    const char *name; /* relative to the set */
    const char *path;
    const char *debug_path; /* the file with its debug information; NULL: the library itself has it */

    /* Of split debug information: the .dwo files or the package and, as the manifest states them, the bytes of debug
     * sections in all files together, and those before it was split. */
    const char **split_path;
    size_t split_paths;
    uint64_t split, before_split;
};

struct set {
    const char *path;
    const char *application; /* from the manifest; "": unknown */
    struct counts wanted;
    struct library *libraries; /* modules and utilities; markers do not count */
    size_t count;
    /* Only without a manifest: */
    size_t below;    /* how many *.so are in directories below; they do not count */
    bool incomplete; /* pyelfgen was interrupted: it has left such files */
};

/* Reads the set in the directory `path`, which is borrowed. All else that *set points to comes from the arena. */
bool set_read(const char *path, struct arena *arena, struct set *set, struct error *e);

#endif
