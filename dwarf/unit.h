/* The debug information of one library: units of functions, filled up to an
 * exact number of bytes.
 *
 * Size pass: the caller describes its functions and units and hands over the
 * line programs it composed; debug_fill decides what else the units hold, so
 * that all sections together have the wanted size. Write pass: debug_write
 * stamps it into memory of the settled sizes.
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
#include "dwarf/corpus.h"
#include "dwarf/line.h"

enum { DEBUG_PARAMETERS_MOST = 5, DEBUG_LOCALS_MOST = 16, DEBUG_LINE_FIRST = 256, DEBUG_LINE_MOST = 65000 };

/* A function whose frame base is the CFA and whose parameters and locals lie in
 * consecutive 8-byte slots downwards from their first. */
struct debug_function {
    uint32_t name;   /* offset in the library's names */
    uint32_t offset; /* in the code that the units describe */
    uint32_t size;
    uint16_t line;  /* DEBUG_LINE_FIRST and more: needs two bytes */
    bool is_static; /* then it has parameters */
    uint8_t result; /* enum base_type */
    uint8_t parameters;
    uint8_t type[DEBUG_PARAMETERS_MOST];
    int8_t parameter_place; /* of the first, from the CFA; all of them from -64 to 63 */
    uint8_t locals;         /* alternately long and double */
    int16_t local_place;    /* of the first, -65 or lower */
    uint32_t variety;       /* chooses names and columns */
};

struct debug_unit {
    uint32_t first, count; /* functions; a unit without any defines only data */
    size_t program;        /* where its line program begins in debug.programs */
    size_t program_size;
    uint32_t source;      /* offset of its file name in .debug_line_str */
    uint32_t header, cut; /* what it includes; chosen by debug_fill */
    uint64_t info_size;
};

struct debug {
    /* Set by the caller before debug_fill. */
    const struct corpus *corpus;
    uint64_t variety;
    const struct debug_function *function;
    struct debug_unit *unit; /* of unit_count; debug_fill may replace it by a longer array of the arena's */
    uint32_t unit_count;
    const uint8_t *programs; /* line programs, from DW_LNE_set_address, text offsets for addresses */
    const char *source_stem; /* names the sources: "libmodule3" */
    uint64_t names_size;     /* of the library's names, which .debug_str repeats whole */
    char statics[160];       /* names of static functions: function.name = names_size + offset here */
    uint32_t statics_size;

    /* Set by debug_fill: section sizes and what goes into them. */
    uint64_t aranges, info, abbrev, line, str, line_str;
    uint64_t header_names; /* bytes of the corpus's names in .debug_str */
    uint32_t headers_used;
    uint64_t tail_extra;  /* characters that the last declarations' names have beyond the least */
    struct bytes sources; /* the library's part of .debug_line_str; reused from library to library */
};

/* Where the sections are in memory, each of the size settled by debug_fill. */
struct debug_places {
    uint8_t *aranges, *info, *abbrev, *line, *str, *line_str;
};

/* Bytes of one function's entries. */
static inline uint32_t debug_function_size(const struct debug_function *f)
{
    if (!f->parameters && !f->locals)
        return SIZE_LEAF_FUNCTION;
    return (uint32_t)SIZE_FUNCTION + SIZE_PARAMETER * f->parameters + SIZE_LOCAL * f->locals + 1;
}

/* Most that a library's debug information needs at the least, by its counts:
 * what debug_fill can certainly meet. `names` is names_size and statics. */
uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t names);

/* Decides everything so that all sections together have `wanted` bytes. Fails
 * (ERROR_INFEASIBLE, with wanted and least filled in) where that is too few. */
bool debug_fill(struct debug *d, uint64_t wanted, struct arena *arena, struct error *e);

/* Writes all sections; the code begins at `text`, the names are names_size bytes. */
void debug_write(const struct debug *d, uint64_t text, const uint8_t *names, const struct debug_places *places);

#endif
