/* Partial units, as dwz makes them of what several units of a library declare: here of a constant of a base type, which
 * another unit has, and a pointer to it. They stand behind all other units, of which the last imports them, and have a
 * table of abbreviations of their own behind all others (DWARF 5, 3.1.1 and appendix E). */
#ifndef DWARF_PARTIAL_H
#define DWARF_PARTIAL_H

#include "dwarf/unit.h"

enum {
    PARTIAL_IMPORT_ABBREV = 7, /* bytes, as are all below: in the last table */
    PARTIAL_IMPORT = 5,        /* the entry that imports one */
};

/* How many of so many the library can have: all, or none where what is wanted of .debug_info and .debug_abbrev is too
 * little, or is not said; and with version 4, where llvm-dwarfdump takes them for compile units with a wrong entry. */
uint32_t partial_possible(const struct debug *d, uint32_t wanted);

/* What they take of .debug_info, without what imports them; and their abbreviations, but for that. */
uint64_t partial_units_size(const struct debug *d);
uint64_t partial_table_size(const struct debug *d);

/* Write what imports them, whose abbreviation has this code; them; and abbreviations. All return what is behind it. */
uint8_t *partial_put_imports(const struct debug *d, uint8_t code, uint8_t *p);
uint8_t *partial_put_units(const struct debug *d, uint8_t *p);
uint8_t *partial_put_import_abbrev(uint8_t code, uint8_t *p);
uint8_t *partial_put_table(const struct debug *d, uint8_t *p);

#endif
