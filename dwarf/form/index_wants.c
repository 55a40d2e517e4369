/* Which entries of .debug_info an index lists.
 *
 * For .debug_names, this is what DWARF 5 section 6.1.1.1 says, as the verifier of llvm reads it, which reports what is
 * missing (DWARFVerifier::verifyNameIndexCompleteness in llvm/lib/DebugInfo/DWARF/DWARFVerifier.cpp): everything with a
 * name, except for the tags and conditions below. Listing more is no error there. gdb 13 looks for functions among
 * subprograms only: it sets breakpoints by name on a function that is inlined everywhere if the function's abstract
 * instance is listed too. gdb 13 does not find unions, enumerations, classes, enumerators and names with a scope in a
 * standard's index, whatever is listed.
 *
 * For .gdb_index, this is what gdb-add-index of gdb 13 lists, that is, what gdb finds when it scans .debug_info itself
 * (tag_interesting_for_index in gdb/dwarf2/abbrev.c, cooked_indexer in gdb/dwarf2/read.c): definitions outside of
 * functions, functions that are only inlined, and external variables, even if they are only declared. */
#include "dwarf/form/index.h"

#include <string.h>

static bool debug_names_wants(const struct index_die *die)
{
    switch (die->tag) {
    case DW_TAG_namespace:
        return !die->is_declaration; /* one without a name is listed as "(anonymous namespace)" */
    case DW_TAG_compile_unit:
    case DW_TAG_module:
    case DW_TAG_formal_parameter:
    case DW_TAG_template_type_parameter:
    case DW_TAG_template_value_parameter:
    case DW_TAG_member:
    case DW_TAG_enumerator:
    case DW_TAG_imported_declaration:
        return false;
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_label:
        return die->has_name && !die->is_declaration && die->has_code;
    case DW_TAG_variable:
        return die->has_name && !die->is_declaration && die->has_address;
    default:
        return die->has_name && !die->is_declaration;
    }
}

static bool gdb_wants(const struct index_die *die)
{
    if (die->is_local)
        return false;
    switch (die->tag) {
    case DW_TAG_namespace:
        return true;
    case DW_TAG_variable:
        return die->has_name && (die->is_external || (die->has_value && !die->is_declaration));
    case DW_TAG_array_type:
    case DW_TAG_base_type:
    case DW_TAG_class_type:
    case DW_TAG_constant:
    case DW_TAG_enumeration_type:
    case DW_TAG_enumerator:
    case DW_TAG_interface_type:
    case DW_TAG_module:
    case DW_TAG_ptr_to_member_type:
    case DW_TAG_set_type:
    case DW_TAG_string_type:
    case DW_TAG_structure_type:
    case DW_TAG_subprogram:
    case DW_TAG_subrange_type:
    case DW_TAG_subroutine_type:
    case DW_TAG_typedef:
    case DW_TAG_union_type:
    case DW_TAG_unspecified_type:
        return die->has_name && !die->is_declaration;
    default:
        return false;
    }
}

bool index_wants(enum index_kind kind, const struct index_die *die)
{
    return kind == INDEX_DEBUG_NAMES ? debug_names_wants(die) : gdb_wants(die);
}

bool index_wants_linkage_name(enum index_kind kind, uint16_t tag)
{
    return kind == INDEX_DEBUG_NAMES && (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine);
}

bool index_is_static(uint16_t tag, bool is_external, bool is_cplus)
{
    switch (tag) {
    case DW_TAG_namespace:
        return false;
    case DW_TAG_class_type:
    case DW_TAG_interface_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_enumerator:
        return !is_cplus;
    default:
        return !is_external;
    }
}

const char *index_gdb_name(const char *name)
{
    static const char *const known[][2] = {
        {"long int", "long"},           {"long unsigned int", "unsigned long"},
        {"short int", "short"},         {"short unsigned int", "unsigned short"},
        {"long long int", "long long"}, {"long long unsigned int", "unsigned long long"},
    };
    if (*name == 'l' || *name == 's')
        for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(name, known[i][0]) == 0)
                return known[i][1];
    return name;
}
