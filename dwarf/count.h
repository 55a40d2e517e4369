/* Which entries the debug information of a library has, before it is written. */
#ifndef DWARF_COUNT_H
#define DWARF_COUNT_H

#include "dwarf/unit.h"

enum { COUNT_ATTRIBUTES = 96 /* more than entries have */, COUNT_ONCE = 256 };

/* How many entries have each abbreviation, as it is called in all dialects together, and each attribute. */
struct debug_counts {
    uint64_t all[ABBREV_COUNT];
    uint64_t header[ABBREV_COUNT]; /* of these, what units include of headers behind what all have */
    uint64_t partial_units, imports;
    struct {
        uint32_t name;
        uint64_t uses;
    } attribute[COUNT_ATTRIBUTES];
    uint32_t attributes;
    uint64_t others;    /* attributes of partial units and imports, and of entries with abbreviations of their own */
    uint64_t libraries; /* that were counted, */
    double lacks;       /* and which part of the entries that each is to have it has more or fewer, in all */
};

/* Adds those of a library that debug_fill has settled, and whose functions were composed with their bytes. Without
 * those of type units. False when memory ran out. */
bool debug_count(const struct debug *d, struct debug_counts *c);

/* Adds `more` to *sum, so many times, in 1/COUNT_ONCE. */
void debug_counts_add(struct debug_counts *sum, const struct debug_counts *more, uint64_t times);

/* How many attributes the entries have in all, by what was counted when these were composed, whose bytes need not be
 * there. Without those of type units; not as clang has them. */
uint64_t debug_attributes(const struct debug *d);

#endif
