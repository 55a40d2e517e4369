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
    const uint8_t *name_at; /* where its name or the reference to that is, or NULL */
    const char *text;       /* the name, where it is in the entry */
    uint32_t name, line, type, sibling;
    uint32_t origin; /* abstract origin or specification */
    uint32_t value;  /* a constant, or the upper bound of an array */
    uint64_t low;    /* address of its code, or UINT64_MAX */
};

/* Its name, `strings` being those of the corpus; "" where it has none. */
static inline const char *entry_name(const struct entry *e, const struct bytes *strings)
{
    return e->text ? e->text : e->name == ENTRY_NONE ? "" : (const char *)strings->data + e->name;
}

/* Reads the entry at `p`; returns where the next begins. */
const uint8_t *entry_read(struct dialect d, const uint8_t *p, struct entry *e);

#endif
