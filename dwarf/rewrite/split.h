/* Split debug information, as gcc -gsplit-dwarf makes it: what debuggers need at once stays in the library, the rest
 * goes into .dwo files or into one package of them (DWARF 5 sections 3.1.2, 7.3.2 to 7.3.5 and appendix F; for version
 * 4 GNU's extension, gcc.gnu.org/wiki/DebugFission and DebugFissionDWP).
 *
 * It is made from finished sections in their normal form, one unit after another. A walk over a unit's entries, by its
 * abbreviations, writes them again with
 *
 *     strp, line_strp              strx       a number in .debug_str_offsets.dwo
 *     addr, DW_OP_addr             addrx      a number in the library's .debug_addr
 *     sec_offset of a list         loclistx, rnglistx    a number in the lists' table
 *     ref4                         ref4       where the entry is then
 *
 * or version 4's GNU_str_index, GNU_addr_index and offsets. Lists begin with numbers of addresses too. A unit's line
 * table stays as it is, and so does .debug_ranges of version 4.
 *
 *     the library    .debug_info      skeleton 0            skeleton 1         ...
 *                    .debug_addr      addresses of unit 0   addresses of unit 1
 *                                        ^ addr_base           ^ addr_base
 *     unit 0's .dwo  .debug_info.dwo  unit 0, which has the same identity
 *
 * Use: split_start; while split_next is true, take the unit's parts, or in version 4 leave them there; split_end.
 * Memory grows to what a library needs and is kept. */
#ifndef DWARF_REWRITE_SPLIT_H
#define DWARF_REWRITE_SPLIT_H

#include "base/uneven.h"
#include "dwarf/rewrite/list_table.h"
#include "dwarf/rewrite/numbers.h"
#include "dwarf/unit/unit.h"

/* The sections of a .dwo file or a package. */
enum split_part {
    SPLIT_INFO,
    SPLIT_ABBREV,
    SPLIT_LISTS,
    SPLIT_RANGES, /* not in version 4 */
    SPLIT_STR_OFFSETS,
    SPLIT_STR,
    SPLIT_INDEX, /* the index of units, in a package */
    SPLIT_PARTS
};

/* The sections that the library keeps. .debug_aranges is changed where it stands. */
enum split_stub { STUB_INFO, STUB_ABBREV, STUB_STR, STUB_ADDR, SPLIT_STUBS };

enum { SPLIT_NAME_MOST = 64 };

/* The sections in their normal form. They have to stay where they are until split_end. */
struct split_source {
    struct dialect dialect;
    struct debug_places places;
    uint64_t size[DEBUG_SECTION_COUNT];
    uint64_t identity; /* the units' identities are derived from it */
    const char *stem;  /* what the names of .dwo files begin with; NULL: they are called after the units' sources */
    uint64_t abbrevs;  /* bytes that each unit's table of abbreviations may take if it can do with them; 0: any number.
                          Units that share a table use only a part of it */
};

/* The unit under way, and what its own entry says. */
struct split_unit {
    const uint8_t *start, *entries, *end;
    uint64_t identity, low, size;
    uint32_t lines, ranges; /* offsets in the library's sections; `ranges` is UINT32_MAX if the unit has none */
    const char *source, *directory;
};

struct split {
    struct bytes part[SPLIT_PARTS]; /* of the unit; in version 4, of all units so far */
    struct bytes stub[SPLIT_STUBS];
    char name[SPLIT_NAME_MOST]; /* of the unit's .dwo file */

    /* The rest is for split*.c. */
    struct split_source from;
    struct split_unit unit;
    uint32_t units;                      /* units split so far */
    struct uneven_sum sizes;             /* of these, without their skeletons */
    int64_t attributes_more;             /* attributes of skeletons, less those that entries have no more */
    uint64_t at;                         /* offset of the next unit in .debug_info */
    uint8_t *aranges;                    /* the part of .debug_aranges of the next unit with code */
    struct bytes attributes, first;      /* the table of abbreviations: split_table.c, */
    struct bytes table, abbreviations;   /* as it is written, and uint32_t: where each of them begins in it; */
    struct bytes used;                   /* uint8_t: whether an entry has it */
    struct numbers strings, addresses;   /* of the unit */
    struct list_table locations, ranges; /* of the unit */
    struct bytes places;                 /* uint32_t: for each old offset of an entry in the unit, the new one */
    struct bytes references, range_places, views; /* uint32_t: offsets in the unit of references, and of offsets of
                                                     ranges and of views */
    uint32_t list_was;                            /* the location list that was met last: its old offset */
    struct bytes contributions; /* struct split_contribution: what each unit contributes to a package */
};

/* Begins with the first unit of *from. *s is zeroed or was used before. */
void split_start(struct split *s, const struct split_source *from);

/* Splits the next unit. False when there is none, and when memory ran out. */
bool split_next(struct split *s);

/* Completes a package of version 4; false when memory has run out, now or before. */
bool split_end(struct split *s);

/* Frees all memory of *s. */
void split_free(struct split *s);

#endif
