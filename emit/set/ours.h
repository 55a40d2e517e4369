/* Whether a file with a name of a set's is pyelfgen's. Its contents decide, because others call files manifest.json
 * or driver.py, too.
 *
 * ELF files have the mark in .comment. Files of split debug information have no .comment; their mark is the
 * producer, the first of their strings. Texts have it at their beginning. A few hundred bytes of a file are read,
 * whatever its size; more only where the strings are compressed.
 */
#ifndef EMIT_SET_OURS_H
#define EMIT_SET_OURS_H

#include <stdbool.h>

/* What a file should be, by its name. */
enum ours_kind { OURS_ELF, OURS_MANIFEST, OURS_DIFFERENCES, OURS_DRIVER, OURS_SOURCE };

enum ours {
    OURS_FOREIGN, /* somebody else's; or not a regular file */
    OURS_CLOSED,  /* a file that we may not read */
    OURS_NOTHING, /* nothing is lost with the file: it is empty, an ELF file or a text of ours without its end, or not
                     there any more */
    OURS_MARKED,  /* pyelfgen has written it */
};

/* Whether the file may be somebody else's. */
static inline bool ours_is_not(enum ours found)
{
    return found == OURS_FOREIGN || found == OURS_CLOSED;
}

/* Looks at the file `name` in the directory open as `directory`; does not follow symbolic links. False, with errno,
 * where the file cannot be read. */
bool ours_look(int directory, const char *name, enum ours_kind kind, enum ours *found);

#endif
