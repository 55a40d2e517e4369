/* Whether a file of a set's name is pyelfgen's: by what it holds, as others call files manifest.json or driver.py, too.
 *
 * ELF files say it in .comment, files of split debug information, which have none, by the producer, the first of their
 * strings. The texts say it at their beginning. A few hundred bytes are read of a file, whatever its size; more only
 * where the strings are compressed.
 */
#ifndef EMIT_OURS_H
#define EMIT_OURS_H

#include <stdbool.h>

/* What a file is to be, by its name. */
enum ours_kind { OURS_ELF, OURS_MANIFEST, OURS_DIFFERENCES, OURS_DRIVER, OURS_SOURCE };

enum ours {
    OURS_FOREIGN, /* of somebody else, as is what is no regular file */
    OURS_CLOSED,  /* a file that we may not read */
    OURS_NOTHING, /* nothing that is lost with it: empty, an ELF file or a text of ours without its end, not there any
                     more */
    OURS_MARKED,  /* pyelfgen has written it */
};

/* Whether it may be somebody else's. */
static inline bool ours_is_not(enum ours found)
{
    return found == OURS_FOREIGN || found == OURS_CLOSED;
}

/* Looks at the file `name` in the directory open as `directory`, not through symbolic links. False, with errno, where
 * it cannot be read. */
bool ours_look(int directory, const char *name, enum ours_kind kind, enum ours *found);

#endif
