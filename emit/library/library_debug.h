/* What a library's debug information is to be, and how large its sections come out. */
#ifndef EMIT_LIBRARY_LIBRARY_DEBUG_H
#define EMIT_LIBRARY_LIBRARY_DEBUG_H

#include "emit/library/library.h"

/* Sizes the debug sections of the builder's library, of which all that is loaded has been placed. Fails where the sizes
 * cannot be met or memory runs out. */
bool library_size_debug(struct builder *b, struct error *e);

#endif
