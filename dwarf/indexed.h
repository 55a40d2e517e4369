/* Debug information as clang writes it in DWARF 5: strings, addresses and lists by number (sections 7.5.5, 7.26 to
 * 7.29), and some attributes other than gcc's.
 *
 * As split debug information (split.h) it is made from finished sections in their normal form, one unit after another:
 *
 *     strp, line_strp, string      strx1, strx2, strx3    a number in the unit's part of .debug_str_offsets
 *     addr, DW_OP_addr             addrx, DW_OP_addrx     a number in its part of .debug_addr
 *     sec_offset of a list         loclistx, rnglistx     a number in the table that its lists begin with
 *     implicit_const               data1, but for DW_AT_inline
 *     DW_AT_upper_bound            DW_AT_count, which is one more
 *     DW_AT_high_pc, data8         data4
 *
 * Numbers are given in the order in which things are met, and so are codes of abbreviations, of which each unit has
 * those that it uses: an entry whose name has a number beyond 255 has another one. What clang does not say is left out
 * (columns of declarations, siblings, entry points of inlined calls, sizes of pointers), and .debug_aranges with it.
 *
 *     .debug_info   unit 0 | unit 1 | ...                each with str_offsets_base, addr_base, loclists_base, ...
 *     .debug_addr   addresses of unit 0 | of unit 1 | ...
 *
 * .debug_line and .debug_line_str stay as they are. .debug_str begins as it was; behind it stand names that were in
 * entries and, as clang has them there, names of sources.
 *
 * Use: indexed_make, and indexed_fill to make sections longer. Memory grows to what a library needs and is kept.
 */
#ifndef DWARF_INDEXED_H
#define DWARF_INDEXED_H

#include "dwarf/list_table.h"
#include "dwarf/once.h"
#include "dwarf/unit.h"

/* What there is in .debug_info. */
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
    uint64_t variety; /* what is drawn at random is derived from it */
    uint32_t placed;  /* as of the manner */
};

/* What the unit's own entry says. */
struct indexed_unit {
    const uint8_t *start, *entries, *end;
    uint64_t low, size;
    uint32_t lines;                     /* offset in .debug_line */
    uint32_t name, directory, producer; /* offsets in .debug_str */
    bool is_last;
    bool has_locations, has_ranges, has_addresses; /* of its own: its entry has a base for them */
    uint32_t type;                                 /* offset, in its new form, of a type in it; 0: none */
};

/* Where the last unit that has any begins. */
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
    struct once names;                        /* those behind the strings as they were */
    struct bytes rules, first;                /* of a table of abbreviations: indexed_table.c */
    uint32_t table;                           /* which that is */
    struct numbers strings, addresses, codes; /* of the unit */
    struct list_table locations, ranges;      /* of the unit */
    struct indexed_last last_locations, last_ranges;
    uint64_t last_unit;                  /* bytes of it in .debug_info */
    size_t table_end;                    /* where the last unit's abbreviations end that are used */
    size_t last_offsets, last_addresses; /* where such parts of the last unit begin that has any */
    struct bytes places, references;     /* uint32_t: as in split.h */
};

/* Makes all sections; false when memory ran out. */
bool indexed_make(struct indexed *x, const struct indexed_source *from);

/* Makes sections longer, as far as `wanted` says and their contents allow: by what no entry uses, or, in .debug_info,
 * by types at the end of the last unit. What .debug_addr and .debug_str_offsets may be longer by is a multiple of an
 * address and of an offset. False when memory ran out. */
bool indexed_fill(struct indexed *x, const uint64_t wanted[INDEXED_SECTIONS]);

void indexed_free(struct indexed *x);

/* What an attribute is called in clang's form; 0: entries do not have it there. `declares`: they are declarations. */
uint32_t indexed_attribute(uint32_t tag, uint32_t name, bool declares);

/* Whether entries that have a size are told how they are passed (DW_AT_calling_convention), which gcc does not say. */
bool indexed_has_convention(struct dialect d, uint32_t tag);

#endif
