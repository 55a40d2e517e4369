/* Encodes calls and what they pass (compose.h): DWARF 5 section 3.4 (call sites and their parameters). */
#include <assert.h>

#include "dwarf/compose/compose.h"

uint8_t *compose_call(struct composer *c, uint64_t returns, uint32_t origin, bool parameters)
{
    const bool known = origin != COMPOSE_UNKNOWN;
    uint8_t *p = parameters
                     ? put_u8(c->info, known ? ABBREV_CALL_SITE_ORIGIN : ABBREV_CALL_SITE)
                     : compose_code(c->out, c->info, known ? ABBREV_CALL_SITE_LEAF_ORIGIN : ABBREV_CALL_SITE_LEAF);
    p = put_u64(p, c->text + returns);
    if (origin == COMPOSE_NEXT)
        c->next_function = p;
    else if (known)
        compose_refer(c, p, origin);
    p += known ? 4 : 0;
    c->info = parameters ? p + 4 : p;
    return p;
}

static uint8_t *begin_call_parameter(struct composer *c, uint32_t reg)
{
    uint8_t *p = compose_code(c->out, c->info, ABBREV_CALL_PARAMETER);
    p = put_u8(p, 1);
    return put_u8(p, (uint8_t)(DW_OP_reg0 + reg));
}

void compose_call_constant(struct composer *c, uint32_t reg, int64_t value)
{
    uint8_t *length = begin_call_parameter(c, reg);
    uint8_t *p = length + 1;
    if (value >= 0 && value < 32) {
        p = put_u8(p, (uint8_t)(DW_OP_lit0 + value));
    } else if (value >= 0 && value <= UINT8_MAX) {
        p = put_u8(p, DW_OP_const1u);
        p = put_u8(p, (uint8_t)value);
    } else if (value >= INT8_MIN && value < 0) {
        p = put_u8(p, DW_OP_const1s);
        p = put_u8(p, (uint8_t)value);
    } else if (value >= INT16_MIN && value <= UINT16_MAX) {
        p = put_u8(p, value < 0 ? DW_OP_const2s : DW_OP_const2u);
        p = put_u16(p, (uint16_t)value);
    } else {
        assert(value >= INT32_MIN && value <= UINT32_MAX);
        p = put_u8(p, value < 0 ? DW_OP_const4s : DW_OP_const4u);
        p = put_u32(p, (uint32_t)value);
    }
    *length = (uint8_t)(p - length - 1);
    c->info = p;
}

void compose_call_address(struct composer *c, uint32_t reg, uint64_t address)
{
    uint8_t *p = begin_call_parameter(c, reg);
    p = put_u8(p, 9);
    p = put_u8(p, DW_OP_addr);
    c->info = put_u64(p, address);
}

void compose_call_reference(struct composer *c, uint32_t reg, int32_t place)
{
    uint8_t *length = begin_call_parameter(c, reg);
    uint8_t *p = put_u8(length + 1, DW_OP_fbreg);
    p = put_sleb128(p, place);
    *length = (uint8_t)(p - length - 1);
    c->info = p;
}

/* Writes what a parameter is: the contents of a slot. */
static void put_contents(struct composer *c, uint8_t *length, int32_t place)
{
    uint8_t *p = put_u8(length + 1, DW_OP_fbreg);
    p = put_sleb128(p, place);
    p = put_u8(p, DW_OP_deref);
    *length = (uint8_t)(p - length - 1);
    c->info = p;
}

void compose_call_slot(struct composer *c, uint32_t reg, int32_t place)
{
    put_contents(c, begin_call_parameter(c, reg), place);
}

void compose_call_pushed(struct composer *c, uint32_t word, int32_t place)
{
    enum { RSP = 7 }; /* psABI figure 3.36 */
    uint8_t *const length = compose_code(c->out, c->info, ABBREV_CALL_PARAMETER);
    uint8_t *p = put_u8(length + 1, DW_OP_breg0 + RSP);
    p = put_sleb128(p, 8 * (int64_t)word);
    *length = (uint8_t)(p - length - 1);
    put_contents(c, p, place);
}
