/* Which entries and attributes the debug information of a library has, before it is written. */
#ifndef DWARF_UNIT_COUNT_H
#define DWARF_UNIT_COUNT_H

#include "dwarf/unit/unit.h"

enum { COUNT_ATTRIBUTES = 96 /* more than entries have */, COUNT_ONCE = 256 };

/* How many entries have each abbreviation, by its code for all dialects together, and how many have each attribute. */
struct debug_counts {
    uint64_t all[ABBREV_COUNT];
    uint64_t header[ABBREV_COUNT]; /* of these, how many are what units include of headers behind the fixed part */
    uint64_t partial_units, imports;
    struct {
        uint32_t name;
        uint64_t uses;
    } attribute[COUNT_ATTRIBUTES];
    uint32_t attributes;
    uint64_t others;    /* attributes of partial units, of imports, and of entries with abbreviations of their own
                           (debug.single) */
    uint64_t libraries; /* how many libraries were counted */
    double lacks; /* sum over the libraries: by which part of the wanted number of entries each has more or fewer */
};

/* Adds the counts of a library that debug_fill has settled, and whose functions were composed with their bytes. Entries
 * of type units are not counted. False when memory ran out. */
bool debug_count(const struct debug *d, struct debug_counts *c);

/* Adds `more` to *sum, times `times` / COUNT_ONCE. `libraries` and `lacks` are added once. */
void debug_counts_add(struct debug_counts *sum, const struct debug_counts *more, uint64_t times);

/* How many attributes the entries have in all, without those of type units; not as clang has them. Uses what was
 * counted when the entries were composed, so their bytes need not be there. */
uint64_t debug_attributes(const struct debug *d);

#endif
