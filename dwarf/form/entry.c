/* See entry.h. */
#include "dwarf/form/entry.h"

#include <string.h>

/* Reads the value of an attribute at *p, and moves *p behind it. 0 for expressions and texts. */
static uint64_t read_value(uint32_t form, int32_t constant, const uint8_t **p)
{
    uint64_t value = 0;
    size_t size = 0;
    switch (form) {
    case DW_FORM_implicit_const:
        return (uint64_t)constant;
    case DW_FORM_flag_present:
        return 1;
    case DW_FORM_exprloc:
        *p += 1 + **p; /* our expressions are short: one byte of length */
        return 0;
    case DW_FORM_string:
        *p += strlen((const char *)*p) + 1;
        return 0;
    case DW_FORM_data1:
        size = 1;
        break;
    case DW_FORM_data2:
        size = 2;
        break;
    case DW_FORM_addr:
    case DW_FORM_data8:
    case DW_FORM_ref_sig8:
        size = 8;
        break;
    default:
        size = 4;
    }
    memcpy(&value, *p, size);
    *p += size;
    return value;
}

const uint8_t *entry_read(struct dialect d, const uint8_t *p, struct entry *e)
{
    *e = (struct entry){.at = p, .code = *p};
    p++;
    e->name = e->line = e->type = e->sibling = e->origin = e->value = ENTRY_NONE;
    e->low = UINT64_MAX;
    e->end = p;
    if (e->code == ABBREV_END)
        return p;
    const struct abbreviation *abbreviation = abbrev_of(d, e->code);
    e->tag = abbreviation->tag;
    e->children = abbreviation->children;
    for (const struct abbrev_attribute *a = abbreviation->attributes; (a = abbrev_said(d, a))->name; a++) {
        const uint8_t *at = p;
        const uint64_t value = read_value(abbrev_form(d, a), a->value, &p);
        switch (a->name) {
        case DW_AT_name:
            e->name_at = at;
            if (abbrev_form(d, a) == DW_FORM_string)
                e->text = (const char *)at;
            else
                e->name = (uint32_t)value;
            break;
        case DW_AT_decl_line:
            e->line = (uint32_t)value;
            break;
        case DW_AT_type:
            e->type = (uint32_t)value;
            break;
        case DW_AT_sibling:
            e->sibling = (uint32_t)value;
            break;
        case DW_AT_abstract_origin:
        case DW_AT_specification:
            e->origin = (uint32_t)value;
            break;
        case DW_AT_upper_bound:
        case DW_AT_const_value:
            e->value = (uint32_t)value;
            break;
        case DW_AT_low_pc:
            e->low = value;
            break;
        case DW_AT_declaration:
            e->declaration = true;
            break;
        case DW_AT_artificial:
            e->artificial = true;
            break;
        default:
            break;
        }
    }
    e->end = p;
    return p;
}
