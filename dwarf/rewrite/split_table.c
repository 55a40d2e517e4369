/* Tables of abbreviations of split debug information: see split.h. */
#include <assert.h>

#include "dwarf/rewrite/split_parts.h"

/* The form that an attribute gets; sets what becomes of its value. */
static uint32_t form_of(const struct split *s, uint32_t name, uint32_t form, struct split_attribute *a)
{
    const bool is_4 = split_is_4(s);
    switch (form) {
    case DW_FORM_data1:
        *a = (struct split_attribute){.does = SPLIT_COPY, .size = 1};
        return form;
    case DW_FORM_data2:
        *a = (struct split_attribute){.does = SPLIT_COPY, .size = 2};
        return form;
    case DW_FORM_data4:
        *a = (struct split_attribute){.does = SPLIT_COPY, .size = 4};
        return form;
    case DW_FORM_data8:
        *a = (struct split_attribute){.does = SPLIT_COPY, .size = 8};
        return form;
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        *a = (struct split_attribute){.does = SPLIT_COPY};
        return form;
    case DW_FORM_udata:
        *a = (struct split_attribute){.does = SPLIT_NUMBER};
        return form;
    case DW_FORM_string:
        *a = (struct split_attribute){.does = SPLIT_TEXT};
        return form;
    case DW_FORM_block1:
        *a = (struct split_attribute){.does = SPLIT_BLOCK};
        return form;
    case DW_FORM_ref4:
        *a = (struct split_attribute){.does = SPLIT_REFERENCE, .size = 4};
        return form;
    case DW_FORM_exprloc:
        *a = (struct split_attribute){.does = SPLIT_EXPRESSION};
        return form;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
        *a = (struct split_attribute){.does = form == DW_FORM_strp ? SPLIT_STRING : SPLIT_LINE_STRING, .size = 4};
        return is_4 ? DW_FORM_GNU_str_index : DW_FORM_strx;
    case DW_FORM_addr:
        *a = (struct split_attribute){.does = SPLIT_ADDRESS, .size = 8};
        return is_4 ? DW_FORM_GNU_addr_index : DW_FORM_addrx;
    default:
        assert(form == DW_FORM_sec_offset);
        *a = (struct split_attribute){.does = name == DW_AT_ranges         ? SPLIT_PIECES
                                              : name == DW_AT_GNU_locviews ? SPLIT_VIEWS
                                                                           : SPLIT_LOCATIONS,
                                      .size = 4};
        if (name == DW_AT_GNU_locviews)
            return form;
        return is_4 ? form : name == DW_AT_ranges ? DW_FORM_rnglistx : DW_FORM_loclistx;
    }
}

/* Whether an attribute is left out, because the skeleton says it of the unit. */
static bool is_left_out(uint64_t tag, uint64_t name)
{
    return tag == DW_TAG_compile_unit && (name == DW_AT_low_pc || name == DW_AT_high_pc || name == DW_AT_stmt_list);
}

static void add_attribute(struct split *s, const struct split_attribute *a)
{
    bytes_append(&s->attributes, a, sizeof *a);
}

static const uint8_t *put_abbreviation(struct split *s, const uint8_t *p, uint64_t tag)
{
    struct bytes *out = &s->table;
    for (;;) {
        struct split_attribute a;
        const uint32_t name = (uint32_t)take_uleb128(&p);
        const uint32_t form = (uint32_t)take_uleb128(&p);
        if (!name)
            break;
        const uint32_t new_form = form_of(s, name, form, &a);
        a.name = (uint16_t)name;
        if (is_left_out(tag, name)) {
            a.does = SPLIT_DROP;
            add_attribute(s, &a);
            continue;
        }
        if (form != DW_FORM_flag_present && form != DW_FORM_implicit_const)
            add_attribute(s, &a);
        bytes_uleb128(out, name);
        bytes_uleb128(out, new_form);
        if (form == DW_FORM_implicit_const) {
            const uint8_t *value = p;
            p = skip_leb128(p);
            bytes_append(out, value, (size_t)(p - value));
        }
    }
    if (tag == DW_TAG_compile_unit && split_is_4(s)) {
        add_attribute(s, &(struct split_attribute){.name = DW_AT_GNU_dwo_id, .does = SPLIT_IDENTITY});
        bytes_uleb128(out, DW_AT_GNU_dwo_id);
        bytes_uleb128(out, DW_FORM_data8);
    }
    add_attribute(s, &(struct split_attribute){.does = SPLIT_END});
    bytes_u16(out, 0);
    return p;
}

void split_table(struct split *s, const uint8_t *table)
{
    struct bytes *out = &s->table;
    const uint8_t *p = table;
    s->attributes.size = s->first.size = s->table.size = s->abbreviations.size = s->used.size = 0;
    for (uint64_t code, next = 1; (code = take_uleb128(&p)); next++) {
        assert(code == next);
        const uint64_t tag = take_uleb128(&p);
        bytes_u32(&s->abbreviations, (uint32_t)out->size);
        bytes_u8(&s->used, false);
        bytes_uleb128(out, code);
        bytes_uleb128(out, tag);
        bytes_u8(out, *p++); /* whether it has children */
        bytes_u32(&s->first, (uint32_t)s->attributes.size);
        p = put_abbreviation(s, p, tag);
    }
    bytes_u32(&s->abbreviations, (uint32_t)out->size);
}

/* Bytes of the abbreviation number i. */
static uint32_t table_bytes(const struct split *s, size_t i)
{
    return bytes_number(&s->abbreviations, i + 1) - bytes_number(&s->abbreviations, i);
}

void split_put_table(struct split *s)
{
    struct bytes *out = &s->part[SPLIT_ABBREV];
    const size_t count = s->used.failed || s->abbreviations.failed ? 0 : s->used.size;
    uint64_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += s->used.data[i] ? table_bytes(s, i) : 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t size = table_bytes(s, i);
        if (!s->used.data[i] && s->from.abbrevs && bytes + size > s->from.abbrevs)
            continue;
        bytes += s->used.data[i] ? 0 : size;
        bytes_append(out, s->table.data + bytes_number(&s->abbreviations, i), size);
    }
    bytes_u8(out, 0);
}
