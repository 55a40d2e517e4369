/* Abbreviations that are used once; see single.h. A kind has three bits. The lower two count which of file, line and
 * column there are, in this order. The third says whether there is an alignment. */
#include "dwarf/form/single.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "dwarf/form/abbrev.h"

enum {
    DECLARED_MOST = 3,
    ALIGNMENT = 4,
    LEAST = 13, /* bytes of kind 0, with a code of one byte */
    LINE_LEAST = 256,
    LINE_MOST = 2000, /* lines of two bytes, in a header of usual length */
};

static uint32_t declared(uint32_t kind)
{
    return kind & DECLARED_MOST;
}

uint8_t *single_put_abbrev(uint8_t *p, struct dialect d, uint32_t code, uint32_t kind, bool far)
{
    static const uint8_t where[DECLARED_MOST][2] = {
        {DW_AT_decl_file, DW_FORM_data1}, {DW_AT_decl_line, DW_FORM_data2}, {DW_AT_decl_column, DW_FORM_data1}};
    static const uint8_t end[] = {DW_AT_external, DW_FORM_flag_present, DW_AT_declaration, DW_FORM_flag_present, 0, 0};
    p = put_uleb128(p, code);
    p = put_bytes(p, (const uint8_t[]){d.lines ? DW_TAG_subprogram : DW_TAG_variable, 0, DW_AT_name, DW_FORM_strp}, 4);
    for (uint32_t i = 0; i < declared(kind); i++)
        p = put_bytes(p, where[i], 2);
    if (d.lines)
        p = put_bytes(p, (const uint8_t[]){DW_AT_prototyped, DW_FORM_flag_present}, 2);
    else
        p = put_bytes(p, (const uint8_t[]){DW_AT_type, far ? DW_FORM_ref_addr : DW_FORM_ref4}, 2);
    if (kind & ALIGNMENT) {
        p = put_uleb128(p, DW_AT_alignment);
        p = put_u8(p, DW_FORM_data1);
    }
    return put_bytes(p, end, sizeof end);
}

uint8_t *single_put_entry(uint8_t *p, struct dialect d, uint32_t code, uint32_t kind, uint32_t name, uint32_t type)
{
    uint64_t r = random_at(UINT64_C(0x73696e676c65), code);
    p = put_uleb128(p, code);
    p = put_u32(p, name);
    if (declared(kind) > 0)
        p = put_u8(p, DIALECT_HEADER_FILE);
    if (declared(kind) > 1)
        p = put_u16(p, (uint16_t)(LINE_LEAST + random_below(r, LINE_MOST - LINE_LEAST)));
    if (declared(kind) > 2)
        p = put_u8(p, (uint8_t)(1 + (r & 31)));
    p = d.lines ? p : put_u32(p, type);
    return kind & ALIGNMENT ? put_u8(p, 16) : p;
}

/* The same in all dialects. */
static uint32_t abbrev_size(uint32_t wide, uint32_t kind)
{
    uint8_t buffer[64];
    uint32_t size = (uint32_t)(single_put_abbrev(buffer, (struct dialect){.lines = false}, 1, kind, false) - buffer);
    assert(kind || size == LEAST);
    return size + wide;
}

static uint32_t entry_size(struct dialect d, uint32_t wide, uint32_t kind)
{
    uint8_t buffer[64];
    return (uint32_t)(single_put_entry(buffer, d, 1, kind, 0, 0) - buffer) + wide;
}

uint64_t single_unused_size(uint32_t first, uint32_t count)
{
    const uint32_t narrow = first < ABBREV_CODES_SHORT ? ABBREV_CODES_SHORT - first : 0;
    const uint64_t wide = count > narrow ? count - narrow : 0;
    return (uint64_t)count * abbrev_size(0, SINGLE_KINDS - 1) + wide;
}

uint8_t *single_put_unused(uint8_t *p, struct dialect d, uint32_t code)
{
    return single_put_abbrev(p, d, code, SINGLE_KINDS - 1, false);
}

uint32_t single_count(const struct single_mix *mix)
{
    uint32_t count = 0;
    for (uint32_t wide = 0; wide < 2; wide++)
        for (uint32_t k = 0; k < SINGLE_KINDS; k++)
            count += mix->count[wide][k];
    return count;
}

uint64_t single_attributes(const struct single_mix *mix)
{
    enum { NAMED = 4 }; /* name, type or DW_AT_prototyped, DW_AT_external and DW_AT_declaration */
    uint64_t sum = 0;
    for (uint32_t wide = 0; wide < 2; wide++)
        for (uint32_t kind = 0; kind < SINGLE_KINDS; kind++)
            sum += mix->count[wide][kind] * (uint64_t)(NAMED + declared(kind) + ((kind & ALIGNMENT) != 0));
    return sum;
}

uint64_t single_entries_size(const struct single_mix *mix, struct dialect d)
{
    uint64_t size = 0;
    for (uint32_t wide = 0; wide < 2; wide++)
        for (uint32_t k = 0; k < SINGLE_KINDS; k++)
            size += (uint64_t)mix->count[wide][k] * entry_size(d, wide, k);
    return size;
}

uint32_t single_kind(const struct single_mix *mix, uint32_t i)
{
    for (uint32_t wide = 0; wide < 2; wide++)
        for (uint32_t k = 0; k < SINGLE_KINDS; k++) {
            if (i < mix->count[wide][k])
                return k;
            i -= mix->count[wide][k];
        }
    return 0;
}

void single_find_ways(struct single_ways *ways)
{
    memset(ways, 0, sizeof *ways);
    for (uint32_t wide = 0; wide < 2; wide++) {
        const uint32_t *size = ways->size[wide];
        uint8_t *fewest = ways->fewest[wide];
        for (uint32_t k = 0; k < SINGLE_KINDS; k++)
            ways->size[wide][k] = abbrev_size(wide, k);
        for (uint32_t sum = 1; sum <= SINGLE_REST_MOST; sum++) {
            fewest[sum] = UINT8_MAX;
            for (uint32_t k = 0; k < SINGLE_KINDS; k++) {
                if (size[k] > sum || fewest[sum - size[k]] >= fewest[sum] - 1)
                    continue;
                fewest[sum] = (uint8_t)(fewest[sum - size[k]] + 1);
                ways->last[wide][sum] = (uint8_t)k;
            }
        }
    }
}

/* Divides `bytes` among abbreviations with codes of one width: the largest kind takes all but a little, and the fewest
 * of any kind take the rest. */
static bool divide(const struct single_ways *ways, uint64_t bytes, uint32_t wide, uint32_t *count)
{
    const uint32_t *size = ways->size[wide];
    uint32_t largest = 0;
    for (uint32_t k = 0; k < SINGLE_KINDS; k++)
        largest = size[k] > size[largest] ? k : largest;
    memset(count, 0, SINGLE_KINDS * sizeof *count);
    if (bytes > SINGLE_REST_MOST)
        count[largest] = (uint32_t)((bytes - SINGLE_REST_MOST + size[largest] - 1) / size[largest]);
    uint64_t rest = bytes - (uint64_t)count[largest] * size[largest];
    if (ways->fewest[wide][rest] == UINT8_MAX)
        return false;
    for (uint32_t kind; rest; rest -= size[kind]) {
        kind = ways->last[wide][rest];
        count[kind]++;
    }
    return true;
}

bool single_divide(const struct single_ways *ways, uint32_t first, uint64_t bytes, struct single_mix *mix)
{
    *mix = (struct single_mix){.first = first};
    const uint32_t narrow = ABBREV_CODES_SHORT - mix->first;
    if (divide(ways, bytes, 0, mix->count[0]) && single_count(mix) <= narrow)
        return true;
    /* all codes of one byte, of the smallest kind, some of them of the next, so that codes of two can take the rest */
    for (uint32_t longer = 0; longer < 2 * SINGLE_SURE; longer += 2) {
        uint64_t of_narrow = (uint64_t)narrow * LEAST + longer;
        memset(mix->count, 0, sizeof mix->count);
        mix->count[0][0] = narrow - longer / 2;
        mix->count[0][1] = longer / 2; /* two bytes more each */
        if (of_narrow <= bytes && divide(ways, bytes - of_narrow, 1, mix->count[1]))
            return single_count(mix) <= SINGLE_COUNT_MOST;
    }
    return false;
}
