/* What the units of real programs repeat: what the headers they include declare.
 *
 * A corpus is made once per process from the seed. It holds several header
 * files' worth of types and declarations, each encoded as one run of entries
 * whose references are relative to the unit and whose names are at fixed places
 * in .debug_str, so that a unit that "includes" a header up to its n-th piece
 * copies one piece of memory. A header begins with the base types and some
 * functions that are inlined, at the same places in every unit:
 *
 *     unit:  header  unit entry  | base types  inline functions | functions ... | piece 0 ... piece n |
 *                                 ^ start                        ^ start + fixed                  cut n ^
 *
 *     .debug_str:  | common | names of header 0 | names of header 1 | ...
 *
 * Where types have units of their own, a header has a run of these too, that a library
 * copies up to the last cut that any of its units goes to.
 */
#ifndef DWARF_CORPUS_H
#define DWARF_CORPUS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/random.h"
#include "dwarf/abbrev.h"
#include "dwarf/manner.h"
#include "dwarf/once.h"
#include "dwarf/short_name.h"

enum {
    CORPUS_NAMED = 64,    /* headers that have files, at most, */
    CORPUS_FURTHER = 128, /* and those of large applications in C++ that are included by others, */
    CORPUS_HEADERS = CORPUS_NAMED + CORPUS_FURTHER,
    CORPUS_FILES = 32,  /* of them that a unit's line table names, at most */
    CORPUS_GROUP = 16,  /* headers that declare the same, in C++ */
    CORPUS_NAMES = 256, /* for parameters and locals */
    CORPUS_LABELS = 12,
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

/* Base types that C++ has besides. */
enum { BASE_MORE = 10 };

/* Inline functions that every header defines behind the base types, at the same
 * places and lines; in C++ they are methods of a few classes. Their parameters
 * and variables are of eight bytes: long, double, or `this`. */
enum {
    CORPUS_INLINES = 32, /* at most: corpus_inlines */
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
    uint32_t block; /* the lexical block that its variables are in; 0: none */
};

/* A header may be left after any of its pieces: where that is in its entries,
 * how much of its names is used until there, and how many references there are. Cut 0: base types and inline
 * functions only. */
struct corpus_cut {
    uint32_t entries;
    uint32_t open; /* in C++: offset in the entries of the enclosing namespace's DW_AT_sibling, to be patched where
                      units are cut here; `entries` then has one byte more, for the null entry that ends the
                      namespace. 0: the cut is in no namespace */
    uint32_t names;
    uint32_t references; /* among the pieces */
    uint32_t dies;       /* of these: debugging information entries, without what ends children */
    uint32_t types;      /* bytes of type units; */
    uint32_t type_units; /* how many */
    uint32_t listed;     /* entries that are in the index of names */
    uint32_t named;      /* .debug_names: different names of these, at most, but for the common ones */
};

struct corpus_header {
    uint8_t *entries;
    uint8_t *references; /* uint32_t: where they are, behind the fixed part */
    uint8_t *types;      /* type units; */
    uint8_t *type_lines; /* uint32_t: where in these DW_AT_stmt_list is, for each */
    struct corpus_cut *cut;
    uint32_t cuts;
    uint32_t names;      /* bytes; 0 where they are those of a header before */
    uint32_t name_start; /* in .debug_str */
    uint32_t file;       /* its file name in the line strings below; all are equally long */

    /* For an index of names (corpus_index.c). */
    struct index_entry *listed;               /* see corpus.index_texts; `unit` is open */
    uint32_t inline_name[2 * CORPUS_INLINES]; /* name of inline function k, and linkage name or 0 */
};

/* How entries with one abbreviation are listed in the index of names. */
struct corpus_listing {
    bool wanted;
    bool is_static;
    uint16_t tag;
};

enum { CORPUS_KINDS = 6 }; /* of version and language, and of what is terse */

struct corpus {
    struct dialect dialect;
    struct manner manner;
    const struct corpus *other[CORPUS_KINDS]; /* as it would be of that kind, where a set has such libraries; the
                                                 caller's, or NULL */
    struct corpus_header header[CORPUS_HEADERS];
    struct arena arena;  /* what they consist of */
    uint32_t headers;    /* that there may be, each with a file name, but for manner.further; */
    uint32_t made;       /* how many there are */
    uint32_t room;       /* bytes of entries that any of them has at the least, as the first ones have */
    uint32_t start;      /* where a header's entries begin in a unit */
    uint32_t types;      /* bytes of a header's entries up to its first inline function, */
    uint32_t fixed;      /* and up to its first cut, */
    uint32_t fixed_dies; /* of so many entries */
    uint32_t type[BASE_ALL];
    uint32_t more_type[BASE_MORE]; /* in C++ */
    struct corpus_inline inlines[CORPUS_INLINES];
    struct bytes abbrev[ABBREV_REACHES]; /* .debug_abbrev, without the null entry at the end: of one size */
    struct bytes strings;                /* common names, then those of all headers, each once */
    struct once known;                   /* where they are, until all are there */
    struct bytes line_strings; /* include directory and headers' names; in version 4 they are in .debug_line */
    uint32_t common;           /* bytes of the common names */
    uint32_t producer;
    uint32_t name[CORPUS_NAMES];   /* those that are short have three characters: they take as many bytes */
    uint32_t label[CORPUS_LABELS]; /* names of labels in C: the first half of such as stand where a function ends */
    char short_name[CORPUS_NAMES][SHORT_NAME_MOST + 1];
    uint32_t name_t, name_n, name_this; /* in C++: of a template's parameters, which are short; `this` */
    uint32_t include_directory;

    /* For corpus_finish: the seed's key, names of base types, how many pieces the last header has. */
    uint64_t key;
    uint32_t base_name[BASE_ALL + BASE_MORE];
    uint32_t pieces;

    /* For an index of names. Entries are named by offsets: for .debug_names in
     * `strings`, for .gdb_index in index_texts. */
    struct corpus_listing listing[ABBREV_COUNT];
    struct bytes index_texts;
    uint32_t index_tags;   /* different ones that are wanted, at most */
    uint32_t index_common; /* .debug_names: common names that are listed */
};

/* Free with corpus_free; false when memory ran out. */
bool corpus_make(struct corpus *c, struct dialect dialect, const struct manner *manner, uint64_t seed);

/* The same in two steps. What other entries refer to, all but the pieces of headers, is there after the first and stays
 * as it is, so that stamps can be made of it in the meantime; a library's least size is known, too. The second makes as
 * many headers as libraries can choose in whose .debug_str are at most so many bytes of headers' names; all for
 * UINT64_MAX. Free with corpus_free when the first was true. */
bool corpus_begin(struct corpus *c, struct dialect dialect, const struct manner *manner, uint64_t seed);
bool corpus_finish(struct corpus *c, uint64_t names);
void corpus_free(struct corpus *c);

/* Where a type is in every unit. */
static inline uint32_t corpus_type(const struct corpus *c, enum base_type type)
{
    return c->type[type];
}

/* The n-th of the names of parameters and locals, or one of these. */
static inline const char *corpus_name(const struct corpus *c, uint32_t n)
{
    const uint32_t name = c->name[n % CORPUS_NAMES];
    return short_name_is(name) ? c->short_name[n % CORPUS_NAMES] : (const char *)c->strings.data + name;
}

/* How many inline functions each header has. */
static inline uint32_t corpus_inlines(const struct corpus *c)
{
    return c->dialect.language == DWARF_CPP ? CORPUS_INLINES : c->manner.inlines;
}

/* How many headers declare the same: a unit includes one of these. */
static inline uint32_t corpus_together(const struct corpus *c)
{
    return c->dialect.language == DWARF_CPP ? CORPUS_GROUP : 1;
}

/* The line of the definition of inline function k in the header. */
static inline uint32_t corpus_inline_line(uint32_t k)
{
    return 256 + k * CORPUS_INLINE_LINES;
}

/* The inline function that another one calls in this line of its own, if any. */
static inline uint32_t corpus_inline_callee(const struct corpus *c, uint32_t line)
{
    assert(corpus_inlines(c) > 1);
    const uint32_t caller = (line - corpus_inline_line(0)) / CORPUS_INLINE_LINES;
    const uint32_t step = 1 + random_below(random_mix(line), corpus_inlines(c) - 1);
    return (caller + step) % corpus_inlines(c);
}

/* The kind of a dialect. */
static inline unsigned corpus_kind(struct dialect d)
{
    enum { TERSE = 2, VERSION_4 = 3 }; /* C, C++, terse C; of version 4 */
    return (dialect_is_4(d) ? VERSION_4 : 0u) + (d.terse ? TERSE : d.language);
}

#endif
