/* What the units of real programs repeat: the types of the headers they include.
 *
 * A corpus is made once per process from the seed. It holds several header
 * files' worth of types, each encoded as one run of entries whose references are
 * relative to the unit and whose names are at fixed places in .debug_str, so
 * that a unit that "includes" a header up to its n-th type copies one piece of
 * memory. A header begins with the base types, at the same place in every unit:
 *
 *     unit:  header  unit entry  | base types  inline functions  type 0 ... type n |  functions ...
 *                                 ^ CORPUS_START                            ^ cut n
 *
 *     .debug_str:  | common | names of header 0 | names of header 1 | ...
 */
#ifndef DWARF_CORPUS_H
#define DWARF_CORPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "dwarf/abbrev.h"

enum {
    CORPUS_HEADERS = 16,
    CORPUS_HEADER_BYTES = 1 << 17, /* of types in each, about */
    CORPUS_NAMES = 128,            /* for parameters and locals */
    UNIT_HEADER = 12,
    CORPUS_START = UNIT_HEADER + SIZE_COMPILE_UNIT,
};

/* Types that functions refer to; where they are in a unit: corpus_type. */
enum base_type {
    BASE_INT,
    BASE_LONG,
    BASE_UNSIGNED_LONG,
    BASE_FLOAT,
    BASE_DOUBLE,
    BASE_CHAR,
    BASE_UNSIGNED_INT,
    BASE_UNSIGNED_CHAR,
    BASE_SHORT,
    BASE_BOOL,
    BASE_TYPES,
    BASE_STRING = BASE_TYPES, /* char * */
    BASE_POINTER,             /* void * */
    BASE_ALL
};

static inline uint32_t corpus_type(enum base_type type)
{
    if (type < BASE_TYPES)
        return CORPUS_START + SIZE_BASE_TYPE * (uint32_t)type;
    return CORPUS_START + SIZE_BASE_TYPE * BASE_TYPES + (type == BASE_POINTER ? SIZE_POINTER : 0);
}

enum { CORPUS_BASE_BYTES = SIZE_BASE_TYPE * BASE_TYPES + SIZE_POINTER + 1 };

/* Inline functions that every header defines behind the base types, at the same
 * places and lines: each `unsigned long NAME(long, double)` with a local long. */
enum {
    CORPUS_INLINES = 16,
    CORPUS_INLINE_CHILDREN = 3,
    CORPUS_INLINE_BYTES = SIZE_INLINE_FUNCTION + 2 * SIZE_INLINE_PARAMETER + SIZE_INLINE_VARIABLE + 1,
    CORPUS_INLINE_LINES = 40,
    CORPUS_FIXED_BYTES = CORPUS_BASE_BYTES + CORPUS_INLINES * CORPUS_INLINE_BYTES,
};

/* Where the abstract entry of inline function k is in a unit, and those of its
 * two parameters (0, 1) and its variable (2). */
static inline uint32_t corpus_inline(uint32_t k)
{
    return CORPUS_START + CORPUS_BASE_BYTES + k * CORPUS_INLINE_BYTES;
}

static inline uint32_t corpus_inline_child(uint32_t k, uint32_t child)
{
    return corpus_inline(k) + SIZE_INLINE_FUNCTION + child * SIZE_INLINE_PARAMETER;
}

/* The line of its definition in the header. */
static inline uint32_t corpus_inline_line(uint32_t k)
{
    return 256 + k * CORPUS_INLINE_LINES;
}

/* A header may be left after any of its types: where that is in its entries,
 * and how much of its names is used until there. Cut 0: base types and inline
 * functions only. */
struct corpus_cut {
    uint32_t entries;
    uint32_t names;
};

struct corpus_header {
    uint8_t *entries;
    struct corpus_cut *cut;
    uint32_t cuts;
    uint32_t names;      /* bytes */
    uint32_t name_start; /* in .debug_str */
    uint32_t file;       /* its file name in the line strings below */
};

struct corpus {
    struct corpus_header header[CORPUS_HEADERS];
    struct bytes abbrev;       /* .debug_abbrev */
    struct bytes strings;      /* common names, then those of all headers */
    struct bytes line_strings; /* directories and the headers' file names */
    uint32_t common;           /* bytes of the common names */
    uint32_t producer;
    uint32_t name[CORPUS_NAMES];
    uint32_t compile_directory, include_directory;
};

/* Free with corpus_free; false when memory ran out. */
bool corpus_make(struct corpus *c, uint64_t seed);
void corpus_free(struct corpus *c);

#endif
