/* What the makers of a corpus share: corpus.c the frame, corpus_put.c what pieces are made of, corpus_types.c the types
 * of C, corpus_cpp.c what C++ adds, corpus_units.c types in units of their own,
 * corpus_index.c what an index of names lists. */
#ifndef DWARF_CORPUS_PARTS_H
#define DWARF_CORPUS_PARTS_H

#include "base/random.h"
#include "dwarf/corpus.h"

/* Types of the header under construction that later ones may refer to. */
enum { RECENT = 256 };
struct known_type {
    uint32_t offset; /* in the unit */
    uint32_t size;   /* 0: cannot be a member */
    uint32_t align;
    bool array;    /* an array, or one by typedef */
    bool constant; /* const, or so by typedef */
    bool atomic;   /* atomic, or made of an atomic type by typedef, const or array: not used in unions */
};

struct cpp_header;

struct header_builder {
    struct corpus *corpus;
    struct bytes entries;
    struct bytes cuts;
    struct bytes references; /* uint32_t: of pieces to pieces */
    struct bytes listed;     /* struct index_entry */
    struct bytes types;      /* type units */
    struct bytes type_lines; /* uint32_t: offsets of DW_AT_stmt_list in `types` */
    uint32_t moved;          /* bytes of entries that were moved to type units */
    struct random random;
    struct known_type known[RECENT];
    uint32_t known_count;
    uint32_t names[RECENT]; /* member names that may be used again */
    uint32_t names_count;
    uint32_t name_start;
    uint32_t line;
    uint32_t high;        /* if manner.low is not 0: the line of the next piece with lines of two bytes */
    uint32_t declared[2]; /* how many declarations so far: [1] with a line below 256, [0] others */
    uint32_t open;        /* offset of the open namespace's DW_AT_sibling; 0: pieces are in no namespace */
    bool early;           /* the entry under way has a line of one byte */
    uint32_t serial;      /* makes names of types unique */
    char prefix[8];       /* what these names begin with */
    uint32_t kinds;       /* pieces so far */
    uint32_t structures, enumerations, functions; /* so far, in C */
    uint32_t described;                           /* arrays with a descriptor, in Fortran */
    uint32_t header;
    uint32_t group;         /* the first header of its group (corpus_together) */
    struct cpp_header *cpp; /* in C++; dwarf/cpp_types.h */
    /* A header may be a variant of an earlier one, with the same names in the same order,
     * but some declarations left out or added. */
    bool repeats;
    uint32_t repeated;     /* offset in the strings of the next name to be used again */
    struct random variety; /* random numbers for what differs from the earlier header */
};

static inline uint32_t pick(struct header_builder *b, uint32_t n)
{
    return random_below(random_next(&b->random), n);
}

/* A number that no other name of any header has. */
static inline uint32_t next_serial(struct header_builder *b)
{
    return b->serial++ * b->corpus->headers + b->group;
}

/* The place in the unit of the next entry. */
static inline uint32_t here(const struct header_builder *b)
{
    return b->corpus->start + (uint32_t)b->entries.size;
}

/* Of `kinds` kinds, each of which has a range of so many numbers, that of a number. */
static inline unsigned corpus_piece_kind(const uint16_t *many, unsigned kinds, uint32_t number)
{
    unsigned kind = 0;
    for (; kind + 1 < kinds && number >= many[kind]; kind++)
        number -= many[kind];
    return kind;
}

/* The names that members of one structure, or variables of one function, have. */
enum { SCOPE_NAMES = 96 };
struct scope {
    uint32_t name[SCOPE_NAMES];
    uint32_t head[SCOPE_NAMES]; /* what is compared first, to save comparing whole texts */
    uint32_t count;
};

/* Appends a text to the strings, if it is not there already; returns where it is. */
static inline uint32_t corpus_put_string(struct corpus *c, const char *text)
{
    return once_put(&c->known, &c->strings, text);
}

/* Whether a short text names something else in C or C++. */
bool corpus_is_keyword(const char *text);

/* The same of a name of this header, or one before. */
uint32_t corpus_add_string(struct header_builder *b, const char *text);
void corpus_put_constant(struct header_builder *b, uint8_t value);
/* Writes a name, short or not. The entry must have the abbreviation for that: named_code. */
void corpus_put_name(struct header_builder *b, uint32_t name);
static inline enum abbrev_code named_code(enum abbrev_code code, uint32_t name)
{
    return short_name_is(name) ? (enum abbrev_code)(code + 1) : code;
}
/* Begins an entry on the next line, and returns that line. Where it is below 256, the entry gets the code behind
 * `code`, whose file is a constant and whose line takes one byte. */
uint32_t corpus_begin_declared(struct header_builder *b, enum abbrev_code code);
/* Writes file, line and column of a declaration. */
void corpus_declare(struct header_builder *b, uint32_t line);
/* The same of an inline function, or of what is in it. */
void corpus_declare_inline(struct header_builder *b, uint32_t line);
uint32_t corpus_next_line(struct header_builder *b);
struct known_type *corpus_remember(struct header_builder *b, uint32_t offset, uint32_t size, uint32_t align);
struct known_type corpus_any_type(struct header_builder *b);
/* Of what functions take and return, and const is made of: no array, and not const. */
struct known_type corpus_value_type(struct header_builder *b);
struct known_type corpus_sized_type(struct header_builder *b, uint32_t most);
/* Of what arrays are made of: in Fortran no other array, and no string. */
struct known_type corpus_element_type(struct header_builder *b, uint32_t most);

/* A name of one or two words, often one that was there before, but no two alike
 * in a scope. It is not short. */
uint32_t corpus_member_name(struct header_builder *b, struct scope *scope);
/* For a variable or data member, whose abbreviations allow it: sometimes a short name of at least `least` characters,
 * otherwise as corpus_member_name. */
uint32_t corpus_variable_name(struct header_builder *b, struct scope *scope, uint32_t least);
/* A name that no other piece of any header has; in `text` too, of 96 bytes. */
uint32_t corpus_unique_name(struct header_builder *b, const char *suffix, char *text);

/* Ends the children of an entry. `sibling` is where its DW_AT_sibling is; NO_SIBLING: it has none. */
enum { NO_SIBLING = 0 };
void corpus_end_children(struct header_builder *b, size_t sibling);

/* The names of base types; and names and sizes of those that only C++ has. */
const char *corpus_base_type_name(struct dialect d, enum base_type type);
const char *corpus_more_type_name(uint32_t number);
uint8_t corpus_more_type_size(uint32_t number);

/* Add what Fortran has besides (corpus_fortran.c): the type of constants in blocks, behind the base types, and a piece.
 */
void corpus_add_constant_type(struct header_builder *b);
void corpus_add_fortran_piece(struct header_builder *b, enum manner_piece kind);

/* Add base types (`names` has BASE_TYPES names, in C++ BASE_MORE more behind them), inline functions, or one piece. */
void corpus_add_base_types(struct header_builder *b, const uint32_t *names);
void corpus_add_c_inlines(struct header_builder *b);
void corpus_add_c_piece(struct header_builder *b);
void corpus_add_cpp_inlines(struct header_builder *b);
void corpus_add_cpp_piece(struct header_builder *b);
/* Ends the namespace that the last piece is in, if it is in one. */
void cpp_close_scope(struct header_builder *b);

/* corpus_index.c. Lists the entry at `at` in the unit, with this abbreviation and
 * name, if an index is wanted and lists such entries. To be called for all entries but
 * declarations, members and parameters. In C++, `qualified` is the name with all its scopes, as in
 * "mesh::Grid<int>::resize"; NULL where it has none. */
void corpus_list_entry(struct header_builder *b, uint32_t at, enum abbrev_code code, uint32_t name,
                       const char *qualified);
/* Sets the names by which inlined calls of inline function k are listed; in C, linkage_name is 0. */
void corpus_list_inline(struct header_builder *b, uint32_t k, uint32_t name, uint32_t linkage_name);
/* To be called before the first header is made, and when headers have been made. */
void corpus_list_start(struct corpus *c);
bool corpus_list_end(struct corpus *c);

/* corpus_units.c. Moves the type at `at` in the unit, whose entry is the last, into a unit
 * of its own; returns its signature. Nothing refers to it yet. */
uint64_t corpus_move_type(struct header_builder *b, uint32_t at);

/* corpus_types.c, for both. */
void corpus_add_array(struct header_builder *b);
void corpus_add_enumeration(struct header_builder *b);
void corpus_add_aggregate(struct header_builder *b, bool is_union);
void corpus_add_function_type(struct header_builder *b);
void corpus_add_function(struct header_builder *b);

#endif
