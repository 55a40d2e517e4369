/* What the makers of a corpus share: corpus.c the frame, corpus_types.c the types
 * of C, corpus_cpp.c what C++ adds, corpus_units.c types in units of their own,
 * corpus_index.c what an index of names lists. */
#ifndef DWARF_CORPUS_PARTS_H
#define DWARF_CORPUS_PARTS_H

#include "base/random.h"
#include "dwarf/corpus.h"

/* Types of the header under construction that further ones may refer to. */
enum { RECENT = 256 };
struct known_type {
    uint32_t offset; /* in the unit */
    uint32_t size;   /* 0: cannot be a member */
    uint32_t align;
    bool array;  /* which no function returns */
    bool atomic; /* or made of such a one by typedef, const or array: no union has it */
};

struct cpp_header;

struct header_builder {
    struct corpus *corpus;
    struct bytes entries;
    struct bytes cuts;
    struct bytes references; /* uint32_t: of pieces to pieces */
    struct bytes listed;     /* struct index_entry */
    struct bytes types;      /* units of single types */
    struct bytes type_lines; /* uint32_t: where in these a line table is stated */
    uint32_t moved;          /* bytes of entries that are in those units instead */
    struct random random;
    struct known_type known[RECENT];
    uint32_t known_count;
    uint32_t names[RECENT]; /* member names that may be used again */
    uint32_t names_count;
    uint32_t name_start;
    uint32_t line;
    uint32_t high;        /* where the next piece is that has lines of two bytes, where manner.low is not 0 */
    uint32_t declared[2]; /* so many, by whether their lines are low */
    uint32_t open;        /* where the DW_AT_sibling of the namespace is that pieces are in; 0: they are in none */
    bool early;           /* the entry under way has a line of one byte */
    uint32_t serial;      /* makes names of types unique */
    char prefix[8];       /* which these have */
    uint32_t kinds;       /* of pieces so far */
    uint32_t structures, enumerations, functions; /* so far, in C */
    uint32_t header;
    uint32_t group;         /* of headers that declare the same: its first */
    struct cpp_header *cpp; /* in C++; dwarf/cpp_types.h */
    /* A header may declare the same as one before, less of this and more of that: its
     * names are that one's then, in the same order. */
    bool repeats;
    uint32_t repeated;     /* where in the strings the next of them is */
    struct random variety; /* what is its own */
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

/* The kind of the next piece, as one of `all`. They come in turn, `step` (no common factor)
 * being the golden section of all: so every stretch of a header has them in the same
 * proportions, and with it small libraries, which use the beginning of the first one. */
static inline uint32_t next_kind(struct header_builder *b, uint32_t all, uint32_t step)
{
    return (b->group * (all / 3) + b->kinds++ * step) % all;
}

/* The place in the unit of the next entry. */
static inline uint32_t here(const struct header_builder *b)
{
    return b->corpus->start + (uint32_t)b->entries.size;
}

/* The names that members of one structure, or variables of one function, have. */
struct scope {
    uint32_t name[96];
    uint32_t head[96]; /* by which they are told apart first */
    uint32_t count;
};

/* Appends a name to the strings, if it is not there already, in this header or one before; returns where it is. */
uint32_t add_string(struct header_builder *b, const char *text);
void put_constant(struct header_builder *b, uint8_t value);
/* Writes it, short or not: the abbreviation must be the one for that, `code` or, with a
 * short name, the one behind it. */
void put_name(struct header_builder *b, uint32_t name);
static inline enum abbrev_code named_code(enum abbrev_code code, uint32_t name)
{
    return short_name_is(name) ? (enum abbrev_code)(code + 1) : code;
}
/* Begins an entry on the next line; where that is below 256, with the next code,
 * whose file is a constant and whose line takes a byte. Returns the line. */
uint32_t begin_declared(struct header_builder *b, enum abbrev_code code);
/* File, line and column. */
void declare(struct header_builder *b, uint32_t line);
uint32_t next_line(struct header_builder *b);
struct known_type *remember(struct header_builder *b, uint32_t offset, uint32_t size, uint32_t align);
struct known_type any_type(struct header_builder *b);
struct known_type result_type(struct header_builder *b);
struct known_type sized_type(struct header_builder *b, uint32_t most);

/* A name of one or two words, often one that was there before, but no two alike
 * in a scope. It is not short. */
uint32_t member_name(struct header_builder *b, struct scope *scope);
/* The same or, now and then, a short name of at least so many characters: of a variable
 * or a member of data, whose abbreviations allow it. */
uint32_t variable_name(struct header_builder *b, struct scope *scope, uint32_t least);
/* A name that no other piece of any header has; in `text` too, of 96 bytes. */
uint32_t unique_name(struct header_builder *b, const char *suffix, char *text);

/* `sibling` is where the entry refers to its sibling, or that it does not. */
enum { NO_SIBLING = 0 };
void end_children(struct header_builder *b, size_t sibling);

/* What a base type is called in the language; one that C++ has besides. */
const char *base_type_name(struct dialect d, enum base_type type);
const char *more_type_name(uint32_t number);
uint8_t more_type_size(uint32_t number);

/* Base types and inline functions; pieces. Of names, there are BASE_TYPES, in C++ with BASE_MORE behind. */
void add_base_types(struct header_builder *b, const uint32_t *names);
void add_c_inlines(struct header_builder *b);
void add_c_piece(struct header_builder *b);
void add_cpp_inlines(struct header_builder *b);
void add_cpp_piece(struct header_builder *b);
/* Ends the namespace that the last piece is in, if it is in one. */
void cpp_close_scope(struct header_builder *b);

/* corpus_index.c. Lists the entry at `at` in the unit, with this abbreviation and
 * name, if an index is wanted and lists such entries; what is no declaration, member or
 * parameter may be one. In C++, `qualified` is the name with all its scopes, as in
 * "mesh::Grid<int>::resize"; NULL where it has none. */
void list_entry(struct header_builder *b, uint32_t at, enum abbrev_code code, uint32_t name, const char *qualified);
/* What calls of inline function k are listed by; in C, linkage_name is 0. */
void list_inline(struct header_builder *b, uint32_t k, uint32_t name, uint32_t linkage_name);
/* Before the first header; when there are more. */
void list_start(struct corpus *c);
bool list_end(struct corpus *c);

/* corpus_units.c. Moves the type at `at` in the unit, whose entry is the last, into a unit
 * of its own; returns its signature. Nothing refers to it yet. */
uint64_t move_type(struct header_builder *b, uint32_t at);

/* corpus_types.c, for both. */
void add_array(struct header_builder *b);
void add_enumeration(struct header_builder *b);
void add_aggregate(struct header_builder *b, bool is_union);
void add_function_type(struct header_builder *b);
void add_function(struct header_builder *b);

#endif
