/* What the makers of a C++ header share (cpp_parts.c). corpus_cpp.c makes the frame and what is in no class,
 * corpus_class.c classes and their functions. */
#ifndef DWARF_CORPUS_CPP_PARTS_H
#define DWARF_CORPUS_CPP_PARTS_H

#include "dwarf/corpus/corpus_parts.h"
#include "dwarf/corpus/cpp_types.h"

/* The type of this kind that is derived from type `of`. Puts its entry here if the header has none yet. CPP_NONE where
 * `of` is CPP_NONE or there are too many types. */
uint16_t cpp_derive(struct header_builder *b, enum cpp_kind kind, uint16_t of);
/* To be called when the place of a class is known. Patches the entries of types derived from the class, which were put
 * before it. */
void cpp_settle(struct header_builder *b, uint16_t class);
/* A type that a function may take. */
uint16_t cpp_parameter_type(struct header_builder *b);

/* A new unique name of `least` to `most` letters and a number: for a class in CamelCase, for anything else in lower
 * case. cpp_text_at: the text at this offset in corpus.strings. */
struct cpp_text cpp_class_name(struct header_builder *b, uint32_t least, uint32_t most);
struct cpp_text cpp_name(struct header_builder *b, uint32_t least, uint32_t most);
struct cpp_text cpp_text_at(const struct header_builder *b, uint32_t name);
/* Chooses arguments for a template: one type, a second one if `two`, a number if `numbered`. */
struct cpp_arguments cpp_arguments(struct header_builder *b, bool two, bool numbered);

enum { CPP_TEMPLATE_NAME = 12 }; /* characters of a template's name, about */
/* How long the name of the next class should be, so that their mean is that of the manner. cpp_class_arguments: chooses
 * arguments of which the name of an instance gets about as long; with the usual manner as cpp_arguments.
 * cpp_note_class: a class has this name. */
uint32_t cpp_class_length(struct header_builder *b);
struct cpp_arguments cpp_class_arguments(struct header_builder *b, bool two, bool numbered, uint32_t length);
void cpp_note_class(struct header_builder *b, struct cpp_text name);

/* List the entry that comes next for the index of names: that of a type; of a typedef in a class, with this name; of a
 * method's abstract instance. */
void cpp_list_type(struct header_builder *b, uint16_t type, enum abbrev_code code);
void cpp_list_nested(struct header_builder *b, uint16_t class, uint32_t name, enum abbrev_code code);
void cpp_list_method(struct header_builder *b, const struct cpp_method *m, enum abbrev_code code);

/* Opens a namespace; returns what corpus_end_children takes. */
size_t cpp_open_scope(struct header_builder *b, uint32_t scope);
void cpp_template_parameters(struct header_builder *b, const struct cpp_arguments *arguments);
/* Puts the declaration of a method or, with ABBREV_SCOPE_FUNCTION, of a namespace's function. A virtual method is in
 * slot `slot` of its table. Sets m->at and m->linkage_name. */
void cpp_declare(struct header_builder *b, struct cpp_method *m, enum abbrev_code code, uint32_t slot);
/* Chooses up to CPP_PARAMETERS_MOST parameters. */
void cpp_choose_parameters(struct header_builder *b, struct cpp_function *f);

/* True with a chance of `usual` in `of`, scaled by `times`, in 1/MANNER_USUAL. */
bool cpp_chance(struct header_builder *b, uint32_t usual, uint32_t of, uint32_t times);

/* Whether this header, if it is a variant of an earlier one, leaves out the next declaration: with a chance of one in
 * n. The declaration has to be made all the same, because names and random numbers depend on the order. */
bool cpp_leaves_out(struct header_builder *b, uint32_t n);

/* corpus_class.c. */
void cpp_add_class(struct header_builder *b, bool is_structure);
/* Puts a few abstract instances of methods whose classes are complete, also of those in namespaces. To be called
 * outside any namespace: there compilers put them and gdb expects them. */
void cpp_add_abstracts(struct header_builder *b);

#endif
