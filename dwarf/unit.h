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
 * size: the fill reckons with what it can take at most, lists what was chosen, and
 * what the index then is shorter by becomes declarations at the end, which it does not
 * list. .gdb_index is no debug section to those who count, and has the size it has.
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

/* Any but those of the names and the types may be wanted, of .debug_aranges no fewer bytes than
 * its units take. */
enum debug_section {
#define DEBUG_SECTION_ENUM(id, name) DEBUG_##id,
    DEBUG_SECTIONS(DEBUG_SECTION_ENUM)
#undef DEBUG_SECTION_ENUM
        DEBUG_SECTION_COUNT
};

/* No particular size of a section is wanted. */
#define DEBUG_ANY UINT64_MAX

/* Where the sections of this library are parts of those of an executable that has
 * several libraries' one behind the other: what stands before each part. The corpus's
 * strings are no part of it, they stand once at the beginning of .debug_str and
 * .debug_line_str, as many as any library has of them. */
struct debug_joined {
    uint32_t base[DEBUG_SECTION_COUNT];
};

/* Which files there are in line tables: of the headers' names the first `named`, of which
 * each table has `listed` at most; how the sources are called. Set by debug_choose_files. */
struct debug_files {
    uint32_t named, listed;
    uint32_t digits; /* of a source's number at least; */
    uint32_t wider;  /* one more of the numbers below */
    bool brief;      /* sources are named by their number alone */
    bool is_own;     /* there are no names of the corpus: the only header is the library's own, */
    uint32_t header; /* and its name begins here in debug.sources */
};

/* Which abbreviations the only table has: all, or a part, by their codes. */
struct debug_abbrevs {
    bool is_part;
    uint64_t kept[2];
};

/* Spare types (spare.h): rounds of them, and items that have many entries for their bytes. */
struct debug_spare {
    uint64_t rounds, dense;
};

struct debug {
    /* Set by the caller before debug_fill. */
    const struct corpus *corpus;
    uint64_t variety;
    struct debug_unit *unit; /* of unit_count; debug_fill may replace it by a longer array of the arena's */
    uint32_t unit_count;
    uint32_t data_units;             /* of which the last are without code */
    const struct composed *composed; /* what the units say about the code */
    const char *source_stem;         /* names the sources: "libmodule3" */
    uint32_t units_wanted;           /* in all: others than as many are not added; 0: as many as it takes */
    uint32_t partials;               /* partial units besides (partial.h) */
    uint64_t dies_wanted;            /* entries in all, where there is a choice; 0: any */
    struct debug_files files;
    uint64_t names_size;  /* of the library's names, which .debug_str repeats whole */
    struct bytes statics; /* further names: name = names_size + offset here; reused from library to library */
    const char *names;    /* these names, where the corpus's dialect has an index; they stay where they are */
    uint64_t wanted[DEBUG_SECTION_COUNT]; /* or DEBUG_ANY; lists, ranges and line have been composed so */
    const struct debug_joined *joined;    /* NULL: the sections are the library's alone */

    /* Set by debug_fill: section sizes and what goes into them; where it fails, which
     * section cannot be as it is wanted, or DEBUG_SECTION_COUNT: all together. */
    enum debug_section failed;
    uint64_t size[DEBUG_SECTION_COUNT];
    uint64_t dies;         /* entries in all; 0 where they are not counted: as many as will are wanted, or there are
                              units of types */
    uint64_t header_names; /* bytes of the corpus's names in .debug_str */
    uint32_t headers_used;
    bool several;          /* units may include more than one of them */
    uint64_t aranges_more; /* ranges in .debug_aranges beyond one for each unit with code */
    uint32_t tables;       /* of abbreviations, that units share */
    uint32_t unused;       /* abbreviations in each but the last that no entry has */
    struct debug_abbrevs abbrevs;
    uint32_t pieces_most;     /* the last cut of the first header, where it is the only one, or UINT32_MAX */
    struct single_mix single; /* declarations at the end, of abbreviations of their own; */
    struct debug_spare spare; /* types in all units */
    uint32_t externs;         /* declarations of variables, */
    uint32_t shorts;          /* and of such with names in .debug_info */
    uint64_t names_extra;     /* characters of the names of the first two kinds beyond the least */
    uint64_t shorts_extra;    /* of the third's */
    struct bytes sources;     /* the library's part of .debug_line_str; reused from library to library */
    struct index index;       /* where there is one */
    const char *tail_texts;   /* .gdb_index: names of the declarations at the end */
};

/* Where the sections are in memory, each of the size settled by debug_fill. */
struct debug_places {
    uint8_t *section[DEBUG_SECTION_COUNT];
    uint8_t *gdb_index; /* of index.size bytes, where that kind of index is wanted */
};

/* Most that a library's debug information needs at the least, by its counts:
 * what debug_fill can certainly meet. `names` is names_size and statics. */
uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t names);

/* Chooses the files, before anything is composed. Where the library is to have `units` units,
 * of which the first `coded` have code, it looks at what is wanted of .debug_line_str and
 * .debug_line, most of which is files where there are `few_rows`; where `units` is 0 there are all. */
void debug_choose_files(struct debug *d, uint32_t units, uint32_t coded, bool few_rows);

/* Bytes of the line table's header of the unit with this number, which may not
 * have been composed yet. */
uint64_t debug_line_header(const struct debug *d, uint32_t unit, bool has_code);

/* Bytes of headers' names that a library with so many bytes of debug information has at most, where none of its
 * sections is to have a size of its own: for corpus_finish. */
uint64_t debug_names_usual(const struct corpus *c, uint64_t bytes);

/* Bytes of .debug_info that so many units have besides functions and types. */
uint64_t debug_frames(const struct debug *d, uint64_t units);

/* Units of data that it takes for .debug_info to have `bytes`, with `units` of code
 * whose functions take `composed`. */
uint32_t debug_data_units(const struct debug *d, uint64_t bytes, uint64_t composed, uint32_t units);

/* Decides everything so that all sections together have `total` bytes. Fails
 * (ERROR_INFEASIBLE, with wanted and possible filled in) where that is too few,
 * or where a section cannot have the size that is wanted of it. */
bool debug_fill(struct debug *d, uint64_t total, struct arena *arena, struct error *e);

/* Bytes of the corpus's strings in a section, which libraries that are joined share. */
uint64_t debug_shared(const struct debug *d, enum debug_section s);

/* Writes as many of them. */
void debug_write_shared(const struct corpus *c, enum debug_section s, uint8_t *p, uint64_t size);

/* Writes all sections, or what is not shared of them; the names are names_size bytes. */
void debug_write(const struct debug *d, const uint8_t *names, const struct debug_places *places);

/* The same in steps, for what is composed and written unit by unit: debug_writer_start, which
 * writes strings and abbreviations; debug_writer_unit for each unit in order, when what it says
 * of code is composed; debug_writer_end. What stands before `at` in a section is final. */
struct debug_writer {
    const struct debug *d;
    const struct debug_places *places;
    uint8_t *at[DEBUG_SECTION_COUNT];
    uint32_t unit; /* the next */
    uint64_t aranges_most, aranges_room, aranges_given;
    uint32_t included[CORPUS_HEADERS]; /* how far into each header there are units of types */
};

void debug_writer_start(struct debug_writer *w, const struct debug *d, const uint8_t *names,
                        const struct debug_places *places);
void debug_writer_unit(struct debug_writer *w);
/* Lists that have been composed since it was called last. */
void debug_writer_lists(struct debug_writer *w);
void debug_writer_end(struct debug_writer *w);

#endif
