/* Declarations of variables, or of functions, whose abbreviation no other entry uses.
 *
 * A compiler makes an abbreviation for every combination of attributes that occurs, and some occur only once. Here such
 * abbreviations give .debug_abbrev its exact size. There are several kinds, whose sizes differ because their attributes
 * do. Their codes follow those of the table (abbrev.h), so that the first ones take one byte and the others two. */
#ifndef DWARF_FORM_SINGLE_H
#define DWARF_FORM_SINGLE_H

#include "dwarf/form/dialect.h"

enum {
    SINGLE_KINDS = 8,
    SINGLE_COUNT_MOST = 4000,
    SINGLE_SURE = 28, /* every number of bytes from this one on can be made up of these kinds */
};

/* How many abbreviations there are of each kind, in the order of codes: [0] have codes of one byte, then [1] codes of
 * two. */
struct single_mix {
    uint32_t first; /* the first code */
    uint32_t count[2][SINGLE_KINDS];
};

/* The fewest abbreviations that take exactly a small number of bytes: [0] with codes of one byte, [1] with codes of
 * two. The same for all libraries. */
enum { SINGLE_REST_MOST = 160 };
struct single_ways {
    uint32_t size[2][SINGLE_KINDS];          /* bytes of each kind */
    uint8_t fewest[2][SINGLE_REST_MOST + 1]; /* by bytes: how many, or UINT8_MAX: none take exactly so many */
    uint8_t last[2][SINGLE_REST_MOST + 1];   /* by bytes: the kind of one of these */
};
void single_find_ways(struct single_ways *ways);

/* Sets *mix to the fewest abbreviations, or nearly, that take exactly `bytes`, with codes from `first` on. False if
 * there are none. */
bool single_divide(const struct single_ways *ways, uint32_t first, uint64_t bytes, struct single_mix *mix);

/* Bytes of `count` abbreviations of the longest kind, with codes from `first` on: for tables with abbreviations that no
 * entry uses. */
uint64_t single_unused_size(uint32_t first, uint32_t count);
/* Writes such an abbreviation. */
uint8_t *single_put_unused(uint8_t *p, struct dialect d, uint32_t code);

/* single_count: how many abbreviations there are. single_entries_size: bytes of the entries that use them. */
uint32_t single_count(const struct single_mix *mix);
uint64_t single_entries_size(const struct single_mix *mix, struct dialect d);

/* How many attributes these entries have in all. */
uint64_t single_attributes(const struct single_mix *mix);

/* The kind of abbreviation i, from 0, whose code is first + i. */
uint32_t single_kind(const struct single_mix *mix, uint32_t i);

/* single_put_abbrev writes an abbreviation, whose entry has a type of the same unit or, if `far`, of any unit.
 * single_put_entry writes such an entry, with this name and type. With dialect.lines they are functions with a
 * prototype, in place of a type. */
uint8_t *single_put_abbrev(uint8_t *p, struct dialect d, uint32_t code, uint32_t kind, bool far);
uint8_t *single_put_entry(uint8_t *p, struct dialect d, uint32_t code, uint32_t kind, uint32_t name, uint32_t type);

#endif
