/* The debug information of one library: units of functions, filled up to an
 * exact number of bytes.
 *
 * Size pass: the caller composes what the units say about its code (compose.h);
 * debug_fill decides what else they hold, so that all sections together have the
 * wanted size. Write pass: debug_write puts it into memory of the settled sizes.
 *
 * The free amounts, from coarse to fine: units without code (sources that only
 * define data), how far into which header each unit includes, and the lengths of
 * the names of a few declarations at the end of the last unit.
 */
#ifndef DWARF_UNIT_H
#define DWARF_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "dwarf/compose.h"

struct debug {
    /* Set by the caller before debug_fill. */
    const struct corpus *corpus;
    uint64_t variety;
    struct debug_unit *unit; /* of unit_count; debug_fill may replace it by a longer array of the arena's */
    uint32_t unit_count;
    const struct composed *composed; /* what the units say about the code */
    const char *source_stem;         /* names the sources: "libmodule3" */
    uint64_t names_size;             /* of the library's names, which .debug_str repeats whole */
    char statics[320];               /* names of static functions: name = names_size + offset here */
    uint32_t statics_size;

    /* Set by debug_fill: section sizes and what goes into them. */
    uint64_t aranges, info, abbrev, line, str, line_str, loclists, rnglists;
    uint64_t header_names; /* bytes of the corpus's names in .debug_str */
    uint32_t headers_used;
    uint64_t tail_extra;  /* characters that the last declarations' names have beyond the least */
    struct bytes sources; /* the library's part of .debug_line_str; reused from library to library */
};

/* Where the sections are in memory, each of the size settled by debug_fill. */
struct debug_places {
    uint8_t *aranges, *info, *abbrev, *line, *str, *line_str, *loclists, *rnglists;
};

/* Most that a library's debug information needs at the least, by its counts:
 * what debug_fill can certainly meet. `names` is names_size and statics. */
uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t names);

/* Decides everything so that all sections together have `wanted` bytes. Fails
 * (ERROR_INFEASIBLE, with wanted and least filled in) where that is too few. */
bool debug_fill(struct debug *d, uint64_t wanted, struct arena *arena, struct error *e);

/* Writes all sections; the names are names_size bytes. */
void debug_write(const struct debug *d, const uint8_t *names, const struct debug_places *places);

#endif
