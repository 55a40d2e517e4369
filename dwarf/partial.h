/* Partial units, as dwz makes them of what several units of a library declare: here of a base type, a constant of it,
 * and a pointer to that; the first one, of the types that functions of all units have, at the places at which other
 * units have them, too. They stand before all other units, which import some each, and whose tables of abbreviations
 * they use (DWARF 5, 3.1.1 and appendix E). */
#ifndef DWARF_PARTIAL_H
#define DWARF_PARTIAL_H

#include "dwarf/unit.h"

enum {
    PARTIAL_CODES = 2,    /* abbreviations that each table has for them, of */
    PARTIAL_ABBREVS = 12, /* bytes */
    PARTIAL_IMPORT = 5,   /* bytes of the entry that imports one */
};

/* How many of so many the library can have: all, or none where what is wanted of .debug_info and .debug_abbrev is too
 * little, or is not said, or that of .debug_info is 256 MiB and more; and with version 4, where llvm-dwarfdump takes
 * them for compile units with a wrong entry. */
uint32_t partial_possible(const struct debug *d, uint32_t wanted);

/* Bytes of .debug_info: theirs; of what imports them, in this unit, and in all. */
uint64_t partial_units_size(const struct debug *d);
uint64_t partial_imports_size(const struct debug *d, uint32_t unit);
uint64_t partial_all_imports_size(const struct debug *d);

/* Their entries, and those that import them. */
uint64_t partial_dies(const struct debug *d);

/* Rewrites the references in entries [p, end) of the unit that begins at `unit` in .debug_info, which were composed as
 * without partial units, to the forms that dwz uses (ABBREV_SHARED): call origins and abstract origins to
 * DW_FORM_ref_addr, siblings to DW_FORM_ref_udata. Sizes stay as they are. */
void partial_refer(const struct debug *d, uint64_t unit, uint8_t *p, const uint8_t *end);

/* Write what this unit imports; them all; and their abbreviations. All return what is behind it. */
uint8_t *partial_put_imports(const struct debug *d, uint32_t unit, uint8_t *p);
uint8_t *partial_put_units(const struct debug *d, uint8_t *p);
uint8_t *partial_put_abbrevs(const struct debug *d, uint8_t *p);

#endif
