/* What the files of indexed.h share. */
#ifndef DWARF_INDEXED_PARTS_H
#define DWARF_INDEXED_PARTS_H

#include "dwarf/indexed.h"

enum {
    INDEXED_ATTRIBUTES_MOST = 21, /* of an abbreviation */
    INDEXED_HEADER = 8,           /* bytes, of a unit's part of .debug_str_offsets and .debug_addr */
    INDEXED_ENTRY_MOST = 512,     /* bytes of an entry, far more than any has */
};

/* What becomes of an attribute's value. */
enum indexed_does {
    INDEXED_END, /* no attribute: behind the last of an abbreviation */
    INDEXED_COPY,
    INDEXED_DROP,
    INDEXED_SAY,  /* an implicit constant, in each entry */
    INDEXED_KEEP, /* the same, in the abbreviation as before */
    INDEXED_TEXT,
    INDEXED_STRING,
    INDEXED_LINE_STRING,
    INDEXED_ADDRESS,
    INDEXED_REFERENCE,
    INDEXED_EXPRESSION,
    INDEXED_LOCATIONS,
    INDEXED_PIECES, /* ranges */
    INDEXED_NUMBER, /* in as few bytes as it takes */
    INDEXED_COUNT,  /* one more, the same */
    INDEXED_UNSIGNED,
    INDEXED_SIGNED,
    INDEXED_SHORTER, /* eight bytes that become four */
    INDEXED_PLACE    /* a number, in some entries, where there was nothing */
};

struct indexed_rule {
    uint16_t name; /* what it is called then */
    uint8_t does;
    uint8_t form; /* the form that it has then, where that does not depend on the value */
    uint8_t size; /* bytes that it takes; 0: its value tells, or none */
    int32_t value;
};

/* An abbreviation as it was. */
struct indexed_entry {
    uint16_t tag;
    uint8_t children;
    uint16_t same; /* the first code of the table of which entries become the same as of this */
    uint64_t hash; /* of what they become */
    struct indexed_rule rule[INDEXED_ATTRIBUTES_MOST]; /* ended by INDEXED_END */
};

/* indexed_table.c. Reads the table of abbreviations at this offset, unless it is the one that was read last. */
void indexed_read_table(struct indexed *x, uint32_t table);

/* What entries with this code have. */
const struct indexed_entry *indexed_entry_of(const struct indexed *x, uint64_t code);

/* The code of the abbreviation for such an entry, where values that differ in form have `widths`, two bits each;
 * appends it where it is met for the first time. */
uint32_t indexed_code(struct indexed *x, const struct indexed_entry *entry, uint64_t widths);

/* Appends the abbreviation of the unit's own entry, with the first code. */
void indexed_put_unit_code(struct indexed *x);

/* Appends, to the last unit's, abbreviations for types that fill it, with the next codes: of five bytes and of one. */
enum { INDEXED_FILL_TYPE = 2, INDEXED_FILL_VOID = 3 };
void indexed_put_fill_codes(struct indexed *x);

/* Appends the abbreviation that no entry uses, which is `longer` than it is at the least, and the end of the table. */
void indexed_end_table(struct indexed *x, uint64_t longer);
void indexed_reopen_table(struct indexed *x); /* takes it away again */

#endif
