/* Declarations of variables whose abbreviation no other entry uses.
 *
 * A compiler that writes attributes as constants of the abbreviation wherever
 * all its entries agree makes such abbreviations for what occurs once. They are
 * how .debug_abbrev gets the last of the bytes that are wanted: there are a few
 * kinds, of different sizes.
 */
#ifndef DWARF_SINGLE_H
#define DWARF_SINGLE_H

#include "dwarf/dialect.h"

enum { SINGLE_KINDS = 4, SINGLE_CODE_FIRST = 128 /* codes of two bytes */, SINGLE_COUNT_MOST = 4000 };

struct single_mix {
    uint32_t count[SINGLE_KINDS];
};

/* Bytes of the abbreviation of a kind, and of its entry. */
uint32_t single_abbrev_size(struct dialect d, uint32_t kind);
uint32_t single_entry_size(struct dialect d, uint32_t kind);

/* The fewest abbreviations that take exactly `bytes`, below 64 KiB. False where
 * there are none; from SINGLE_SURE on there always are. */
enum { SINGLE_SURE = 120 };
bool single_divide(struct dialect d, uint64_t bytes, struct single_mix *mix);

/* Writes an abbreviation; an entry with this name and type. The line is decided
 * by the code. */
uint8_t *single_put_abbrev(struct dialect d, uint8_t *p, uint32_t code, uint32_t kind);
uint8_t *single_put_entry(struct dialect d, uint8_t *p, uint32_t code, uint32_t kind, uint32_t name, uint32_t type);

#endif
