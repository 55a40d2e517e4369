/* Composes what a library's units say about its code: functions with parameters,
 * locals, inlined calls, blocks and call sites; their location and range lists;
 * their line programs.
 *
 * Composing is the size pass of these contents: they follow from the code alone, so
 * they are encoded while the code is walked over, into buffers that are kept from
 * library to library, and copied into the sections later. A unit's functions begin
 * at the same place in every unit, behind base types and inline functions
 * (corpus.h). The only thing not known before the copying is where the library's
 * own names begin in .debug_str: references to them are listed in `named`, and unit.c
 * adds that offset. The address of the code must be known from the beginning.
 *
 * Use: compose_start; for each unit compose_unit, then for each function
 * compose_reserve, compose_function, its children, compose_function_end, with
 * rows in between in order of address; compose_unit_end.
 */
#ifndef DWARF_COMPOSE_H
#define DWARF_COMPOSE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "dwarf/corpus.h"
#include "dwarf/line.h"

enum {
    DEBUG_LINE_FIRST = 256, /* the first line of functions: from here on lines need two bytes */
    DEBUG_LINE_MOST = 65000,
    LIST_HEADER = 12,        /* of a unit's location or range lists in version 5; 4 has none */
    COMPOSE_CHILD_MOST = 48, /* bytes of any one entry below a function */
    COMPOSE_FUNCTION_MOST = 48,
    COMPOSE_ENTRY_MOST = 34, /* bytes of one entry of a location or range list */
    COMPOSE_NEAR = 1 << 14,  /* bytes of a unit's code in which lists may be near (stamp.h) */
    COMPOSE_LIST_MOST = 34,  /* bytes of a list besides its entries: its base address and its end */
};

/* Instead of the place of an entry or list: not known; that of the next function. */
enum { COMPOSE_UNKNOWN = UINT32_MAX, COMPOSE_NEXT = UINT32_MAX - 1 };

struct debug_unit {
    uint64_t start, end;          /* addresses of its code, [start, end); equal: it only defines data */
    size_t entries, entries_size; /* offset and bytes of its functions in composed.info */
    size_t program, program_size; /* offset and bytes of its line program in composed.programs */
    size_t named, named_count;    /* offset in composed.named, and number, of references to the library's own names */
    size_t noted, noted_count;    /* offset in composed.noted, and number, of entries for an index of names */
    size_t noted_own;             /* how many of `noted` are not named by an inline function of a header */
    uint64_t inlined;             /* bit k: calls of that inline function are in it */
    uint32_t line;                /* offset of its line table */
    uint32_t source;              /* offset of its file name in debug.sources */
    uint32_t header, wholes, cut; /* what it includes: `wholes` whole headers from `header` on, and the next
                                     one up to `cut`; chosen by debug_fill */
    uint64_t info_size;
    bool small; /* some references of its entries take two bytes; chosen by debug_fill (partial.h) */
};

/* Everything composed for one library. */
struct composed {
    struct bytes info;     /* functions' entries, unit after unit */
    struct bytes lists;    /* .debug_loclists */
    struct bytes ranges;   /* .debug_rnglists */
    struct bytes programs; /* line programs */
    struct bytes named;    /* uint32_t: offset in a unit's functions of a reference to the library's own names */
    struct bytes noted;    /* struct compose_noted, for an index of names */
    struct bytes texts;    /* .gdb_index: further names in it */
    uint64_t dies;         /* entries in `info`, without the null entries that end children */
    uint64_t attributes;   /* of these, as long as each entry's abbreviation has as many as `each` says by its code */
    const uint8_t *each;   /* the corpus's */
    uint64_t defined;      /* how many of `dies` are functions with code, or below these */
    uint64_t entries;      /* entries of location lists, without base addresses */
    uint64_t rows;         /* rows of the line tables of all closed units */
    uint64_t codes[2];     /* which abbreviations entries in `info` use: bit code % 64 of codes[code / 64] */
};

/* An entry that an index of names lists. */
struct compose_noted {
    uint32_t place;
    uint32_t name; /* by `from`: offset in the library's own names, offset in `texts`, index in
                      corpus_header.inline_name, or offset in .debug_str */
    uint8_t from;  /* enum compose_names */
    uint8_t code;  /* enum abbrev_code */
};
enum compose_names { NAME_OWN, NAME_TEXT, NAME_INLINE, NAME_COMMON };

/* A finished entry inside a function: where it begins, where its DW_AT_sibling is, and where it ends with its children.
 */
struct compose_child {
    uint8_t *begin, *sibling, *end;
};

/* The last list of ranges that an entry has: what has the same refers to it, as it does in gcc's output. */
enum { COMPOSE_RANGES_MOST = 8 };
struct compose_extent {
    uint32_t count; /* 0: there is none */
    uint32_t list;
    uint64_t from[COMPOSE_RANGES_MOST], to[COMPOSE_RANGES_MOST];
};

struct composer {
    const struct corpus *corpus;
    struct composed *out;
    uint64_t text;           /* address of the code */
    struct debug_unit *unit; /* the open unit, or NULL */
    struct line_rows rows;   /* offsets from `text` */
    uint8_t *info, *lists, *ranges;
    uint32_t lists_base, ranges_base; /* offsets of this library's lists and ranges in the final sections; not 0 where
                                         it is part of an executable */
    uint8_t *sibling;                 /* DW_AT_sibling of the open function */
    uint8_t *function;                /* where the open function begins */
    uint64_t before;                  /* out->dies when it began */
    struct compose_child child;       /* the entry that was finished last: if no sibling follows, its DW_AT_sibling is
                                         dropped; `end` is NULL: none */
    uint8_t *next_function;           /* a reference that waits for the next function, or NULL */
    size_t lists_start, ranges_start;
    struct compose_extent extent;
    bool uses_lists, uses_ranges; /* the unit has lists, or ranges, and so keeps the header of these */
    bool only_sizes;              /* stamps only add sizes and codes, and leave the bytes undefined */
    struct bytes *references;     /* NULL, or compose_refer appends the offset of each reference to this */
    uint64_t base;                /* base address of the open list, offset from `text` */
    uint8_t *list;                /* where the open location list begins */
    uint32_t list_entries;        /* how many entries it has so far */
    enum {
        LISTS_PLAIN, /* lists are relative to the unit's first address */
        LISTS_BASED, /* each has a base address of its own */
    } lists_as;
};

/* A subprogram entry. */
struct debug_function {
    uint32_t name; /* in the library's own names */
    uint64_t offset;
    uint64_t size;
    uint32_t line, column;
    /* plain: calls are not described; static: no other unit sees it, and it has children; whether all of its calls are
     * described is not said, but of tail calls, as it has none */
    enum { FUNCTION_RICH, FUNCTION_PLAIN, FUNCTION_STATIC } kind;
    enum base_type result;
    uint32_t declared; /* place of its declaration as a method, or COMPOSE_UNKNOWN */
    /* For methods; `name` is the linkage name then. Both for an index of names: */
    uint32_t method;       /* its simple name, among the library's own names */
    const char *qualified; /* its name with all scopes */
};

/* codes[] has 128 bits: in C++ there are no type units, and in C the abbreviations of C++ are left out. */
static_assert(ABBREV_TYPE_UNITS_FIRST + ABBREV_FORTRAN_FIRST - ABBREV_LASTS_FIRST <= 128,
              "composed.codes has a bit for each");
static_assert(ABBREV_CPP_FIRST + ABBREV_LASTS_CPP_FIRST - ABBREV_TYPE_UNITS_FIRST <= 128, "the same of C");
static_assert(ABBREV_CPP_FIRST + ABBREV_LASTS_CPP_FIRST - ABBREV_LASTS_FIRST + ABBREV_COUNT - ABBREV_FORTRAN_FIRST <=
                  128,
              "and of Fortran");

static inline void compose_note_code(struct composed *out, uint32_t code)
{
    out->dies += code != ABBREV_END;
    out->attributes += out->each[code];
    out->codes[code / 64] |= UINT64_C(1) << code % 64;
}

/* Begins an entry. */
static inline uint8_t *compose_code(struct composed *out, uint8_t *p, enum abbrev_code code)
{
    compose_note_code(out, code);
    return put_u8(p, (uint8_t)code);
}

/* Writes where something is declared in the source: file, line, column. */
static inline uint8_t *compose_put_declared(uint8_t *p, uint32_t line, uint32_t column)
{
    p = put_u8(p, DIALECT_SOURCE_FILE);
    return put_u8(put_u16(p, (uint16_t)line), (uint8_t)column);
}

/* Forgets what was composed, for entries as this corpus has them. */
void composed_clear(struct composed *c, const struct corpus *corpus);
void composed_free(struct composed *c);
bool composed_failed(const struct composed *c);

/* Notes for the index of names, if one is wanted and lists such entries, the entry
 * with this abbreviation that is composed next. `name` and `linkage_name` are offsets
 * in the library's own names, linkage_name is COMPOSE_UNKNOWN where there is none;
 * `qualified` is the name with all its scopes ("mesh::Grid<int>::resize"), or NULL
 * where it has none. Functions that are not methods and inlined calls are noted by
 * compose_function and compose_inlined. */
void compose_note(struct composer *c, enum abbrev_code code, uint32_t name, uint32_t linkage_name,
                  const char *qualified);

/* Opens `unit` at code offset `offset`; closes it at the end of its last function. */
bool compose_unit(struct composer *c, struct debug_unit *unit, uint64_t offset);
void compose_unit_end(struct composer *c, uint64_t offset);

/* Makes room for one function: bytes of entries, of lists, of ranges and of rows. False when memory ran out. */
bool compose_reserve(struct composer *c, uint64_t info, uint64_t lists, uint64_t ranges, uint64_t rows);
/* Keeps what has been written since compose_reserve. */
void compose_keep(struct composer *c);

/* An array that the unit defines. */
struct debug_object {
    uint32_t name;         /* in the library's own names */
    uint32_t line, column; /* below 256 */
    enum base_type type;   /* of `count` elements */
    uint32_t count;
    uint64_t address;
    bool external;
};
enum { COMPOSE_OBJECT_MOST = 56 }; /* bytes of its entries */
void compose_object(struct composer *c, const struct debug_object *o);

void compose_function(struct composer *c, const struct debug_function *f);
/* A function that got no children becomes an entry that has none. */
void compose_function_end(struct composer *c);

/* What is declared where; `name` is one of corpus.name. */
struct debug_variable {
    uint32_t name;
    uint32_t line, column;
    enum base_type type;
};

/* A parameter or local with one place, from the CFA, for all of the function. */
void compose_parameter(struct composer *c, const struct debug_variable *v, int32_t place);
void compose_local(struct composer *c, const struct debug_variable *v, int32_t place);

/* A local with one place for all of the function, whose name is one of the library's own. */
void compose_local_own(struct composer *c, const struct debug_variable *v, int32_t place);

/* Where a location list is, and where the view numbers of its entries are: offsets in
 * .debug_loclists. */
struct debug_list {
    uint32_t at, views;
};
#define DEBUG_LIST_NONE ((struct debug_list){COMPOSE_UNKNOWN, COMPOSE_UNKNOWN})

/* A parameter or local with a location list, from compose_list_end; or a local without
 * any location, as if it was optimised out. */
void compose_parameter_list(struct composer *c, const struct debug_variable *v, struct debug_list list);
void compose_local_list(struct composer *c, const struct debug_variable *v, struct debug_list list);
void compose_local_gone(struct composer *c, const struct debug_variable *v);

/* --- lists (compose_lists.c) --------------------------------------------------- */

/* A location list: entries in order, empty ones left out; then its end. `base` is
 * for lists that have one. */
void compose_list_begin(struct composer *c, uint64_t base);
void compose_list_register(struct composer *c, uint64_t from, uint64_t to, uint32_t reg);
void compose_list_frame(struct composer *c, uint64_t from, uint64_t to, int32_t place);
/* Any expression. */
void compose_list_entry(struct composer *c, uint64_t from, uint64_t to, const uint8_t *expression, uint32_t size);
/* With views, a pair of view numbers for each entry is put before the list: all 0, the
 * first row of those that have the address. */
struct debug_list compose_list_end(struct composer *c);

/* A range list of `count` pieces of code, from[i] to to[i]. */
uint32_t compose_ranges(struct composer *c, uint64_t base, uint32_t count, const uint64_t *from, const uint64_t *to);

/* The offsets, in the final sections, of the location list and of the range list that come next. */
static inline uint32_t compose_next_list(const struct composer *c)
{
    return c->lists_base + (uint32_t)(c->lists - c->out->lists.data);
}

static inline uint32_t compose_next_ranges(const struct composer *c)
{
    return c->ranges_base + (uint32_t)(c->ranges - c->out->ranges.data);
}

/* Offset of the base address in a list. */
static inline uint32_t compose_base_at(struct dialect d)
{
    return dialect_is_4(d) ? 8 : 1;
}

/* Bytes that a unit's lists begin with. */
static inline uint32_t compose_list_header(struct dialect d)
{
    return dialect_is_4(d) ? 0 : LIST_HEADER;
}

void compose_lists_begin(struct composer *c);
void compose_lists_end(struct composer *c);

/* --- children of functions -------------------------------------------------------- */

/* The offset of `p`, which is in the open unit, among the unit's functions; and in the unit. */
static inline uint32_t compose_offset_of(const struct composer *c, const uint8_t *p)
{
    return (uint32_t)((size_t)(p - c->out->info.data) - c->unit->entries);
}

static inline uint32_t compose_place_of(const struct composer *c, const uint8_t *p)
{
    return c->corpus->start + c->corpus->fixed + compose_offset_of(c, p);
}

/* Writes a reference, in the unit's functions, to a place there. */
void compose_refer(struct composer *c, uint8_t *at, uint32_t place);

/* An inlined call of the header's inline function k, called in `file`; with one range, or with a list of `count`.
 * Returns the `sibling` for compose_end_child, which also notes the entry's code, because that may change until then.
 */
uint8_t *compose_inlined(struct composer *c, uint32_t k, uint8_t file, uint32_t line, uint32_t column, uint32_t count,
                         const uint64_t *from, const uint64_t *to);
/* One of its parameters or variables, with a location list, or (DEBUG_LIST_NONE)
 * with none. */
void compose_inlined_child(struct composer *c, uint32_t k, uint32_t child, struct debug_list list);
/* A parameter that was a constant (below 128), and is nowhere. */
void compose_inlined_constant(struct composer *c, uint32_t k, uint32_t child, uint8_t value);

/* A label in this line, one of corpus.label; what follows it begins at code offset `at`. */
void compose_label(struct composer *c, uint32_t name, uint32_t line, uint64_t at);

/* A lexical block with one range, or with a list of `count`. Returns the `sibling` for compose_end_child. */
uint8_t *compose_block(struct composer *c, uint32_t count, const uint64_t *from, const uint64_t *to);
/* A constant without a name, as gfortran has them in blocks; in Fortran only. */
void compose_constant(struct composer *c);
/* The lexical block of inline function k where that is inlined; like compose_block. */
uint8_t *compose_inlined_block(struct composer *c, uint32_t k, uint32_t count, const uint64_t *from,
                               const uint64_t *to);

/* A block with this range list, which is the last of its siblings: it refers to none. */
void compose_last_block(struct composer *c, uint32_t ranges);

/* Where the next entry of the unit's functions will be, for compose_call. */
uint32_t compose_place(const struct composer *c);

/* A function that the unit calls and does not define, with these types of
 * parameters; returns its place, for compose_call. */
uint32_t compose_declaration(struct composer *c, uint32_t name, uint32_t line, uint32_t parameters,
                             const uint8_t *types);

/* --- classes (compose_class.c) ------------------------------------------------ */

/* A static method that is declared; its names are of the library's own. */
struct debug_method {
    uint32_t name, linkage_name;
    uint32_t line;
    enum base_type result;
    uint32_t parameters;
    const uint8_t *types; /* types of the parameters: enum base_type */
    bool is_template;     /* of a template with a type and a number as arguments */
    enum base_type type;
    uint8_t number;
    bool is_last; /* it is the last method of the class */
};

/* A class in a namespace, with methods and nothing else. */
struct debug_class {
    uint32_t scope, name;  /* of the library's own names */
    const char *qualified; /* for an index of names */
    uint32_t line;
};
/* Returns what compose_class_end takes. */
uint8_t *compose_class(struct composer *c, const struct debug_class *k);
/* A method of the open class; returns its place, for debug_function.declared. */
uint32_t compose_method(struct composer *c, const struct debug_method *m);
void compose_class_end(struct composer *c, uint8_t *sibling);
/* Bytes that such a class takes at most. */
uint64_t compose_class_most(struct dialect d, uint32_t methods, uint32_t parameters);

/* --- calls -------------------------------------------------------------------------- */

/* A call that returns to `returns`, of the function at place `origin`, or COMPOSE_NEXT:
 * of the function that is composed next in the unit, or COMPOSE_UNKNOWN. With
 * `parameters`, returns the `sibling` for compose_end_child. */
uint8_t *compose_call(struct composer *c, uint64_t returns, uint32_t origin, bool parameters);
/* A parameter of the open call: register `reg` holds a constant, an address, or the
 * contents of the slot at `place` from the CFA, or that slot's address. */
void compose_call_constant(struct composer *c, uint32_t reg, int64_t value);
void compose_call_address(struct composer *c, uint32_t reg, uint64_t address);
void compose_call_slot(struct composer *c, uint32_t reg, int32_t place);
void compose_call_reference(struct composer *c, uint32_t reg, int32_t place);

/* Ends the children of an entry, whose DW_AT_sibling is at `sibling`; NULL: it has none. */
void compose_end_children(struct composer *c, uint8_t *sibling);

/* Ends the children of a call, block or inlined call in the open function, which begins at `begin`. If it turns out to
 * be the last of its siblings, its DW_AT_sibling is dropped. Its code is noted when that is known. */
void compose_end_child(struct composer *c, uint8_t *begin, uint8_t *sibling);
/* Like compose_end_child, for entries that a stamp has put: the last of them has this code, `size` bytes with its
 * children, and its DW_AT_sibling at offset `sibling` of these. */
void compose_end_put(struct composer *c, uint8_t code, uint32_t sibling, uint32_t size);

#endif
