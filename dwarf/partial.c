/* See partial.h. */
#include "dwarf/partial.h"

#include "base/bytes.h"
#include "dwarf/unit_sizes.h"

enum { CODE_UNIT = 1, CODE_BASE, CODE_CONST, CODE_POINTER };

/* Types with names in .debug_str. */
static const struct {
    uint8_t type, size, encoding;
} shared[] = {{BASE_LONG, 8, DW_ATE_signed}, {BASE_UNSIGNED_LONG, 8, DW_ATE_unsigned}, {BASE_DOUBLE, 8, DW_ATE_float}};
enum { SHARED = sizeof shared / sizeof shared[0] };

static const uint8_t table[] = {
    CODE_UNIT,
    DW_TAG_partial_unit,
    1,
    0,
    0, //
    CODE_BASE,
    DW_TAG_base_type,
    0,
    DW_AT_byte_size,
    DW_FORM_data1,
    DW_AT_encoding, //
    DW_FORM_data1,
    DW_AT_name,
    DW_FORM_strp,
    0,
    0, //
    CODE_CONST,
    DW_TAG_const_type,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0, //
    CODE_POINTER,
    DW_TAG_pointer_type,
    0,
    DW_AT_byte_size,
    DW_FORM_data1,
    DW_AT_type, //
    DW_FORM_ref4,
    0,
    0, //
    0,
};

static uint32_t header_size(const struct debug *d)
{
    return dialect_is_4(d->corpus->dialect) ? 11 : 12;
}

static uint32_t unit_size(const struct debug *d)
{
    enum { UNIT = 1, BASE = 7, CONST = 5, POINTER = 6, END = 1 };
    return header_size(d) + UNIT + BASE + CONST + POINTER + END;
}

uint64_t partial_units_size(const struct debug *d)
{
    return (uint64_t)d->partials * unit_size(d);
}

uint64_t partial_table_size(const struct debug *d)
{
    return d->partials ? sizeof table : 0;
}

uint32_t partial_possible(const struct debug *d, uint32_t wanted)
{
    enum { INFO_PART = 4 }; /* of .debug_info, at most */
    const struct corpus *c = d->corpus;
    const uint64_t abbrev = d->wanted[DEBUG_ABBREV];
    const uint64_t info = d->wanted[DEBUG_INFO];
    if (!units_include_more(d) || abbrev == DEBUG_ANY || info == DEBUG_ANY || abbrev_codes(c->dialect) + 1 >= 128)
        return 0;
    if (c->abbrev.size + 1 + sizeof table + PARTIAL_IMPORT_ABBREV + SINGLE_SURE > abbrev)
        return 0;
    return (uint64_t)wanted * (unit_size(d) + PARTIAL_IMPORT) <= info / INFO_PART ? wanted : 0;
}

uint8_t *partial_put_imports(const struct debug *d, uint8_t code, uint8_t *p)
{
    const uint64_t first = d->size[DEBUG_INFO] - partial_units_size(d);
    for (uint32_t i = 0; i < d->partials; i++) {
        p = put_u8(p, code);
        p = put_u32(p, (uint32_t)(first + (uint64_t)i * unit_size(d)) + header_size(d));
    }
    return p;
}

static uint8_t *put_unit(const struct debug *d, uint32_t number, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const uint32_t abbrev = (uint32_t)(d->size[DEBUG_ABBREV] - sizeof table);
    const unsigned type = number % SHARED;
    const uint8_t *const start = p;
    p = put_u32(p, unit_size(d) - 4);
    p = put_u16(p, c->dialect.version);
    if (dialect_is_4(c->dialect)) {
        p = put_u8(put_u32(p, abbrev), 8);
    } else {
        p = put_u8(put_u8(p, DW_UT_partial), 8);
        p = put_u32(p, abbrev);
    }
    p = put_u8(p, CODE_UNIT);
    const uint32_t base = (uint32_t)(p - start);
    p = put_u8(put_u8(put_u8(p, CODE_BASE), shared[type].size), shared[type].encoding);
    p = put_u32(p, c->base_name[shared[type].type]);
    const uint32_t constant = (uint32_t)(p - start);
    p = put_u32(put_u8(p, CODE_CONST), base);
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
    return put_bytes(p, table, partial_table_size(d));
}
