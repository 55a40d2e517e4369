/* Partial units, as dwz makes them of what several units of a library declare. The first one has the types that all
 * units use, at the same places as these have them in a library without: there they have declarations instead. Each
 * further one has a type of functions and one of pointers. Some name the line table of a unit that imports them
 * (manner.tables), and of these some are homes: they have an inline function of a header, of which calls were inlined
 * in units that include the header. Partial units stand before all other units, each of which imports some of them, and
 * share tables of abbreviations with these (DWARF 5, 3.1.1 and appendix E). */
#ifndef DWARF_PARTIAL_H
#define DWARF_PARTIAL_H

#include "dwarf/unit.h"

enum {
    PARTIAL_IMPORT = 5,                  /* bytes of the entry that imports one */
    PARTIAL_PADDED_MOST = (1 << 28) - 1, /* in four bytes of seven bits */
};

/* How many abbreviations each table has besides, where there are partial units, and bytes of these: those of partial
 * units, and those of entries with lines below 256 (abbrev_low). */
uint32_t partial_codes(const struct corpus *c);
uint64_t partial_abbrevs_size(const struct corpus *c);

/* How many of `wanted` partial units the library can have: all or none. None where the wanted sizes of .debug_info and
 * .debug_abbrev are too small or not stated, where .debug_info is 256 MiB or more, and in version 4, where
 * llvm-dwarfdump takes partial units for compile units with a wrong entry. */
uint32_t partial_possible(const struct debug *d, uint32_t wanted);

/* Bytes of .debug_info: of the partial units; of the entries in one unit that import them; of these in all units. */
uint64_t partial_units_size(const struct debug *d);
uint64_t partial_imports_size(const struct debug *d, uint32_t unit);
uint64_t partial_all_imports_size(const struct debug *d);

/* How many entries in all units import partial ones; attributes that these, and partial units themselves, have. */
uint64_t partial_imports(const struct debug *d);
uint64_t partial_attributes(const struct debug *d);

/* Writes what stands in a unit in the place of the types that all have, c->types bytes: those, or, where there are
 * partial units, declarations of variables. How many entries that and the inline functions behind it are. */
uint8_t *partial_put_common(const struct debug *d, uint32_t unit, uint8_t *p);
uint64_t partial_fixed_dies(const struct debug *d);
uint64_t partial_fixed_attributes(const struct debug *d);

/* Adds the entries below partial units to `entries`, by code. */
void partial_count(const struct debug *d, uint64_t entries[ABBREV_COUNT]);

/* How many entries the partial units have, with themselves, and the units that import them have for that. */
uint64_t partial_dies(const struct debug *d);

/* partial_refer.c. Decides which units have the forms of ABBREV_SHARED_SMALL (debug_unit.small): those of tables of
 * abbreviations whose units all have 64 KiB at most, where the manner is to have the shortest forms. */
void partial_choose_forms(struct debug *d);

/* Sets at[k], for each inline function k of its header that unit `unit` finds in a partial unit which it imports, to
 * where in .debug_info that is; leaves the others. */
void partial_find_inlines(const struct debug *d, uint32_t unit, uint64_t at[CORPUS_INLINES]);

/* Rewrites entries [p, end) of the unit that begins at `unit` in .debug_info, which were composed as without partial
 * units, to the forms that dwz uses (ABBREV_SHARED and what it says there): types, call origins and abstract origins to
 * DW_FORM_ref_addr, siblings to DW_FORM_ref_udata or, if the unit is `small`, partly to DW_FORM_ref2. Abstract origins
 * lead to the inline functions at `inlines`, where in .debug_info each is; NULL: none does. Lines below 256 take one
 * byte where the corpus has abbreviations for that. Sizes stay as they are. */
void partial_refer(const struct debug *d, const uint64_t inlines[CORPUS_INLINES], uint64_t unit, bool small, uint8_t *p,
                   const uint8_t *end);

/* Write a unit's imports; all partial units, whose importers' debug_unit.line is known; abbreviations of table `table`.
 * Return the place behind what they wrote.
 */
uint8_t *partial_put_imports(const struct debug *d, uint32_t unit, uint8_t *p);
uint8_t *partial_put_units(const struct debug *d, uint8_t *p);
uint8_t *partial_put_abbrevs(const struct debug *d, uint32_t table, uint8_t *p);

#endif
