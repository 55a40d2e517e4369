/* What the makers of a C++ header share, cpp_parts.c. corpus_cpp.c makes the frame and what is not
 * in a class, corpus_class.c classes and their functions. */
#ifndef DWARF_CPP_PARTS_H
#define DWARF_CPP_PARTS_H

#include "dwarf/corpus_parts.h"
#include "dwarf/cpp_types.h"

/* The type of this kind that is derived from type `of`; puts its entry here if there is none yet. CPP_NONE where there
 * are too many types. */
uint16_t cpp_derive(struct header_builder *b, enum cpp_kind kind, uint16_t of);
/* To be called when the place of a class is known: patches the entries of types derived from it that were put before.
 */
void cpp_settle(struct header_builder *b, uint16_t class);
/* A type that a function may take. */
uint16_t cpp_parameter_type(struct header_builder *b);

/* A new unique name: for a class in CamelCase; for anything else in lower case. */
struct cpp_text cpp_class_name(struct header_builder *b, uint32_t least, uint32_t most);
struct cpp_text cpp_name(struct header_builder *b, uint32_t least, uint32_t most);
struct cpp_text cpp_text_at(const struct header_builder *b, uint32_t name);
/* Arguments for a template: one type, a second one if `two`, a number if `numbered`. */
struct cpp_arguments cpp_arguments(struct header_builder *b, bool two, bool numbered);

/* List the entry that comes next in the index of names: a type; a nested entry of a class, with this name; a method's
 * abstract instance. */
void cpp_list_type(struct header_builder *b, uint16_t type, enum abbrev_code code);
void cpp_list_nested(struct header_builder *b, uint16_t class, uint32_t name, enum abbrev_code code);
void cpp_list_method(struct header_builder *b, const struct cpp_method *m, enum abbrev_code code);

/* Opens a namespace; returns what corpus_end_children takes. */
size_t cpp_open_scope(struct header_builder *b, uint32_t scope);
void cpp_template_parameters(struct header_builder *b, const struct cpp_arguments *arguments);
/* The declaration of a method or, with ABBREV_SCOPE_FUNCTION, of a namespace's
 * function; a virtual one is in slot `slot` of its table. */
void cpp_declare(struct header_builder *b, struct cpp_method *m, enum abbrev_code code, uint32_t slot);
/* Chooses up to CPP_PARAMETERS_MOST parameters. */
void cpp_choose_parameters(struct header_builder *b, struct cpp_function *f);

/* Whether something is so that usually has a chance of `usual` in `of`, where it is `times` in MANNER_USUALths as
 * likely. */
bool cpp_chance(struct header_builder *b, uint32_t usual, uint32_t of, uint32_t times);

/* Whether this header, a variant of an earlier one, leaves out the next declaration, with a chance of one
 * in n. It has to be made all the same, because names and random numbers depend on the order. */
bool cpp_leaves_out(struct header_builder *b, uint32_t n);

/* corpus_class.c. */
void cpp_add_class(struct header_builder *b, bool is_structure);
/* Puts a few abstract instances of methods that were declared in a namespace. They are outside
 * any namespace, where compilers put them and gdb expects them. */
void cpp_add_abstracts(struct header_builder *b);

#endif
