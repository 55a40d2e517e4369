/* What the units of real programs repeat: what the headers that they include declare.
 *
 * A corpus is made once per process from the seed. It holds several header files' worth of types and declarations. Each
 * header is encoded as one run of entries. Its references are relative to the unit and its names are at fixed places in
 * .debug_str, so a unit that "includes" a header up to its n-th piece copies one piece of memory. A header begins with
 * the base types and some functions that are inlined, at the same places in every unit:
 *
 *     unit:  header  unit entry  | base types  inline functions | functions ... | piece 0 ... piece n |
 *                                 ^ start                        ^ start + fixed                  cut n ^
 *
 *     .debug_str:  | common | names of header 0 | names of header 1 | ...
 *
 * Where types have units of their own, a header has a run of type units, too. A library copies it up to the last cut
 * that any of its units goes to.
 */
#ifndef DWARF_CORPUS_CORPUS_H
#define DWARF_CORPUS_CORPUS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/random.h"
#include "dwarf/corpus/manner.h"
#include "dwarf/form/abbrev.h"
#include "dwarf/form/once.h"
#include "dwarf/form/short_name.h"

enum {
    CORPUS_NAMED = 64,    /* headers that have a file name, at most */
    CORPUS_FURTHER = 128, /* additional headers, for large applications in C++, at most */
    CORPUS_HEADERS = CORPUS_NAMED + CORPUS_FURTHER,
    CORPUS_FILES = 32,  /* headers that a unit's line table names, at most */
    CORPUS_GROUP = 16,  /* in C++, headers of a group: variants of the same declarations */
    CORPUS_NAMES = 256, /* names of parameters and locals */
    CORPUS_LABELS = 12,
};

/* Types that functions refer to. corpus_type says where they are in a unit. */
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

/* Base types that only C++ has. */
enum { BASE_MORE = 10 };

/* Inline functions that every header defines behind the base types, at the same places and lines. In C++ they are
 * methods of a few classes. Their parameters and variables take eight bytes each: long, double, or `this`. */
enum {
    CORPUS_INLINES = 32, /* at most: corpus_inlines */
    CORPUS_INLINE_LINES = 40,
    CORPUS_INLINE_CHILDREN = 8, /* parameters and variables of an inline function, at most: */
    CORPUS_INLINE_PARAMETERS = 5,
    CORPUS_INLINE_VARIABLES = CORPUS_INLINE_CHILDREN - CORPUS_INLINE_PARAMETERS,
    CORPUS_CLASSES = 8, /* in C++, classes that have these methods, CORPUS_INLINES / CORPUS_CLASSES methods each */
    CORPUS_SHAPES = 14, /* corpus_shape */
};

struct corpus_inline {
    uint32_t at;       /* place of its abstract entry in a unit */
    uint8_t children;  /* how many entries are in child[]: parameters, then variables */
    uint8_t variables; /* how many of the children are variables */
    uint8_t doubles;   /* bit j: child j is a double */
    uint32_t child[CORPUS_INLINE_CHILDREN];
    uint32_t block; /* place of the lexical block that its variables are in; 0: they are in none */
};

/* A number for what a method has that `this` is the first parameter of: up to two more parameters, and whether each is
 * a double; a block with variables or not. CORPUS_SHAPES for others. */
static inline uint32_t corpus_shape(const struct corpus_inline *f)
{
    enum { WORDS_MOST = 2 };
    const uint32_t words = f->children - f->variables - 1u;
    if (words > WORDS_MOST || (f->variables && !f->block))
        return CORPUS_SHAPES;
    /* 0: none; 1, 2: one; 3 to 6: two */
    return (1u << words) - 1 + ((f->doubles >> 1) & ((1u << words) - 1)) + (f->block ? CORPUS_SHAPES / 2 : 0);
}

/* A unit may stop including a header after any of its pieces. A cut describes the header up to there; cut 0 has base
 * types and inline functions only. Sizes are in bytes. */
struct corpus_cut {
    uint32_t entries;
    uint32_t open;  /* in C++: offset in the entries of the enclosing namespace's DW_AT_sibling, to be patched where
                       units are cut here; `entries` then has one byte more, for the null entry that ends the
                       namespace. 0: the cut is in no namespace */
    uint32_t names; /* bytes of its names in .debug_str */
    uint32_t references; /* how many references pieces have to pieces */
    uint32_t dies;       /* debugging information entries, without the null entries that end children */
    uint32_t attributes; /* attributes of these entries */
    uint32_t types;      /* bytes of type units */
    uint32_t type_units; /* number of type units */
    uint32_t listed;     /* how many entries an index of names lists */
    uint32_t named;      /* .debug_names: upper bound of distinct names of `listed`, without common names */
};

struct corpus_header {
    uint8_t *entries;
    uint8_t *references; /* uint32_t: where pieces refer to pieces: offsets from the end of the fixed part */
    uint8_t *types;      /* type units */
    uint8_t *type_lines; /* uint32_t: for each type unit, offset of its DW_AT_stmt_list in `types` */
    struct corpus_cut *cut;
    /* Of the first header only, for each cut: codes of the entries from the first cut to this one (abbrev_note); NULL
     * where codes may take two bytes. */
    uint64_t (*codes)[2];
    uint32_t cuts;
    uint32_t names;      /* bytes of its names; 0 where it uses those of an earlier header */
    uint32_t name_start; /* in .debug_str */
    uint32_t file;       /* offset of its file name in corpus.line_strings; all file names have one length */

    /* In C++, abstract instances of methods in its pieces whose entries are laid out as those of inline functions: by
     * corpus_shape, their places in a unit in ascending order, and how many there are. */
    uint32_t *alike[CORPUS_SHAPES];
    uint32_t alikes[CORPUS_SHAPES];

    /* For an index of names (corpus_index.c): */
    struct index_entry *listed;               /* names: see corpus.index_texts; `unit` is not set */
    uint32_t inline_name[2 * CORPUS_INLINES]; /* [2 * k] name of inline function k, [2 * k + 1] linkage name or 0 */
};

/* How entries with one abbreviation are listed in the index of names. */
struct corpus_listing {
    bool wanted;
    bool is_static;
    uint16_t tag;
};

enum { CORPUS_KINDS = 14 }; /* combinations of version, language, terse and lines (corpus_kind) */

struct corpus {
    struct dialect dialect;
    struct manner manner;
    const struct corpus *other[CORPUS_KINDS]; /* by kind, the corpora of other kinds that the set's libraries need, or
                                                 NULL; owned by the caller */
    struct corpus_header header[CORPUS_HEADERS];
    struct arena arena;            /* owns the headers' arrays */
    uint32_t headers;              /* how many headers with file names there may be, without manner.further */
    uint32_t made;                 /* how many headers have been made */
    uint32_t room;                 /* bytes of entries in the smallest of the headers that are always made */
    uint32_t start;                /* where a header's entries begin in a unit */
    uint32_t types;                /* bytes of a header's entries up to its first inline function */
    uint32_t fixed;                /* bytes of a header's entries up to its first cut */
    uint32_t fixed_dies;           /* how many entries are in `fixed` */
    uint32_t fixed_attributes;     /* attributes of these entries */
    struct abbrev_layouts layouts; /* of entries by their codes */
    uint32_t type[BASE_ALL];
    uint32_t more_type[BASE_MORE]; /* in C++ */
    uint32_t constant_type;        /* in Fortran: type of constants in blocks */
    struct corpus_inline inlines[CORPUS_INLINES];
    /* Tables of .debug_abbrev without their null entry, all of one size. The abbreviations of functions in two places
     * are behind the first abbrev_own bytes. */
    struct bytes abbrev[ABBREV_REACHES];
    size_t abbrev_own;
    struct bytes lows[ABBREV_REACHES]; /* abbreviations for lines below 256 (abbrev_low), if the manner has such lines;
                                          otherwise empty */
    struct bytes strings;              /* common names, then those of all headers, each once */
    struct once known;                 /* finds strings in `strings`, while these are being made */
    struct bytes line_strings;         /* include directory and headers' names; version 4: copied to .debug_line */
    uint32_t common;                   /* bytes of the common names */
    uint32_t producer;
    uint32_t name[CORPUS_NAMES]; /* names of parameters and locals; short ones have 3 characters and so take 4 bytes, as
                                    others do */
    uint32_t label[CORPUS_LABELS]; /* names of labels in C; the first half are for labels at a function's end */
    char short_name[CORPUS_NAMES][SHORT_NAME_MOST + 1];
    uint32_t name_t, name_n, name_this; /* in C++: names of a template's parameters, which are short, and "this" */
    uint32_t include_directory;

    /* Kept for corpus_finish: the seed's key, names of base types, number of pieces of the last header. */
    uint64_t key;
    uint32_t base_name[BASE_ALL + BASE_MORE];
    uint32_t pieces;

    /* For an index of names. Its names are offsets: for .debug_names in `strings`, for .gdb_index in index_texts. */
    struct corpus_listing listing[ABBREV_COUNT];
    struct bytes index_texts;
    uint32_t index_tags;   /* upper bound of distinct tags in the index */
    uint32_t index_common; /* .debug_names: how many common names are listed */
};

/* Makes a corpus with all its headers. Free it with corpus_free. False when memory ran out: nothing is to be freed. */
bool corpus_make(struct corpus *c, struct dialect dialect, const struct manner *manner, uint64_t seed);

/* corpus_make in two steps. After corpus_begin everything but the pieces of headers is there and does not change any
 * more, so stamps can be made at the same time as headers, and a library's least size is known. corpus_finish makes the
 * headers that libraries can use if at most `names` bytes of headers' names are in .debug_str; UINT64_MAX: all. Both
 * are false when memory ran out. Free with corpus_free if corpus_begin was true. */
bool corpus_begin(struct corpus *c, struct dialect dialect, const struct manner *manner, uint64_t seed);
bool corpus_finish(struct corpus *c, uint64_t names);
void corpus_free(struct corpus *c);

/* The place of a type in every unit. */
static inline uint32_t corpus_type(const struct corpus *c, enum base_type type)
{
    return c->type[type];
}

/* Returns the offset in .debug_str of the first name of parameters and locals, from number *name on, that is not short.
 * Sets *name to the number behind that name's. */
static inline uint32_t corpus_next_name(const struct corpus *c, uint32_t *name)
{
    while (short_name_is(c->name[*name % CORPUS_NAMES]))
        ++*name;
    return c->name[(*name)++ % CORPUS_NAMES];
}

/* The text of the n-th name of parameters and locals. */
static inline const char *corpus_name(const struct corpus *c, uint32_t n)
{
    const uint32_t name = c->name[n % CORPUS_NAMES];
    return short_name_is(name) ? c->short_name[n % CORPUS_NAMES] : (const char *)c->strings.data + name;
}

/* How many inline functions each header has. */
static inline uint32_t corpus_inlines(const struct corpus *c)
{
    return c->dialect.language == DWARF_CPP && !c->dialect.lines ? CORPUS_INLINES : c->manner.inlines;
}

/* The number of the inline function whose entries are at `place` of a unit, or before it; UINT32_MAX: there is none. */
static inline uint32_t corpus_inline_at(const struct corpus *c, uint32_t place)
{
    uint32_t k = corpus_inlines(c);
    while (k && place < c->inlines[k - 1].at)
        k--;
    return k - 1;
}

/* How many headers form a group with the same declarations: a unit includes only one of a group. */
static inline uint32_t corpus_together(const struct corpus *c)
{
    return c->dialect.language == DWARF_CPP && !c->dialect.lines ? CORPUS_GROUP : 1;
}

/* The line at which inline function k is defined in any header. */
static inline uint32_t corpus_inline_line(uint32_t k)
{
    return 256 + k * CORPUS_INLINE_LINES;
}

/* The same with dialect.lines, in any source. */
static inline uint32_t corpus_line_inline(uint32_t k)
{
    return 4 + 2 * k;
}

/* The inline function that is called in this line of a header. The line belongs to another inline function. */
static inline uint32_t corpus_inline_callee(const struct corpus *c, uint32_t line)
{
    assert(corpus_inlines(c) > 1);
    const uint32_t caller = (line - corpus_inline_line(0)) / CORPUS_INLINE_LINES;
    const uint32_t step = 1 + random_below(random_mix(line), corpus_inlines(c) - 1);
    return (caller + step) % corpus_inlines(c);
}

/* The kind of a dialect: its index in corpus.other. */
static inline unsigned corpus_kind(struct dialect d)
{
    /* C, C++, terse C, Fortran; lines alone of C, C++, Fortran; the same of version 4 */
    enum { TERSE = 2, FORTRAN = 3, LINES = 4, LINES_FORTRAN = 6, VERSION_4 = 7 };
    const unsigned lines = d.fortran ? LINES_FORTRAN : LINES + d.language;
    return (dialect_is_4(d) ? VERSION_4 : 0u) + (d.lines ? lines : d.fortran ? FORTRAN : d.terse ? TERSE : d.language);
}

#endif
