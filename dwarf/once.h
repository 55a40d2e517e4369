/* Strings that stand once in a section, as a linker merges them: finds those that are there. */
#ifndef DWARF_ONCE_H
#define DWARF_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* A hash table of where they are; all zero has none. */
struct once {
    uint32_t *slot; /* offset + 1; 0: free */
    uint32_t slots; /* a power of two */
    uint32_t used;
};

/* Where `text` is in the strings, at whose end it is put if it was not there. Where memory runs out, they fail
 * (base/bytes.h) and it is 0. */
uint32_t once_put(struct once *o, struct bytes *strings, const char *text);
void once_free(struct once *o);

#endif
