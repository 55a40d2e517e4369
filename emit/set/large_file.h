/* The file of a large library, piece by piece as it is composed (large.h). */
#ifndef EMIT_SET_LARGE_FILE_H
#define EMIT_SET_LARGE_FILE_H

#include "emit/library/builders.h"
#include "emit/set/directory.h"
#include "emit/set/set.h"

/* Writes the library that library_size has sized, with b->large set, to the set's directory; fills `file`. */
bool large_write(struct builder *b, struct directory *directory, struct set_file *file, struct error *e);

#endif
