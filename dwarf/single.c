/* Abbreviations that are used once; see single.h.
 *
 * In version 5, file, line and column are constants of the abbreviation, and the
 * line's length (SLEB128) makes the kinds differ. In version 4 they are in the
 * entry, and kinds differ by the attributes they have: with or without a column,
 * with or without an alignment.
 */
#include "dwarf/single.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"

static bool has_column(struct dialect d, uint32_t kind)
{
    return !dialect_is_4(d) || (kind & 1);
}

static bool has_alignment(struct dialect d, uint32_t kind)
{
    return dialect_is_4(d) ? kind & 2 : kind == 3;
}

/* Of one, two or three bytes as SLEB128 in kinds 0, 1, 2 of version 5. */
static uint32_t line_of(struct dialect d, uint32_t code, uint32_t kind)
{
    uint32_t r = random_below(random_at(UINT64_C(0x73696e676c65), code), 1 << 16);
    if (dialect_is_4(d) || kind == 2)
        return 8192 + r % 40000;
    return kind == 1 ? 64 + r % 8000 : 1 + r % 60;
}

uint8_t *single_put_abbrev(struct dialect d, uint8_t *p, uint32_t code, uint32_t kind)
{
    const uint8_t where[][2] = {
        {DW_AT_decl_file, DW_FORM_data1}, {DW_AT_decl_line, DW_FORM_data2}, {DW_AT_decl_column, DW_FORM_data1}};
    const uint32_t constants[] = {dialect_header_file(d), line_of(d, code, kind), 12};
    p = put_uleb128(p, code);
    p = put_bytes(p, (const uint8_t[]){DW_TAG_variable, 0, DW_AT_name, DW_FORM_strp}, 4);
    for (unsigned i = 0; i < (has_column(d, kind) ? 3 : 2); i++) {
        p = put_u8(p, where[i][0]);
        p = put_u8(p, dialect_is_4(d) ? where[i][1] : DW_FORM_implicit_const);
        p = dialect_is_4(d) ? p : put_sleb128(p, constants[i]);
    }
    p = put_bytes(p, (const uint8_t[]){DW_AT_type, DW_FORM_ref4}, 2);
    if (has_alignment(d, kind)) {
        p = put_uleb128(p, DW_AT_alignment);
        p = put_u8(p, DW_FORM_data1);
    }
    const uint8_t end[] = {DW_AT_external, DW_FORM_flag_present, DW_AT_declaration, DW_FORM_flag_present, 0, 0};
    return put_bytes(p, end, sizeof end);
}

uint8_t *single_put_entry(struct dialect d, uint8_t *p, uint32_t code, uint32_t kind, uint32_t name, uint32_t type)
{
    p = put_uleb128(p, code);
    p = put_u32(p, name);
    if (dialect_is_4(d)) {
        p = put_u8(p, dialect_header_file(d));
        p = put_u16(p, (uint16_t)line_of(d, code, kind));
        p = has_column(d, kind) ? put_u8(p, 12) : p;
    }
    p = put_u32(p, type);
    return has_alignment(d, kind) ? put_u8(p, 16) : p;
}

uint32_t single_abbrev_size(struct dialect d, uint32_t kind)
{
    uint8_t buffer[64];
    return (uint32_t)(single_put_abbrev(d, buffer, SINGLE_CODE_FIRST, kind) - buffer);
}

uint32_t single_entry_size(struct dialect d, uint32_t kind)
{
    uint8_t buffer[64];
    return (uint32_t)(single_put_entry(d, buffer, SINGLE_CODE_FIRST, kind, 0, 0) - buffer);
}

/* All that is above one tenfold of the kinds goes to the largest; the rest is
 * looked for among all small counts. */
bool single_divide(struct dialect d, uint64_t bytes, struct single_mix *mix)
{
    enum { TRIED = 8 };
    uint32_t size[SINGLE_KINDS];
    uint32_t largest = 0;
    for (uint32_t k = 0; k < SINGLE_KINDS; k++) {
        size[k] = single_abbrev_size(d, k);
        largest = size[k] > size[largest] ? k : largest;
    }
    memset(mix, 0, sizeof *mix);
    uint32_t bulk = bytes > 2 * SINGLE_SURE ? (uint32_t)((bytes - SINGLE_SURE) / size[largest]) : 0;
    uint64_t rest = bytes - (uint64_t)bulk * size[largest];
    for (uint32_t a = 0; a < TRIED; a++)
        for (uint32_t b = 0; b < TRIED; b++)
            for (uint32_t c = 0; c < TRIED; c++) {
                uint64_t sum = (uint64_t)a * size[0] + (uint64_t)b * size[1] + (uint64_t)c * size[2];
                if (sum > rest || (rest - sum) % size[3] || (rest - sum) / size[3] >= 2 * TRIED)
                    continue;
                *mix = (struct single_mix){{a, b, c, (uint32_t)((rest - sum) / size[3])}};
                mix->count[largest] += bulk;
                uint32_t count = mix->count[0] + mix->count[1] + mix->count[2] + mix->count[3];
                return count <= SINGLE_COUNT_MOST;
            }
    return false;
}
