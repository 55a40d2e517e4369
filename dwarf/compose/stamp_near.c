/* Lists without base addresses; see stamp_parts.h.
 *
 *     as composed   base_address A   | offset_pair from to [length expression] ... | end_of_list
 *     near                             offset_pair from to [length expression] ... | end_of_list
 *
 * As composed, `from` and `to` are offsets from A. In the near form they are offsets in the unit, of two bytes each;
 * the offset of the code is added when they are put. In front of either form are the list's views. */
#include <assert.h>

#include "dwarf/compose/stamp_parts.h"

/* An offset has two bytes, so that what is added later finds room without a carry into the next offset. */
static uint8_t *put_near(uint8_t *p, uint64_t offset)
{
    assert(offset < COMPOSE_NEAR);
    return put_u16(p, (uint16_t)offset);
}

/* Writes the list at *at, which begins with its base address, in the near form. Moves *at behind it. */
static uint8_t *put_list(struct stamp_maker *m, enum stamp_patch pair, const struct bytes *to, uint8_t *p,
                         const uint8_t **at)
{
    const uint64_t base = take_u64(at);
    uint8_t kind;
    while ((kind = *(*at)++)) {
        p = put_u8(p, kind);
        stamp_note(m, pair, (uint32_t)(p - to->data));
        p = put_near(p, base + take_uleb128(at));
        p = put_near(p, base + take_uleb128(at));
        const uint32_t expression = pair == STAMP_LIST_PAIR ? 1u + **at : 0;
        p = put_bytes(p, *at, expression);
        *at += expression;
    }
    return put_u8(p, kind);
}

/* The offset of the list that an entry refers to at `place`. */
static uint32_t referred(const struct stamp_maker *m, uint32_t place)
{
    const uint8_t *at = m->out.info.data + place;
    return take_u32(&at);
}

/* Encodes all lists of one kind. Patches of base addresses, and references to lists, are in the order of the lists. */
static void tell_lists(struct stamp_maker *m, const struct bytes *lists, enum stamp_patch refer, enum stamp_patch base,
                       enum stamp_patch pair, struct bytes *to)
{
    const uint16_t *refers = m->patch[refer];
    const uint16_t *const refers_end = refers + m->count[refer];
    const uint8_t *at = lists->data;
    to->size = 0;
    uint8_t *p = bytes_reserve(to, 2 * MAKE_MOST);
    for (uint32_t i = 0; p && i < m->count[base]; i++) {
        const uint8_t *const views_end = lists->data + m->patch[base][i] - 1;
        const uint32_t moved = (uint32_t)(p - to->data) - (uint32_t)(at - lists->data);
        for (; refers < refers_end && referred(m, *refers) <= views_end - lists->data; refers++)
            put_u32(m->out.info.data + *refers, referred(m, *refers) + moved);
        p = put_bytes(p, at, (size_t)(views_end - at));
        at = views_end + 1;
        p = put_list(m, pair, to, p, &at);
    }
    assert(!p || refers == refers_end);
    m->count[base] = 0;
    if (p)
        bytes_keep(to, p);
}

void stamp_tell_near(struct stamp_maker *m)
{
    tell_lists(m, &m->out.lists, STAMP_LIST, STAMP_LIST_BASE, STAMP_LIST_PAIR, &m->near.lists);
    tell_lists(m, &m->out.ranges, STAMP_RANGES, STAMP_RANGE_BASE, STAMP_RANGE_PAIR, &m->near.ranges);
}
