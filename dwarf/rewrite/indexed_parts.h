/* What the files of indexed.h share. */
#ifndef DWARF_REWRITE_INDEXED_PARTS_H
#define DWARF_REWRITE_INDEXED_PARTS_H

#include "dwarf/rewrite/indexed.h"

enum {
    INDEXED_ATTRIBUTES_MOST = 21, /* of an abbreviation */
    INDEXED_HEADER = 8,           /* bytes of the header of a unit's part of .debug_str_offsets and .debug_addr */
    INDEXED_ENTRY_MOST = 512,     /* bytes of an entry, far more than any takes */
};

/* What becomes of an attribute's value. */
enum indexed_does {
    INDEXED_END, /* no attribute: behind the last of an abbreviation */
    INDEXED_COPY,
    INDEXED_DROP,
    INDEXED_SAY,  /* an implicit constant that each entry has then */
    INDEXED_KEEP, /* an implicit constant that stays in the abbreviation */
    INDEXED_TEXT,
    INDEXED_STRING,
    INDEXED_LINE_STRING,
    INDEXED_ADDRESS,
    INDEXED_REFERENCE,
    INDEXED_EXPRESSION,
    INDEXED_LOCATIONS,
    INDEXED_PIECES, /* ranges */
    INDEXED_NUMBER, /* a number, in as few bytes as it takes */
    INDEXED_COUNT,  /* the same of a number that is one more */
    INDEXED_UNSIGNED,
    INDEXED_SIGNED,
    INDEXED_SHORTER, /* eight bytes that become four */
    INDEXED_PLACE    /* a place that is a number, in some of the entries that had none */
};

struct indexed_rule {
    uint16_t name; /* the attribute in clang's form */
    uint8_t does;
    uint8_t form; /* its form there, if that does not depend on the value */
    uint8_t size; /* bytes of its value in the normal form; 0: the value tells, or none */
    int32_t value;
};

/* An abbreviation of the normal form, and what becomes of its entries. */
struct indexed_entry {
    uint16_t tag;
    uint8_t children;
    uint16_t same;                                     /* the first code of the table whose entries become the same */
    uint64_t hash;                                     /* of what they become */
    struct indexed_rule rule[INDEXED_ATTRIBUTES_MOST]; /* ended by INDEXED_END */
};

/* indexed_table.c. Reads the table of abbreviations at this offset, unless it was the last one that was read. */
void indexed_read_table(struct indexed *x, uint32_t table);

/* The abbreviation of the normal form with this code. */
const struct indexed_entry *indexed_entry_of(const struct indexed *x, uint64_t code);

/* The code of such an entry in clang's form. `widths` has two bits for each value whose form depends on it, the first
 * lowest. Appends the abbreviation when it is met for the first time. */
uint32_t indexed_code(struct indexed *x, const struct indexed_entry *entry, uint64_t widths);

/* Appends the abbreviation of the unit's own entry. It has the first code. */
void indexed_put_unit_code(struct indexed *x);

/* Appends, with the next codes, the abbreviations of types that fill the last unit. Their entries take five bytes and
 * one. */
enum { INDEXED_FILL_TYPE = 2, INDEXED_FILL_VOID = 3 };
void indexed_put_fill_codes(struct indexed *x);

/* Ends the unit's table. The last unit's has abbreviations that no entry uses before its end, `longer` bytes beyond the
 * shortest. */
void indexed_end_table(struct indexed *x, uint64_t longer);
void indexed_reopen_table(struct indexed *x); /* takes these and the end away again */

#endif
