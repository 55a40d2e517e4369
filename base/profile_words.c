/* See profile_words.h. The lists are those of libdwarf's dwarf.h and LLVM's Dwarf.def. */
#include "base/profile_words.h"

#include <string.h>

/* Every word stands between two blanks. */
static const char *const words[PROFILE_WORDS_KINDS] = {
    [PROFILE_WORDS_TAGS] =
        " access_declaration ALTIUM_circ_type ALTIUM_mwa_circ_type ALTIUM_rev_carry_type ALTIUM_rom APPLE_property "
        "array_type atomic_type base_type BORLAND_Delphi_dynamic_array BORLAND_Delphi_set BORLAND_Delphi_string "
        "BORLAND_Delphi_variant BORLAND_property call_site call_site_parameter catch_block class_template "
        "class_type coarray_type common_block common_inclusion compile_unit condition const_type constant "
        "dwarf_procedure dynamic_type entry_point enumeration_type enumerator file_type formal_parameter "
        "format_label friend function_template generic_subrange GHS_namespace ghs_namespace "
        "GHS_template_templ_param ghs_template_templ_param GHS_using_declaration ghs_using_declaration "
        "GHS_using_namespace ghs_using_namespace GNU_BINCL GNU_call_site GNU_call_site_parameter GNU_EINCL "
        "GNU_formal_parameter_pack GNU_template_parameter_pack GNU_template_template_param "
        "GNU_template_template_parameter HP_array_descriptor immutable_type imported_declaration imported_module "
        "imported_unit inheritance inlined_subroutine interface_type label lexical_block LLVM_annotation member "
        "MIPS_loop module mutable_type namelist namelist_item namelist_items namespace null others packed_type "
        "partial_unit PGI_interface_block PGI_kanji_type pointer_type ptr_to_member_type reference_type "
        "restrict_type rvalue_reference_type set_type shared_type skeleton_unit string_type structure_type "
        "subprogram subrange_type subroutine_type SUN_class_template SUN_codeflags SUN_dtor SUN_dtor_info "
        "SUN_f90_interface SUN_fortran_vax_structure SUN_function_template SUN_hi SUN_indirect_inheritance "
        "SUN_memop_info SUN_omp_child_func SUN_rtti_descriptor SUN_struct_template SUN_union_template "
        "template_alias template_type_param template_type_parameter template_value_param template_value_parameter "
        "thrown_type try_block type_unit typedef union_type unspecified_parameters unspecified_type UPC_relaxed "
        "upc_relaxed_type UPC_shared_type upc_shared_type UPC_strict_type upc_strict_type variable variant "
        "variant_part volatile_type with_stmt ",
    [PROFILE_WORDS_FORMS] =
        " addr addrx addrx1 addrx2 addrx3 addrx4 block block1 block2 block4 data1 data16 data2 data4 data8 exprloc "
        "flag flag_present GNU_addr_index GNU_ref_alt GNU_str_index GNU_strp_alt implicit_const indirect line_strp "
        "LLVM_addrx_offset loclistx others ref1 ref2 ref4 ref8 ref_addr ref_sig8 ref_sup4 ref_sup8 ref_udata "
        "rnglistx sdata sec_offset string strp strp_sup strx strx1 strx2 strx3 strx4 udata ",
    [PROFILE_WORDS_ATTRIBUTES] =
        " abstract_origin accessibility addr_base address_class alignment allocated ALTIUM_loclist APPLE_block "
        "APPLE_flags APPLE_isa APPLE_major_runtime_vers APPLE_objc_complete_type APPLE_objc_direct "
        "APPLE_omit_frame_ptr APPLE_optimized APPLE_property APPLE_property_attribute APPLE_property_getter "
        "APPLE_property_name APPLE_property_setter APPLE_runtime_class APPLE_sdk artificial associated base_types "
        "binary_scale bit_offset bit_size bit_stride body_begin body_end BORLAND_closure BORLAND_Delphi_ABI "
        "BORLAND_Delphi_anonymous_method BORLAND_Delphi_class BORLAND_Delphi_constructor BORLAND_Delphi_destructor "
        "BORLAND_Delphi_frameptr BORLAND_Delphi_interface BORLAND_Delphi_metaclass BORLAND_Delphi_record "
        "BORLAND_Delphi_return BORLAND_Delphi_unit BORLAND_property_default BORLAND_property_implements "
        "BORLAND_property_index BORLAND_property_read BORLAND_property_write byte_size byte_stride call_all_calls "
        "call_all_source_calls call_all_tail_calls call_column call_data_location call_data_value call_file "
        "call_line call_origin call_parameter call_pc call_return_pc call_tail_call call_target "
        "call_target_clobbered call_value calling_convention common_reference comp_dir const_expr const_value "
        "containing_type count CPQ_discontig_ranges CPQ_prologue_length CPQ_semantic_events CPQ_split_lifetimes_rtn "
        "CPQ_split_lifetimes_var data_bit_offset data_location data_member_location decimal_scale decimal_sign "
        "decl_column decl_file decl_line declaration default_value defaulted deleted description digit_count discr "
        "discr_list discr_value DW_AT_INTEL_other_endian dwo_id dwo_name element_list elemental encoding endianity "
        "entry_pc enum_class explicit export_symbols extension external frame_base friend GHS_frames ghs_frames "
        "GHS_frsm ghs_frsm GHS_lbrace_line ghs_lbrace_line ghs_mangled GHS_namespace_alias ghs_namespace_alias "
        "GHS_rsm ghs_rsm GHS_rso ghs_rso GHS_subcpu ghs_subcpu GHS_using_declaration ghs_using_declaration "
        "GHS_using_namespace ghs_using_namespace GNAT_descriptive_type GNU_addr_base GNU_all_call_sites "
        "GNU_all_source_call_sites GNU_all_tail_call_sites GNU_bias GNU_call_site_data_value GNU_call_site_target "
        "GNU_call_site_target_clobbered GNU_call_site_value GNU_deleted GNU_denominator GNU_discriminator "
        "GNU_dwo_id GNU_dwo_name GNU_entry_view GNU_exclusive_locks_required GNU_guarded GNU_guarded_by "
        "GNU_locks_excluded GNU_locviews GNU_macros GNU_numerator GNU_odr_signature GNU_pt_guarded "
        "GNU_pt_guarded_by GNU_pubnames GNU_pubtypes GNU_ranges_base GNU_shared_locks_required GNU_tail_call "
        "GNU_template_name GNU_vector GO_elem go_elem GO_embedded_field go_embedded_field GO_key go_key GO_kind "
        "go_kind GO_runtime_type go_runtime_type high_pc HP_actuals_stmt_list HP_all_variables_modifiable "
        "HP_block_index HP_cold_region_high_pc HP_cold_region_low_pc HP_default_location HP_definition_points "
        "HP_epilogue HP_is_result_param HP_linkage_name HP_opt_flags HP_opt_level HP_pass_by_reference "
        "HP_proc_per_section HP_prof_flags HP_prof_version_id HP_prologue HP_raw_data_ptr HP_unit_name HP_unit_size "
        "HP_unmodifiable HP_widened_byte_size IBM_alt_srcview IBM_home_location IBM_wsa_addr identifier_case import "
        "inline INTEL_other_endian is_optional language language_name language_version linkage_name LLVM_apinotes "
        "LLVM_config_macros LLVM_include_path LLVM_sysroot LLVM_tag_offset location loclists_base low_pc "
        "lower_bound mac_info macro_info macros main_subprogram member MIPS_abstract_name MIPS_allocatable_dopetype "
        "MIPS_assumed_shape_dopetype MIPS_assumed_size MIPS_clone_origin MIPS_epilog_begin MIPS_fde "
        "MIPS_has_inlines MIPS_linkage_name MIPS_loop_begin MIPS_loop_unroll_factor MIPS_ptr_dopetype "
        "MIPS_software_pipeline_depth MIPS_stride MIPS_stride_byte MIPS_stride_elem MIPS_tail_loop_begin mutable "
        "name namelist_item noreturn object_pointer ordering others PGI_lbase PGI_lstride PGI_soffset "
        "picture_string priority producer prototyped pure ranges rank recursive reference return_addr rnglists_base "
        "rvalue_reference segment sf_names sibling signature small specification src_coords src_info start_scope "
        "static_link stmt_list str_offsets_base stride stride_size string_length string_length_bit_size "
        "string_length_byte_size subscr_data SUN_90_pointer SUN_alignment SUN_amd64_parmdump SUN_browser_file "
        "SUN_c_vla SUN_cf_kind SUN_command_line SUN_compile_options SUN_count_guarantee SUN_dtor_length "
        "SUN_dtor_start SUN_dtor_state_deltas SUN_dtor_state_final SUN_dtor_state_initial SUN_f90_allocatable "
        "SUN_f90_assumed_shape_array SUN_f90_pointer SUN_f90_use_only SUN_fortran_based SUN_fortran_main_alias "
        "SUN_func_offset SUN_func_offsets SUN_hwcprof_signature SUN_import_by_lname SUN_import_by_name "
        "SUN_is_omp_child_func SUN_language SUN_link_name SUN_memop_signature SUN_memop_type_ref SUN_namelist_spec "
        "SUN_obj_dir SUN_obj_file SUN_omp_child_func SUN_omp_tpriv_addr SUN_original_name SUN_part_link_name "
        "SUN_pass_by_ref SUN_pass_with_const SUN_profile_id SUN_return_value_ptr SUN_return_with_const SUN_template "
        "SUN_vbase SUN_vtable SUN_vtable_abi SUN_vtable_index threads_scaled trampoline type UPC_threads_scaled "
        "upc_threads_scaled upper_bound use_GNAT_descriptive_type use_location use_UTF8 variable_parameter "
        "virtuality visibility VMS_rtnbeg_pd_address vtable_elem_location ",
    [PROFILE_WORDS_LANGUAGES] =
        " ada2005 ada2012 ada83 ada95 algol68 altium-assembler assembly bliss borland-delphi c c++ c-sharp cobol74 "
        "cobol85 cpp-for-opencl crystal d dylan elixir erlang fortran03 fortran08 fortran18 fortran23 fortran77 "
        "fortran90 fortran95 gleam glsl glsl-es go google-renderscript haskel haskell hip hlsl hylo java julia "
        "kotlin metal mips-assembler modula2 modula3 mojo move nim objc objc-plus-plus ocaml odin opencl opencl-cpp "
        "other p4 pascal83 pli python renderscript ruby rust sun-assembler swift sycl upc v zig ",
};

bool profile_words_have(enum profile_words kind, const char *text, size_t length)
{
    const char *at = words[kind];
    while ((at = strchr(at, ' ')) && *++at) {
        if (strncmp(at, text, length) == 0 && at[length] == ' ')
            return length && !memchr(text, ' ', length);
    }
    return false;
}
