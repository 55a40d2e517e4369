/* See partial.h. */
#include "dwarf/partial.h"

#include <assert.h>

#include "base/bytes.h"
#include "dwarf/unit_sizes.h"

enum {
    UNIT_HEADER = 12,
    UNIT_SIZE = UNIT_HEADER + 1 + 7 + 5 + 5 + 1, /* its entry, those of three types, and what ends it */
};

/* Their codes, behind those of all other entries. */
static uint8_t import_code(const struct debug *d)
{
    return (uint8_t)(abbrev_codes(d->corpus->dialect) + 1);
}

static uint8_t unit_code(const struct debug *d)
{
    return import_code(d) + 1;
}

uint64_t partial_units_size(const struct debug *d)
{
    return (uint64_t)d->partials * UNIT_SIZE;
}

uint32_t partial_possible(const struct debug *d, uint32_t wanted)
{
    enum { INFO_PART = 4 }; /* of .debug_info, at most */
    const struct corpus *c = d->corpus;
    const uint64_t abbrev = d->wanted[DEBUG_ABBREV];
    const uint64_t info = d->wanted[DEBUG_INFO];
    if (!units_include_more(d) || dialect_is_4(c->dialect) || abbrev == DEBUG_ANY || info == DEBUG_ANY ||
        abbrev_codes(c->dialect) + PARTIAL_CODES >= 128)
        return 0;
    if (c->abbrev.size + 1 + PARTIAL_ABBREVS + SINGLE_SURE > abbrev)
        return 0;
    const uint64_t each = UNIT_SIZE + PARTIAL_IMPORT * (uint64_t)c->manner.imports;
    return wanted * each <= info / INFO_PART ? wanted : 0;
}

static uint64_t all_imports(const struct debug *d)
{
    return (uint64_t)d->partials * d->corpus->manner.imports;
}

/* How many imports there are in the units before this one. All units import them in turn. */
static uint64_t imports_before(const struct debug *d, uint32_t unit)
{
    return all_imports(d) * unit / d->unit_count;
}

uint64_t partial_imports_size(const struct debug *d, uint32_t unit)
{
    return (imports_before(d, unit + 1) - imports_before(d, unit)) * PARTIAL_IMPORT;
}

uint64_t partial_all_imports_size(const struct debug *d)
{
    return all_imports(d) * PARTIAL_IMPORT;
}

uint8_t *partial_put_imports(const struct debug *d, uint32_t unit, uint8_t *p)
{
    const uint64_t first = d->size[DEBUG_INFO] - partial_units_size(d);
    for (uint64_t i = imports_before(d, unit); i < imports_before(d, unit + 1); i++) {
        p = put_u8(p, import_code(d));
        p = put_u32(p, (uint32_t)(first + i % d->partials * UNIT_SIZE) + UNIT_HEADER);
    }
    return p;
}

/* They use the tables of the others, evenly. */
static uint8_t *put_unit(const struct debug *d, uint32_t number, uint8_t *p)
{
    const uint8_t *const start = p;
    const bool is_long = number % 2;
    p = put_u32(p, UNIT_SIZE - 4);
    p = put_u16(p, d->corpus->dialect.version);
    p = put_u8(put_u8(p, DW_UT_partial), 8);
    p = put_u32(p, (uint32_t)((uint64_t)number * d->tables / d->partials * unit_table_bytes(d)));
    p = put_u8(p, unit_code(d));
    const uint32_t base = (uint32_t)(p - start);
    p = put_u8(put_u8(put_u8(p, ABBREV_BASE_TYPE), 8), is_long ? DW_ATE_signed : DW_ATE_float);
    p = put_u32(p, d->corpus->base_name[is_long ? BASE_LONG : BASE_DOUBLE]);
    const uint32_t constant = (uint32_t)(p - start);
    p = put_u32(put_u8(p, ABBREV_CONST), base);
    p = put_u32(put_u8(p, ABBREV_POINTER), constant);
    return put_u8(p, 0);
}

uint8_t *partial_put_units(const struct debug *d, uint8_t *p)
{
    for (uint32_t i = 0; i < d->partials; i++)
        p = put_unit(d, i, p);
    return p;
}

uint8_t *partial_put_abbrevs(const struct debug *d, uint8_t *p)
{
    const uint8_t import[] = {import_code(d), DW_TAG_imported_unit, 0, DW_AT_import, DW_FORM_ref_addr, 0, 0};
    const uint8_t unit[] = {unit_code(d), DW_TAG_partial_unit, 1, 0, 0};
    static_assert(sizeof import + sizeof unit == PARTIAL_ABBREVS, "they are all");
    return d->partials ? put_bytes(put_bytes(p, import, sizeof import), unit, sizeof unit) : p;
}
