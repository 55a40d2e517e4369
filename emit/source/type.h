/* Types of the headers, as C declares them. */
#ifndef EMIT_SOURCE_TYPE_H
#define EMIT_SOURCE_TYPE_H

#include "base/bytes.h"
#include "dwarf/corpus/corpus.h"

/* Appends a declaration of `name`, or only its type where that is "". `type` is the offset of the type in a unit that
 * includes the header. */
void type_declare(struct bytes *out, const struct corpus *c, uint32_t header, uint32_t type, const char *name);

/* Appends a declaration of a function, up to the closing parenthesis of its parameters. The parameters' types are those
 * of the children of the function's entry, which begin at `children`. */
void type_declare_function(struct bytes *out, const struct corpus *c, uint32_t header, uint32_t result,
                           const char *name, const uint8_t *children);

#endif
