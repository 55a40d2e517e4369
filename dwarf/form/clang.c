/* See clang.h. */
#include "dwarf/form/clang.h"

uint32_t clang_attribute(uint32_t tag, uint32_t name, bool declares)
{
    switch (name) {
    case DW_AT_sibling:
    case DW_AT_decl_column:
    case DW_AT_entry_pc:
    case DW_AT_GNU_locviews:
    case DW_AT_GNU_entry_view:
        return 0;
    case DW_AT_byte_size:
        return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type ? 0
                                                                                                                 : name;
    case DW_AT_object_pointer:
        return declares ? 0 : name;
    case DW_AT_encoding:
        return tag == DW_TAG_enumeration_type ? 0 : name;
    case DW_AT_upper_bound:
        return DW_AT_count;
    case DW_AT_call_all_tail_calls:
        return DW_AT_call_all_calls;
    default:
        return name;
    }
}

bool clang_has_convention(struct dialect d, uint32_t tag)
{
    return d.language == DWARF_CPP &&
           (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type);
}
