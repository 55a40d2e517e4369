/* Encodes the table of abbrev.h. */
#include "dwarf/form/abbrev.h"

#include <assert.h>
#include <string.h>

#define A(attribute, form)  {DW_AT_##attribute, DW_FORM_##form, 0},
#define NOTHING             {0, 0, 0},
#define C(attribute, value) {DW_AT_##attribute, DW_FORM_implicit_const, value},
#define S(attribute)        {DW_AT_##attribute, DW_FORM_data1, ABBREV_SOURCE},
#define H(attribute)        {DW_AT_##attribute, DW_FORM_data1, ABBREV_HEADER},
#define M(attribute, form)  {DW_AT_##attribute, DW_FORM_##form, ABBREV_MODULE},

static const struct abbreviation table[ABBREV_COUNT] = {
#define ABBREV_ROW(code, tag, children, attributes) [ABBREV_##code] = {DW_TAG_##tag, children, {attributes}},
    ABBREVIATIONS(ABBREV_ROW)
#undef ABBREV_ROW
};

/* Lines are numbers of one or two bytes here, because these entries have hardly anything else. */
#define NAMED_LINES  A(name, strp) S(decl_file) A(decl_line, udata) C(decl_column, LINES_COLUMN)
#define CODE_LINES   A(low_pc, addr) A(high_pc, data8) A(frame_base, exprloc) A(call_all_tail_calls, flag_present)
#define CALLED_LINES S(call_file) A(call_line, udata) A(call_column, data1)
#define DECLARED_LINES                                                                                                 \
    A(decl_file, data1) A(decl_line, data2) A(decl_column, data1) A(external, flag_present) A(declaration, flag_present)

/* The table of lines alone: for each code the abbreviation of the usual table that is the nearest, its tag, whether it
 * has children, and its attributes. */
#define ABBREVIATIONS_OF_LINES(X)                                                                                      \
    X(LINES_FUNCTION, LEAF_FUNCTION, subprogram, 0, A(external, flag_present) NAMED_LINES CODE_LINES)                  \
    X(LINES_STATIC, LEAF_FUNCTION, subprogram, 0, NAMED_LINES CODE_LINES)                                              \
    X(LINES_CALLER, PLAIN_FUNCTION, subprogram, 1, A(external, flag_present) NAMED_LINES CODE_LINES A(sibling, ref4))  \
    X(LINES_STATIC_CALLER, STATIC_FUNCTION, subprogram, 1, NAMED_LINES CODE_LINES A(sibling, ref4))                    \
    X(LINES_LINKED, LEAF_FUNCTION, subprogram, 0,                                                                      \
      A(external, flag_present) NAMED_LINES A(linkage_name, strp) CODE_LINES)                                          \
    X(LINES_LINKED_CALLER, PLAIN_FUNCTION, subprogram, 1,                                                              \
      A(external, flag_present) NAMED_LINES A(linkage_name, strp) CODE_LINES A(sibling, ref4))                         \
    X(LINES_INLINE, INLINE_FUNCTION, subprogram, 0, NAMED_LINES C(inline, DW_INL_declared_inlined))                    \
    X(LINES_INLINED, INLINED, inlined_subroutine, 0,                                                                   \
      A(abstract_origin, ref4) A(low_pc, addr) A(high_pc, data8) CALLED_LINES)                                         \
    X(LINES_INLINED_OUTER, INLINED, inlined_subroutine, 1,                                                             \
      A(abstract_origin, ref4) A(low_pc, addr) A(high_pc, data8) CALLED_LINES)                                         \
    X(LINES_INLINED_RANGES, INLINED_RANGES, inlined_subroutine, 1,                                                     \
      A(abstract_origin, ref4) A(entry_pc, addr) A(ranges, sec_offset) CALLED_LINES)                                   \
    X(LINES_DECLARATION, EXTERN_VARIABLE, subprogram, 0, A(name, strp) DECLARED_LINES)                                 \
    X(LINES_DECLARATION_SHORT, SHORT_VARIABLE, subprogram, 0, A(name, string) DECLARED_LINES)

static const struct abbreviation lines_table[LINES_COUNT] = {
#define ABBREV_LINES_ROW(code, nearest, tag, children, attributes) [code] = {DW_TAG_##tag, children, {attributes}},
    ABBREVIATIONS_OF_LINES(ABBREV_LINES_ROW)
#undef ABBREV_LINES_ROW
};

static const uint8_t lines_nearest[LINES_COUNT] = {[LINES_UNIT] = ABBREV_COMPILE_UNIT,
                                                   [LINES_DATA_UNIT] = ABBREV_DATA_UNIT,
#define ABBREV_LINES_NEAREST(code, nearest, ...) [code] = ABBREV_##nearest,
                                                   ABBREVIATIONS_OF_LINES(ABBREV_LINES_NEAREST)
#undef ABBREV_LINES_NEAREST
};

/* The tag of DWARF 5 or, in version 4, GNU's tag for the same. */
static uint32_t tag_in(struct dialect d, uint32_t tag)
{
    if (!dialect_is_4(d))
        return tag;
    return tag == DW_TAG_call_site             ? DW_TAG_GNU_call_site
           : tag == DW_TAG_call_site_parameter ? DW_TAG_GNU_call_site_parameter
                                               : tag;
}

static uint32_t name_in(struct dialect d, uint32_t name)
{
    if (!dialect_is_4(d))
        return name;
    switch (name) {
    case DW_AT_call_all_calls:
        return DW_AT_GNU_all_call_sites;
    case DW_AT_call_all_tail_calls:
        return DW_AT_GNU_all_tail_call_sites;
    case DW_AT_call_return_pc:
        return DW_AT_low_pc;
    case DW_AT_call_origin:
        return DW_AT_abstract_origin;
    case DW_AT_call_value:
        return DW_AT_GNU_call_site_value;
    default:
        return name;
    }
}

uint32_t abbrev_attribute(struct dialect d, const struct abbrev_attribute *a)
{
    return name_in(d, a->name);
}

static bool is_source(const struct abbrev_attribute *a)
{
    return a->form == DW_FORM_data1 && a->value == ABBREV_SOURCE;
}

/* Whether the attribute is a constant in the abbreviations of Fortran, in version 5. */
static bool is_same_in_fortran(const struct abbrev_attribute *a)
{
    const bool is_file = a->form == DW_FORM_data1 && a->value == ABBREV_HEADER;
    return is_file || (a->form != DW_FORM_implicit_const && a->value == ABBREV_MODULE);
}

uint32_t abbrev_form(struct dialect d, const struct abbrev_attribute *a)
{
    if (dialect_is_fortran_5(d) && is_same_in_fortran(a))
        return DW_FORM_implicit_const;
    if (dialect_has_one_file(d) && is_source(a))
        return DW_FORM_implicit_const;
    if (a->name == DW_AT_decl_file && dialect_names_header(d))
        return DW_FORM_data1;
    if (!dialect_is_4(d))
        return a->form;
    return a->form == DW_FORM_line_strp ? DW_FORM_strp : a->form == DW_FORM_implicit_const ? DW_FORM_data1 : a->form;
}

/* Whether entries have the attribute in this dialect. Only C has functions without a prototype, so only C says
 * DW_AT_prototyped. Only in Fortran does the case of letters in names not matter. */
static bool is_said(struct dialect d, uint32_t name)
{
    const bool of_views = name == DW_AT_GNU_locviews || name == DW_AT_GNU_entry_view;
    if (name == DW_AT_identifier_case)
        return d.fortran;
    return name == DW_AT_prototyped ? d.language == DWARF_C && !d.fortran : d.views || !of_views;
}

const struct abbrev_attribute *abbrev_said(struct dialect d, const struct abbrev_attribute *a)
{
    while (!is_said(d, a->name))
        a++;
    return a;
}

static uint32_t form_size(uint32_t form)
{
    switch (form) {
    case DW_FORM_data1:
    case DW_FORM_flag:
        return 1;
    case DW_FORM_data2:
        return 2;
    case DW_FORM_data4:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_ref4:
    case DW_FORM_sec_offset:
        return 4;
    case DW_FORM_addr:
    case DW_FORM_data8:
    case DW_FORM_ref_sig8:
        return 8;
    default:
        return 0;
    }
}

/* The dialect's codes are those of enum abbrev_code up to first_beyond. There they go on with this abbreviation: the
 * dialect leaves out those before it. */
static uint32_t first_in_table(struct dialect d)
{
    return d.type_units ? ABBREV_TYPE_UNITS_FIRST : ABBREV_LASTS_FIRST;
}

/* The first of the codes that differ from enum abbrev_code. */
static uint32_t first_beyond(struct dialect d)
{
    return d.language == DWARF_CPP ? ABBREV_TYPE_UNITS_FIRST : ABBREV_CPP_FIRST;
}

#undef A
#undef C
#undef S
#undef H
#undef M
#undef NOTHING
#define A(attribute, form)  {DW_AT_##attribute, #attribute},
#define NOTHING             {0, ""},
#define C(attribute, value) A(attribute, value)
#define S(attribute)        A(attribute, data1)
#define H(attribute)        A(attribute, data1)
#define M(attribute, form)  A(attribute, form)

/* The names of all attributes, many of them several times; GNU's names in version 4; what only clang writes
 * (indexed.h). */
static const struct {
    uint32_t attribute;
    const char *name;
} attribute_names[] = {
#define ABBREV_ATTRIBUTE_NAMES(code, tag, children, attributes) attributes
    ABBREVIATIONS(ABBREV_ATTRIBUTE_NAMES)
#undef ABBREV_ATTRIBUTE_NAMES
        A(GNU_all_call_sites, flag_present) A(GNU_all_tail_call_sites, flag_present) A(GNU_call_site_value, exprloc)
            A(count, data1) A(calling_convention, data1)};

const char *abbrev_attribute_name(uint32_t attribute)
{
    for (size_t i = 0; i < sizeof attribute_names / sizeof attribute_names[0]; i++)
        if (attribute_names[i].attribute == attribute)
            return attribute_names[i].name;
    return "";
}

const struct abbreviation *abbrev_of(struct dialect d, uint32_t code)
{
    return d.lines && code > LINES_DATA_UNIT ? &lines_table[code] : &table[abbrev_code_of(d, code)];
}

enum abbrev_code abbrev_code_of(struct dialect d, uint32_t code)
{
    const uint32_t beyond = first_beyond(d);
    if (d.lines)
        return (enum abbrev_code)lines_nearest[code];
    if (code > abbrev_codes(d))
        return (enum abbrev_code)(ABBREV_PARTED_FIRST + (code - abbrev_codes(d) - 1));
    const uint32_t at = code < beyond ? code : code - beyond + first_in_table(d);
    const bool is_more = at >= ABBREV_LASTS_CPP_FIRST && (d.fortran || dialect_is_various(d));
    return is_more ? at - ABBREV_LASTS_CPP_FIRST + (d.fortran ? ABBREV_FORTRAN_FIRST : ABBREV_VARIOUS_FIRST) : at;
}

uint16_t abbrev_tag(enum abbrev_code code)
{
    return table[code].tag;
}

const char *abbrev_tag_name(enum abbrev_code code)
{
    static const char *const names[ABBREV_COUNT] = {[ABBREV_END] = "",
#define ABBREV_TAG_NAME(code, tag, ...) [ABBREV_##code] = #tag,
                                                    ABBREVIATIONS(ABBREV_TAG_NAME)
#undef ABBREV_TAG_NAME
    };
    return names[code];
}

uint32_t abbrev_entry_size(struct dialect d, uint32_t code)
{
    uint32_t size = 1;
    const struct abbreviation *const of = d.lines ? abbrev_of(d, code) : &table[code];
    for (const struct abbrev_attribute *a = of->attributes; (a = abbrev_said(d, a))->name; a++)
        size += form_size(abbrev_form(d, a));
    return size;
}

struct index_die abbrev_index_die(enum abbrev_code code)
{
    struct index_die die = {.tag = table[code].tag,
                            .has_address = code == ABBREV_STATIC_VARIABLE || code == ABBREV_GLOBAL_VARIABLE};
    for (const struct abbrev_attribute *a = table[code].attributes; a->name; a++) {
        die.has_name |= a->name == DW_AT_name || a->name == DW_AT_specification || a->name == DW_AT_abstract_origin;
        die.is_declaration |= a->name == DW_AT_declaration;
        die.is_external |= a->name == DW_AT_external || a->name == DW_AT_specification;
        die.has_code |= a->name == DW_AT_low_pc || a->name == DW_AT_ranges;
        die.has_value |= a->name == DW_AT_location || a->name == DW_AT_const_value;
    }
    return die;
}

uint32_t abbrev_codes(struct dialect d)
{
    const uint32_t end = d.language == DWARF_CPP ? ABBREV_FORTRAN_FIRST : ABBREV_LASTS_CPP_FIRST;
    if (d.lines)
        return LINES_COUNT - 1u;
    if (d.fortran)
        return abbrev_fortran(ABBREV_VARIOUS_FIRST) - 1u;
    if (dialect_is_various(d))
        return abbrev_various(ABBREV_PARTED_FIRST) - 1u;
    return first_beyond(d) + end - first_in_table(d) - 1u;
}

/* Bytes of an attribute's value, with the length that it begins with, if any. */
static uint32_t value_size(uint32_t form, const uint8_t *p)
{
    if (form == DW_FORM_exprloc || form == DW_FORM_block1) /* none here has 128 bytes */
        return 1u + *p;
    if (form == DW_FORM_udata)
        return (uint32_t)(skip_leb128(p) - p);
    return form == DW_FORM_string ? (uint32_t)strlen((const char *)p) + 1 : form_size(form);
}

struct abbrev_entry abbrev_read(struct dialect d, const uint8_t *entry)
{
    const struct abbreviation *abbreviation = abbrev_of(d, *entry);
    struct abbrev_entry read = {.size = 1,
                                .has_children = abbreviation->children,
                                .is_inlined = abbreviation->tag == DW_TAG_inlined_subroutine};
    for (const struct abbrev_attribute *a = abbreviation->attributes; (a = abbrev_said(d, a))->name; a++) {
        uint32_t form = abbrev_form(d, a);
        if (form == DW_FORM_ref4) {
            assert(read.references < ABBREV_REFERENCES_MOST);
            read.reference[read.references++] = (struct abbrev_reference){read.size, a->name};
        }
        read.is_signature |= a->name == DW_AT_signature;
        if ((a->name == DW_AT_decl_line || a->name == DW_AT_call_line) && form != DW_FORM_implicit_const)
            read.line = read.size;
        read.view = a->name == DW_AT_GNU_entry_view ? read.size : read.view;
        read.end = a->name == DW_AT_high_pc ? read.size : read.end;
        read.size += value_size(form, entry + read.size);
    }
    return read;
}

void abbrev_note_entries(const struct abbrev_layouts *l, const uint8_t *p, const uint8_t *end,
                         uint64_t codes[ABBREV_CODES_SHORT / 64])
{
    for (; p < end; p += abbrev_size_of(l, p)) {
        assert(*p < ABBREV_CODES_SHORT);
        abbrev_note(codes, *p);
    }
}

static bool is_block(const struct abbrev_attribute *a)
{
    return a->form == DW_FORM_exprloc || a->form == DW_FORM_block1;
}

/* Whether an attribute, of those from `first` on, has bytes that are neither a text at the beginning nor a block, and
 * whose number is not known. */
static bool is_open(const struct abbrev_attribute *a, const struct abbrev_attribute *first)
{
    return a->form == DW_FORM_udata || (a->form == DW_FORM_string && a != first);
}

/* Whether the size of entries with this code depends on more than a text that they begin with. Sets *begins_with_text
 * to whether they begin with one. */
static bool varies(struct dialect d, uint32_t code, bool *begins_with_text)
{
    const struct abbrev_attribute *const first = abbrev_said(d, abbrev_of(d, code)->attributes);
    *begins_with_text = first->name && first->form == DW_FORM_string;
    for (const struct abbrev_attribute *a = first; (a = abbrev_said(d, a))->name; a++)
        if (is_block(a) || is_open(a, first))
            return true;
    return false;
}

/* Sets what abbrev_size_of needs of entries with this code. */
static void lay_out_blocks(struct abbrev_layouts *l, uint32_t code)
{
    const struct abbrev_attribute *const first = abbrev_said(l->dialect, abbrev_of(l->dialect, code)->attributes);
    unsigned blocks = 0;
    uint32_t size = 1;
    for (const struct abbrev_attribute *a = first; (a = abbrev_said(l->dialect, a))->name; a++) {
        if (is_open(a, first) || (is_block(a) && blocks == ABBREV_BLOCKS_MOST))
            return;
        if (is_block(a))
            l->block[code][blocks++] = (uint8_t)size;
        size += is_block(a) || a->form == DW_FORM_string ? 1 : form_size(abbrev_form(l->dialect, a));
    }
    assert(size <= UINT8_MAX);
    l->least[code] = (uint8_t)size;
}

void abbrev_lay_out(struct dialect d, struct abbrev_layouts *layouts)
{
    memset(layouts, 0, sizeof *layouts);
    layouts->dialect = d;
    for (uint32_t code = 0; code <= abbrev_codes_all(d); code++) {
        const uint8_t with_empty_text[] = {(uint8_t)code, '\0'};
        for (const struct abbrev_attribute *a = abbrev_of(d, code)->attributes; (a = abbrev_said(d, a))->name; a++)
            layouts->attributes[code]++;
        lay_out_blocks(layouts, code);
        if (!varies(d, code, &layouts->begins_with_text[code])) /* abbrev_read reads no other value of such an entry */
            layouts->of[code] = abbrev_read(d, with_empty_text);
    }
}

uint8_t abbrev_with_signature(struct dialect d, enum abbrev_code code)
{
    static const uint8_t with[ABBREV_COUNT] = {
        [ABBREV_POINTER] = ABBREV_POINTER_SIG8,
        [ABBREV_CONST] = ABBREV_CONST_SIG8,
        [ABBREV_TYPEDEF] = ABBREV_TYPEDEF_SIG8,
        [ABBREV_TYPEDEF_EARLY] = ABBREV_TYPEDEF_EARLY_SIG8,
        [ABBREV_MEMBER] = ABBREV_MEMBER_SIG8,
        [ABBREV_MEMBER_EARLY] = ABBREV_MEMBER_EARLY_SIG8,
        [ABBREV_MEMBER_SHORT] = ABBREV_MEMBER_SHORT_SIG8,
        [ABBREV_MEMBER_SHORT_EARLY] = ABBREV_MEMBER_SHORT_EARLY_SIG8,
        [ABBREV_ARRAY] = ABBREV_ARRAY_SIG8,
        [ABBREV_FUNCTION_TYPE] = ABBREV_FUNCTION_TYPE_SIG8,
        [ABBREV_TYPE_PARAMETER] = ABBREV_TYPE_PARAMETER_SIG8,
    };
    return with[code] ? abbrev_type_units(d, with[code]) : ABBREV_END;
}

uint8_t abbrev_last(struct dialect d, uint32_t code)
{
    static const uint8_t last[ABBREV_COUNT] = {
        [ABBREV_LEXICAL_BLOCK] = ABBREV_LEXICAL_BLOCK_LAST,
        [ABBREV_LEXICAL_RANGES] = ABBREV_LEXICAL_RANGES_LAST,
        [ABBREV_INLINED] = ABBREV_INLINED_LAST,
        [ABBREV_INLINED_RANGES] = ABBREV_INLINED_RANGES_LAST,
        [ABBREV_CALL_SITE] = ABBREV_CALL_SITE_LAST,
        [ABBREV_CALL_SITE_ORIGIN] = ABBREV_CALL_SITE_ORIGIN_LAST,
        [ABBREV_INLINED_BLOCK] = ABBREV_INLINED_BLOCK_LAST,
        [ABBREV_INLINED_BLOCK_RANGES] = ABBREV_INLINED_BLOCK_RANGES_LAST,
        [ABBREV_CLASS] = ABBREV_CLASS_LAST,
        [ABBREV_METHOD] = ABBREV_METHOD_LAST,
        [ABBREV_VIRTUAL_METHOD] = ABBREV_VIRTUAL_METHOD_LAST,
        [ABBREV_CONSTRUCTOR] = ABBREV_CONSTRUCTOR_LAST,
        [ABBREV_STATIC_METHOD] = ABBREV_STATIC_METHOD_LAST,
        [ABBREV_OPEN_METHOD] = ABBREV_OPEN_METHOD_LAST,
        [ABBREV_OPEN_CONSTRUCTOR] = ABBREV_OPEN_CONSTRUCTOR_LAST,
    };
    return last[code] ? (uint8_t)(last[code] - first_in_table(d) + first_beyond(d)) : ABBREV_END;
}

struct abbrev_counts abbrev_references(const struct abbrev_layouts *layouts, const uint8_t *entries, uint32_t from,
                                       uint32_t to, uint32_t least, uint32_t base, struct bytes *places)
{
    uint8_t *p = bytes_reserve(places, to - from); /* each reference has 4 bytes in both */
    struct abbrev_counts counts = {0};
    if (!p)
        return counts;
    for (uint32_t at = from; at < to;) {
        const uint8_t code = entries[at];
        const struct abbrev_entry *layout = &layouts->of[code];
        struct abbrev_entry read;
        uint32_t text = 0; /* characters */
        if (!layout->size) {
            read = abbrev_read(layouts->dialect, entries + at);
            layout = &read;
        } else if (layouts->begins_with_text[code]) {
            text = (uint32_t)strlen((const char *)entries + at + 1);
        }
        for (uint32_t i = 0; i < layout->references; i++) {
            const uint32_t place = at + text + layout->reference[i].at;
            uint32_t value;
            memcpy(&value, entries + place, sizeof value);
            put_u32(p, place - base);
            p += value >= least ? sizeof value : 0; /* without a branch, which would be predicted badly */
        }
        at += layout->size + text;
        counts.entries += code != ABBREV_END;
        counts.attributes += layouts->attributes[code];
    }
    bytes_keep(places, p);
    return counts;
}

bool abbrev_is_small(uint32_t code)
{
    static const uint8_t with_end[] = {ABBREV_FUNCTION, ABBREV_PLAIN_FUNCTION, ABBREV_STATIC_FUNCTION,
                                       ABBREV_LEXICAL_BLOCK, ABBREV_INLINED};
    return memchr(with_end, (int)code, sizeof with_end);
}

/* The form, with this reach, of a DW_FORM_ref4 of the usual table. */
static uint32_t form_referring(enum abbrev_reach reach, uint32_t code, uint32_t name)
{
    if (reach != ABBREV_NEAR && name == DW_AT_abstract_origin)
        return DW_FORM_ref_addr;
    if (reach == ABBREV_NEAR || reach == ABBREV_FAR_ORIGINS)
        return DW_FORM_ref4;
    if (name == DW_AT_sibling)
        return reach == ABBREV_SHARED_SMALL && abbrev_is_small(code) ? DW_FORM_ref2 : DW_FORM_ref_udata;
    return name == DW_AT_call_origin || name == DW_AT_type ? DW_FORM_ref_addr : DW_FORM_ref4;
}

static uint32_t form_reaching(enum abbrev_reach reach, uint32_t code, uint32_t name, uint32_t form)
{
    const bool has_ends = reach == ABBREV_SHARED_ENDS || reach == ABBREV_SHARED_SMALL;
    if (form == DW_FORM_ref4)
        return form_referring(reach, code, name);
    return has_ends && name == DW_AT_high_pc ? DW_FORM_udata : form;
}

static uint32_t form_low(uint32_t name, uint32_t form)
{
    switch (name) {
    case DW_AT_decl_file:
    case DW_AT_decl_line:
    case DW_AT_call_line:
        return DW_FORM_data1;
    case DW_AT_GNU_entry_view:
        return DW_FORM_data2;
    default:
        return form;
    }
}

/* Appends the abbreviation of `code` under the code `as`; `low`: the one for lines below 256. */
static void write_one(struct bytes *out, struct dialect d, enum abbrev_reach reach, uint32_t code, uint32_t as,
                      bool low)
{
    const struct abbreviation *a = abbrev_of(d, code);
    bytes_uleb128(out, as);
    bytes_uleb128(out, tag_in(d, a->tag));
    bytes_u8(out, a->children);
    for (const struct abbrev_attribute *t = a->attributes; (t = abbrev_said(d, t))->name; t++) {
        uint32_t form = form_reaching(reach, code, t->name, abbrev_form(d, t));
        if (low)
            form = form_low(t->name, form);
        bytes_uleb128(out, name_in(d, t->name));
        bytes_uleb128(out, form);
        if (form == DW_FORM_implicit_const)
            bytes_sleb128(out, t->name == DW_AT_decl_file && t->value == ABBREV_HEADER ? dialect_declaring_file(d)
                                                                                       : t->value);
    }
    bytes_u16(out, 0);
}

void abbrev_write(struct bytes *out, struct dialect d, enum abbrev_reach reach)
{
    for (uint32_t code = 1; code <= abbrev_codes(d); code++)
        write_one(out, d, reach, code, code, false);
}

uint32_t abbrev_parted_codes(struct dialect d)
{
    if (d.lines || d.fortran || d.clang || d.type_units || d.index == INDEX_GDB)
        return 0;
    return d.language == DWARF_CPP ? ABBREV_PARTED : ABBREV_PARTED - ABBREV_PARTED_CPP; /* methods are the last */
}

uint32_t abbrev_codes_all(struct dialect d)
{
    return abbrev_codes(d) + abbrev_parted_codes(d);
}

uint8_t abbrev_parted(struct dialect d, enum abbrev_code code)
{
    static const uint8_t parted[ABBREV_COUNT] = {
        [ABBREV_COMPILE_UNIT] = ABBREV_PARTED_UNIT,
        [ABBREV_FUNCTION] = ABBREV_PARTED_FUNCTION,
        [ABBREV_PLAIN_FUNCTION] = ABBREV_PARTED_PLAIN_FUNCTION,
        [ABBREV_STATIC_FUNCTION] = ABBREV_PARTED_STATIC_FUNCTION,
        [ABBREV_DEFINED_METHOD] = ABBREV_PARTED_METHOD,
        [ABBREV_PLAIN_METHOD] = ABBREV_PARTED_PLAIN_METHOD,
    };
    assert(abbrev_parted_codes(d) && parted[code]);
    return (uint8_t)(parted[code] - ABBREV_PARTED_FIRST + abbrev_codes(d) + 1);
}

void abbrev_write_parted(struct bytes *out, struct dialect d, enum abbrev_reach reach)
{
    for (uint32_t code = abbrev_codes(d) + 1; code <= abbrev_codes_all(d); code++)
        write_one(out, d, reach, code, code, false);
}

/* The codes, in C without type units, of entries that name a line of the source. LAST: the code of an abbreviation that
 * stands behind those of C++ in enum abbrev_code. */
#define LAST(code) (ABBREV_##code##_LAST - ABBREV_LASTS_FIRST + ABBREV_CPP_FIRST)
static const uint8_t own[] = {
    ABBREV_FUNCTION,       ABBREV_PLAIN_FUNCTION,   ABBREV_LEAF_FUNCTION,  ABBREV_STATIC_FUNCTION,
    ABBREV_PARAMETER,      ABBREV_PARAMETER_SHORT,  ABBREV_PARAMETER_LIST, ABBREV_PARAMETER_LIST_SHORT,
    ABBREV_LOCAL,          ABBREV_LOCAL_SHORT,      ABBREV_LOCAL_LIST,     ABBREV_LOCAL_LIST_SHORT,
    ABBREV_LOCAL_GONE,     ABBREV_LOCAL_GONE_SHORT, ABBREV_LABEL,          ABBREV_INLINED,
    ABBREV_INLINED_RANGES, LAST(INLINED),           LAST(INLINED_RANGES)};
static_assert(sizeof own == ABBREV_LOWS, "they are all");

static uint8_t first_low(struct dialect d)
{
    return (uint8_t)(abbrev_codes_all(d) + ABBREV_PARTIALS + 1);
}

bool abbrev_has_lows(struct dialect d)
{
    return dialect_has_one_file(d) && d.views && !d.type_units;
}

uint8_t abbrev_low(struct dialect d, uint32_t code)
{
    const uint8_t *const at = memchr(own, (int)code, sizeof own);
    return at ? (uint8_t)(first_low(d) + (at - own)) : ABBREV_END;
}

void abbrev_write_lows(struct bytes *out, struct dialect d, enum abbrev_reach reach)
{
    assert(abbrev_has_lows(d));
    for (uint32_t i = 0; i < ABBREV_LOWS; i++)
        write_one(out, d, reach, own[i], first_low(d) + i, true);
}
