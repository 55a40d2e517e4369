/* A text of a set, such as its manifest or a source. It appears under its name as a whole, and is left alone where it
 * is there already. */
#ifndef EMIT_SET_TEXT_FILE_H
#define EMIT_SET_TEXT_FILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "emit/set/directory.h"

/* Makes the text `name` in the directory open as `within`, which is the set's or below it. Its mode is what the umask
 * leaves of 0666. A file with the same text and mode is left alone, unless the set is made with force. Before any other
 * the manifest goes (directory_change). `path` is used in messages only. */
bool text_file_write(struct directory *set, int within, const char *name, const char *path, const struct bytes *text,
                     struct error *e);

#endif
