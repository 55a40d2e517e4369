/* A text of a set, as its manifest or a source: it appears under its name as a whole, and
 * is left alone where it is there already.
 */
#ifndef EMIT_TEXT_FILE_H
#define EMIT_TEXT_FILE_H

#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

/* Makes the text `name` in the directory open as `directory`, with what the umask leaves of 0666; with `force` also
 * where it is there. `path` is used in messages only. */
bool text_file_write(int directory, const char *name, mode_t umask, bool force, const char *path,
                     const struct bytes *text, struct error *e);

#endif
