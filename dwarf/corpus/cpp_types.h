/* What a C++ header under construction has declared so far: types, namespaces and templates; what debuggers call them;
 * and what the Itanium C++ ABI makes of them in the names of functions (section 5.1).
 *
 * Each type is declared once, so its number identifies it; substitutions in mangled names ("S0_") rely on that. Texts
 * are in corpus.strings.
 */
#ifndef DWARF_CORPUS_CPP_TYPES_H
#define DWARF_CORPUS_CPP_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/corpus/corpus.h"

enum {
    CPP_TYPES_MOST = 4096,
    CPP_SCOPES = 8,             /* namespaces; the first is of inline functions only */
    CPP_OUTER_TEMPLATES = 8,    /* templates outside namespaces */
    CPP_TEMPLATES_OF_SCOPE = 2, /* templates in each namespace but the first */
    CPP_TEMPLATES = CPP_OUTER_TEMPLATES + (CPP_SCOPES - 1) * CPP_TEMPLATES_OF_SCOPE,
    CPP_IMPORTS = 96, /* entries that a namespace imports, at most, in the usual manner; CPP_IMPORTS_MOST in any */
    CPP_IMPORTS_MOST = CPP_IMPORTS * MANNER_TAKEN / MANNER_USUAL,
    CPP_LATER_MOST = 32,
    CPP_ABSTRACTS_MOST = 256,
    CPP_PARAMETERS_MOST = 6,
    CPP_TEXT_MOST = 4096, /* bytes of any name */
    CPP_NONE = UINT16_MAX,
};

enum cpp_kind {
    CPP_BASE, /* built in: its number is an enum base_type, CPP_VOID, or from CPP_MORE on */
    CPP_CLASS,
    CPP_TYPEDEF,
    CPP_CONST,
    CPP_POINTER,
    CPP_REFERENCE,
    CPP_RVALUE_REFERENCE,
    CPP_KINDS
};

/* Types that are there from the beginning, behind the base types that C has, too. */
enum {
    CPP_VOID = BASE_TYPES,
    CPP_CONST_CHAR,
    CPP_STRING,
    CPP_VOID_POINTER,
    CPP_MORE, /* the first of the base types that only C++ has */
    CPP_FIRST = CPP_MORE + BASE_MORE
};

struct cpp_text {
    uint32_t at; /* in corpus.strings */
    uint32_t length;
};

/* Arguments of a template: one or two types, and perhaps a number. */
struct cpp_arguments {
    uint16_t type[2]; /* CPP_NONE: there is none */
    int16_t value;    /* -1: there is none */
};

struct cpp_type {
    uint8_t kind;
    bool complete;
    uint16_t of;                    /* the type that it is derived from or, for a typedef, names */
    uint16_t scope;                 /* namespace of a class, or CPP_NONE */
    uint16_t template;              /* the template that it is an instance of, or CPP_NONE */
    struct cpp_arguments arguments; /* of that template */
    uint16_t derived[CPP_KINDS];    /* by kind, the type of that kind that is derived from this one, or 0 */
    uint32_t offset, size, align;   /* place of its entry in the unit; bytes and alignment of a value of it */
    struct cpp_text name;           /* name of a class, with template arguments */
};

struct cpp_template {
    struct cpp_text name;
    bool two, numbered; /* whether its arguments include a second type; a number */
};

/* A class that others may be derived from. */
struct cpp_base {
    uint16_t type;
    bool has_vtable;
    uint16_t root;    /* the class at the root, which has the pointer to the virtual table */
    uint8_t virtuals; /* how many slots the virtual table has */
};

/* What a mangled name says of a function. */
struct cpp_function {
    enum { CPP_ORDINARY, CPP_CONSTRUCTOR, CPP_DESTRUCTOR } kind;
    uint16_t class; /* the class of a method; CPP_NONE: the function is a namespace's */
    uint16_t scope; /* the function's namespace, if it has no class */
    bool is_const;
    bool is_template;
    struct cpp_arguments arguments; /* arguments of the template, if the function is an instance of one */
    struct cpp_text name;           /* without template arguments; "~" and the class's for a destructor */
    uint16_t result;
    uint16_t parameter[CPP_PARAMETERS_MOST];
    uint32_t count;
};

/* A function with its declaration. */
struct cpp_method {
    struct cpp_function f;
    uint32_t at; /* place of its declaration */
    uint32_t linkage_name;
    uint32_t line; /* line of its declaration */
    bool is_static;
    bool is_last;    /* its declaration is its class's last child and has no DW_AT_sibling */
    uint32_t object; /* place of the type of its `this` */
};

/* A method whose abstract instance has yet to be put. */
struct cpp_abstract {
    struct cpp_method method;
    uint16_t pointer; /* the type of its `this`, or CPP_NONE */
};

struct cpp_header {
    struct cpp_type type[CPP_TYPES_MOST];
    uint32_t types;
    uint64_t classes, class_bytes; /* with a name so far; bytes of these names */
    struct cpp_text scope[CPP_SCOPES];
    struct cpp_template template[CPP_TEMPLATES];
    uint32_t templates;
    struct cpp_base base[16]; /* a ring: the last classes that others may be derived from */
    uint32_t bases;
    uint32_t vtable_pointer; /* place of the type of a class's pointer to its virtual table */
    uint32_t name_second;    /* name of a template's second type parameter */

    /* Progress of the pieces. */
    uint16_t open;                     /* the open namespace, or CPP_NONE */
    uint32_t scopes;                   /* namespaces opened so far */
    uint32_t left;                     /* pieces until a namespace is opened or closed */
    uint32_t kinds;                    /* pieces in namespaces so far */
    uint32_t import[CPP_IMPORTS_MOST]; /* entries that the next namespace imports; 0: none */
    uint32_t imports;
    uint16_t later[CPP_LATER_MOST]; /* classes for which rvalue references are to be put after the namespace */
    uint32_t laters;
    struct cpp_abstract abstract[CPP_ABSTRACTS_MOST]; /* a ring */
    uint32_t abstracts, abstracts_put;
};

/* Declares the base types and those derived from them. The caller sets the names of namespaces and templates. */
void cpp_start(struct cpp_header *h, const struct corpus *c);
/* Adds a type and returns its number; CPP_NONE where there are too many. */
uint16_t cpp_add(struct cpp_header *h, const struct cpp_type *type);

/* Writes a type's name as demanglers and gdb do: "mesh::Cell<double, 3> const&". `strings` is the data of
 * corpus.strings. Returns the length. */
uint32_t cpp_print_canonical(const struct cpp_header *h, const char *strings, uint16_t type, char text[CPP_TEXT_MOST]);
/* Writes a method's name in that form, without its parameters. Returns the length. */
uint32_t cpp_print_method(const struct cpp_header *h, const char *strings, const struct cpp_function *f,
                          char text[CPP_TEXT_MOST]);
/* Writes the name of an instance of the template called `name` as gcc does in DW_AT_name: "Cell<const mesh::Node*, 3>".
 * Returns the length. */
uint32_t cpp_print_instance(const struct cpp_header *h, const char *strings, struct cpp_text name,
                            const struct cpp_arguments *arguments, char text[CPP_TEXT_MOST]);
/* Writes the mangled name of a function: "_ZNK4mesh4CellIdLi3EE4sizeEv". Returns the length. */
uint32_t cpp_mangle(const struct cpp_header *h, const char *strings, const struct cpp_function *f,
                    char text[CPP_TEXT_MOST]);

#endif
