/* The abbreviations: which entries there are and how they are encoded.
 *
 * One table (DWARF 5 section 7.5.3), of which every unit has a copy, as units that
 * were compiled apart have theirs; the unit's own entry first. Forms are those that gcc uses. Every attribute but an
 * exprloc has a fixed size, so that an entry is a shape of known length into which values are stamped.
 */
#ifndef DWARF_ABBREV_H
#define DWARF_ABBREV_H

#include <stdint.h>

#include "base/bytes.h"
#include "dwarf/constants.h"

/* code, tag, has children, attributes: A(attribute, form) or C(attribute, implicit constant) */
#define ABBREVIATIONS(X)                                                                                               \
    X(COMPILE_UNIT, compile_unit, 1,                                                                                   \
      A(producer, strp) A(language, data1) A(name, line_strp) A(comp_dir, line_strp) A(low_pc, addr) A(high_pc, data8) \
          A(stmt_list, sec_offset))                                                                                    \
    X(DATA_UNIT, compile_unit, 1,                                                                                      \
      A(producer, strp) A(language, data1) A(name, line_strp) A(comp_dir, line_strp) A(stmt_list, sec_offset))         \
    X(BASE_TYPE, base_type, 0, A(byte_size, data1) A(encoding, data1) A(name, strp))                                   \
    X(POINTER, pointer_type, 0, C(byte_size, 8) A(type, ref4))                                                         \
    X(VOID_POINTER, pointer_type, 0, C(byte_size, 8))                                                                  \
    X(CONST, const_type, 0, A(type, ref4))                                                                             \
    X(TYPEDEF, typedef, 0, A(name, strp) C(decl_file, 1) A(decl_line, data2) A(decl_column, data1) A(type, ref4))      \
    X(STRUCTURE, structure_type, 1,                                                                                    \
      A(name, strp) A(byte_size, data1) C(decl_file, 1) A(decl_line, data2) A(decl_column, data1) A(sibling, ref4))    \
    X(UNION, union_type, 1,                                                                                            \
      A(name, strp) A(byte_size, data1) C(decl_file, 1) A(decl_line, data2) A(decl_column, data1) A(sibling, ref4))    \
    X(MEMBER, member, 0,                                                                                               \
      A(name, strp) C(decl_file, 1) A(decl_line, data2) A(decl_column, data1) A(type, ref4)                            \
          A(data_member_location, data1))                                                                              \
    X(ENUMERATION, enumeration_type, 1,                                                                                \
      C(encoding, DW_ATE_unsigned) C(byte_size, 4) A(type, ref4) A(name, strp) C(decl_file, 1) A(decl_line, data2)     \
          A(decl_column, data1) A(sibling, ref4))                                                                      \
    X(ENUMERATOR, enumerator, 0, A(name, strp) A(const_value, data1))                                                  \
    X(ARRAY, array_type, 1, A(type, ref4) A(sibling, ref4))                                                            \
    X(SUBRANGE, subrange_type, 0, A(type, ref4) A(upper_bound, data1))                                                 \
    X(FUNCTION_TYPE, subroutine_type, 1, A(prototyped, flag_present) A(type, ref4) A(sibling, ref4))                   \
    X(TYPE_PARAMETER, formal_parameter, 0, A(type, ref4))                                                              \
    X(FUNCTION, subprogram, 1,                                                                                         \
      A(external, flag_present) A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 15)                   \
          A(prototyped, flag_present) A(type, ref4) A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc)           \
              A(call_all_calls, flag_present) A(sibling, ref4))                                                        \
    X(PLAIN_FUNCTION, subprogram, 1,                                                                                   \
      A(external, flag_present) A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 15)                   \
          A(prototyped, flag_present) A(type, ref4) A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc)           \
              A(call_all_tail_calls, flag_present) A(sibling, ref4))                                                   \
    X(LEAF_FUNCTION, subprogram, 0,                                                                                    \
      A(external, flag_present) A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 15)                   \
          A(prototyped, flag_present) A(type, ref4) A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc)           \
              A(call_all_tail_calls, flag_present))                                                                    \
    X(STATIC_FUNCTION, subprogram, 1,                                                                                  \
      A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 1) A(prototyped, flag_present) A(type, ref4)    \
          A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc) A(call_all_tail_calls, flag_present)                \
              A(sibling, ref4))                                                                                        \
    X(DECLARED_FUNCTION, subprogram, 1,                                                                                \
      A(external, flag_present) A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 15)                   \
          A(prototyped, flag_present) A(type, ref4) A(declaration, flag_present) A(sibling, ref4))                     \
    X(DECLARED_LEAF, subprogram, 0,                                                                                    \
      A(external, flag_present) A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 15)                   \
          A(prototyped, flag_present) A(type, ref4) A(declaration, flag_present))                                      \
    X(PARAMETER, formal_parameter, 0,                                                                                  \
      A(name, strp) C(decl_file, 0) A(decl_line, data2) A(decl_column, data1) A(type, ref4) A(location, exprloc))      \
    X(PARAMETER_LIST, formal_parameter, 0,                                                                             \
      A(name, strp) C(decl_file, 0) A(decl_line, data2) A(decl_column, data1) A(type, ref4) A(location, sec_offset))   \
    X(LOCAL, variable, 0,                                                                                              \
      A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 10) A(type, ref4) A(location, exprloc))         \
    X(LOCAL_LIST, variable, 0,                                                                                         \
      A(name, strp) C(decl_file, 0) A(decl_line, data2) C(decl_column, 10) A(type, ref4) A(location, sec_offset))      \
    X(LEXICAL_BLOCK, lexical_block, 1, A(low_pc, addr) A(high_pc, data8) A(sibling, ref4))                             \
    X(LEXICAL_RANGES, lexical_block, 1, A(ranges, sec_offset) A(sibling, ref4))                                        \
    X(INLINE_FUNCTION, subprogram, 1,                                                                                  \
      A(name, strp) C(decl_file, 1) A(decl_line, data2) C(decl_column, 1) A(prototyped, flag_present) A(type, ref4)    \
          C(inline, DW_INL_declared_inlined) A(sibling, ref4))                                                         \
    X(INLINE_PARAMETER, formal_parameter, 0,                                                                           \
      A(name, strp) C(decl_file, 1) A(decl_line, data2) A(decl_column, data1) A(type, ref4))                           \
    X(INLINE_VARIABLE, variable, 0,                                                                                    \
      A(name, strp) C(decl_file, 1) A(decl_line, data2) C(decl_column, 10) A(type, ref4))                              \
    X(INLINED, inlined_subroutine, 1,                                                                                  \
      A(abstract_origin, ref4) A(entry_pc, addr) A(low_pc, addr) A(high_pc, data8) C(call_file, 0) A(call_line, data2) \
          A(call_column, data1) A(sibling, ref4))                                                                      \
    X(INLINED_RANGES, inlined_subroutine, 1,                                                                           \
      A(abstract_origin, ref4) A(entry_pc, addr) A(ranges, sec_offset) C(call_file, 0) A(call_line, data2)             \
          A(call_column, data1) A(sibling, ref4))                                                                      \
    X(INLINED_PARAMETER, formal_parameter, 0, A(abstract_origin, ref4) A(location, sec_offset))                        \
    X(INLINED_VARIABLE, variable, 0, A(abstract_origin, ref4) A(location, sec_offset))                                 \
    X(CALL_SITE, call_site, 1, A(call_return_pc, addr) A(sibling, ref4))                                               \
    X(CALL_SITE_ORIGIN, call_site, 1, A(call_return_pc, addr) A(call_origin, ref4) A(sibling, ref4))                   \
    X(CALL_SITE_LEAF, call_site, 0, A(call_return_pc, addr))                                                           \
    X(CALL_SITE_LEAF_ORIGIN, call_site, 0, A(call_return_pc, addr) A(call_origin, ref4))                               \
    X(CALL_PARAMETER, call_site_parameter, 0, A(location, exprloc) A(call_value, exprloc))                             \
    X(EXTERN_VARIABLE, variable, 0,                                                                                    \
      A(name, strp) C(decl_file, 1) A(decl_line, data2) A(decl_column, data1) A(type, ref4) A(external, flag_present)  \
          A(declaration, flag_present))

enum abbrev_code {
    ABBREV_END,
#define ABBREV_ENUM(code, ...) ABBREV_##code,
    ABBREVIATIONS(ABBREV_ENUM)
#undef ABBREV_ENUM
        ABBREV_COUNT
};

/* Sizes of the entries, code included. */
enum {
    SIZE_COMPILE_UNIT = 34,
    SIZE_DATA_UNIT = 18,
    SIZE_BASE_TYPE = 7,
    SIZE_POINTER = 5,
    SIZE_FUNCTION = 33,
    SIZE_PARAMETER = 15, /* with a location of two bytes */
    SIZE_INLINE_FUNCTION = 15,
    SIZE_INLINE_PARAMETER = 12,
    SIZE_INLINE_VARIABLE = 11,
    SIZE_EXTERN_VARIABLE = 12,
};

/* Appends the contents of .debug_abbrev. */
void abbrev_write(struct bytes *out);

#endif
