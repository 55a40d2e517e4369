/* Composes what a library's units say about its code: functions with parameters,
 * locals, inlined calls, blocks and call sites; their location and range lists;
 * their line programs.
 *
 * Composing is the size pass of these contents: what they say follows from the
 * code alone, so it is encoded as the code is walked over, into buffers that are
 * kept from library to library, and copied into the sections later. A unit's
 * functions begin at the same place in every unit, behind base types and inline
 * functions (corpus.h). Open until then is only how many names stand before the
 * library's own in .debug_str: references to those are listed, in `named`, and get
 * that added (unit.c). The address of the code must be known before.
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
    DEBUG_LINE_FIRST = 256, /* lines need two bytes */
    DEBUG_LINE_MOST = 65000,
    LIST_HEADER = 12,        /* of a unit's location or range lists in version 5; 4 has none */
    COMPOSE_CHILD_MOST = 48, /* bytes of any one entry below a function */
    COMPOSE_FUNCTION_MOST = 48,
    COMPOSE_ENTRY_MOST = 34, /* of one entry of a location or range list */
    COMPOSE_NEAR = 1 << 14,
    COMPOSE_LIST_MOST = 34, /* of what else a list takes: its base and its end */
};

/* Instead of a place in a unit, or of a list. */
enum { COMPOSE_UNKNOWN = UINT32_MAX, COMPOSE_NEXT = UINT32_MAX - 1 };

struct debug_unit {
    uint64_t start, end;          /* addresses of its code, [start, end); equal: it only defines data */
    size_t entries, entries_size; /* its functions in composed info */
    size_t program, program_size; /* its line program */
    size_t named, named_count;    /* its functions' names */
    size_t noted, noted_count;    /* what an index of names lists of them */
    size_t noted_own;             /* of these not by the name of a header's inline function */
    uint64_t inlined;             /* bit k: calls of that inline function are in it */
    uint32_t line;                /* offset of its line table */
    uint32_t source;              /* offset of its file name in debug.sources */
    uint32_t header, wholes, cut; /* what it includes: so many whole headers, and the next up to the
                                     cut; chosen by debug_fill */
    uint64_t info_size;
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
    uint64_t dies;         /* entries in `info`, without what ends children; */
    uint64_t defined;      /* of these, functions with code and what is below them */
    uint64_t entries;      /* of location lists, but for base addresses */
    uint64_t rows;         /* of units that are closed */
    uint64_t codes[2];     /* abbreviations that entries in `info` have: bit code % 64 of code / 64 */
};

/* An entry that an index of names lists. */
struct compose_noted {
    uint32_t place;
    uint32_t name; /* offset in the library's own names; in `texts`; in corpus_header.inline_name; in .debug_str */
    uint8_t from;  /* enum compose_names */
    uint8_t code;  /* enum abbrev_code */
};
enum compose_names { NAME_OWN, NAME_TEXT, NAME_INLINE, NAME_COMMON };

/* An entry of a function, as compose_end_child takes it: where it begins, where it refers to its sibling, its end. */
struct compose_child {
    uint8_t *begin, *sibling, *end;
};

struct composer {
    const struct corpus *corpus;
    struct composed *out;
    uint64_t text;           /* address of the code */
    struct debug_unit *unit; /* under way, or NULL */
    struct line_rows rows;   /* offsets from `text` */
    uint8_t *info, *lists, *ranges;
    uint32_t lists_base, ranges_base; /* offsets of this library's lists and ranges in the final sections; not 0 where
                                         it is part of an executable */
    uint8_t *sibling;                 /* of the function under way */
    uint8_t *function;                /* where it begins, */
    uint64_t before;                  /* and the entries there are then */
    struct compose_child child;       /* the entry that was finished last: if no sibling follows, its DW_AT_sibling is
                                         dropped; `end` is NULL: none */
    uint8_t *next_function;           /* a reference that waits for the next function, or NULL */
    size_t lists_start, ranges_start;
    bool uses_lists, uses_ranges; /* the unit has some, so its header stays */
    bool only_sizes;              /* what stamps put is left undefined, and has its size; its codes are noted */
    struct bytes *references;     /* NULL, or where compose_refer lists them, by their offsets */
    uint64_t base;                /* of the list under way, offset from `text` */
    uint8_t *list;                /* where that begins, if it is a location list, */
    uint32_t list_entries;        /* and how many it has */
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
    enum { FUNCTION_RICH, FUNCTION_PLAIN, FUNCTION_STATIC } kind; /* plain: calls are not described */
    enum base_type result;
    uint32_t declared; /* place of its declaration as a method, or COMPOSE_UNKNOWN; */
    /* then `name` is its linkage name, and for an index of names: */
    uint32_t method;       /* its name, */
    const char *qualified; /* and with all its scopes */
};

/* C++ has no type units; of C, what is its own is not written with them. */
static_assert(ABBREV_TYPE_UNITS_FIRST + ABBREV_COUNT - ABBREV_LASTS_FIRST <= 128, "composed.codes has a bit for each");
static_assert(ABBREV_CPP_FIRST + ABBREV_LASTS_CPP_FIRST - ABBREV_TYPE_UNITS_FIRST <= 128, "the same of C");

static inline void compose_note_code(struct composed *out, uint32_t code)
{
    out->dies += code != ABBREV_END;
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

void composed_clear(struct composed *c);
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

/* Room for one function: bytes of entries, of lists, of ranges and of rows. */
bool compose_reserve(struct composer *c, uint64_t info, uint64_t lists, uint64_t ranges, uint64_t rows);
/* What has been written since is kept. */
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

/* The same, whose name is in the library's own names. */
void compose_local_own(struct composer *c, const struct debug_variable *v, int32_t place);

/* Where a location list is, and where the view numbers of its entries are: offsets in
 * .debug_loclists. */
struct debug_list {
    uint32_t at, views;
};
#define DEBUG_LIST_NONE ((struct debug_list){COMPOSE_UNKNOWN, COMPOSE_UNKNOWN})

/* The same with a location list, from compose_list_end; or with none: a local that
 * was optimised out. */
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

/* References to the list that comes next. */
static inline uint32_t compose_next_list(const struct composer *c)
{
    return c->lists_base + (uint32_t)(c->lists - c->out->lists.data);
}

static inline uint32_t compose_next_ranges(const struct composer *c)
{
    return c->ranges_base + (uint32_t)(c->ranges - c->out->ranges.data);
}

/* Where the base address is in a list. */
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

/* Where something stands among the unit's functions, and in the unit. */
static inline uint32_t compose_offset_of(const struct composer *c, const uint8_t *p)
{
    return (uint32_t)((size_t)(p - c->out->info.data) - c->unit->entries);
}

static inline uint32_t compose_place_of(const struct composer *c, const uint8_t *p)
{
    return c->corpus->start + c->corpus->fixed + compose_offset_of(c, p);
}

/* Writes, in the unit's functions, a reference to a place of theirs. */
void compose_refer(struct composer *c, uint8_t *at, uint32_t place);

/* A call of the header's function k, from `file`, that was inlined; with one range, or with a list.
 * Returns what compose_end_child takes, which notes the code: until then it may become another. */
uint8_t *compose_inlined(struct composer *c, uint32_t k, uint8_t file, uint32_t line, uint32_t column, uint32_t count,
                         const uint64_t *from, const uint64_t *to);
/* One of its parameters or variables, with a location list, or (DEBUG_LIST_NONE)
 * with none. */
void compose_inlined_child(struct composer *c, uint32_t k, uint32_t child, struct debug_list list);
/* A parameter that was a constant (below 128), and is nowhere. */
void compose_inlined_constant(struct composer *c, uint32_t k, uint32_t child, uint8_t value);

/* A label in this line, one of corpus.label; what follows it begins at code offset `at`. */
void compose_label(struct composer *c, uint32_t name, uint32_t line, uint64_t at);

/* A block, likewise. */
uint8_t *compose_block(struct composer *c, uint32_t count, const uint64_t *from, const uint64_t *to);
/* That of inline function k, where it is inlined. */
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
    const uint8_t *types; /* of these: enum base_type */
    bool is_template;     /* of a type and a number */
    enum base_type type;
    uint8_t number;
    bool is_last; /* of the class's */
};

/* A class in a namespace, with methods and nothing else. */
struct debug_class {
    uint32_t scope, name;  /* of the library's own names */
    const char *qualified; /* for an index of names */
    uint32_t line;
};
/* Returns what compose_class_end takes. */
uint8_t *compose_class(struct composer *c, const struct debug_class *k);
/* One of them; returns its place, for debug_function.declared. */
uint32_t compose_method(struct composer *c, const struct debug_method *m);
void compose_class_end(struct composer *c, uint8_t *sibling);
/* Bytes that such a class takes at most. */
uint64_t compose_class_most(struct dialect d, uint32_t methods, uint32_t parameters);

/* --- calls -------------------------------------------------------------------------- */

/* A call that returns to `returns`, of the function at place `origin` of the
 * unit's functions, or of the one that is composed next in it, or of an unknown
 * one. With parameters, returns what compose_end_child takes, likewise. */
uint8_t *compose_call(struct composer *c, uint64_t returns, uint32_t origin, bool parameters);
/* What register `reg` then holds: a constant, an address, or what the slot at
 * `place` from the CFA holds. */
void compose_call_constant(struct composer *c, uint32_t reg, int64_t value);
void compose_call_address(struct composer *c, uint32_t reg, uint64_t address);
void compose_call_slot(struct composer *c, uint32_t reg, int32_t place);

/* `sibling` is NULL of an entry that has no reference to the next. */
void compose_end_children(struct composer *c, uint8_t *sibling);

/* The same of a call, block or inlined call of the function under way, which begins at `begin`. Where it turns out to
 * be the last of its siblings, it refers to none. Its code is noted when that is known. */
void compose_end_child(struct composer *c, uint8_t *begin, uint8_t *sibling);
/* The same of what has been put by other means, and ends with such an entry: with this code, `size` bytes, and its
 * reference to its sibling at `sibling` of these. */
void compose_end_put(struct composer *c, uint8_t code, uint32_t sibling, uint32_t size);

#endif
