/* In what clang's debug information differs from gcc's, entry by entry. */
#ifndef DWARF_FORM_CLANG_H
#define DWARF_FORM_CLANG_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/form/dialect.h"

/* What an attribute is with clang; 0: entries with this tag do not have it. `declares`: the entries are
 * declarations. */
uint32_t clang_attribute(uint32_t tag, uint32_t name, bool declares);

/* Whether entries with this tag and a size say how they are passed (DW_AT_calling_convention), which gcc's do not. */
bool clang_has_convention(struct dialect d, uint32_t tag);

#endif
