/* Debug information as clang writes it in DWARF 5: strings, addresses and lists by number (sections 7.5.5, 7.26 to
 * 7.29), and some attributes other than gcc's.
 *
 * Like split debug information (split.h), it is made from finished sections in their normal form, one unit after
 * another:
 *
 *     strp, line_strp, string      strx1, strx2, strx3    a number in the unit's part of .debug_str_offsets
 *     addr, DW_OP_addr             addrx, DW_OP_addrx     a number in its part of .debug_addr
 *     sec_offset of a list         loclistx, rnglistx     a number in the table that its lists begin with
 *     implicit_const               data1, but for DW_AT_inline
 *     DW_AT_upper_bound            DW_AT_count, which is one more
 *     DW_AT_high_pc, data8         data4
 *
 * Numbers are given in the order in which strings, addresses and lists are met. Each unit has the abbreviations that it
 * uses, with codes in that order too. An entry whose name has a number above 255 has another abbreviation than one
 * whose name has not. What clang does not write is left out: columns of declarations, siblings, entry points of inlined
 * calls, sizes of pointers, and .debug_aranges.
 *
 *     .debug_info   unit 0 | unit 1 | ...                each with str_offsets_base, addr_base, loclists_base, ...
 *     .debug_addr   addresses of unit 0 | of unit 1 | ...
 *
 * .debug_line and .debug_line_str stay as they are. .debug_str begins as it was. Behind that stand names that were in
 * entries and, as clang has them there, names of sources.
 *
 * Use: indexed_make, and indexed_fill to make sections longer. Memory grows to what a library needs and is kept. */
#ifndef DWARF_REWRITE_INDEXED_H
#define DWARF_REWRITE_INDEXED_H

#include "dwarf/form/once.h"
#include "dwarf/rewrite/list_table.h"
#include "dwarf/unit/unit.h"

/* What .debug_info has. */
struct indexed_counts {
    uint64_t dies, attributes;
    uint64_t gone;           /* parameters and variables of inlined functions that are nowhere in the normal form */
    struct uneven_sum sizes; /* of units */
};

enum indexed_section {
    INDEXED_INFO,
    INDEXED_ABBREV,
    INDEXED_STR,
    INDEXED_LISTS,
    INDEXED_RANGES,
    INDEXED_STR_OFFSETS,
    INDEXED_ADDR,
    INDEXED_SECTIONS
};

/* The sections in their normal form, in version 5 without type units, partial units and location views. */
struct indexed_source {
    struct dialect dialect;
    struct debug_places places;
    uint64_t size[DEBUG_SECTION_COUNT];
    uint64_t variety; /* random choices are derived from it */
    uint32_t placed;  /* manner.placed */
};

/* The unit under way: what its own entry says, and more. */
struct indexed_unit {
    const uint8_t *start, *entries, *end;
    uint64_t low, size;
    uint32_t lines;                     /* offset in .debug_line */
    uint32_t name, directory, producer; /* offsets in .debug_str */
    bool is_last;
    bool has_locations, has_ranges, has_addresses; /* it has some: its own entry has a base for them */
    uint32_t type;                                 /* offset of a type in the new form of the unit; 0: none */
};

/* The lists of the last unit that has any, and where they begin in the section. */
struct indexed_last {
    struct list_table lists;
    size_t start;
};

struct indexed {
    struct bytes section[INDEXED_SECTIONS];
    struct indexed_counts counts;

    /* The rest is for indexed*.c. */
    struct indexed_source from;
    struct indexed_unit unit;
    struct once names;                        /* names that are appended to the strings */
    struct bytes rules, first;                /* of a table of abbreviations: indexed_table.c */
    uint32_t table;                           /* the offset of that table */
    struct numbers strings, addresses, codes; /* of the unit */
    struct list_table locations, ranges;      /* of the unit */
    struct indexed_last last_locations, last_ranges;
    uint64_t last_unit;                  /* bytes of the last unit in .debug_info */
    size_t table_end;                    /* where the abbreviations end that the last unit uses */
    size_t last_offsets, last_addresses; /* where the last such parts of a unit begin */
    struct bytes places, references;     /* uint32_t: as in split.h */
};

/* Makes all sections of `from` in clang's form; false when memory ran out. */
bool indexed_make(struct indexed *x, const struct indexed_source *from);

/* Makes sections longer, as far as `wanted` says and their contents allow: with what no entry uses or, in .debug_info,
 * with types at the end of the last unit. .debug_addr can grow by multiples of an address, .debug_str_offsets by
 * multiples of an offset. False when memory ran out. */
bool indexed_fill(struct indexed *x, const uint64_t wanted[INDEXED_SECTIONS]);

/* Frees all memory of *x. */
void indexed_free(struct indexed *x);

#endif
