/* See list_read.h. */
#include "dwarf/rewrite/list_read.h"

#include <assert.h>

#include "dwarf/form/constants.h"

bool list_read_5(const uint8_t **p, uint64_t *base, bool is_location, struct list_entry *e)
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

bool list_read_4(const uint8_t **p, uint64_t *base, struct list_entry *e)
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

/* Returns the place behind an operation other than DW_OP_addr. It has to be one of those that expressions have here. */
static const uint8_t *skip_operation(const uint8_t *p)
{
    const uint8_t operation = *p++;
    uint64_t size;
    switch (operation) {
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        size = take_uleb128(&p); /* of an expression, which has no address */
        return p + size;
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
    case DW_OP_deref:
    case DW_OP_mul:
    case DW_OP_ne:
    case DW_OP_push_object_address:
    case DW_OP_call_frame_cfa:
    case DW_OP_stack_value:
        return p;
    default:
        if (operation >= DW_OP_breg0 && operation < DW_OP_breg0 + 32)
            return skip_leb128(p);
        assert(operation >= DW_OP_lit0 && operation < DW_OP_breg0);
        return p;
    }
}

uint8_t *list_put_expression(uint8_t *out, const uint8_t *p, const uint8_t *end, uint8_t operation,
                             struct numbers *addresses)
{
    while (p < end) {
        if (*p == DW_OP_addr) {
            p++;
            out = put_u8(out, operation);
            out = put_uleb128(out, numbers_of(addresses, take_u64(&p)));
        } else {
            const uint8_t *next = skip_operation(p);
            out = put_bytes(out, p, (size_t)(next - p));
            p = next;
        }
    }
    return out;
}
