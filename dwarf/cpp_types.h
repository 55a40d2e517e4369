/* What a C++ header under construction has declared so far: types, namespaces and
 * templates, what debuggers call them, and what the Itanium C++ ABI makes of them
 * in the names of functions (section 5.1).
 *
 * A type is declared once, so that it can be told by its number alone: that is
 * what substitutions ("S0_") go by. Texts stand in the corpus's strings.
 */
#ifndef DWARF_CPP_TYPES_H
#define DWARF_CPP_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/corpus.h"

enum {
    CPP_TYPES_MOST = 4096,
    CPP_SCOPES = 8,             /* the first is of inline functions only */
    CPP_OUTER_TEMPLATES = 8,    /* in no namespace; */
    CPP_TEMPLATES_OF_SCOPE = 2, /* in each of the others */
    CPP_TEMPLATES = CPP_OUTER_TEMPLATES + (CPP_SCOPES - 1) * CPP_TEMPLATES_OF_SCOPE,
    CPP_IMPORTS = 96, /* at most, in the usual manner; and in any */
    CPP_IMPORTS_MOST = CPP_IMPORTS * MANNER_TAKEN / MANNER_USUAL,
    CPP_LATER_MOST = 32,
    CPP_ABSTRACTS_MOST = 256,
    CPP_PARAMETERS_MOST = 6,
    CPP_TEXT_MOST = 2048, /* of any name */
    CPP_NONE = UINT16_MAX,
};

enum cpp_kind {
    CPP_BASE, /* built in: enum base_type is its number; or void, or from CPP_MORE on */
    CPP_CLASS,
    CPP_TYPEDEF,
    CPP_CONST,
    CPP_POINTER,
    CPP_REFERENCE,
    CPP_RVALUE_REFERENCE,
    CPP_KINDS
};

/* Types that are there from the beginning, behind the base types. */
enum {
    CPP_VOID = BASE_TYPES,
    CPP_CONST_CHAR,
    CPP_STRING,
    CPP_VOID_POINTER,
    CPP_MORE, /* base types that C has not */
    CPP_FIRST = CPP_MORE + BASE_MORE
};

struct cpp_text {
    uint32_t at; /* in the corpus's strings */
    uint32_t length;
};

/* Of a template: one or two types, perhaps a number. */
struct cpp_arguments {
    uint16_t type[2]; /* or CPP_NONE */
    int16_t value;    /* or -1 */
};

struct cpp_type {
    uint8_t kind;
    bool complete;
    uint16_t of;                    /* what it is derived from, or a typedef of */
    uint16_t scope;                 /* a class's namespace, or CPP_NONE */
    uint16_t template;              /* that it is an instance of, or CPP_NONE */
    struct cpp_arguments arguments; /* of that */
    uint16_t derived[CPP_KINDS];    /* from it, of each kind, or 0 */
    uint32_t offset, size, align;   /* in the unit, of its entry; of a value */
    struct cpp_text name;           /* a class's, with template arguments */
};

struct cpp_template {
    struct cpp_text name;
    bool two, numbered; /* its arguments: a second type, a number */
};

/* What is known of it that only a derived class asks. */
struct cpp_base {
    uint16_t type;
    bool has_vtable;
    uint16_t root;    /* which has the pointer to the table */
    uint8_t virtuals; /* slots in that */
};

/* A function, as its name tells it. */
struct cpp_function {
    enum { CPP_ORDINARY, CPP_CONSTRUCTOR, CPP_DESTRUCTOR } kind;
    uint16_t class; /* or CPP_NONE: of a namespace */
    uint16_t scope; /* in that case */
    bool is_const;
    bool is_template;
    struct cpp_arguments arguments; /* of the template */
    struct cpp_text name;           /* without them; of ordinary functions */
    uint16_t result;
    uint16_t parameter[CPP_PARAMETERS_MOST];
    uint32_t count;
};

/* A function with its declaration. */
struct cpp_method {
    struct cpp_function f;
    uint32_t at; /* of its declaration */
    uint32_t linkage_name;
    uint32_t line; /* of that */
    bool is_static;
    bool is_last;    /* of its class's entries: it has no sibling */
    uint32_t object; /* place of the type of its `this` */
};

/* One whose abstract instance is yet to be put. */
struct cpp_abstract {
    struct cpp_method method;
    uint16_t pointer; /* the type of its `this`, or CPP_NONE */
};

struct cpp_header {
    struct cpp_type type[CPP_TYPES_MOST];
    uint32_t types;
    struct cpp_text scope[CPP_SCOPES];
    struct cpp_template template[CPP_TEMPLATES];
    uint32_t templates;
    struct cpp_base base[16]; /* the last classes that others may be derived from */
    uint32_t bases;
    uint32_t vtable_pointer; /* place of the type of a class's pointer to its table */
    uint32_t name_second;    /* of a template's second type parameter */

    /* Where the pieces are. */
    uint16_t open;                     /* the namespace, or CPP_NONE */
    uint32_t scopes;                   /* opened so far */
    uint32_t left;                     /* pieces until the next is opened or closed */
    uint32_t kinds;                    /* of pieces in namespaces so far */
    uint32_t import[CPP_IMPORTS_MOST]; /* entries that the next one takes over; 0: not there */
    uint32_t imports;
    uint16_t later[CPP_LATER_MOST]; /* classes that rvalue references are made to behind the namespace */
    uint32_t laters;
    struct cpp_abstract abstract[CPP_ABSTRACTS_MOST]; /* a ring */
    uint32_t abstracts, abstracts_put;
};

/* Declares base types; the other texts are the caller's to set. */
void cpp_start(struct cpp_header *h, const struct corpus *c);
/* The number of a new type; CPP_NONE where there are too many. */
uint16_t cpp_add(struct cpp_header *h, const struct cpp_type *type);

/* Writes a type's name as demanglers and gdb do: "mesh::Cell<double, 3> const&".
 * `strings` are the corpus's. Returns its length. */
uint32_t cpp_print_canonical(const struct cpp_header *h, const char *strings, uint16_t type, char text[CPP_TEXT_MOST]);
/* A method so, without its parameters. */
uint32_t cpp_print_method(const struct cpp_header *h, const char *strings, const struct cpp_function *f,
                          char text[CPP_TEXT_MOST]);
/* The name of an instance of a template, which `name` is, as gcc writes it in entries'
 * names: "Cell<const mesh::Node*, 3>". */
uint32_t cpp_print_instance(const struct cpp_header *h, const char *strings, struct cpp_text name,
                            const struct cpp_arguments *arguments, char text[CPP_TEXT_MOST]);
/* Its mangled name: "_ZNK4mesh4CellIdLi3EE4sizeEv". */
uint32_t cpp_mangle(const struct cpp_header *h, const char *strings, const struct cpp_function *f,
                    char text[CPP_TEXT_MOST]);

#endif
