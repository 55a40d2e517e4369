/* Reads back what abbrev.h encodes, for those who show it in other words. */
#ifndef DWARF_ENTRY_H
#define DWARF_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/abbrev.h"

enum { ENTRY_NONE = UINT32_MAX };

/* One entry; numbers that it does not have are ENTRY_NONE. References and names
 * are as they are written. */
struct entry {
    const uint8_t *at, *end; /* without its children */
    uint8_t code;            /* in the table; ABBREV_END: of the children before it */
    uint16_t tag;            /* as in version 5 */
    bool children, declaration, artificial;
    const uint8_t *name_at; /* where the reference to its name is, or NULL */
    uint32_t name, line, type, sibling;
    uint32_t origin; /* abstract origin or specification */
    uint32_t value;  /* a constant, or the upper bound of an array */
    uint64_t low;    /* address of its code, or UINT64_MAX */
};

/* Reads the entry at `p`; returns where the next begins. */
const uint8_t *entry_read(struct dialect d, const uint8_t *p, struct entry *e);

#endif
