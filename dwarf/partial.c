/* See partial.h. */
#include "dwarf/partial.h"

#include "base/bytes.h"
#include "dwarf/unit_sizes.h"

enum { CODE_UNIT = 1, CODE_CONST, CODE_POINTER };

/* Their abbreviations: code, tag, whether there are children, attributes with their forms, and what ends these. */
static const uint8_t of_unit[] = {CODE_UNIT, DW_TAG_partial_unit, 1, 0, 0};
static const uint8_t of_const[] = {CODE_CONST, DW_TAG_const_type, 0, DW_AT_type, DW_FORM_ref_addr, 0, 0};
static const uint8_t of_pointer[] = {
    CODE_POINTER, DW_TAG_pointer_type, 0, DW_AT_byte_size, DW_FORM_data1, DW_AT_type, DW_FORM_ref4, 0, 0};
enum { TABLE_SIZE = sizeof of_unit + sizeof of_const + sizeof of_pointer + 1 };

enum {
    UNIT_HEADER = 12,
    UNIT_SIZE = UNIT_HEADER + 1 + 5 + 6 + 1, /* its entry, constant, pointer, and what ends it */
};

uint64_t partial_units_size(const struct debug *d)
{
    return (uint64_t)d->partials * UNIT_SIZE;
}

uint64_t partial_table_size(const struct debug *d)
{
    return d->partials ? TABLE_SIZE : 0;
}

uint32_t partial_possible(const struct debug *d, uint32_t wanted)
{
    enum { INFO_PART = 4 }; /* of .debug_info, at most */
    const struct corpus *c = d->corpus;
    const uint64_t abbrev = d->wanted[DEBUG_ABBREV];
    const uint64_t info = d->wanted[DEBUG_INFO];
    if (!units_include_more(d) || dialect_is_4(c->dialect) || abbrev == DEBUG_ANY || info == DEBUG_ANY ||
        abbrev_codes(c->dialect) + 1 >= 128)
        return 0;
    if (c->abbrev.size + 1 + TABLE_SIZE + PARTIAL_IMPORT_ABBREV + SINGLE_SURE > abbrev)
        return 0;
    return (uint64_t)wanted * (UNIT_SIZE + PARTIAL_IMPORT) <= info / INFO_PART ? wanted : 0;
}

uint8_t *partial_put_imports(const struct debug *d, uint8_t code, uint8_t *p)
{
    const uint64_t first = d->size[DEBUG_INFO] - partial_units_size(d);
    for (uint32_t i = 0; i < d->partials; i++) {
        p = put_u8(p, code);
        p = put_u32(p, (uint32_t)(first + (uint64_t)i * UNIT_SIZE) + UNIT_HEADER);
    }
    return p;
}

static uint8_t *put_unit(const struct debug *d, uint32_t number, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const uint8_t *const start = p;
    p = put_u32(p, UNIT_SIZE - 4);
    p = put_u16(p, c->dialect.version);
    p = put_u8(put_u8(p, DW_UT_partial), 8);
    p = put_u32(p, (uint32_t)(d->size[DEBUG_ABBREV] - TABLE_SIZE));
    p = put_u8(p, CODE_UNIT);
    const uint32_t constant = (uint32_t)(p - start);
    /* the first unit, as any, has a base type there */
    p = put_u32(put_u8(p, CODE_CONST), corpus_type(c, number % BASE_TYPES));
    p = put_u32(put_u8(put_u8(p, CODE_POINTER), 8), constant);
    return put_u8(p, 0);
}

uint8_t *partial_put_units(const struct debug *d, uint8_t *p)
{
    for (uint32_t i = 0; i < d->partials; i++)
        p = put_unit(d, i, p);
    return p;
}

uint8_t *partial_put_import_abbrev(uint8_t code, uint8_t *p)
{
    const uint8_t abbrev[PARTIAL_IMPORT_ABBREV] = {code, DW_TAG_imported_unit, 0, DW_AT_import, DW_FORM_ref_addr};
    return put_bytes(p, abbrev, sizeof abbrev);
}

uint8_t *partial_put_table(const struct debug *d, uint8_t *p)
{
    if (!d->partials)
        return p;
    p = put_bytes(p, of_unit, sizeof of_unit);
    p = put_bytes(p, of_const, sizeof of_const);
    p = put_bytes(p, of_pointer, sizeof of_pointer);
    return put_u8(p, 0);
}
