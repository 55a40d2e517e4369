/* Composes what a library's units say about its code: functions with parameters, locals, inlined calls, blocks and call
 * sites; their location and range lists; their line programs.
 *
 * Composing is the size pass of these contents. They follow from the code alone, so they are encoded while the code is
 * walked over. The buffers are kept from library to library; the sections get copies of them later. A unit's functions
 * begin at the same place in every unit, behind base types and inline functions (corpus.h). Only one number is not
 * known before the copying: where the library's own names begin in .debug_str. `named` lists the references to these
 * names, and unit.c adds that offset to them. The address of the code must be known from the beginning.
 *
 * Use: composed_clear; for each unit compose_unit, then for each function compose_reserve, compose_function, its
 * children, compose_function_end and compose_keep, with rows in between in order of address; compose_unit_end.
 */
#ifndef DWARF_COMPOSE_COMPOSE_H
#define DWARF_COMPOSE_COMPOSE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "dwarf/corpus/corpus.h"
#include "dwarf/form/line.h"

enum {
    DEBUG_LINE_FIRST = 256, /* the first line of functions: from here on lines need two bytes */
    DEBUG_LINE_MOST = 65000,
    LIST_HEADER = 12,        /* header of a unit's location or range lists in version 5; version 4 has none */
    COMPOSE_CHILD_MOST = 48, /* bytes of any one entry below a function */
    COMPOSE_FUNCTION_MOST = 48,
    COMPOSE_ENTRY_MOST = 34, /* bytes of one entry of a location or range list */
    COMPOSE_BASE_MOST = 16,  /* bytes of a base address */
    COMPOSE_NEAR = 1 << 14,  /* lists of code in a unit's first bytes, up to this many, may be near (stamp.h) */
    COMPOSE_LIST_MOST = 34,  /* bytes of a list's base address and end */
};

/* Values that stand for the place of an entry or list: it is not known; it is that of the next function. */
enum { COMPOSE_UNKNOWN = UINT32_MAX, COMPOSE_NEXT = UINT32_MAX - 1 };

struct debug_unit {
    uint64_t start, end;           /* addresses of its code, [start, end); equal: the unit only defines data */
    size_t entries, entries_size;  /* offset and bytes of its functions in composed.info */
    size_t program, program_size;  /* offset and bytes of its line program in composed.programs */
    uint64_t part_start, part_end; /* addresses of parts of its functions that stand elsewhere; equal: there are none */
    size_t part_program;           /* where a second sequence begins in the line program, */
    uint64_t second;               /* and the address that it begins at; 0: there is none */
    uint32_t ranges;               /* offset, in the final section, of the range list of code and parts */
    size_t named, named_count;     /* offset in composed.named, and number, of references to the library's own names */
    size_t noted, noted_count; /* offset in composed.noted, and number, of the unit's entries for an index of names */
    size_t noted_own;          /* how many of `noted` have a name other than that of a header's inline function */
    uint64_t inlined;          /* bit k: `noted` has calls of the header's inline function k */
    uint32_t line;             /* offset of its line table */
    uint32_t source;           /* offset of its file name in debug.sources */
    uint32_t header, wholes, cut; /* what it includes: `wholes` whole headers from `header` on, and the next
                                     one up to `cut`; chosen by debug_fill */
    uint64_t info_size;
    uint32_t info;        /* where it begins in .debug_info, if inlined calls are of functions in other units */
    uint32_t spare_until; /* share of spare types in the units up to this one, in parts of the last unit's number */
    bool small;           /* some references of its entries take two bytes; chosen by debug_fill (partial.h) */
};

/* Everything composed for one library. */
struct composed {
    struct bytes info;     /* functions' entries, one unit after the other */
    struct bytes lists;    /* .debug_loclists */
    struct bytes ranges;   /* .debug_rnglists */
    struct bytes programs; /* line programs */
    struct bytes parts;    /* the second sequence of the open unit's line program */
    struct bytes named;    /* uint32_t: offset in a unit's functions of a reference to the library's own names */
    struct bytes noted;    /* struct compose_noted, for an index of names */
    struct bytes texts;    /* .gdb_index: further names in it */
    uint64_t dies;         /* entries in `info`, without the null entries that end children */
    uint64_t attributes;   /* attributes of these entries: the sum, over their codes, of `each` */
    const uint8_t *each;   /* how many attributes an entry with each code has: corpus.attributes */
    uint64_t defined;      /* how many of `dies` are functions with code, or below these */
    uint64_t functions;    /* functions with code, */
    uint64_t code;         /* bytes of their code, cold parts included */
    uint64_t inlined;      /* how many of these are in inlined calls */
    uint64_t entries;      /* entries of location lists, without base addresses */
    uint64_t entry_values; /* of these, which say what a register held when the function was called */
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

/* A finished entry inside a function: its beginning, its DW_AT_sibling, and its end, which is behind its children. */
struct compose_child {
    uint8_t *begin, *sibling, *end;
};

/* The range list that was composed last for an entry. The next entry refers to it if it has the same ranges, as in
 * gcc's output. */
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
    struct line_rows part;   /* the same of the open part; `count` is that of rows in this part */
    bool adjoins;            /* see compose_part_adjoins */
    struct {
        uint32_t info;       /* bytes of entries, */
        size_t named, noted; /* and numbers of these, */
    } before_others;         /* up to the call of compose_part_ends */
    uint8_t *info, *lists, *ranges;
    uint32_t lists_base, ranges_base; /* offsets of this library's lists and ranges in the final sections; not 0 where
                                         it is part of an executable */
    uint8_t *sibling;                 /* DW_AT_sibling of the open function */
    uint8_t *function;                /* where the open function begins */
    uint64_t before;                  /* out->dies when the open function began */
    struct compose_child child; /* the entry finished last: if no sibling follows, its DW_AT_sibling is dropped; `end`
                                   is NULL: there is none */
    uint8_t *next_function;     /* a reference that waits for the next function, or NULL */
    size_t lists_start, ranges_start;
    struct compose_extent extent;
    bool uses_lists, uses_ranges; /* the unit has location lists, or range lists, and so keeps the header of these */
    bool only_sizes;              /* stamps only add their sizes and codes, and leave the bytes undefined */
    struct bytes *references;     /* if not NULL, compose_refer appends to it the offset of each reference */
    uint64_t base;                /* base address of the open list, offset from `text` */
    uint8_t *list;                /* where the open location list begins */
    uint32_t list_entries;        /* how many entries it has so far */
    enum {
        LISTS_PLAIN, /* lists are relative to the unit's first address */
        LISTS_BASED, /* each has a base address of its own; in version 5 only */
    } lists_as;
};

/* A subprogram entry. */
struct debug_function {
    uint32_t name; /* in the library's own names */
    uint64_t offset;
    uint64_t size;
    uint64_t part, part_size; /* offset and bytes of the part of its code that stands elsewhere; 0 bytes: there is none.
                                 Such a function must get children */
    uint32_t line, column;
    /* FUNCTION_RICH: all calls are described. FUNCTION_PLAIN: calls are not described. FUNCTION_STATIC: no other unit
     * sees the function, which must get children. The entries of the last two only say that all tail calls are
     * described: there are none */
    enum { FUNCTION_RICH, FUNCTION_PLAIN, FUNCTION_STATIC } kind;
    enum base_type result;
    uint32_t declared; /* place of its declaration as a method, or COMPOSE_UNKNOWN */
    /* The next two are for methods, whose `name` is the linkage name, and for an index of names: */
    uint32_t method;       /* its simple name, in the library's own names */
    const char *qualified; /* its name with all scopes */
    bool is_linked;        /* with dialect.lines: `name` is its linkage name, and `method` its name; it is not static */
};

/* codes[] has 128 bits: in C++ there are no type units, and in C the abbreviations of C++ are left out. */
static_assert(ABBREV_TYPE_UNITS_FIRST + ABBREV_FORTRAN_FIRST - ABBREV_LASTS_FIRST + ABBREV_PARTED <= 128,
              "composed.codes has a bit for each");
static_assert(ABBREV_CPP_FIRST + ABBREV_LASTS_CPP_FIRST - ABBREV_TYPE_UNITS_FIRST <= 128, "the same of C");
static_assert(ABBREV_BEHIND_C + ABBREV_VARIOUS_FIRST - ABBREV_FORTRAN_FIRST <= 128, "and of Fortran");
static_assert(ABBREV_BEHIND_C + ABBREV_PARTED_FIRST - ABBREV_VARIOUS_FIRST + ABBREV_PARTED <= 128,
              "and of C with all that it may have");

static inline void compose_note_code(struct composed *out, uint32_t code)
{
    out->dies += code != ABBREV_END;
    out->attributes += out->each[code];
    abbrev_note(out->codes, code);
}

/* Begins an entry and counts it. */
static inline uint8_t *compose_code(struct composed *out, uint8_t *p, uint32_t code)
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

/* Empties `c`. The entries that come next have the abbreviations of this corpus. */
void composed_clear(struct composed *c, const struct corpus *corpus);
void composed_free(struct composed *c);
bool composed_failed(const struct composed *c);

/* Notes the entry that is composed next, which has this abbreviation, for the index of names, if one is wanted and
 * lists such entries. `name` and `linkage_name` are offsets in the library's own names; linkage_name is COMPOSE_UNKNOWN
 * where there is none. `qualified` is the name with all its scopes ("mesh::Grid<int>::resize"), or NULL where it has
 * none. The functions below note what they compose, so their callers need not. */
void compose_note(struct composer *c, enum abbrev_code code, uint32_t name, uint32_t linkage_name,
                  const char *qualified);

/* compose_unit opens `unit` at this code offset; false when memory ran out. compose_unit_end closes the open unit at
 * this code offset, the end of its last function. */
bool compose_unit(struct composer *c, struct debug_unit *unit, uint64_t offset);
void compose_unit_end(struct composer *c, uint64_t offset);

/* Makes room for one function: so many bytes of entries, of location lists, of range lists and of rows. False when
 * memory ran out. */
bool compose_reserve(struct composer *c, uint64_t info, uint64_t lists, uint64_t ranges, uint64_t rows);
/* Keeps what has been written since compose_reserve. */
void compose_keep(struct composer *c);

/* Parts of functions that stand elsewhere, before or behind all units' code. Before it, code offsets are below 0: in
 * unsigned numbers, 2^64 more. All parts of one unit are in one place, in the order of their functions. compose_part
 * opens one at this code offset, with room for so many bytes of rows, which go to c->part; false when memory ran out.
 * compose_part_end closes it at its end. */
bool compose_part(struct composer *c, uint64_t offset, uint64_t rows);
void compose_part_end(struct composer *c, uint64_t end);
/* The open unit has its parts directly behind its code, and so one range for both. They are functions of their own,
 * which are composed before all others. To be called when the unit has been opened, and, for the second one, when all
 * of them are composed: compose_unit_end moves their entries behind the others (compose_behind.c). */
void compose_part_adjoins(struct composer *c);
void compose_part_ends(struct composer *c);
void compose_part_behind(struct composer *c);
/* Bytes that the open unit, ending at this code offset, still takes for its parts: of rows and of ranges. */
uint64_t compose_rows_pending(const struct composer *c);
uint64_t compose_ranges_pending(struct composer *c, uint64_t end);

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
/* Ends the open function. If it got no children, it gets the abbreviation of an entry without children. */
void compose_function_end(struct composer *c);

/* A parameter or local; `name` is one of corpus.name. */
struct debug_variable {
    uint32_t name;
    uint32_t line, column;
    enum base_type type; /* or COMPOSE_PLACED: the one whose entry is */
    uint32_t type_at;    /* at this place of the unit */
};
enum { COMPOSE_PLACED = BASE_ALL };

/* A parameter or local with one place for all of the function, `place` bytes from the CFA; a parameter that is in this
 * register (DWARF's number, below 32). */
void compose_parameter(struct composer *c, const struct debug_variable *v, int32_t place);
void compose_local(struct composer *c, const struct debug_variable *v, int32_t place);
void compose_parameter_register(struct composer *c, const struct debug_variable *v, uint32_t reg);

/* The same for a local whose name is one of the library's own. */
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

/* A location list: compose_list_begin; its entries, of code offsets [from, to), of which empty ones are left out;
 * compose_list_end. `base` is a code offset, for lists that have a base address. */
void compose_list_begin(struct composer *c, uint64_t base);
void compose_list_register(struct composer *c, uint64_t from, uint64_t to, uint32_t reg);
void compose_list_frame(struct composer *c, uint64_t from, uint64_t to, int32_t place);
/* The last entry of a list that has others: the place in the frame of the variable in a part of the function that
 * stands elsewhere. */
void compose_list_elsewhere(struct composer *c, uint64_t from, uint64_t to, int32_t place);
/* The value is what register `reg`, below 32, held when the function was called, as debuggers find it in the caller's
 * call site (DWARF 5 section 2.5.1.7; GNU's operation of that name in version 4). */
void compose_list_entry_value(struct composer *c, uint64_t from, uint64_t to, uint32_t reg);
/* Any expression. */
void compose_list_entry(struct composer *c, uint64_t from, uint64_t to, const uint8_t *expression, uint32_t size);
/* Ends the list and returns where it is. With views, a pair of view numbers for each entry is put before the list: all
 * are 0, the first of the rows that have the address. */
struct debug_list compose_list_end(struct composer *c);

/* A range list of `count` pieces of code, from[i] to to[i]. Returns its offset in the final section. */
uint32_t compose_ranges(struct composer *c, uint64_t base, uint32_t count, const uint64_t *from, const uint64_t *to);
/* The same of code and of parts that stand elsewhere. */
enum { COMPOSE_PARTED = 2 };
uint32_t compose_parted_ranges(struct composer *c, const uint64_t from[COMPOSE_PARTED],
                               const uint64_t to[COMPOSE_PARTED]);

/* The offset, in its final section, of the next location list; and of the next range list. */
static inline uint32_t compose_next_list(const struct composer *c)
{
    return c->lists_base + (uint32_t)(c->lists - c->out->lists.data);
}

static inline uint32_t compose_next_ranges(const struct composer *c)
{
    return c->ranges_base + (uint32_t)(c->ranges - c->out->ranges.data);
}

/* Offset, in a list that begins with a base address, of that address. */
enum { COMPOSE_BASE_AT = 1 };

/* Bytes that a unit's lists begin with. */
static inline uint32_t compose_list_header(struct dialect d)
{
    return dialect_is_4(d) ? 0 : LIST_HEADER;
}

void compose_lists_begin(struct composer *c);
void compose_lists_end(struct composer *c);

/* --- children of functions -------------------------------------------------------- */

/* compose_offset_of: the offset of `p`, which is in the open unit, among the unit's functions. compose_place_of: its
 * place in the unit. */
static inline uint32_t compose_offset_of(const struct composer *c, const uint8_t *p)
{
    return (uint32_t)((size_t)(p - c->out->info.data) - c->unit->entries);
}

static inline uint32_t compose_place_of(const struct composer *c, const uint8_t *p)
{
    return c->corpus->start + c->corpus->fixed + compose_offset_of(c, p);
}

/* What is at this offset among the open unit's functions. */
static inline uint8_t *compose_at(const struct composer *c, uint32_t offset)
{
    return c->out->info.data + c->unit->entries + offset;
}

/* Writes at `at`, in the unit's functions, a reference to this place in the unit. */
void compose_refer(struct composer *c, uint8_t *at, uint32_t place);

/* Writes a reference to a type: enum base_type, or COMPOSE_PLACED: the one whose entry is at this place. */
static inline uint8_t *compose_put_type(struct composer *c, uint8_t *p, uint32_t type, uint32_t place)
{
    if (type != COMPOSE_PLACED)
        return put_u32(p, corpus_type(c->corpus, (enum base_type)type));
    compose_refer(c, p, place);
    return p + 4;
}

/* An inlined call of the header's inline function k, called in `file`, with one range or a list of `count`. Returns the
 * `sibling` for compose_end_child. That function notes the entry's code, because the code may change until then. */
uint8_t *compose_inlined(struct composer *c, uint32_t k, uint8_t file, uint32_t line, uint32_t column, uint32_t count,
                         const uint64_t *from, const uint64_t *to);
/* One of the parameters or variables of inline function k, with a location list or, with DEBUG_LIST_NONE, without. */
void compose_inlined_child(struct composer *c, uint32_t k, uint32_t child, struct debug_list list);
/* A parameter of inline function k that was a constant (below 128) and is nowhere. */
void compose_inlined_constant(struct composer *c, uint32_t k, uint32_t child, uint8_t value);

/* A label in this line; its name is one of corpus.label. The code behind it begins at code offset `at`. */
void compose_label(struct composer *c, uint32_t name, uint32_t line, uint64_t at);

/* A lexical block with one range or a list of `count`. Returns the `sibling` for compose_end_child. */
uint8_t *compose_block(struct composer *c, uint32_t count, const uint64_t *from, const uint64_t *to);
/* A constant without a name, as gfortran has them in blocks; in Fortran only. */
void compose_constant(struct composer *c);
/* The lexical block of inline function k where that is inlined; like compose_block. */
uint8_t *compose_inlined_block(struct composer *c, uint32_t k, uint32_t count, const uint64_t *from,
                               const uint64_t *to);

/* A lexical block with the range list at this offset. It is the last of its siblings, so it has no DW_AT_sibling. */
void compose_last_block(struct composer *c, uint32_t ranges);

/* The place in the unit of the next entry, for compose_call. */
uint32_t compose_place(const struct composer *c);

/* Declares a function that the unit calls and does not define, with so many parameters of these types (enum base_type).
 * Returns its place, for compose_call. */
uint32_t compose_declaration(struct composer *c, uint32_t name, uint32_t line, uint32_t parameters,
                             const uint8_t *types);

/* --- with dialect.lines (compose_brief.c) ---------------------------------------- */

/* A call of inline function k that is inlined in one range, with a further call inside if
 * `is_outer`; the last of its siblings, with a range list and further calls inside. compose_end_children(c, NULL) ends
 * calls with others inside. */
void compose_line_inlined(struct composer *c, uint32_t k, uint32_t line, bool is_outer, uint64_t from, uint64_t to);
void compose_last_inlined(struct composer *c, uint32_t k, uint32_t line, uint64_t from, uint32_t ranges);
/* For compose_function and compose_function_end: writes a function's entry up to its address; the code of a function
 * without inlined calls in place of this one. */
uint8_t *compose_caller(struct composer *c, const struct debug_function *f);
uint8_t compose_without_calls(uint32_t code);

/* --- classes (compose_class.c) ------------------------------------------------ */

/* The declaration of a static method or of a function of a namespace. Its names are of the library's own. */
struct debug_method {
    uint32_t name, linkage_name;
    uint32_t line;
    enum base_type result;
    uint32_t parameters;
    const uint8_t *types; /* types of the parameters: enum base_type, or COMPOSE_PLACED: the one whose entry is */
    uint32_t type_at;     /* at this place of the unit */
    bool of_namespace;    /* a function of the open namespace, no method */
    bool is_template;     /* an instance of a template with `type` and `number` as arguments */
    enum base_type type;
    uint8_t number;
    bool is_last; /* the last method of its class */
};

/* A class with methods and nothing else. */
struct debug_class {
    uint32_t name;         /* of the library's own names */
    const char *qualified; /* for an index of names */
    uint32_t line;
    bool is_last; /* nothing follows in the namespace, or class, that it is in */
};
/* Open a namespace, whose name is one of the library's own, and a class in what is open. Both return what
 * compose_scope_end takes. */
uint32_t compose_namespace(struct composer *c, uint32_t name, uint32_t line);
uint32_t compose_class(struct composer *c, const struct debug_class *k);
void compose_scope_end(struct composer *c, uint32_t sibling);
/* Declares in what is open, and returns the place of the declaration, for debug_function.declared. */
uint32_t compose_method(struct composer *c, const struct debug_method *m);
/* Composes the type of a reference to a constant object of a class that is declared later. Returns its place, and sets
 * *of to what compose_class_referred takes when the class's place is known. */
uint32_t compose_class_reference(struct composer *c, uint32_t *of);
void compose_class_referred(struct composer *c, uint32_t of, uint32_t class);
/* Bytes that a class in a namespace takes at most. */
uint64_t compose_class_most(struct dialect d, uint32_t methods, uint32_t parameters);

/* --- calls -------------------------------------------------------------------------- */

/* A call that returns to code offset `returns`. `origin` is the place of the function that is called; COMPOSE_NEXT:
 * that of the function composed next in the unit; COMPOSE_UNKNOWN: the entry does not say which. With `parameters`,
 * returns the `sibling` for compose_end_child. */
uint8_t *compose_call(struct composer *c, uint64_t returns, uint32_t origin, bool parameters);
/* A parameter of the open call. Register `reg` holds a constant, an address, the contents of the slot at `place` bytes
 * from the CFA, or that slot's address. compose_call_pushed: the contents are on the stack, `word` words from its
 * top. */
void compose_call_constant(struct composer *c, uint32_t reg, int64_t value);
void compose_call_address(struct composer *c, uint32_t reg, uint64_t address);
void compose_call_slot(struct composer *c, uint32_t reg, int32_t place);
void compose_call_reference(struct composer *c, uint32_t reg, int32_t place);
void compose_call_pushed(struct composer *c, uint32_t word, int32_t place);

/* Ends the children of an entry. Its DW_AT_sibling is at `sibling`; NULL: it has none. */
void compose_end_children(struct composer *c, uint8_t *sibling);

/* Ends the children of a call, block or inlined call in the open function; its entry begins at `begin`. If it turns out
 * to be the last of its siblings, its DW_AT_sibling is dropped. Its code is noted when that is known. */
void compose_end_child(struct composer *c, uint8_t *begin, uint8_t *sibling);
/* The same for a call whose DW_AT_sibling is dropped in any case (manner.ending). */
void compose_end_call(struct composer *c, uint8_t *begin, uint8_t *sibling);
/* Like compose_end_child, for the last of the entries that a stamp has put. That entry has this code, takes `size`
 * bytes with its children, and has its DW_AT_sibling at offset `sibling` of these bytes. */
void compose_end_put(struct composer *c, uint8_t code, uint32_t sibling, uint32_t size);

#endif
