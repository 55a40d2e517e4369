/* What the makers of a corpus share. corpus.c makes the frame of headers, corpus_types.c the types of C, corpus_cpp.c
 * what C++ adds, corpus_fortran.c what Fortran adds. corpus_put.c has what pieces are made of, corpus_units.c types in
 * units of their own, corpus_index.c what an index of names lists. */
#ifndef DWARF_CORPUS_CORPUS_PARTS_H
#define DWARF_CORPUS_CORPUS_PARTS_H

#include "base/random.h"
#include "dwarf/corpus/corpus.h"

/* Types of the header under construction that later pieces may refer to. */
enum { RECENT = 256 };
struct known_type {
    uint32_t offset; /* in the unit */
    uint32_t size;   /* 0: cannot be a member */
    uint32_t align;
    bool array;    /* an array, or a typedef of one */
    bool constant; /* const, or a typedef of such a type */
    bool is_volatile;
    bool atomic; /* atomic, or made of an atomic type by typedef, const or array: not to be in a union */
};

struct cpp_header;

struct header_builder {
    struct corpus *corpus;
    struct bytes entries;
    struct bytes cuts;
    struct bytes references;           /* uint32_t: see struct corpus_header */
    struct bytes listed;               /* struct index_entry */
    struct bytes types;                /* type units */
    struct bytes type_lines;           /* uint32_t: offsets of DW_AT_stmt_list in `types` */
    struct bytes alike[CORPUS_SHAPES]; /* uint32_t: see struct corpus_header */
    uint32_t moved;                    /* bytes by which type units have made the entries shorter */
    struct random random;
    struct known_type known[RECENT];
    uint32_t known_count;
    uint32_t names[RECENT]; /* member names that may be used again */
    uint32_t names_count;
    uint32_t name_start;
    uint32_t line;
    uint32_t high; /* if manner.low is not 0: the line from which the next piece with lines of two bytes goes on */
    uint32_t declared[2]; /* how many declarations there are so far: [1] with a line below 256, [0] others */
    uint32_t open;        /* offset in the entries of the open namespace's DW_AT_sibling; 0: no namespace is open */
    bool early;           /* the entry under way has a line of one byte */
    uint32_t serial;      /* makes names from corpus_unique_name unique, and numbers from next_serial */
    char prefix[8];       /* what names from corpus_unique_name begin with */
    uint32_t kinds;       /* pieces so far; in C++ only those outside namespaces */
    uint32_t structures, enumerations, functions; /* so far, in C; functions include types of functions */
    uint32_t members, bits;                       /* of structures so far, with dialect.various: all, and bit fields */
    uint32_t described;                           /* arrays with a descriptor, in Fortran */
    uint32_t header;
    uint32_t group;         /* the first header of its group (corpus_together) */
    struct cpp_header *cpp; /* in C++; dwarf/corpus/cpp_types.h */
    /* A header may be a variant of an earlier one: with the same names in the same order, but with some declarations
     * left out and other methods inlined. */
    bool repeats;
    uint32_t repeated;     /* offset in corpus.strings of the earlier header's next name */
    struct random variety; /* random numbers for what differs from the earlier header */
};

/* A statement may call it, or what calls it, only once where C leaves the order open: gcc evaluates arguments from the
 * last to the first, clang from the first to the last, and a set would depend on the compiler. */
static inline uint32_t pick(struct header_builder *b, uint32_t n)
{
    return random_below(random_next(&b->random), n);
}

/* Returns a number that no other name of this header has, nor one of another group. */
static inline uint32_t next_serial(struct header_builder *b)
{
    return b->serial++ * (b->corpus->headers + b->corpus->manner.further) + b->group;
}

/* The place in the unit of the next entry. */
static inline uint32_t here(const struct header_builder *b)
{
    return b->corpus->start + (uint32_t)b->entries.size;
}

/* The kind of the piece with this number. Kinds have ranges of numbers, one behind the other, of many[kind] numbers
 * each; the last kind has all that are left. */
static inline unsigned corpus_piece_kind(const uint16_t *many, unsigned kinds, uint32_t number)
{
    unsigned kind = 0;
    for (; kind + 1 < kinds && number >= many[kind]; kind++)
        number -= many[kind];
    return kind;
}

/* The names already given to members of one structure, or to variables of one function. */
enum { SCOPE_NAMES = 96 };
struct scope {
    uint32_t name[SCOPE_NAMES];
    uint32_t head[SCOPE_NAMES]; /* what is_taken compares first, to save comparing whole texts */
    uint32_t count;
};

/* Returns where a text is in corpus.strings, after appending it if it is not there. */
static inline uint32_t corpus_put_string(struct corpus *c, const char *text)
{
    return once_put(&c->known, &c->strings, text);
}

/* Whether a text of up to SHORT_NAME_MOST characters is a keyword of C or C++. */
bool corpus_is_keyword(const char *text);

/* corpus_put_string for a name of this header. For a variant of an earlier header the text must be there already. */
uint32_t corpus_add_string(struct header_builder *b, const char *text);
void corpus_put_constant(struct header_builder *b, uint8_t value);
/* Writes a name, short or not. The entry must have the abbreviation for it: named_code. */
void corpus_put_name(struct header_builder *b, uint32_t name);
static inline enum abbrev_code named_code(enum abbrev_code code, uint32_t name)
{
    return short_name_is(name) ? (enum abbrev_code)(code + 1) : code;
}
/* Begins an entry on the header's next line and returns that line. Where it is below 256, the entry gets the code
 * behind `code`: an abbreviation for early lines, in which the line takes one byte and the file as a rule none. */
uint32_t corpus_begin_declared(struct header_builder *b, enum abbrev_code code);
/* Writes file, line and column of a declaration, as the abbreviation that corpus_begin_declared chose has them. */
void corpus_declare(struct header_builder *b, uint32_t line);
/* The same for an inline function or one of its children. */
void corpus_declare_inline(struct header_builder *b, uint32_t line);
uint32_t corpus_next_line(struct header_builder *b);
struct known_type *corpus_remember(struct header_builder *b, uint32_t offset, uint32_t size, uint32_t align);
struct known_type corpus_any_type(struct header_builder *b);
/* A type for what functions take and return, and for const: no array, and not const. */
struct known_type corpus_value_type(struct header_builder *b);
struct known_type corpus_sized_type(struct header_builder *b, uint32_t most);
/* A type for elements of arrays, of at most `most` bytes. In Fortran it is no array, and no string. */
struct known_type corpus_element_type(struct header_builder *b, uint32_t most);

/* A name of one or two words for a member. It is often one that the header has already, but different from all others
 * in the scope. It is not short. */
uint32_t corpus_member_name(struct header_builder *b, struct scope *scope);
/* A name for a variable or data member, whose abbreviations allow short ones: sometimes a short name of at least
 * `least` characters, otherwise as from corpus_member_name. */
uint32_t corpus_variable_name(struct header_builder *b, struct scope *scope, uint32_t least);
/* A name that no other piece has, of this header or of one of another group. `text`, of 96 bytes, gets it, too. */
uint32_t corpus_unique_name(struct header_builder *b, const char *suffix, char *text);

/* Ends the children of an entry. `sibling`: offset in the entries of its DW_AT_sibling; NO_SIBLING: it has none. */
enum { NO_SIBLING = 0 };
void corpus_end_children(struct header_builder *b, size_t sibling);

/* The names of base types; names and sizes of those that only C++ has. */
const char *corpus_base_type_name(struct dialect d, enum base_type type);
const char *corpus_more_type_name(uint32_t number);
uint8_t corpus_more_type_size(uint32_t number);

/* Add what only Fortran has (corpus_fortran.c): the type of constants in blocks, behind the base types; a piece. */
void corpus_add_constant_type(struct header_builder *b);
void corpus_add_fortran_piece(struct header_builder *b, enum manner_piece kind);

/* Add base types (`names` has BASE_TYPES names, in C++ BASE_MORE more behind them), inline functions, or one piece. */
void corpus_add_base_types(struct header_builder *b, const uint32_t *names);
void corpus_add_c_inlines(struct header_builder *b);
void corpus_add_line_inlines(struct header_builder *b); /* with dialect.lines */
void corpus_add_c_piece(struct header_builder *b);
void corpus_add_cpp_inlines(struct header_builder *b);
void corpus_add_cpp_piece(struct header_builder *b);
/* Ends the open namespace, if there is one. */
void cpp_close_scope(struct header_builder *b);

/* corpus_index.c. Lists the entry at `at` in the unit, which has this abbreviation and name, if an index is wanted and
 * lists such entries. To be called for all entries but declarations, members and parameters. In C++, `qualified` is the
 * name with all its scopes, as in "mesh::Grid<int>::resize"; NULL where it has none. */
void corpus_list_entry(struct header_builder *b, uint32_t at, enum abbrev_code code, uint32_t name,
                       const char *qualified);
/* Sets the names by which an index lists inlined calls of inline function k. In C, linkage_name is 0. */
void corpus_list_inline(struct header_builder *b, uint32_t k, uint32_t name, uint32_t linkage_name);
/* corpus_list_start is to be called before the first header is made, corpus_list_end when headers have been made. The
 * latter is false when memory ran out. */
void corpus_list_start(struct corpus *c);
bool corpus_list_end(struct corpus *c);

/* corpus_units.c. Moves the type at `at` in the unit, whose entry is the last, into a unit of its own and returns its
 * signature. Nothing may refer to it yet. */
uint64_t corpus_move_type(struct header_builder *b, uint32_t at);

/* corpus_types.c, for C and C++. */
void corpus_add_array(struct header_builder *b);
void corpus_add_enumeration(struct header_builder *b);
void corpus_add_aggregate(struct header_builder *b, bool is_union);
void corpus_add_function_type(struct header_builder *b);
void corpus_add_function(struct header_builder *b);

#endif
