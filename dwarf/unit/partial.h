/* Partial units, as dwz makes them of what several units of a library declare (DWARF 5, 3.1.1 and appendix E). They
 * stand before all other units and share tables of abbreviations with these. Each other unit imports some of them.
 *
 * The first partial unit has the types that all units use, at the places where units of a library without partial units
 * have them. The other units have declarations there instead. Each further partial unit has a type of functions and one
 * of pointers. Some (manner.tables) name the line table of a unit that imports them. Of these, some are homes: they
 * have an inline function of a header, from which calls in units that include the header were inlined. */
#ifndef DWARF_UNIT_PARTIAL_H
#define DWARF_UNIT_PARTIAL_H

#include "dwarf/unit/unit.h"

enum {
    PARTIAL_IMPORT = 5,                  /* bytes of an entry that imports a partial unit */
    PARTIAL_PADDED_MOST = (1 << 28) - 1, /* the largest reference in four bytes of seven bits each */
};

/* How many abbreviations each table has in addition where there are partial units, and their bytes. They are those of
 * partial units and those of entries with lines below 256 (abbrev_low). */
uint32_t partial_codes(const struct corpus *c);
uint64_t partial_abbrevs_size(const struct corpus *c);

/* How many of `wanted` partial units the library can have: all or none. It has none if the wanted sizes of .debug_info
 * and .debug_abbrev are too small or not set, or if .debug_info has 256 MiB or more. Nor in version 4, where
 * llvm-dwarfdump takes partial units for compile units with a wrong entry. */
uint32_t partial_possible(const struct debug *d, uint32_t wanted);

/* Bytes of .debug_info: of all partial units; of the entries of one unit that import them; of such entries of all
 * units. */
uint64_t partial_units_size(const struct debug *d);
uint64_t partial_imports_size(const struct debug *d, uint32_t unit);
uint64_t partial_all_imports_size(const struct debug *d);

/* partial_imports: how many entries in all units import partial units. partial_attributes: how many attributes these
 * entries and the partial units' own entries have. */
uint64_t partial_imports(const struct debug *d);
uint64_t partial_attributes(const struct debug *d);

/* partial_put_common writes c->types bytes to where units have the types that all use: those types or, where there are
 * partial units, declarations of variables. Returns the place behind them. partial_fixed_dies and
 * partial_fixed_attributes: entries and attributes of these and of the inline functions behind them, in one unit. */
uint8_t *partial_put_common(const struct debug *d, uint32_t unit, uint8_t *p);
uint64_t partial_fixed_dies(const struct debug *d);
uint64_t partial_fixed_attributes(const struct debug *d);

/* Adds the entries inside partial units to `entries`, by code. */
void partial_count(const struct debug *d, uint64_t entries[ABBREV_COUNT]);

/* How many entries the partial units have, with their own, and how many entries import them. */
uint64_t partial_dies(const struct debug *d);

/* partial_refer.c. Decides which units have the forms of ABBREV_SHARED_SMALL (debug_unit.small), if the manner has the
 * shortest forms: the units with a table of abbreviations all of whose units have 64 KiB at most. */
void partial_choose_forms(struct debug *d);

/* Unit `unit` finds some inline functions of its header in partial units that it imports. Sets at[k] to where in
 * .debug_info function k is, for each of these; leaves the others. */
void partial_find_inlines(const struct debug *d, uint32_t unit, uint64_t at[CORPUS_INLINES]);

/* Rewrites entries [p, end) of the unit that begins at `unit` in .debug_info from the forms of a library without
 * partial units to those that dwz uses (ABBREV_SHARED). References to types, call origins and abstract origins become
 * DW_FORM_ref_addr. Those to siblings become DW_FORM_ref_udata or, if the unit is `small`, partly DW_FORM_ref2.
 * Abstract origins lead to the inline functions at `inlines`, which are places in .debug_info; with NULL, none does.
 * Lines below 256 take one byte if the corpus has abbreviations for that. Sizes stay as they are. */
void partial_refer(const struct debug *d, const uint64_t inlines[CORPUS_INLINES], uint64_t unit, bool small, uint8_t *p,
                   const uint8_t *end);

/* Write a unit's imports; all partial units; and their abbreviations in table `table`. Return the place behind what
 * they wrote. For partial_put_units, debug_unit.line of the units that import them must be known. */
uint8_t *partial_put_imports(const struct debug *d, uint32_t unit, uint8_t *p);
uint8_t *partial_put_units(const struct debug *d, uint8_t *p);
uint8_t *partial_put_abbrevs(const struct debug *d, uint32_t table, uint8_t *p);

#endif
