/* Writes results where a user wants them: into a file, which is replaced as base/replacement.h does it, or through to
 * what is no file: the standard output, a character device, or a pipe whose path is a descriptor's, as a shell's >(...)
 * becomes. Other FIFOs are refused, as replacement.h does.
 */
#ifndef BASE_RESULT_FILE_H
#define BASE_RESULT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/replacement.h"

/* Whether no file is replaced. */
bool result_file_is_written_through(const char *path);

/* Whether the result could be written now. Ask this before work that takes long. */
bool result_file_possible(const char *path, enum result result, struct error *e);

/* Calls `write` for a result. If it returns false, or if anything could not be written, no file is replaced and `e`
 * says why. */
bool result_file_write(const char *path, enum result result, bool (*write)(FILE *to, void *context, struct error *e),
                       void *context, struct error *e);

#endif
