/* A text of a set, such as its manifest or a source. It appears under its name as a whole, and is left alone where it
 * is there already. */
#ifndef EMIT_TEXT_FILE_H
#define EMIT_TEXT_FILE_H

#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

/* Makes the text `name` in the directory open as `directory`. Its mode is what the umask leaves of 0666. A file with
 * the same text and mode is left alone, unless `force` is true. `path` is used in messages only. */
bool text_file_write(int directory, const char *name, mode_t umask, bool force, const char *path,
                     const struct bytes *text, struct error *e);

#endif
