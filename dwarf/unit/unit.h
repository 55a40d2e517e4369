/* The debug information of one library: units of functions, filled up to an exact number of bytes, in all or in each
 * section.
 *
 * Size pass: the caller composes what the units say about their code (compose.h). debug_fill decides what else they
 * hold, so that all sections together have the wanted size, and each section that has a wanted size of its own has
 * exactly that. Write pass: debug_write puts everything into memory of the settled sizes.
 *
 * The free amounts, from coarse to fine: units without code (sources that only define data); how far into which header
 * each unit includes; tables of abbreviations; the declarations at the end of the last unit (how many, of which kinds,
 * and how long their names are).
 *
 * An index of names lists what the units hold. .debug_names counts in the wanted size. debug_fill first reserves the
 * most that the index can take, and then lists what was chosen. If the index comes out shorter, declarations at the
 * end, which it does not list, fill the difference. .gdb_index does not count as debug information and has whatever
 * size it needs.
 *
 * Where types have units of their own, the type units of a header are each there once, as if a linker had kept the
 * first of its COMDAT group. They stand in front of the first unit that goes far enough into the header to need them,
 * and name the line table of that unit. */
#ifndef DWARF_UNIT_UNIT_H
#define DWARF_UNIT_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/uneven.h"
#include "dwarf/compose/compose.h"
#include "dwarf/form/single.h"
#include "dwarf/unit/spare_fit.h"

/* Names of the sections. In version 4 LISTS and RANGES are .debug_loc and .debug_ranges, there is no LINE_STR, and type
 * units are in .debug_types. The wanted size of INFO is then that of .debug_info and .debug_types together. */
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

/* The sections. All but DEBUG_NAMES and DEBUG_TYPES can have a wanted size. That of .debug_aranges must be enough for
 * one range in each unit with code. */
enum debug_section {
#define DEBUG_SECTION_ENUM(id, name) DEBUG_##id,
    DEBUG_SECTIONS(DEBUG_SECTION_ENUM)
#undef DEBUG_SECTION_ENUM
        DEBUG_SECTION_COUNT
};

/* Bytes of a unit's part of .debug_aranges, with one range. */
enum { DEBUG_ARANGES_UNIT = 48 };

/* No size of the section is wanted. */
#define DEBUG_ANY UINT64_MAX

/* For a library that is part of an executable: how many bytes of each of the executable's sections stand before the
 * library's part. No part has the corpus's strings. They stand once, at the beginning of .debug_str and
 * .debug_line_str, as many as any of the libraries needs. */
struct debug_joined {
    uint32_t base[DEBUG_SECTION_COUNT];
};

/* Which files line tables name, and how; set by debug_choose_files. The first `named` headers have their names in
 * .debug_line_str, and each table lists at most `listed` of them. */
struct debug_files {
    uint32_t named, listed;
    uint32_t digits; /* least digits of the number in a source's name */
    uint32_t wider;  /* sources whose number is below this have one digit more */
    bool brief;      /* sources are called "u" and their number */
    bool is_own;     /* no file names of the corpus are used: the only header is the library's own */
    uint32_t header; /* offset of that header's name in debug.sources */
    /* How many further headers of the library's own have names in debug.sources, in which nothing is declared; how many
     * of them each table lists; the offset of the first name. */
    uint32_t further, further_each, further_at;
};

/* Which abbreviations each table has: all or, if is_part, those whose bit, counted by code, is set in `kept`. Then
 * there is only one table, except with dialect.lines, where `size` is the bytes of one and `codes` how many codes it
 * has. */
struct debug_abbrevs {
    bool is_part;
    uint64_t kept[2];
    uint32_t size, codes;
};

/* Spare types (spare.h): how many rounds, how many dense items (many entries for few bytes), and how many entries of
 * each sort, which bring the attributes to the wanted number. */
struct debug_spare {
    uint64_t rounds, dense;
    uint64_t sort[SPARE_SORTS];
};

struct debug {
    /* Set by the caller before debug_fill. */
    const struct corpus *corpus;
    uint64_t variety;
    struct debug_unit *unit; /* array of unit_count; debug_fill may replace it by a longer one that the arena owns */
    uint32_t unit_count;
    uint32_t data_units;             /* how many units, the last ones, have no code */
    const struct composed *composed; /* what the units say about the code */
    const char *source_stem;         /* names the sources: "libmodule3" */
    uint32_t units_wanted;           /* how many units there should be in all; 0: as many as are needed */
    uint32_t tables_most;            /* the most tables of abbreviations; 0: one for each unit */
    struct uneven uneven;            /* weights by which units get what is beyond the parts that all have */
    struct uneven code_uneven;       /* weights by which units get code */
    uint32_t partials;               /* partial units in addition */
    bool parted;                     /* parts of functions stand elsewhere in some units */
    bool types_first;                /* pieces of headers stand before functions, as compilers have it */
    bool is_shuffled;                /* tables of abbreviations have orders of their own; not with partial units */
    uint64_t dies_wanted;            /* wanted number of entries in all, met as far as possible; 0: any */
    uint64_t attributes_wanted;      /* wanted number of attributes in all, met as far as spare types can; 0: any */
    struct debug_files files;
    uint64_t names_size;  /* bytes of the names of the library's functions, all of which .debug_str has */
    struct bytes statics; /* further names: name = names_size + offset here; reused from library to library */
    const char *names;    /* the functions' names, if there is an index; borrowed */
    uint64_t wanted[DEBUG_SECTION_COUNT]; /* bytes, or DEBUG_ANY; lists, ranges and line are composed already */
    const struct debug_joined *joined;    /* NULL: the sections are the library's own */

    /* Set by debug_fill: the sections' sizes and what goes into them. If it fails, `failed` is the section that cannot
     * have its wanted size, or DEBUG_SECTION_COUNT for the sum of all. */
    enum debug_section failed;
    uint64_t size[DEBUG_SECTION_COUNT];
    uint64_t dies; /* entries in all; 0: not counted, because any number will do or because there are type units */
    uint64_t header_names; /* bytes of the corpus's names in .debug_str */
    uint32_t headers_used;
    uint32_t inline_names; /* how many names inline functions of some units have instead of their headers' */
    bool several;          /* a unit may include more than one header */
    uint64_t aranges_more; /* ranges in .debug_aranges beyond one for each unit with code */
    uint32_t tables;       /* tables of abbreviations; units share them evenly */
    uint32_t unused;       /* abbreviations that no entry uses, in each table but the last */
    struct debug_abbrevs abbrevs;
    uint32_t pieces_most;     /* the last cut that units may go to in the first header, if that is the only one; else
                                 UINT32_MAX */
    struct single_mix single; /* declarations at the end of the last unit, with abbreviations of their own */
    struct debug_spare spare; /* spare types of all units together */
    uint32_t externs;         /* further declarations of variables there, with names in .debug_str */
    uint32_t shorts;          /* the same, with names in .debug_info */
    uint64_t names_extra;     /* characters beyond the least in the names of `single` and `externs` */
    uint64_t shorts_extra;    /* characters beyond the least in the names of `shorts` */
    struct bytes sources;     /* the library's part of .debug_line_str; reused from library to library */
    struct index index;       /* the index of names, if there is one */
    const char *tail_texts;   /* .gdb_index: names of the declarations at the end */
};

/* Where the sections are in memory, each of the size settled by debug_fill. */
struct debug_places {
    uint8_t *section[DEBUG_SECTION_COUNT];
    uint8_t *gdb_index; /* of index.size bytes, where that kind of index is wanted */
};

/* Upper bound, from counts alone, of the least bytes that a library's debug information needs: debug_fill can meet
 * every size from this one on. `tables`: of abbreviations (debug.tables_most). `names`: bytes of names_size and
 * statics. */
uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t tables, uint64_t names);

/* How many tables of abbreviations `bytes` of .debug_abbrev are, at least one. */
uint64_t debug_tables(const struct corpus *c, uint64_t bytes);

/* Chooses debug.files. Call it before anything is composed. The library is to have `units` units, of which the first
 * `coded` have code. The choice depends on the wanted sizes of .debug_line_str and .debug_line; with `few_rows`, most
 * of the latter is for names of files. If `units` is 0, all files are named. */
void debug_choose_files(struct debug *d, uint32_t units, uint32_t coded, bool few_rows);

/* Chooses debug.uneven and debug.code_uneven, the weights of `units` units. Call it before anything is composed. The
 * units are to be `uneven` hundredths as unlike in size as units of one size (uneven.h); 0: of about one size. How far
 * their code is from one size is that, halved `even` times. */
void debug_choose_sizes(struct debug *d, uint32_t units, uint64_t uneven, unsigned even);

/* How many of `coded` units with code may have parts of functions that stand elsewhere: .debug_aranges has room for so
 * many. */
uint32_t debug_parted_most(const struct debug *d, uint32_t coded);

/* Bytes of the header of a unit's line table. The unit need not have been composed yet. */
uint64_t debug_line_header(const struct debug *d, uint32_t unit, bool has_code);

/* Upper bound, for corpus_finish, of the bytes of headers' names in a library with `bytes` bytes of debug information
 * whose sections have no wanted sizes. */
uint64_t debug_names_usual(const struct corpus *c, uint64_t bytes);

/* Bytes of .debug_info that this many units have besides functions and types. */
uint64_t debug_frames(const struct debug *d, uint64_t units);

/* How many units without code .debug_info needs to reach `bytes` bytes, if `units` units have code and their functions
 * take `composed` bytes. */
uint32_t debug_data_units(const struct debug *d, uint64_t bytes, uint64_t composed, uint32_t units);

/* Decides everything, so that all sections together have `total` bytes. Fails with ERROR_INFEASIBLE, with `wanted` and
 * `possible` set, if `total` is too small or a section cannot have its wanted size; and with ERROR_MEMORY. */
bool debug_fill(struct debug *d, uint64_t total, struct arena *arena, struct error *e);

/* Bytes of the corpus's strings in a section, which the libraries of an executable share. */
uint64_t debug_shared(const struct debug *d, enum debug_section s);

/* Writes the first `size` bytes of these strings. */
void debug_write_shared(const struct corpus *c, enum debug_section s, uint8_t *p, uint64_t size);

/* Writes all sections; for a part of an executable, without what libraries share. `names` has names_size bytes. */
void debug_write(const struct debug *d, const uint8_t *names, const struct debug_places *places);

/* debug_write in steps, for libraries that are composed and written unit by unit. debug_writer_start writes strings and
 * abbreviations. debug_writer_unit has to be called for each unit in order, when its functions have been composed.
 * debug_writer_end writes the rest. Everything before `at` in a section is final. */
struct debug_writer {
    const struct debug *d;
    const struct debug_places *places;
    uint8_t *at[DEBUG_SECTION_COUNT];
    uint32_t unit; /* the next */
    uint64_t aranges_most, aranges_room, aranges_given;
    uint32_t included[CORPUS_HEADERS]; /* for each header, the cut up to which its type units are written */
};

void debug_writer_start(struct debug_writer *w, const struct debug *d, const uint8_t *names,
                        const struct debug_places *places);
void debug_writer_unit(struct debug_writer *w);
/* Writes the lists that have been composed since the last call. */
void debug_writer_lists(struct debug_writer *w);
void debug_writer_end(struct debug_writer *w);

#endif
