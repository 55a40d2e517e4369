/* The debug information of one library: units of functions, filled up to an
 * exact number of bytes, in all or in each section.
 *
 * Size pass: the caller composes what the units say about its code (compose.h);
 * debug_fill decides what else they hold, so that all sections together have the
 * wanted size, and each that is wanted has its own. Write pass: debug_write puts
 * it into memory of the settled sizes.
 *
 * The free amounts, from coarse to fine: units without code (sources that only
 * define data), how far into which header each unit includes, tables of
 * abbreviations, and the declarations at the end of the last unit: how many, of
 * which kinds, and how long their names are.
 *
 * An index of names lists what the units hold. .debug_names counts in the wanted
 * size: debug_fill first reserves the most that it can take; then it lists what was
 * chosen, and fills what the index is shorter with declarations at the end, which it
 * does not list. .gdb_index does not count as debug information, and has whatever
 * size it needs.
 *
 * Where types have units of their own, the first unit that goes further into a header
 * than those before has the type units that it adds in front of it: each is there once,
 * as if a linker had kept the first of its COMDAT group, and its line table is that of
 * a unit that includes the header.
 */
#ifndef DWARF_UNIT_H
#define DWARF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "dwarf/compose.h"
#include "dwarf/single.h"
#include "dwarf/spare_fit.h"
#include "dwarf/uneven.h"

/* Bytes of each section. In version 4, lists and ranges are .debug_loc and
 * .debug_ranges, there is no line_str, and type units are in .debug_types: what is
 * wanted of info is wanted of these two together. */
#define DEBUG_SECTIONS(X)                                                                                              \
    X(ARANGES, aranges)                                                                                                \
    X(INFO, info)                                                                                                      \
    X(ABBREV, abbrev)                                                                                                  \
    X(LINE, line)                                                                                                      \
    X(STR, str)                                                                                                        \
    X(LINE_STR, line_str)                                                                                              \
    X(LISTS, lists)                                                                                                    \
    X(RANGES, ranges)                                                                                                  \
    X(NAMES, names)                                                                                                    \
    X(TYPES, types)

/* The sections. Sizes of all but DEBUG_NAMES and DEBUG_TYPES may be wanted; that of .debug_aranges must be enough for
 * one range in each unit with code. */
enum debug_section {
#define DEBUG_SECTION_ENUM(id, name) DEBUG_##id,
    DEBUG_SECTIONS(DEBUG_SECTION_ENUM)
#undef DEBUG_SECTION_ENUM
        DEBUG_SECTION_COUNT
};

/* No particular size of a section is wanted. */
#define DEBUG_ANY UINT64_MAX

/* For a library that is a part of an executable: how many bytes of each of the executable's
 * sections stand before the library's part. The corpus's strings are in no part: they stand
 * once, at the beginning of .debug_str and .debug_line_str, as many as any library needs. */
struct debug_joined {
    uint32_t base[DEBUG_SECTION_COUNT];
};

/* Which files line tables name: of the headers, the first `named`, of which each table lists
 * at most `listed`; and how sources are called. Set by debug_choose_files. */
struct debug_files {
    uint32_t named, listed;
    uint32_t digits; /* least digits of a source's number */
    uint32_t wider;  /* sources with numbers below this have one digit more */
    bool brief;      /* sources are named by their number alone */
    bool is_own;     /* no names of the corpus are used: the only header is the library's own */
    uint32_t header; /* offset of the own header's name in debug.sources */
};

/* Which abbreviations the only table has: all or, if is_part, those whose bits in `kept` are set, by code. */
struct debug_abbrevs {
    bool is_part;
    uint64_t kept[2];
};

/* How many rounds of spare types there are, how many items with many entries for few bytes, and how many of each sort
 * for as many attributes as are wanted (spare.h). */
struct debug_spare {
    uint64_t rounds, dense;
    uint64_t sort[SPARE_SORTS];
};

struct debug {
    /* Set by the caller before debug_fill. */
    const struct corpus *corpus;
    uint64_t variety;
    struct debug_unit *unit; /* array of unit_count; debug_fill may replace it by a longer one, owned by the arena */
    uint32_t unit_count;
    uint32_t data_units;             /* how many units, the last ones, have no code */
    const struct composed *composed; /* what the units say about the code */
    const char *source_stem;         /* names the sources: "libmodule3" */
    uint32_t units_wanted;           /* how many units there should be in all; 0: as many as it takes */
    struct uneven uneven;            /* what weight each unit has beyond what all have */
    struct uneven code_uneven;       /* what weight its code has */
    uint32_t partials;               /* partial units besides (partial.h) */
    bool types_first;                /* what units include of headers stands before functions, as compilers have it */
    uint64_t dies_wanted; /* how many entries there should be in all, as far as that can be chosen; 0: any number */
    uint64_t attributes_wanted; /* how many attributes these should have, as far as spare types can bring about; 0: any
                                   number */
    struct debug_files files;
    uint64_t names_size;  /* bytes of the names of the library's functions, all of which .debug_str repeats */
    struct bytes statics; /* further names: name = names_size + offset here; reused from library to library */
    const char *names;    /* the functions' names, if there is an index; borrowed */
    uint64_t wanted[DEBUG_SECTION_COUNT]; /* bytes or DEBUG_ANY; lists, ranges and line are composed already */
    const struct debug_joined *joined;    /* NULL: the sections are the library's alone */

    /* Set by debug_fill: section sizes and what goes into them; where it fails, which
     * section cannot be as it is wanted, or DEBUG_SECTION_COUNT: all together. */
    enum debug_section failed;
    uint64_t size[DEBUG_SECTION_COUNT];
    uint64_t dies;         /* entries in all; 0: not counted, because any number will do or there are type units */
    uint64_t header_names; /* bytes of the corpus's names in .debug_str */
    uint32_t headers_used;
    bool several;          /* a unit may include more than one header */
    uint64_t aranges_more; /* ranges in .debug_aranges beyond one for each unit with code */
    uint32_t tables;       /* tables of abbreviations, which units share evenly */
    uint32_t unused;       /* abbreviations that no entry uses, in each table but the last */
    struct debug_abbrevs abbrevs;
    uint32_t pieces_most;     /* if the first header is the only one, the last cut that may be used; else UINT32_MAX */
    struct single_mix single; /* declarations at the end of the last unit, with abbreviations of their own */
    struct debug_spare spare; /* spare types in all units */
    uint32_t externs;         /* declarations of variables at the end, with names in .debug_str */
    uint32_t shorts;          /* declarations of variables at the end, with names in .debug_info */
    uint64_t names_extra;     /* characters beyond the least in the names of `single` and `externs` */
    uint64_t shorts_extra;    /* characters beyond the least in the names of `shorts` */
    struct bytes sources;     /* the library's part of .debug_line_str; reused from library to library */
    struct index index;       /* of names, where there is one */
    const char *tail_texts;   /* .gdb_index: names of the declarations at the end */
};

/* Where the sections are in memory, each of the size settled by debug_fill. */
struct debug_places {
    uint8_t *section[DEBUG_SECTION_COUNT];
    uint8_t *gdb_index; /* of index.size bytes, where that kind of index is wanted */
};

/* An upper bound, from counts alone, of the least bytes that a library's debug information
 * needs: debug_fill can meet any size from this on. `names`: bytes of names_size and statics. */
uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t names);

/* Chooses debug.files, before anything is composed. If the library is to have `units` units, of which the first `coded`
 * have code, the choice depends on the wanted sizes of .debug_line_str and .debug_line; with `few_rows`, names of files
 * are most of the latter. If `units` is 0, all files are named. */
void debug_choose_files(struct debug *d, uint32_t units, uint32_t coded, bool few_rows);

/* Chooses weights of units, before anything is composed, of `units` units that are to be `uneven` hundredths as unlike
 * in size as units of one size; 0: of about one size. Their code is half as far from one size, as often as `even` says.
 */
void debug_choose_sizes(struct debug *d, uint32_t units, uint64_t uneven, unsigned even);

/* Bytes of the line table's header of the unit with this number, which may not
 * have been composed yet. */
uint64_t debug_line_header(const struct debug *d, uint32_t unit, bool has_code);

/* Upper bound, for corpus_finish, of the bytes of headers' names in a library with `bytes` bytes of debug information,
 * if no section is to have a size of its own. */
uint64_t debug_names_usual(const struct corpus *c, uint64_t bytes);

/* Bytes of .debug_info that so many units have besides functions and types. */
uint64_t debug_frames(const struct debug *d, uint64_t units);

/* How many units without code are needed for .debug_info to have `bytes` bytes, if there are `units` units with code,
 * whose functions take `composed` bytes. */
uint32_t debug_data_units(const struct debug *d, uint64_t bytes, uint64_t composed, uint32_t units);

/* Decides everything so that all sections together have `total` bytes. Fails
 * (ERROR_INFEASIBLE, with wanted and possible filled in) where that is too few,
 * or where a section cannot have the size that is wanted of it. */
bool debug_fill(struct debug *d, uint64_t total, struct arena *arena, struct error *e);

/* Bytes of the corpus's strings in a section, which the libraries in an executable share. */
uint64_t debug_shared(const struct debug *d, enum debug_section s);

/* Writes the first `size` bytes of these strings. */
void debug_write_shared(const struct corpus *c, enum debug_section s, uint8_t *p, uint64_t size);

/* Writes all sections, for a part of an executable without what is shared; `names` has names_size bytes. */
void debug_write(const struct debug *d, const uint8_t *names, const struct debug_places *places);

/* debug_write in steps, for libraries that are composed and written unit by unit: debug_writer_start, which writes
 * strings and abbreviations; debug_writer_unit for each unit in order, when its functions have been composed;
 * debug_writer_end. Everything before `at` in a section is final. */
struct debug_writer {
    const struct debug *d;
    const struct debug_places *places;
    uint8_t *at[DEBUG_SECTION_COUNT];
    uint32_t unit; /* the next */
    uint64_t aranges_most, aranges_room, aranges_given;
    uint32_t included[CORPUS_HEADERS]; /* of each header, the cut up to which its type units have been written */
};

void debug_writer_start(struct debug_writer *w, const struct debug *d, const uint8_t *names,
                        const struct debug_places *places);
void debug_writer_unit(struct debug_writer *w);
/* Writes the lists that have been composed since the last call. */
void debug_writer_lists(struct debug_writer *w);
void debug_writer_end(struct debug_writer *w);

#endif
