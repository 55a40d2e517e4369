/* The abbreviations: which entries there are and how they are encoded.
 *
 * One table (DWARF 5 section 7.5.3) for each language; the unit's own entry
 * first. Forms are those that gcc uses. Every attribute but an exprloc or a
 * string has a fixed size, so that an entry is a shape of known length into
 * which values are stamped. DWARF 4 has no implicit constants and other names
 * for call sites; entries are laid out alike otherwise.
 */
#ifndef DWARF_ABBREV_H
#define DWARF_ABBREV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "dwarf/index.h"

/* DW_AT_decl_file, _line and _column */
#define DECLARED H(decl_file) A(decl_line, data2) A(decl_column, data1)
/* DECLARED for an inline function, or what is in it: in a header in Fortran, too */
#define INLINE_DECLARED A(decl_file, data1) A(decl_line, data2) A(decl_column, data1)
/* DECLARED for a function, or what is in it: the file is the source */
#define OWN S(decl_file) A(decl_line, data2) A(decl_column, data1)
/* DECLARED with a line below 256 */
#define TAKEN A(decl_file, data1) A(decl_line, data1) A(decl_column, data1)
/* DECLARED with a line below 256, in the unit's first header */
#define EARLY C(decl_file, DIALECT_HEADER_FILE) A(decl_line, data1) A(decl_column, data1)

/* DECLARED and EARLY for a member: in Fortran as if its type were another module's, declared where that is named */
#define OF_TYPE       H(decl_file) M(decl_line, data2) M(decl_column, data1)
#define OF_TYPE_EARLY C(decl_file, DIALECT_HEADER_FILE) M(decl_line, data1) M(decl_column, data1)

/* code, tag, has children, attributes: A(attribute, form), C(attribute, implicit constant), S(attribute), which is
 * the source, H(attribute), which is where headers are, M(attribute, form), which is one in all entries of Fortran,
 * or NOTHING. An entry that may have a short name (short_name.h) has another abbreviation for that: the
 * next one, or the next but one where there is also one for early lines. */
#define ABBREVIATIONS_OF_BOTH(X)                                                                                       \
    X(COMPILE_UNIT, compile_unit, 1,                                                                                   \
      A(producer, strp) A(language, data1) A(identifier_case, data1) A(name, line_strp) A(comp_dir, line_strp)         \
          A(low_pc, addr) A(high_pc, data8) A(stmt_list, sec_offset))                                                  \
    X(DATA_UNIT, compile_unit, 1,                                                                                      \
      A(producer, strp) A(language, data1) A(identifier_case, data1) A(name, line_strp) A(comp_dir, line_strp)         \
          A(stmt_list, sec_offset))                                                                                    \
    X(BASE_TYPE, base_type, 0, A(byte_size, data1) A(encoding, data1) A(name, strp))                                   \
    X(BASE_TYPE_SHORT, base_type, 0, A(byte_size, data1) A(encoding, data1) A(name, string))                           \
    X(POINTER, pointer_type, 0, C(byte_size, 8) A(type, ref4))                                                         \
    X(VOID_POINTER, pointer_type, 0, C(byte_size, 8))                                                                  \
    X(CONST, const_type, 0, A(type, ref4))                                                                             \
    X(VOID_CONST, const_type, 0, NOTHING)                                                                              \
    X(RESTRICT, restrict_type, 0, A(type, ref4))                                                                       \
    X(ATOMIC, atomic_type, 0, A(type, ref4))                                                                           \
    X(TYPEDEF, typedef, 0, A(name, strp) DECLARED A(type, ref4))                                                       \
    X(TYPEDEF_EARLY, typedef, 0, A(name, strp) EARLY A(type, ref4))                                                    \
    X(STRUCTURE, structure_type, 1, A(name, strp) A(byte_size, data1) DECLARED A(sibling, ref4))                       \
    X(STRUCTURE_EARLY, structure_type, 1, A(name, strp) A(byte_size, data1) EARLY A(sibling, ref4))                    \
    X(UNNAMED_STRUCTURE, structure_type, 1, A(byte_size, data1) DECLARED A(sibling, ref4))                             \
    X(UNNAMED_STRUCTURE_EARLY, structure_type, 1, A(byte_size, data1) EARLY A(sibling, ref4))                          \
    X(UNION, union_type, 1, A(name, strp) A(byte_size, data1) DECLARED A(sibling, ref4))                               \
    X(UNION_EARLY, union_type, 1, A(name, strp) A(byte_size, data1) EARLY A(sibling, ref4))                            \
    X(MEMBER, member, 0, A(name, strp) OF_TYPE A(type, ref4) A(data_member_location, data1))                           \
    X(MEMBER_EARLY, member, 0, A(name, strp) OF_TYPE_EARLY A(type, ref4) A(data_member_location, data1))               \
    X(MEMBER_SHORT, member, 0, A(name, string) OF_TYPE A(type, ref4) A(data_member_location, data1))                   \
    X(MEMBER_SHORT_EARLY, member, 0, A(name, string) OF_TYPE_EARLY A(type, ref4) A(data_member_location, data1))       \
    X(ENUMERATION, enumeration_type, 1,                                                                                \
      C(encoding, DW_ATE_unsigned) C(byte_size, 4) A(type, ref4) A(name, strp) DECLARED A(sibling, ref4))              \
    X(ENUMERATION_EARLY, enumeration_type, 1,                                                                          \
      C(encoding, DW_ATE_unsigned) C(byte_size, 4) A(type, ref4) A(name, strp) EARLY A(sibling, ref4))                 \
    X(ENUMERATOR, enumerator, 0, A(name, strp) A(const_value, data1))                                                  \
    X(ARRAY, array_type, 1, A(type, ref4) A(sibling, ref4))                                                            \
    X(SUBRANGE, subrange_type, 0, A(type, ref4) A(upper_bound, data1))                                                 \
    X(SUBRANGE_2, subrange_type, 0, A(type, ref4) A(upper_bound, data2))                                               \
    X(SUBRANGE_4, subrange_type, 0, A(type, ref4) A(upper_bound, data4))                                               \
    X(FUNCTION_TYPE, subroutine_type, 1, A(prototyped, flag_present) A(type, ref4) A(sibling, ref4))                   \
    X(TYPE_PARAMETER, formal_parameter, 0, A(type, ref4))                                                              \
    X(FURTHER_PARAMETERS, unspecified_parameters, 0, NOTHING)                                                          \
    X(FUNCTION, subprogram, 1,                                                                                         \
      A(external, flag_present) A(name, strp) OWN A(prototyped, flag_present) A(type, ref4) A(low_pc, addr)            \
          A(high_pc, data8) A(frame_base, exprloc) A(call_all_calls, flag_present) A(sibling, ref4))                   \
    X(PLAIN_FUNCTION, subprogram, 1,                                                                                   \
      A(external, flag_present) A(name, strp) OWN A(prototyped, flag_present) A(type, ref4) A(low_pc, addr)            \
          A(high_pc, data8) A(frame_base, exprloc) A(call_all_tail_calls, flag_present) A(sibling, ref4))              \
    X(LEAF_FUNCTION, subprogram, 0,                                                                                    \
      A(external, flag_present) A(name, strp) OWN A(prototyped, flag_present) A(type, ref4) A(low_pc, addr)            \
          A(high_pc, data8) A(frame_base, exprloc) A(call_all_tail_calls, flag_present))                               \
    X(STATIC_FUNCTION, subprogram, 1,                                                                                  \
      A(name, strp) OWN A(prototyped, flag_present) A(type, ref4) A(low_pc, addr) A(high_pc, data8)                    \
          A(frame_base, exprloc) A(call_all_tail_calls, flag_present) A(sibling, ref4))                                \
    X(DECLARED_FUNCTION, subprogram, 1,                                                                                \
      A(external, flag_present) A(name, strp) DECLARED A(prototyped, flag_present) A(type, ref4)                       \
          A(declaration, flag_present) A(sibling, ref4))                                                               \
    X(DECLARED_FUNCTION_EARLY, subprogram, 1,                                                                          \
      A(external, flag_present) A(name, strp) EARLY A(prototyped, flag_present) A(type, ref4)                          \
          A(declaration, flag_present) A(sibling, ref4))                                                               \
    X(PARAMETER, formal_parameter, 0, A(name, strp) OWN A(type, ref4) A(location, exprloc))                            \
    X(PARAMETER_SHORT, formal_parameter, 0, A(name, string) OWN A(type, ref4) A(location, exprloc))                    \
    X(PARAMETER_LIST, formal_parameter, 0,                                                                             \
      A(name, strp) OWN A(type, ref4) A(location, sec_offset) A(GNU_locviews, sec_offset))                             \
    X(PARAMETER_LIST_SHORT, formal_parameter, 0,                                                                       \
      A(name, string) OWN A(type, ref4) A(location, sec_offset) A(GNU_locviews, sec_offset))                           \
    X(LOCAL, variable, 0, A(name, strp) OWN A(type, ref4) A(location, exprloc))                                        \
    X(LOCAL_SHORT, variable, 0, A(name, string) OWN A(type, ref4) A(location, exprloc))                                \
    X(LOCAL_LIST, variable, 0, A(name, strp) OWN A(type, ref4) A(location, sec_offset) A(GNU_locviews, sec_offset))    \
    X(LOCAL_LIST_SHORT, variable, 0,                                                                                   \
      A(name, string) OWN A(type, ref4) A(location, sec_offset) A(GNU_locviews, sec_offset))                           \
    X(LOCAL_GONE, variable, 0, A(name, strp) OWN A(type, ref4))                                                        \
    X(LOCAL_GONE_SHORT, variable, 0, A(name, string) OWN A(type, ref4))                                                \
    X(LABEL, label, 0, A(name, strp) OWN A(low_pc, addr))                                                              \
    X(LEXICAL_BLOCK, lexical_block, 1, A(low_pc, addr) A(high_pc, data8) A(sibling, ref4))                             \
    X(LEXICAL_RANGES, lexical_block, 1, A(ranges, sec_offset) A(sibling, ref4))                                        \
    X(INLINE_FUNCTION, subprogram, 1,                                                                                  \
      A(name, strp) INLINE_DECLARED A(prototyped, flag_present) A(type, ref4) C(inline, DW_INL_declared_inlined)       \
          A(sibling, ref4))                                                                                            \
    X(INLINE_PARAMETER, formal_parameter, 0, A(name, strp) INLINE_DECLARED A(type, ref4))                              \
    X(INLINE_PARAMETER_SHORT, formal_parameter, 0, A(name, string) INLINE_DECLARED A(type, ref4))                      \
    X(INLINE_VARIABLE, variable, 0, A(name, strp) INLINE_DECLARED A(type, ref4))                                       \
    X(INLINE_VARIABLE_SHORT, variable, 0, A(name, string) INLINE_DECLARED A(type, ref4))                               \
    X(INLINED, inlined_subroutine, 1,                                                                                  \
      A(abstract_origin, ref4) A(entry_pc, addr) A(GNU_entry_view, data1) A(low_pc, addr) A(high_pc, data8)            \
          A(call_file, data1) A(call_line, data2) A(call_column, data1) A(sibling, ref4))                              \
    X(INLINED_RANGES, inlined_subroutine, 1,                                                                           \
      A(abstract_origin, ref4) A(entry_pc, addr) A(GNU_entry_view, data1) A(ranges, sec_offset) A(call_file, data1)    \
          A(call_line, data2) A(call_column, data1) A(sibling, ref4))                                                  \
    X(INLINED_PARAMETER, formal_parameter, 0,                                                                          \
      A(abstract_origin, ref4) A(location, sec_offset) A(GNU_locviews, sec_offset))                                    \
    X(INLINED_PARAMETER_GONE, formal_parameter, 0, A(abstract_origin, ref4))                                           \
    X(INLINED_PARAMETER_CONSTANT, formal_parameter, 0, A(abstract_origin, ref4) A(const_value, data1))                 \
    X(INLINED_VARIABLE, variable, 0, A(abstract_origin, ref4) A(location, sec_offset) A(GNU_locviews, sec_offset))     \
    X(INLINED_VARIABLE_GONE, variable, 0, A(abstract_origin, ref4))                                                    \
    X(CALL_SITE, call_site, 1, A(call_return_pc, addr) A(sibling, ref4))                                               \
    X(CALL_SITE_ORIGIN, call_site, 1, A(call_return_pc, addr) A(call_origin, ref4) A(sibling, ref4))                   \
    X(CALL_SITE_LEAF, call_site, 0, A(call_return_pc, addr))                                                           \
    X(CALL_SITE_LEAF_ORIGIN, call_site, 0, A(call_return_pc, addr) A(call_origin, ref4))                               \
    X(CALL_PARAMETER, call_site_parameter, 0, A(location, exprloc) A(call_value, exprloc))                             \
    X(EXTERN_VARIABLE, variable, 0,                                                                                    \
      A(name, strp) DECLARED A(type, ref4) A(external, flag_present) A(declaration, flag_present))                     \
    X(EXTERN_VARIABLE_EARLY, variable, 0,                                                                              \
      A(name, strp) EARLY A(type, ref4) A(external, flag_present) A(declaration, flag_present))                        \
    X(SHORT_VARIABLE, variable, 0,                                                                                     \
      A(name, string) DECLARED A(type, ref4) A(external, flag_present) A(declaration, flag_present))                   \
    X(STATIC_VARIABLE, variable, 0,                                                                                    \
      A(name, strp) A(decl_file, data1) A(decl_line, data1) A(decl_column, data1) A(type, ref4) A(location, exprloc))  \
    X(GLOBAL_VARIABLE, variable, 0,                                                                                    \
      A(name, strp) A(decl_file, data1) A(decl_line, data1) A(decl_column, data1) A(type, ref4)                        \
          A(external, flag_present) A(location, exprloc))

#define ABBREVIATIONS_OF_CPP(X)                                                                                        \
    X(NAMESPACE, namespace, 1, A(name, strp) DECLARED A(sibling, ref4))                                                \
    X(CLASS, class_type, 1, A(name, strp) A(byte_size, data1) DECLARED A(sibling, ref4))                               \
    X(INHERITANCE, inheritance, 0, A(type, ref4) A(data_member_location, data1) C(accessibility, DW_ACCESS_public))    \
    X(PROTECTED_MEMBER, member, 0,                                                                                     \
      A(name, strp) DECLARED A(type, ref4) A(data_member_location, data1) A(accessibility, data1))                     \
    X(METHOD, subprogram, 1,                                                                                           \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4) A(accessibility, data1)     \
          A(declaration, flag_present) A(object_pointer, ref4) A(sibling, ref4))                                       \
    X(VIRTUAL_METHOD, subprogram, 1,                                                                                   \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4) A(virtuality, data1)        \
          A(vtable_elem_location, exprloc) A(containing_type, ref4) A(accessibility, data1)                            \
              A(declaration, flag_present) A(object_pointer, ref4) A(sibling, ref4))                                   \
    X(CONSTRUCTOR, subprogram, 1,                                                                                      \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) C(accessibility, DW_ACCESS_public)        \
          A(declaration, flag_present) A(object_pointer, ref4) A(sibling, ref4))                                       \
    X(STATIC_METHOD, subprogram, 1,                                                                                    \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4) A(accessibility, data1)     \
          A(declaration, flag_present) A(sibling, ref4))                                                               \
    X(STATIC_METHOD_LEAF, subprogram, 0,                                                                               \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4) A(accessibility, data1)     \
          A(declaration, flag_present))                                                                                \
    X(THIS, formal_parameter, 0, A(type, ref4) A(artificial, flag_present))                                            \
    X(TEMPLATE_TYPE, template_type_parameter, 0, A(name, strp) A(type, ref4))                                          \
    X(TEMPLATE_TYPE_SHORT, template_type_parameter, 0, A(name, string) A(type, ref4))                                  \
    X(TEMPLATE_VALUE, template_value_parameter, 0, A(name, string) A(type, ref4) A(const_value, data1))                \
    X(REFERENCE, reference_type, 0, C(byte_size, 8) A(type, ref4))                                                     \
    X(RVALUE_REFERENCE, rvalue_reference_type, 0, C(byte_size, 8) A(type, ref4))                                       \
    X(IMPORTED, imported_declaration, 0, TAKEN A(import, ref4))                                                        \
    X(ABSTRACT_METHOD, subprogram, 1,                                                                                  \
      A(specification, ref4) C(inline, DW_INL_declared_inlined) A(object_pointer, ref4) A(sibling, ref4))              \
    X(ABSTRACT_THIS, formal_parameter, 0, A(name, strp) A(type, ref4) A(artificial, flag_present))                     \
    X(DEFINED_METHOD, subprogram, 1,                                                                                   \
      A(specification, ref4) A(decl_line, data2) A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc)              \
          A(call_all_calls, flag_present) A(sibling, ref4))                                                            \
    X(PLAIN_METHOD, subprogram, 1,                                                                                     \
      A(specification, ref4) A(decl_line, data2) A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc)              \
          A(call_all_tail_calls, flag_present) A(sibling, ref4))                                                       \
    X(LEAF_METHOD, subprogram, 0,                                                                                      \
      A(specification, ref4) A(decl_line, data2) A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc)              \
          A(call_all_tail_calls, flag_present))                                                                        \
    X(OPEN_METHOD, subprogram, 1,                                                                                      \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4)                             \
          A(declaration, flag_present) A(object_pointer, ref4) A(sibling, ref4))                                       \
    X(OPEN_CONSTRUCTOR, subprogram, 1,                                                                                 \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(declaration, flag_present)              \
          A(object_pointer, ref4) A(sibling, ref4))                                                                    \
    X(SCOPE_FUNCTION, subprogram, 1,                                                                                   \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4)                             \
          A(declaration, flag_present) A(sibling, ref4))                                                               \
    X(ABSTRACT_STATIC, subprogram, 1, A(specification, ref4) C(inline, DW_INL_declared_inlined) A(sibling, ref4))      \
    X(CLASS_DECLARATION, class_type, 0, A(name, strp) A(declaration, flag_present))                                    \
    X(VIRTUAL_CLASS, class_type, 1,                                                                                    \
      A(name, strp) A(byte_size, data1) DECLARED A(containing_type, ref4) A(sibling, ref4))                            \
    X(VTABLE_MEMBER, member, 0,                                                                                        \
      A(name, strp) A(type, ref4) A(data_member_location, data1) A(artificial, flag_present))                          \
    X(VTABLE_POINTER, pointer_type, 0, C(byte_size, 8) A(name, strp) A(type, ref4))                                    \
    X(VTABLE_FUNCTION, subroutine_type, 0, A(type, ref4))                                                              \
    X(ABSTRACT_BLOCK, lexical_block, 1, NOTHING)                                                                       \
    X(INLINED_BLOCK, lexical_block, 1, A(abstract_origin, ref4) A(low_pc, addr) A(high_pc, data8) A(sibling, ref4))    \
    X(INLINED_BLOCK_RANGES, lexical_block, 1, A(abstract_origin, ref4) A(ranges, sec_offset) A(sibling, ref4))

/* Where types have units of their own (corpus_units.c): such a unit's own entry, entries that stand
 * for such a type in other units, and entries that refer to it by its signature. */
#define ABBREVIATIONS_OF_TYPE_UNITS(X)                                                                                 \
    X(TYPE_UNIT, type_unit, 1, A(language, data1) A(stmt_list, sec_offset))                                            \
    X(STRUCTURE_SIG8, structure_type, 0, A(signature, ref_sig8))                                                       \
    X(UNION_SIG8, union_type, 0, A(signature, ref_sig8))                                                               \
    X(ENUMERATION_SIG8, enumeration_type, 0, A(signature, ref_sig8) A(declaration, flag_present))                      \
    X(POINTER_SIG8, pointer_type, 0, C(byte_size, 8) A(type, ref_sig8))                                                \
    X(CONST_SIG8, const_type, 0, A(type, ref_sig8))                                                                    \
    X(TYPEDEF_SIG8, typedef, 0, A(name, strp) DECLARED A(type, ref_sig8))                                              \
    X(TYPEDEF_EARLY_SIG8, typedef, 0, A(name, strp) EARLY A(type, ref_sig8))                                           \
    X(MEMBER_SIG8, member, 0, A(name, strp) DECLARED A(type, ref_sig8) A(data_member_location, data1))                 \
    X(MEMBER_EARLY_SIG8, member, 0, A(name, strp) EARLY A(type, ref_sig8) A(data_member_location, data1))              \
    X(MEMBER_SHORT_SIG8, member, 0, A(name, string) DECLARED A(type, ref_sig8) A(data_member_location, data1))         \
    X(MEMBER_SHORT_EARLY_SIG8, member, 0, A(name, string) EARLY A(type, ref_sig8) A(data_member_location, data1))      \
    X(ARRAY_SIG8, array_type, 1, A(type, ref_sig8) A(sibling, ref4))                                                   \
    X(FUNCTION_TYPE_SIG8, subroutine_type, 1, A(prototyped, flag_present) A(type, ref_sig8) A(sibling, ref4))          \
    X(TYPE_PARAMETER_SIG8, formal_parameter, 0, A(type, ref_sig8))

/* Abbreviations for the last of an entry's children, which has no DW_AT_sibling, as in gcc's output. Those from
 * ABBREV_LASTS_CPP_FIRST on are for C++ only. */
#define ABBREVIATIONS_OF_LASTS(X)                                                                                      \
    X(LEXICAL_BLOCK_LAST, lexical_block, 1, A(low_pc, addr) A(high_pc, data8))                                         \
    X(LEXICAL_RANGES_LAST, lexical_block, 1, A(ranges, sec_offset))                                                    \
    X(INLINED_LAST, inlined_subroutine, 1,                                                                             \
      A(abstract_origin, ref4) A(entry_pc, addr) A(GNU_entry_view, data1) A(low_pc, addr) A(high_pc, data8)            \
          A(call_file, data1) A(call_line, data2) A(call_column, data1))                                               \
    X(INLINED_RANGES_LAST, inlined_subroutine, 1,                                                                      \
      A(abstract_origin, ref4) A(entry_pc, addr) A(GNU_entry_view, data1) A(ranges, sec_offset) A(call_file, data1)    \
          A(call_line, data2) A(call_column, data1))                                                                   \
    X(CALL_SITE_LAST, call_site, 1, A(call_return_pc, addr))                                                           \
    X(CALL_SITE_ORIGIN_LAST, call_site, 1, A(call_return_pc, addr) A(call_origin, ref4))                               \
    X(INLINED_BLOCK_LAST, lexical_block, 1, A(abstract_origin, ref4) A(low_pc, addr) A(high_pc, data8))                \
    X(INLINED_BLOCK_RANGES_LAST, lexical_block, 1, A(abstract_origin, ref4) A(ranges, sec_offset))                     \
    X(CLASS_LAST, class_type, 1, A(name, strp) A(byte_size, data1) DECLARED)                                           \
    X(METHOD_LAST, subprogram, 1,                                                                                      \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4) A(accessibility, data1)     \
          A(declaration, flag_present) A(object_pointer, ref4))                                                        \
    X(VIRTUAL_METHOD_LAST, subprogram, 1,                                                                              \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4) A(virtuality, data1)        \
          A(vtable_elem_location, exprloc) A(containing_type, ref4) A(accessibility, data1)                            \
              A(declaration, flag_present) A(object_pointer, ref4))                                                    \
    X(CONSTRUCTOR_LAST, subprogram, 1,                                                                                 \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) C(accessibility, DW_ACCESS_public)        \
          A(declaration, flag_present) A(object_pointer, ref4))                                                        \
    X(STATIC_METHOD_LAST, subprogram, 1,                                                                               \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4) A(accessibility, data1)     \
          A(declaration, flag_present))                                                                                \
    X(OPEN_METHOD_LAST, subprogram, 1,                                                                                 \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(type, ref4)                             \
          A(declaration, flag_present) A(object_pointer, ref4))                                                        \
    X(OPEN_CONSTRUCTOR_LAST, subprogram, 1,                                                                            \
      A(external, flag_present) A(name, strp) DECLARED A(linkage_name, strp) A(declaration, flag_present)              \
          A(object_pointer, ref4))

/* What Fortran has besides (corpus_fortran.c). */
#define ABBREVIATIONS_OF_FORTRAN(X)                                                                                    \
    X(CONSTANT, constant, 0, A(type, ref4))                                                                            \
    X(NAMED_CONSTANT, constant, 0, A(name, strp) DECLARED A(type, ref4) A(const_value, block1))                        \
    X(NAMED_CONSTANT_EARLY, constant, 0, A(name, strp) EARLY A(type, ref4) A(const_value, block1))                     \
    X(CHARACTERS, string_type, 0, A(byte_size, data1))                                                                 \
    X(PROCEDURE, subprogram, 0,                                                                                        \
      A(external, flag_present) A(declaration, flag_present) A(linkage_name, strp) A(name, strp) DECLARED)             \
    X(PROCEDURE_EARLY, subprogram, 0,                                                                                  \
      A(external, flag_present) A(declaration, flag_present) A(linkage_name, strp) A(name, strp) EARLY)                \
    X(MATRIX, array_type, 1, C(ordering, DW_ORD_col_major) A(type, ref4) A(sibling, ref4))                             \
    X(DESCRIBED_ARRAY, array_type, 1, A(data_location, exprloc) A(type, ref4) A(sibling, ref4))                        \
    X(ALLOCATED_ARRAY, array_type, 1, A(data_location, exprloc) A(allocated, exprloc) A(type, ref4) A(sibling, ref4))  \
    X(DESCRIBED_MATRIX, array_type, 1,                                                                                 \
      C(ordering, DW_ORD_col_major) A(data_location, exprloc) A(type, ref4) A(sibling, ref4))                          \
    X(DESCRIBED_RANGE, subrange_type, 0, A(lower_bound, exprloc) A(upper_bound, exprloc) A(byte_stride, exprloc))

#define ABBREVIATIONS(X)                                                                                               \
    ABBREVIATIONS_OF_BOTH(X)                                                                                           \
    ABBREVIATIONS_OF_CPP(X)                                                                                            \
    ABBREVIATIONS_OF_TYPE_UNITS(X)                                                                                     \
    ABBREVIATIONS_OF_LASTS(X)                                                                                          \
    ABBREVIATIONS_OF_FORTRAN(X)

enum abbrev_code {
    ABBREV_END,
#define ABBREV_ENUM(code, ...) ABBREV_##code,
    ABBREVIATIONS(ABBREV_ENUM)
#undef ABBREV_ENUM
        ABBREV_COUNT,
    ABBREV_CPP_FIRST = ABBREV_NAMESPACE,
    ABBREV_TYPE_UNITS_FIRST = ABBREV_TYPE_UNIT,
    ABBREV_LASTS_FIRST = ABBREV_LEXICAL_BLOCK_LAST,
    ABBREV_LASTS_CPP_FIRST = ABBREV_INLINED_BLOCK_LAST,
    ABBREV_FORTRAN_FIRST = ABBREV_CONSTANT
};

enum { ABBREV_CODES_SHORT = 128 }; /* codes below that take one byte */

/* For abbrev_attribute.value of DW_AT_decl_file: constants in some dialects (dialect_has_one_file, and Fortran). */
enum { ABBREV_SOURCE = DIALECT_SOURCE_FILE, ABBREV_HEADER = DIALECT_HEADER_FILE };
/* And of the line and the column of members, which then are that. */
enum { ABBREV_MODULE = 12 };

struct abbrev_attribute {
    uint16_t name;
    uint16_t form;
    int32_t value; /* of an implicit constant; DW_AT_decl_file: ABBREV_SOURCE where it is always the source, and
                      ABBREV_HEADER where it is that of all declarations */
};

struct abbreviation {
    uint16_t tag; /* as in version 5 */
    uint8_t children;
    struct abbrev_attribute attributes[18]; /* ended by the first without a name */
};

/* The abbreviation that the table has under this code. */
const struct abbreviation *abbrev_of(struct dialect d, uint32_t code);

/* Which of all languages' it is; the tag that it has in version 5, and that tag's name without its prefix. */
enum abbrev_code abbrev_code_of(struct dialect d, uint32_t code);
uint16_t abbrev_tag(enum abbrev_code code);
const char *abbrev_tag_name(enum abbrev_code code);

/* The first attribute from `a` on that entries have in this dialect; the end, if there is none, has no name. */
const struct abbrev_attribute *abbrev_said(struct dialect d, const struct abbrev_attribute *a);

/* What the attribute is called in this dialect; and the name of that without its prefix, "" for one that no entry has.
 */
uint32_t abbrev_attribute(struct dialect d, const struct abbrev_attribute *a);
const char *abbrev_attribute_name(uint32_t attribute);

/* The form in which an attribute is written. */
uint32_t abbrev_form(struct dialect d, const struct abbrev_attribute *a);

/* Bytes of an entry with this code, the code included; each exprloc, block1 or string
 * in it counts as none. */
uint32_t abbrev_entry_size(struct dialect d, enum abbrev_code code);

/* What decides whether such an entry is listed in an index of names. Only methods,
 * which have a name and are external, are specified elsewhere. */
struct index_die abbrev_index_die(enum abbrev_code code);

/* An entry as it is encoded: its bytes, and where in these it refers to others of its
 * unit. */
enum { ABBREV_REFERENCES_MOST = 4 };
struct abbrev_entry {
    uint32_t size;
    bool has_children;
    bool is_signature; /* stands for a type that is in a unit of its own */
    uint32_t line;     /* where DW_AT_decl_line or DW_AT_call_line is, */
    uint32_t view;     /* DW_AT_GNU_entry_view, */
    uint32_t end;      /* and DW_AT_high_pc; 0: the entry has none */
    uint32_t references;
    struct abbrev_reference {
        uint32_t at;
        uint32_t attribute;
    } reference[ABBREV_REFERENCES_MOST];
};
struct abbrev_entry abbrev_read(struct dialect d, const uint8_t *entry);

/* Results of abbrev_read by code. Where entries begin with a text, as if that were empty; the size is 0 where entries
 * with one code differ in any other way. */
struct abbrev_layouts {
    struct abbrev_entry of[ABBREV_COUNT];
    bool begins_with_text[ABBREV_COUNT];
    uint8_t attributes[ABBREV_COUNT]; /* how many entries have */
};
void abbrev_lay_out(struct dialect d, struct abbrev_layouts *layouts);

/* The code, in the table, of the abbreviation that differs only in having DW_FORM_ref_sig8
 * for DW_AT_type; ABBREV_END where there is none. */
uint8_t abbrev_with_signature(struct dialect d, enum abbrev_code code);

/* The code that an entry with this code gets if it is the last of its siblings, and so has no DW_AT_sibling; ABBREV_END
 * where there is none. */
uint8_t abbrev_last(struct dialect d, uint32_t code);

/* How many entries there are, without the null entries that end children, and how many attributes these have. */
struct abbrev_counts {
    uint32_t entries, attributes;
};

/* Goes over the entries in [from, to) of `entries`, and lists their references to places in the unit at or behind
 * `least`: appends to `places` where in `entries` each reference is, less `base`. Returns how many entries these are,
 * none where memory ran out. */
struct abbrev_counts abbrev_references(struct dialect d, const struct abbrev_layouts *layouts, const uint8_t *entries,
                                       uint32_t from, uint32_t to, uint32_t least, uint32_t base, struct bytes *places);

/* The last code of the table. */
uint32_t abbrev_codes(struct dialect d);

/* The code, in the table, of an abbreviation of type units: tables for C leave out those of
 * C++, and dwarfdump wants no gaps between codes. */
static inline uint8_t abbrev_type_units(struct dialect d, enum abbrev_code code)
{
    return (uint8_t)(d.language == DWARF_CPP ? code : code - ABBREV_TYPE_UNITS_FIRST + ABBREV_CPP_FIRST);
}

/* The code, in the table, of an abbreviation of Fortran: behind all that C has. */
static inline uint8_t abbrev_fortran(enum abbrev_code code)
{
    return (uint8_t)(code - ABBREV_FORTRAN_FIRST + (ABBREV_LASTS_CPP_FIRST - ABBREV_LASTS_FIRST) + ABBREV_CPP_FIRST);
}

/* Appends a table of .debug_abbrev, without the null entry that ends it. With a reach other than ABBREV_NEAR, some
 * references are to other units (DW_FORM_ref_addr); entries have the same bytes. ABBREV_SHARED: types, of which those
 * that all units use are in the first unit, as dwz shares types between units, and call origins and abstract origins;
 * siblings have another form, too. partial_refer writes the values of all of these (partial.h). ABBREV_SHARED_ENDS:
 * DW_AT_high_pc is DW_FORM_udata besides; ABBREV_SHARED_SMALL: so it is, and in units of 64 KiB and less some
 * references take two bytes (abbrev_is_small). ABBREV_FAR_ORIGINS: abstract origins of inlined calls, which with gcc
 * -flto may be in another unit. */
enum abbrev_reach {
    ABBREV_NEAR,
    ABBREV_SHARED,
    ABBREV_SHARED_ENDS,
    ABBREV_SHARED_SMALL,
    ABBREV_FAR_ORIGINS,
    ABBREV_REACHES
};
void abbrev_write(struct bytes *out, struct dialect d, enum abbrev_reach reach);

/* Whether, with ABBREV_SHARED_SMALL, the reference of an entry to its sibling, which is its last attribute, is
 * DW_FORM_ref2. DW_AT_high_pc has the two bytes more that this leaves, so that the entry is as long as with any other
 * reach. */
bool abbrev_is_small(uint32_t code);

/* Entries that name a line of the source have another abbreviation for lines below 256, which is as long: where the
 * abbreviations say the file (dialect.one_file), file and line take the two bytes of DW_AT_decl_line; where calls that
 * were inlined have views (dialect.views), DW_AT_GNU_entry_view has two bytes, as with gcc, and DW_AT_call_line one. In
 * other dialects there are none. Their codes are behind those of the table and of partial units. abbrev_low: the code
 * of that for an entry with this code; ABBREV_END where there is none. abbrev_write_lows appends all of them. */
enum {
    ABBREV_PARTIALS = 3, /* codes of partial units (partial.c) */
    ABBREV_LOWS = 19
};
bool abbrev_has_lows(struct dialect d);
uint8_t abbrev_low(struct dialect d, uint32_t code);
void abbrev_write_lows(struct bytes *out, struct dialect d, enum abbrev_reach reach);

#endif
