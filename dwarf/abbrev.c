/* Encodes the table of abbrev.h. */
#include "dwarf/abbrev.h"

#define A(attribute, form)  {DW_AT_##attribute, DW_FORM_##form, 0},
#define C(attribute, value) {DW_AT_##attribute, DW_FORM_implicit_const, value},

struct attribute {
    uint16_t name;
    uint16_t form;
    int32_t value;
};

struct abbreviation {
    uint16_t tag;
    uint8_t children;
    struct attribute attributes[16]; /* to the first without a name */
};

static const struct abbreviation table[ABBREV_COUNT] = {
#define ABBREV_ROW(code, tag, children, attributes) [ABBREV_##code] = {DW_TAG_##tag, children, {attributes}},
    ABBREVIATIONS(ABBREV_ROW)
#undef ABBREV_ROW
};

void abbrev_write(struct bytes *out)
{
    for (unsigned code = 1; code < ABBREV_COUNT; code++) {
        const struct abbreviation *a = &table[code];
        bytes_uleb128(out, code);
        bytes_uleb128(out, a->tag);
        bytes_u8(out, a->children);
        for (unsigned i = 0; a->attributes[i].name; i++) {
            bytes_uleb128(out, a->attributes[i].name);
            bytes_uleb128(out, a->attributes[i].form);
            if (a->attributes[i].form == DW_FORM_implicit_const)
                bytes_sleb128(out, a->attributes[i].value);
        }
        bytes_u16(out, 0);
    }
    bytes_u8(out, 0);
}
