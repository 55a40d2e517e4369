/* Reads entries encoded with the abbreviations of abbrev.h, from which the text of sources is made. */
#ifndef DWARF_FORM_ENTRY_H
#define DWARF_FORM_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/form/abbrev.h"

enum { ENTRY_NONE = UINT32_MAX };

/* One entry. A number that it does not have is ENTRY_NONE. References and names are as they are written in it. */
struct entry {
    const uint8_t *at, *end; /* the entry without its children */
    uint8_t code;            /* code of the abbreviation; ABBREV_END: the null entry that ends children */
    uint16_t tag;            /* as in version 5 */
    bool children, declaration, artificial;
    const uint8_t *name_at; /* where in the entry its name is, or the offset of that; or NULL */
    const char *text;       /* the name, if it stands in the entry (DW_FORM_string); or NULL */
    uint32_t name, line, type, sibling;
    uint32_t origin; /* abstract origin or specification */
    uint32_t value;  /* a constant, or the upper bound of an array */
    uint64_t low;    /* address of its code, or UINT64_MAX */
};

/* The entry's name; "" where it has none. `strings` are corpus.strings. */
static inline const char *entry_name(const struct entry *e, const struct bytes *strings)
{
    return e->text ? e->text : e->name == ENTRY_NONE ? "" : (const char *)strings->data + e->name;
}

/* Reads the entry at `p`. Returns where the next entry begins. */
const uint8_t *entry_read(struct dialect d, const uint8_t *p, struct entry *e);

#endif
