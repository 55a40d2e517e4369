/* Sizes that the two passes of unit.h share. */
#ifndef DWARF_UNIT_SIZES_H
#define DWARF_UNIT_SIZES_H

#include "dwarf/unit.h"

#define COMPILE_DIRECTORY "/usr/src/application"

enum {
    ARANGES_UNIT = 48,
    PARAMETERS_MOST = 5,
    EXTERNS_LEAST = 8,
    TAIL_NAME = 9,               /* characters in the shortest of the last names */
    SHORT_NAME = 3,              /* in the shortest that stands in .debug_info */
    FUNCTION_PROGRAM_LEAST = 40, /* two rows and the advance to them, at most */
    SOURCE_NAME_MOST = 64,
    DIRECTORY_MOST = 3000, /* characters that the compilation directory may be longer */
};

/* Frame of a unit: its header, its own entry, the null entry at its end. */
static inline uint64_t unit_frame(const struct corpus *c)
{
    return c->start + UINT64_C(1);
}

/* Of `count` names that share `extra` characters, the i-th has this many more. */
static inline uint64_t share_of(uint64_t extra, uint32_t count, uint32_t i)
{
    return extra / count + (i < extra % count ? 1 : 0);
}

/* Declarations at the end whose names are in .debug_str. */
static inline uint32_t named_tail(const struct debug *d)
{
    return d->externs + single_count(&d->single);
}

/* Bytes of an entry with a name of `length` characters in it. */
static inline uint64_t short_entry(const struct corpus *c, uint64_t length)
{
    return abbrev_entry_size(c->dialect, ABBREV_SHORT_VARIABLE) + length + 1;
}

/* What the line table's header of a unit names; `others` has room for CORPUS_FILES. */
struct line_files unit_files(const struct corpus *c, uint32_t header, struct line_name source,
                             struct line_name directory, struct line_name *others);

#endif
