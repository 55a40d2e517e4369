/* Sizes that the two passes of unit.h share. */
#ifndef DWARF_UNIT_SIZES_H
#define DWARF_UNIT_SIZES_H

#include "dwarf/corpus.h"

enum {
    /* Before the first type of a unit without code stand entries that make it as
     * long as one with code: references in the types are relative to the unit. */
    DATA_UNIT_PRELUDE = SIZE_COMPILE_UNIT - SIZE_DATA_UNIT,
    UNIT_FRAME = UNIT_HEADER + SIZE_COMPILE_UNIT + 1, /* with the null entry at the end */
    ARANGES_UNIT = 48,
    PARAMETERS_MOST = 5,
    TAIL_ENTRIES = 8,
    TAIL_NAME = 9,               /* characters in the shortest of the last names */
    FUNCTION_PROGRAM_LEAST = 40, /* two rows and the advance to them, at most */
    SOURCE_NAME_MOST = 64,
};

/* The i-th of the last names has this many characters. */
static inline uint64_t tail_length(uint64_t extra, uint32_t i)
{
    return TAIL_NAME + extra / TAIL_ENTRIES + (i < extra % TAIL_ENTRIES ? 1 : 0);
}

#endif
