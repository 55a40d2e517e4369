/* Lists and expressions of split debug information (DWARF 5 sections 7.7.3, 7.28, 7.29);
 * see split.h. What there is of lists is in compose_lists.c; what it becomes:
 *
 *     version 5    startx_length number length [size expression] ... end_of_list
 *                  offset_pair from to ... end_of_list                               of ranges
 *     version 4    start_length number length [size expression] ... end_of_list      GNU's
 *
 * where numbers and, in version 5, lengths are LEB128, otherwise of four bytes, and
 * sizes of two. Numbers are of addresses, pairs are relative to the unit's first.
 * Ranges of version 4 stay in the library.
 */
#include <assert.h>

#include "dwarf/split_parts.h"

enum { ENTRY_MOST = 24 }; /* bytes of one entry without its expression */

/* An entry as it is. */
struct entry {
    uint64_t from, to;
    const uint8_t *expression, *end;
};

/* The next one; false at the end of the list. `base` is what its addresses are relative to. */
static bool next_entry_5(const uint8_t **p, uint64_t *base, bool is_location, struct entry *e)
{
    uint8_t kind = *(*p)++;
    if (kind == (is_location ? DW_LLE_base_address : DW_RLE_base_address)) {
        *base = take_u64(p);
        kind = *(*p)++;
    }
    if (kind == DW_LLE_end_of_list)
        return false;
    if (is_location && kind == DW_LLE_start_length) {
        e->from = take_u64(p);
        e->to = e->from + take_uleb128(p);
    } else {
        assert(kind == DW_LLE_offset_pair); /* DW_RLE_offset_pair is the same */
        e->from = *base + take_uleb128(p);
        e->to = *base + take_uleb128(p);
    }
    uint64_t size = is_location ? take_uleb128(p) : 0;
    e->expression = *p;
    e->end = *p += size;
    return true;
}

static bool next_entry_4(const uint8_t **p, uint64_t *base, struct entry *e)
{
    uint64_t from;
    uint64_t to;
    while ((from = take_u64(p)) == UINT64_MAX)
        *base = take_u64(p);
    to = take_u64(p);
    if (!from && !to)
        return false;
    e->from = *base + from;
    e->to = *base + to;
    uint16_t size = take_u16(p);
    e->expression = *p;
    e->end = *p += size;
    return true;
}

static void put_location(struct split *s, struct bytes *out, const struct entry *e)
{
    const bool is_4 = split_is_4(s);
    uint8_t *p = bytes_reserve(out, ENTRY_MOST + (size_t)(e->end - e->expression));
    if (!p)
        return;
    p = put_u8(p, DW_LLE_startx_length);
    p = put_uleb128(p, split_address(s, e->from));
    p = is_4 ? put_u32(p, (uint32_t)(e->to - e->from)) : put_uleb128(p, e->to - e->from);
    uint8_t *expression = p + (is_4 ? 2 : 1);
    uint8_t *end = split_expression(s, expression, e->expression, e->end);
    const size_t size = (size_t)(end - expression);
    assert(size < 0x80);
    if (is_4)
        put_u16(p, (uint16_t)size);
    else
        put_u8(p, (uint8_t)size);
    bytes_keep(out, end);
}

static void put_range(const struct split *s, struct bytes *out, const struct entry *e)
{
    uint8_t *p = bytes_reserve(out, ENTRY_MOST);
    if (!p)
        return;
    p = put_u8(p, DW_RLE_offset_pair);
    p = put_uleb128(p, e->from - s->unit.low);
    bytes_keep(out, put_uleb128(p, e->to - s->unit.low));
}

/* The number of the list at `offset`. One that is met for the first time begins here. */
static uint32_t number_of(struct split_lists *lists, uint32_t offset, bool *is_new)
{
    const uint32_t known = numbers_count(&lists->numbers);
    const uint32_t number = numbers_of(&lists->numbers, offset);
    *is_new = number == known;
    if (*is_new)
        bytes_u32(&lists->at, (uint32_t)lists->bytes.size);
    return number;
}

uint32_t split_location_list(struct split *s, uint32_t offset)
{
    struct split_lists *lists = &s->locations;
    bool is_new;
    const uint32_t number = number_of(lists, offset, &is_new);
    if (is_new) {
        const uint8_t *p = s->from.places.section[DEBUG_LISTS] + offset;
        uint64_t base = s->unit.low;
        struct entry e;
        while (split_is_4(s) ? next_entry_4(&p, &base, &e) : next_entry_5(&p, &base, true, &e))
            put_location(s, &lists->bytes, &e);
        bytes_u8(&lists->bytes, DW_LLE_end_of_list);
    }
    if (!split_is_4(s) || lists->at.failed)
        return number;
    uint32_t at;
    memcpy(&at, lists->at.data + number * sizeof at, sizeof at);
    return at;
}

uint32_t split_range_list(struct split *s, uint32_t offset)
{
    struct split_lists *lists = &s->ranges;
    bool is_new;
    const uint32_t number = number_of(lists, offset, &is_new);
    if (is_new) {
        const uint8_t *p = s->from.places.section[DEBUG_RANGES] + offset;
        uint64_t base = s->unit.low;
        struct entry e;
        while (next_entry_5(&p, &base, false, &e))
            put_range(s, &lists->bytes, &e);
        bytes_u8(&lists->bytes, DW_RLE_end_of_list);
    }
    return number;
}

void split_put_lists(struct split *s, const struct split_lists *lists, struct bytes *part)
{
    if (!lists->at.size)
        return;
    if (!split_is_4(s)) {
        const uint32_t count = numbers_count(&lists->numbers);
        bytes_u32(part, (uint32_t)(LIST_HEADER - 4 + lists->at.size + lists->bytes.size));
        bytes_u16(part, 5);
        bytes_u8(part, 8); /* address size */
        bytes_u8(part, 0); /* no segment selectors */
        bytes_u32(part, count);
        for (uint32_t i = 0; i < count && !lists->at.failed; i++) {
            uint32_t at;
            memcpy(&at, lists->at.data + i * sizeof at, sizeof at);
            bytes_u32(part, (uint32_t)lists->at.size + at); /* from the table on */
        }
    }
    bytes_append(part, lists->bytes.data, lists->bytes.size);
}

/* Behind an operation that is no address, as far as we write them. */
static const uint8_t *skip_operation(const uint8_t *p)
{
    const uint8_t operation = *p++;
    switch (operation) {
    case DW_OP_const1u:
    case DW_OP_const1s:
        return p + 1;
    case DW_OP_const2u:
    case DW_OP_const2s:
        return p + 2;
    case DW_OP_const4u:
    case DW_OP_const4s:
        return p + 4;
    case DW_OP_constu:
    case DW_OP_consts:
    case DW_OP_plus_uconst:
    case DW_OP_fbreg:
        return skip_leb128(p);
    case DW_OP_bregx:
        return skip_leb128(skip_leb128(p));
    default:
        if (operation >= DW_OP_breg0 && operation < DW_OP_breg0 + 32)
            return skip_leb128(p);
        assert((operation >= DW_OP_lit0 && operation < DW_OP_breg0) || operation == DW_OP_deref ||
               operation == DW_OP_call_frame_cfa || operation == DW_OP_stack_value);
        return p;
    }
}

uint8_t *split_expression(struct split *s, uint8_t *out, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        if (*p == DW_OP_addr) {
            p++;
            out = put_u8(out, split_is_4(s) ? DW_OP_GNU_addr_index : DW_OP_addrx);
            out = put_uleb128(out, split_address(s, take_u64(&p)));
        } else {
            const uint8_t *next = skip_operation(p);
            out = put_bytes(out, p, (size_t)(next - p));
            p = next;
        }
    }
    return out;
}
