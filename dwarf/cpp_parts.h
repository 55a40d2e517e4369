/* What the makers of a C++ header share, cpp_parts.c. corpus_cpp.c makes the frame and what is not
 * in a class, corpus_class.c classes and their functions. */
#ifndef DWARF_CPP_PARTS_H
#define DWARF_CPP_PARTS_H

#include "dwarf/corpus_parts.h"
#include "dwarf/cpp_types.h"

/* The type of this kind made of another; its entry is put here where there is
 * none yet. CPP_NONE where there are too many types. */
uint16_t cpp_derive(struct header_builder *b, enum cpp_kind kind, uint16_t of);
/* That of a class has been put before the class: says now where that is. */
void cpp_settle(struct header_builder *b, uint16_t class);
/* A type that a function may take. */
uint16_t cpp_parameter_type(struct header_builder *b);

/* A new name with a number: of a class in CamelCase, of something else. */
struct cpp_text cpp_class_name(struct header_builder *b, uint32_t least, uint32_t most);
struct cpp_text cpp_name(struct header_builder *b, uint32_t least, uint32_t most);
struct cpp_text cpp_text_at(const struct header_builder *b, uint32_t name);
/* Arguments for a template with a second type, with a number. */
struct cpp_arguments cpp_arguments(struct header_builder *b, bool two, bool numbered);

/* Lists the entry that comes next: of a type, of one with this name in a class, of a
 * method's definition. */
void cpp_list_type(struct header_builder *b, uint16_t type, enum abbrev_code code);
void cpp_list_nested(struct header_builder *b, uint16_t class, uint32_t name, enum abbrev_code code);
void cpp_list_method(struct header_builder *b, const struct cpp_method *m, enum abbrev_code code);

/* Opens a namespace; returns what end_children takes. */
size_t cpp_open_scope(struct header_builder *b, uint32_t scope);
void cpp_template_parameters(struct header_builder *b, const struct cpp_arguments *arguments);
/* The declaration of a method or, with ABBREV_SCOPE_FUNCTION, of a namespace's
 * function; a virtual one is in slot `slot` of its table. */
void cpp_declare(struct header_builder *b, struct cpp_method *m, enum abbrev_code code, uint32_t slot);
/* Names and types; at most CPP_PARAMETERS_MOST are taken. */
void cpp_choose_parameters(struct header_builder *b, struct cpp_function *f);

/* corpus_cpp.c: whether this header leaves out, as one of n, what the one that it repeats has: it
 * is made all the same, as names and random numbers go by the order. */
bool cpp_leaves_out(struct header_builder *b, uint32_t n);

/* corpus_class.c. */
void add_class(struct header_builder *b, bool is_structure);
/* Abstract instances of methods that were declared in a namespace, a few: as compilers
 * put them, and gdb expects them, they are in none. */
void add_abstracts(struct header_builder *b);

#endif
