/* Types of the headers, as C declares them. */
#ifndef EMIT_SOURCE_TYPE_H
#define EMIT_SOURCE_TYPE_H

#include "base/bytes.h"
#include "dwarf/corpus.h"

/* Appends a declaration of `name` (or, "", only its type), whose type is at `type`
 * of a unit that includes the header. */
void type_declare(struct bytes *out, const struct corpus *c, uint32_t header, uint32_t type, const char *name);

/* Appends a declaration of a function, up to the closing parenthesis of its parameters,
 * whose types are the children of the entry that ends at `children`. */
void type_declare_function(struct bytes *out, const struct corpus *c, uint32_t header, uint32_t result,
                           const char *name, const uint8_t *children);

#endif
