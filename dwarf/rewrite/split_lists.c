/* Lists and expressions of split debug information (DWARF 5 sections 7.7.3, 7.28, 7.29); see split.h. compose_lists.c
 * says what lists are like before. They become:
 *
 *     version 5    startx_length number length [size expression] ... end_of_list
 *                  offset_pair from to ... end_of_list                               of ranges
 *     version 4    start_length number length [size expression] ... end_of_list      GNU's
 *
 * Numbers are LEB128; in version 5 lengths and sizes are, too. In version 4 lengths have four bytes and sizes two.
 * Numbers are those of addresses. Pairs are relative to the unit's first address. Ranges of version 4 stay in the
 * library. */
#include <assert.h>

#include "dwarf/rewrite/list_read.h"
#include "dwarf/rewrite/split_parts.h"

enum { ENTRY_MOST = 24 }; /* bytes of one entry without its expression */

static void put_location(struct split *s, struct bytes *out, const struct list_entry *e)
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

/* Reads the next entry of a list as it was; false at its end. */
static bool read_location(const struct split *s, const uint8_t **p, uint64_t *base, struct list_entry *e)
{
    return split_is_4(s) ? list_read_4(p, base, e) : list_read_5(p, base, true, e);
}

/* Puts the views of the newest list, which stand before it: two bytes for each entry. */
static void put_views(struct split *s, const uint8_t *list)
{
    const uint8_t *p = list;
    uint64_t base = s->unit.low;
    struct list_entry e;
    uint32_t entries = 0;
    while (read_location(s, &p, &base, &e))
        entries++;
    list_table_views(&s->locations, list - (size_t)2 * entries, 2 * entries);
}

uint32_t split_location_list(struct split *s, uint32_t offset)
{
    struct list_table *lists = &s->locations;
    bool is_new;
    const uint32_t number = list_table_of(lists, offset, &is_new);
    if (is_new) {
        const uint8_t *p = s->from.places.section[DEBUG_LISTS] + offset;
        uint64_t base = s->unit.low;
        struct list_entry e;
        if (s->from.dialect.views)
            put_views(s, p);
        while (read_location(s, &p, &base, &e))
            put_location(s, &lists->bytes, &e);
        bytes_u8(&lists->bytes, DW_LLE_end_of_list);
    }
    return split_is_4(s) ? list_table_at(lists, number) : number;
}

uint32_t split_location_views(struct split *s, uint32_t offset)
{
    bool is_new;
    const uint32_t number = list_table_of(&s->locations, s->list_was, &is_new);
    assert(!is_new);
    return list_table_at(&s->locations, number) - (s->list_was - offset);
}

uint32_t split_range_list(struct split *s, uint32_t offset)
{
    return list_table_ranges(&s->ranges, s->from.places.section[DEBUG_RANGES], offset, s->unit.low);
}

void split_put_lists(struct split *s, const struct list_table *lists, struct bytes *part)
{
    if (split_is_4(s))
        bytes_append(part, lists->bytes.data, lists->bytes.size);
    else
        list_table_put(lists, part);
}

uint8_t *split_expression(struct split *s, uint8_t *out, const uint8_t *p, const uint8_t *end)
{
    return list_put_expression(out, p, end, split_is_4(s) ? DW_OP_GNU_addr_index : DW_OP_addrx, &s->addresses);
}
