/* What the units of real programs repeat: what the headers they include declare.
 *
 * A corpus is made once per process from the seed. It holds several header
 * files' worth of types and declarations, each encoded as one run of entries
 * whose references are relative to the unit and whose names are at fixed places
 * in .debug_str, so that a unit that "includes" a header up to its n-th piece
 * copies one piece of memory. A header begins with the base types and some
 * functions that are inlined, at the same places in every unit:
 *
 *     unit:  header  unit entry  | base types  inline functions  piece 0 ... piece n |  functions ...
 *                                 ^ start                                    ^ cut n
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
    CORPUS_HEADERS_CPP = 32,
    CORPUS_HEADERS_MOST = 32,
    CORPUS_GROUP = 16,             /* headers that declare the same, in C++ */
    CORPUS_HEADER_BYTES = 1 << 17, /* of entries in each, about */
    CORPUS_NAMES = 256,            /* for parameters and locals */
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
    BASE_CONST_CHAR = BASE_TYPES, /* const char */
    BASE_STRING,                  /* const char * */
    BASE_POINTER,                 /* void * */
    BASE_ALL
};

/* Inline functions that every header defines behind the base types, at the same
 * places and lines; in C++ they are methods of a few classes. Their parameters
 * and variables are of eight bytes: long, double, or `this`. */
enum {
    CORPUS_INLINES = 32,
    CORPUS_INLINE_LINES = 40,
    CORPUS_INLINE_CHILDREN = 6,
    CORPUS_CLASSES = 8, /* of CORPUS_INLINES / CORPUS_CLASSES methods each, in C++ */
};

struct corpus_inline {
    uint32_t at;       /* its abstract entry in a unit */
    uint8_t children;  /* parameters, then variables */
    uint8_t variables; /* of these */
    uint8_t doubles;   /* bit j: child j is a double */
    uint32_t child[CORPUS_INLINE_CHILDREN];
};

/* A header may be left after any of its pieces: where that is in its entries,
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
    uint32_t names;      /* bytes; 0 where they are those of a header before */
    uint32_t name_start; /* in .debug_str */
    uint32_t file;       /* its file name in the line strings below */
};

struct corpus {
    struct dialect dialect;
    struct corpus_header header[CORPUS_HEADERS_MOST];
    uint32_t headers;
    uint32_t start; /* where a header's entries begin in a unit */
    uint32_t fixed; /* bytes of a header's entries up to its first cut */
    uint32_t type[BASE_ALL];
    struct corpus_inline inlines[CORPUS_INLINES];
    struct bytes abbrev;       /* .debug_abbrev, without the null entry at the end */
    struct bytes strings;      /* common names, then those of all headers */
    struct bytes line_strings; /* include directory and headers' names; in version 4 they are in .debug_line */
    uint32_t common;           /* bytes of the common names */
    uint32_t producer;
    uint32_t name[CORPUS_NAMES];
    uint32_t name_t, name_n, name_this; /* in C++: of a template's parameters; `this` */
    uint32_t include_directory;
};

/* Free with corpus_free; false when memory ran out. */
bool corpus_make(struct corpus *c, struct dialect dialect, uint64_t seed);
void corpus_free(struct corpus *c);

/* Where a type is in every unit. */
static inline uint32_t corpus_type(const struct corpus *c, enum base_type type)
{
    return c->type[type];
}

/* The line of the definition of inline function k in the header. */
static inline uint32_t corpus_inline_line(uint32_t k)
{
    return 256 + k * CORPUS_INLINE_LINES;
}

#endif
