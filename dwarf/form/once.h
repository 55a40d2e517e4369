/* Strings that stand only once in a section, as after merging by a linker: this finds those that are already there. */
#ifndef DWARF_FORM_ONCE_H
#define DWARF_FORM_ONCE_H

#include <stdint.h>

#include "base/bytes.h"

struct once_slot {
    uint32_t place; /* offset + 1; 0: free */
    uint32_t hash;  /* of the string, which so need not be read again: strings are many times what a cache holds */
};

/* A hash table of offsets of strings; empty when zeroed. */
struct once {
    struct once_slot *slot;
    uint32_t slots; /* a power of two */
    uint32_t used;
};

/* The offset of `text` in `strings`; appends it if it is not there. When memory runs out, `strings` has failed
 * (base/bytes.h) and the result is 0. */
uint32_t once_put(struct once *o, struct bytes *strings, const char *text);
void once_free(struct once *o);

#endif
