/* The abbreviations: which entries there are and how they are encoded.
 *
 * Each language has one table (DWARF 5 section 7.5.3), which begins with the unit's own entry. Forms are those that gcc
 * uses. Every attribute but an exprloc, a block1 or a string has a fixed size, so an entry is a shape of known length
 * into which values are stamped. DWARF 4 has no implicit constants and has other names for call sites; otherwise its
 * entries are laid out alike.
 */
#ifndef DWARF_FORM_ABBREV_H
#define DWARF_FORM_ABBREV_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "dwarf/form/index.h"

/* DW_AT_decl_file, _line and _column */
#define DECLARED H(decl_file) A(decl_line, data2) A(decl_column, data1)
/* DECLARED for an inline function and for its children: the file is a header, also in Fortran */
#define INLINE_DECLARED A(decl_file, data1) A(decl_line, data2) A(decl_column, data1)
/* DECLARED for a function and for its children: the file is the source */
#define OWN S(decl_file) A(decl_line, data2) A(decl_column, data1)
/* DECLARED with a line below 256 */
#define TAKEN A(decl_file, data1) A(decl_line, data1) A(decl_column, data1)
/* DECLARED with a line below 256, in the unit's first header */
#define EARLY C(decl_file, DIALECT_HEADER_FILE) A(decl_line, data1) A(decl_column, data1)

/* DECLARED and EARLY for a member. In Fortran line and column are the same in all entries, as gfortran has them where a
 * type is another module's: members are declared where that module is named */
#define OF_TYPE       H(decl_file) M(decl_line, data2) M(decl_column, data1)
#define OF_TYPE_EARLY C(decl_file, DIALECT_HEADER_FILE) M(decl_line, data1) M(decl_column, data1)

/* Each row: code, tag, whether it has children, attributes. An attribute is A(attribute, form); C(attribute, implicit
 * constant); S(attribute), a file that is always the source; H(attribute), the file that headers declare in;
 * M(attribute, form), which has one value in all entries of Fortran; or NOTHING. An entry whose name may be short
 * (short_name.h) has another abbreviation for that: the next one or, where there is also one for early lines, the next
 * but one. */
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

/* For types in units of their own (corpus_units.c): the type unit's own entry; entries that stand for such a type in
 * other units; entries that refer to such a type by its signature. */
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

/* What C has besides where the dialect says so (dialect.various): structures that are only declared, as in a header
 * that hands out pointers to them, bit fields, and volatile types. */
#define ABBREVIATIONS_OF_VARIOUS(X)                                                                                    \
    X(INCOMPLETE, structure_type, 0, A(name, strp) A(declaration, flag_present))                                       \
    X(VOLATILE, volatile_type, 0, A(type, ref4))                                                                       \
    X(BITS, member, 0, A(name, strp) DECLARED A(type, ref4) A(bit_size, data1) A(data_bit_offset, data1))              \
    X(BITS_EARLY, member, 0, A(name, strp) EARLY A(type, ref4) A(bit_size, data1) A(data_bit_offset, data1))           \
    X(BITS_SHORT, member, 0, A(name, string) DECLARED A(type, ref4) A(bit_size, data1) A(data_bit_offset, data1))      \
    X(BITS_SHORT_EARLY, member, 0, A(name, string) EARLY A(type, ref4) A(bit_size, data1) A(data_bit_offset, data1))

/* For functions whose code is in two places, and for units that have such functions. Types begin at the same place in
 * all units, so the unit's own entry takes as many bytes as any other unit's: its language takes four, and there is
 * DW_AT_use_UTF8. DW_AT_low_pc, which the range list is relative to, stands before DW_AT_ranges, because binutils read
 * the list when they come to the latter. */
#define ABBREVIATIONS_OF_PARTED(X)                                                                                     \
    X(PARTED_UNIT, compile_unit, 1,                                                                                    \
      A(producer, strp) A(language, data4) A(use_UTF8, flag) A(name, line_strp) A(comp_dir, line_strp) A(low_pc, addr) \
          A(ranges, sec_offset) A(stmt_list, sec_offset))                                                              \
    X(PARTED_FUNCTION, subprogram, 1,                                                                                  \
      A(external, flag_present) A(name, strp) OWN A(prototyped, flag_present) A(type, ref4) A(ranges, sec_offset)      \
          A(frame_base, exprloc) A(call_all_calls, flag_present) A(sibling, ref4))                                     \
    X(PARTED_PLAIN_FUNCTION, subprogram, 1,                                                                            \
      A(external, flag_present) A(name, strp) OWN A(prototyped, flag_present) A(type, ref4) A(ranges, sec_offset)      \
          A(frame_base, exprloc) A(call_all_tail_calls, flag_present) A(sibling, ref4))                                \
    X(PARTED_STATIC_FUNCTION, subprogram, 1,                                                                           \
      A(name, strp) OWN A(prototyped, flag_present) A(type, ref4) A(ranges, sec_offset) A(frame_base, exprloc)         \
          A(call_all_tail_calls, flag_present) A(sibling, ref4))                                                       \
    X(PARTED_METHOD, subprogram, 1,                                                                                    \
      A(specification, ref4) A(decl_line, data2) A(ranges, sec_offset) A(frame_base, exprloc)                          \
          A(call_all_calls, flag_present) A(sibling, ref4))                                                            \
    X(PARTED_PLAIN_METHOD, subprogram, 1,                                                                              \
      A(specification, ref4) A(decl_line, data2) A(ranges, sec_offset) A(frame_base, exprloc)                          \
          A(call_all_tail_calls, flag_present) A(sibling, ref4))

#define ABBREVIATIONS(X)                                                                                               \
    ABBREVIATIONS_OF_BOTH(X)                                                                                           \
    ABBREVIATIONS_OF_CPP(X)                                                                                            \
    ABBREVIATIONS_OF_TYPE_UNITS(X)                                                                                     \
    ABBREVIATIONS_OF_LASTS(X)                                                                                          \
    ABBREVIATIONS_OF_FORTRAN(X)                                                                                        \
    ABBREVIATIONS_OF_VARIOUS(X)                                                                                        \
    ABBREVIATIONS_OF_PARTED(X)

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
    ABBREV_FORTRAN_FIRST = ABBREV_CONSTANT,
    ABBREV_VARIOUS_FIRST = ABBREV_INCOMPLETE,
    ABBREV_PARTED_FIRST = ABBREV_PARTED_UNIT
};

/* The codes of a dialect with lines alone (dialect.lines), which has a table of its own. A caller is a function with
 * inlined calls. The first two are ABBREV_COMPILE_UNIT and ABBREV_DATA_UNIT. */
enum lines_code {
    LINES_UNIT = ABBREV_COMPILE_UNIT,
    LINES_DATA_UNIT = ABBREV_DATA_UNIT,
    LINES_FUNCTION,
    LINES_STATIC,
    LINES_CALLER,
    LINES_STATIC_CALLER,
    LINES_LINKED, /* a function with a linkage name */
    LINES_LINKED_CALLER,
    LINES_INLINE,
    LINES_INLINED,
    LINES_INLINED_OUTER,  /* with a further call inside */
    LINES_INLINED_RANGES, /* the last of its siblings, with further calls inside */
    LINES_DECLARATION,
    LINES_DECLARATION_SHORT,
    LINES_COUNT
};
enum { LINES_COLUMN = 15 }; /* where all functions are declared */

/* The codes of the declarations at the end of the last unit: their names are in .debug_str, or in the entries. */
static inline uint8_t abbrev_tail(struct dialect d)
{
    return d.lines ? LINES_DECLARATION : ABBREV_EXTERN_VARIABLE;
}
static inline uint8_t abbrev_tail_short(struct dialect d)
{
    return d.lines ? LINES_DECLARATION_SHORT : ABBREV_SHORT_VARIABLE;
}

enum { ABBREV_CODES_SHORT = 128 }; /* codes below this take one byte */

/* Notes a code below that in a set of them: bit code % 64 of codes[code / 64]. */
static inline void abbrev_note(uint64_t codes[ABBREV_CODES_SHORT / 64], uint32_t code)
{
    codes[code / 64] |= UINT64_C(1) << code % 64;
}

/* Values of abbrev_attribute.value for DW_AT_decl_file: S and H above. Such a file is a constant in the abbreviations
 * of some dialects (dialect_has_one_file, and Fortran). */
enum { ABBREV_SOURCE = DIALECT_SOURCE_FILE, ABBREV_HEADER = DIALECT_HEADER_FILE };
/* The value for line and column of members (M above): the constant that both are in Fortran. */
enum { ABBREV_MODULE = 12 };

struct abbrev_attribute {
    uint16_t name;
    uint16_t form;
    int32_t value; /* the value of an implicit constant; otherwise ABBREV_SOURCE, ABBREV_HEADER or ABBREV_MODULE for an
                      attribute of S, H or M, else 0 */
};

struct abbreviation {
    uint16_t tag; /* as in version 5 */
    uint8_t children;
    struct abbrev_attribute attributes[18]; /* ended by the first without a name */
};

/* The abbreviation that the table has under this code. */
const struct abbreviation *abbrev_of(struct dialect d, uint32_t code);

/* abbrev_code_of: which of the abbreviations of all languages this code of the dialect's table is. abbrev_tag: its tag
 * in version 5. abbrev_tag_name: the name of that tag without its prefix. */
enum abbrev_code abbrev_code_of(struct dialect d, uint32_t code);
uint16_t abbrev_tag(enum abbrev_code code);
const char *abbrev_tag_name(enum abbrev_code code);

/* Returns the first attribute from `a` on that entries have in this dialect; if there is none, the end, which has no
 * name. */
const struct abbrev_attribute *abbrev_said(struct dialect d, const struct abbrev_attribute *a);

/* abbrev_attribute: the attribute's number in this dialect. abbrev_attribute_name: the name of such a number without
 * its prefix; "" where no entry has the attribute. */
uint32_t abbrev_attribute(struct dialect d, const struct abbrev_attribute *a);
const char *abbrev_attribute_name(uint32_t attribute);

/* The form in which an attribute is written. */
uint32_t abbrev_form(struct dialect d, const struct abbrev_attribute *a);

/* Bytes of an entry with this code, the code included. Each exprloc, block1, string or udata in it counts as 0 bytes.
 */
uint32_t abbrev_entry_size(struct dialect d, uint32_t code);

/* What decides whether entries with this code are listed in an index of names. DW_AT_specification counts as a name and
 * as DW_AT_external: only entries of methods have it, and what they refer to has both. */
struct index_die abbrev_index_die(enum abbrev_code code);

/* The layout of an encoded entry: its bytes, and where it refers to other entries of its unit. Places are offsets in
 * the entry. */
enum { ABBREV_REFERENCES_MOST = 4, ABBREV_BLOCKS_MOST = 2 };
struct abbrev_entry {
    uint32_t size;
    bool has_children;
    bool is_signature; /* stands for a type that is in a unit of its own */
    bool is_inlined;   /* an inlined call */
    uint32_t line;     /* place of DW_AT_decl_line or DW_AT_call_line; 0: the entry has neither */
    uint32_t view;     /* place of DW_AT_GNU_entry_view, or 0 */
    uint32_t end;      /* place of DW_AT_high_pc, or 0 */
    uint32_t references;
    struct abbrev_reference {
        uint32_t at;
        uint32_t attribute;
    } reference[ABBREV_REFERENCES_MOST];
};
struct abbrev_entry abbrev_read(struct dialect d, const uint8_t *entry);

/* Results of abbrev_read by code. Where entries begin with a text (DW_FORM_string), the layout is that of an empty
 * text. Where entries with one code differ in size in any other way, `size` is 0. */
struct abbrev_layouts {
    struct dialect dialect;
    struct abbrev_entry of[ABBREV_COUNT];
    bool begins_with_text[ABBREV_COUNT];
    uint8_t attributes[ABBREV_COUNT]; /* how many an entry has */
    /* The size of an entry with an empty text and empty blocks (DW_FORM_exprloc, DW_FORM_block1), and where the lengths
     * of its blocks are, in such an entry. 0: there is something else that it depends on, or no such block. */
    uint8_t least[ABBREV_COUNT], block[ABBREV_COUNT][ABBREV_BLOCKS_MOST];
};
void abbrev_lay_out(struct dialect d, struct abbrev_layouts *layouts);

/* The size of an encoded entry, as abbrev_read says it. */
static inline uint32_t abbrev_size_of(const struct abbrev_layouts *l, const uint8_t *entry)
{
    const uint8_t code = *entry;
    if (!l->least[code])
        return abbrev_read(l->dialect, entry).size;
    uint32_t more = l->begins_with_text[code] ? (uint32_t)strlen((const char *)entry + 1) : 0;
    for (unsigned i = 0; i < ABBREV_BLOCKS_MOST && l->block[code][i]; i++)
        more += entry[l->block[code][i] + more];
    return l->least[code] + more;
}

/* Notes the codes of the entries from `p` to `end`. */
void abbrev_note_entries(const struct abbrev_layouts *l, const uint8_t *p, const uint8_t *end,
                         uint64_t codes[ABBREV_CODES_SHORT / 64]);

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

/* Goes over the entries in [from, to) of `entries`. For each reference to a place in the unit at or behind `least`,
 * appends a uint32_t to `places`: the offset of the reference in `entries`, minus `base`. Returns the counts of these
 * entries; both are 0 where memory ran out. */
struct abbrev_counts abbrev_references(const struct abbrev_layouts *layouts, const uint8_t *entries, uint32_t from,
                                       uint32_t to, uint32_t least, uint32_t base, struct bytes *places);

/* The last code of the table. */
uint32_t abbrev_codes(struct dialect d);

/* The code that an abbreviation of type units has in the table. Tables for C leave out the abbreviations of C++, and
 * dwarfdump wants no gaps between codes. */
static inline uint8_t abbrev_type_units(struct dialect d, enum abbrev_code code)
{
    return (uint8_t)(d.language == DWARF_CPP ? code : code - ABBREV_TYPE_UNITS_FIRST + ABBREV_CPP_FIRST);
}

/* The first code behind all that C has in any dialect without type units. */
enum { ABBREV_BEHIND_C = ABBREV_CPP_FIRST + ABBREV_LASTS_CPP_FIRST - ABBREV_LASTS_FIRST };

/* The codes that abbreviations of Fortran and of dialect.various have in the table: both stand behind all that C has.
 */
static inline uint8_t abbrev_fortran(enum abbrev_code code)
{
    return (uint8_t)(ABBREV_BEHIND_C + code - ABBREV_FORTRAN_FIRST);
}
static inline uint8_t abbrev_various(enum abbrev_code code)
{
    return (uint8_t)(ABBREV_BEHIND_C + code - ABBREV_VARIOUS_FIRST);
}

/* Appends a table of .debug_abbrev, without the null entry that ends it. `reach` says which references lead to other
 * units and so are DW_FORM_ref_addr. Entries have the same size with any reach.
 *
 *     ABBREV_NEAR          none
 *     ABBREV_SHARED        types, call origins and abstract origins, as where dwz has units share types; types
 *                          that all units use are in the first unit
 *     ABBREV_SHARED_ENDS   the same; DW_AT_high_pc is DW_FORM_udata
 *     ABBREV_SHARED_SMALL  the same; in units of 64 KiB and less some references take two bytes (abbrev_is_small)
 *     ABBREV_FAR_ORIGINS   abstract origins of inlined calls, which with gcc -flto may be in another unit
 *
 * With the three of ABBREV_SHARED, DW_AT_sibling has another form, too. partial_refer writes the values of all these
 * references (partial.h).
 */
enum abbrev_reach {
    ABBREV_NEAR,
    ABBREV_SHARED,
    ABBREV_SHARED_ENDS,
    ABBREV_SHARED_SMALL,
    ABBREV_FAR_ORIGINS,
    ABBREV_REACHES
};
void abbrev_write(struct bytes *out, struct dialect d, enum abbrev_reach reach);

/* Abbreviations of functions in two places, and of their units, have the next codes behind abbrev_codes. They are in
 * tables of libraries with such functions, and in all tables of libraries with partial units. abbrev_parted_codes: how
 * many there are in this dialect, perhaps none. abbrev_codes_all: the last code with them. abbrev_parted: the code in
 * place of that of a unit, or of a function with children. abbrev_write_parted appends all of these abbreviations. */
enum { ABBREV_PARTED = ABBREV_COUNT - ABBREV_PARTED_FIRST, ABBREV_PARTED_CPP = ABBREV_COUNT - ABBREV_PARTED_METHOD };
uint32_t abbrev_parted_codes(struct dialect d);
uint32_t abbrev_codes_all(struct dialect d);
uint8_t abbrev_parted(struct dialect d, enum abbrev_code code);
void abbrev_write_parted(struct bytes *out, struct dialect d, enum abbrev_reach reach);

/* Whether, with ABBREV_SHARED_SMALL, DW_AT_sibling of an entry with this code is DW_FORM_ref2. It is the entry's last
 * attribute. DW_AT_high_pc takes the two bytes that this saves, so the entry is as long as with any other reach. */
bool abbrev_is_small(uint32_t code);

/* Entries that name a line of the source have another abbreviation for lines below 256. An entry is as long with
 * either: file and line take the two bytes of DW_AT_decl_line, and in inlined calls DW_AT_GNU_entry_view has two bytes,
 * as with gcc, and DW_AT_call_line one. So abbrev_has_lows is true only where the abbreviations say the file
 * (dialect_has_one_file) and inlined calls have views (dialect.views). The codes stand behind those of the table and of
 * partial units. abbrev_low: the code for an entry that usually has this code; ABBREV_END where there is none.
 * abbrev_write_lows appends all of these abbreviations. */
enum {
    ABBREV_PARTIALS = 3, /* codes of partial units (partial.c) */
    ABBREV_LOWS = 19
};
bool abbrev_has_lows(struct dialect d);
uint8_t abbrev_low(struct dialect d, uint32_t code);
void abbrev_write_lows(struct bytes *out, struct dialect d, enum abbrev_reach reach);

#endif
