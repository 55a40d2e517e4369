/* Location and range lists (DWARF 5 sections 2.6.2, 2.17.3, 7.25, 7.28; DWARF 4 sections 2.6.2, 2.17.3); see compose.h.
 *
 *     version 5    [base_address A] | offset_pair from to [length expression] ... | end_of_list
 *     in C++       start_length A count length expression | end_of_list              of one entry
 *     version 4                       from to [length expression]             ... | 0 0
 *
 * In version 5 `from`, `to` and `count` are unsigned LEB128 numbers, and the length of an expression, always below 128
 * here, takes one byte. In version 4 `from` and `to` have the size of addresses, and lengths take two bytes. Without a
 * base address numbers are relative to the unit's first address.
 *
 * Lists of version 4 have no base address, because gcc's have none, and lldb takes one for an entry.
 *
 * Parts of functions that stand elsewhere may be before that address, so lists have their addresses, as with gcc. In
 * version 4 these are relative to base address 0, to which gcc's are relative from the beginning.
 *
 *     version 5    ... | start_length A count [length expression] | end_of_list
 *     version 4    ... | ~0 0 | A A+count [length expression] | 0 0
 *
 * With dialect.views a list comes behind its views: two LEB128 numbers for each entry but base addresses. They are
 * gcc's location views, which say which of several rows with the address is meant. Ours are 0, the first row.
 */
#include <assert.h>
#include <string.h>

#include "dwarf/compose/compose.h"

static bool is_4(const struct composer *c)
{
    return dialect_is_4(c->corpus->dialect);
}

static void begin_header(const struct composer *c, struct bytes *b)
{
    uint8_t *p = is_4(c) ? NULL : bytes_reserve(b, LIST_HEADER);
    if (!p)
        return;        /* if memory ran out, composed_failed tells */
    p = put_u32(p, 0); /* the length, patched when the unit ends */
    p = put_u16(p, 5);
    p = put_u8(p, 8);  /* address size */
    p = put_u8(p, 0);  /* no segment selectors */
    p = put_u32(p, 0); /* no table of offsets */
    bytes_keep(b, p);
}

static void end_header(const struct composer *c, struct bytes *b, size_t start, bool used)
{
    if (!used)
        b->size = start;
    else if (!is_4(c))
        bytes_patch_u32(b, start, (uint32_t)(b->size - start - 4));
}

void compose_lists_begin(struct composer *c)
{
    c->lists_start = c->out->lists.size;
    c->ranges_start = c->out->ranges.size;
    c->uses_lists = c->uses_ranges = false;
    begin_header(c, &c->out->lists);
    begin_header(c, &c->out->ranges);
}

void compose_lists_end(struct composer *c)
{
    end_header(c, &c->out->lists, c->lists_start, c->uses_lists);
    end_header(c, &c->out->ranges, c->ranges_start, c->uses_ranges);
}

static uint8_t *put_base(struct composer *c, uint8_t *p, uint8_t kind, uint64_t base)
{
    c->base = c->lists_as == LISTS_BASED ? base : c->unit->start - c->text;
    if (c->lists_as != LISTS_BASED)
        return p;
    assert(!is_4(c));
    return put_u64(put_u8(p, kind), c->text + base);
}

static uint8_t *put_pair(const struct composer *c, uint8_t *p, uint8_t kind, uint64_t from, uint64_t to)
{
    assert(from >= c->base && from < to);
    if (is_4(c))
        return put_u64(put_u64(p, from - c->base), to - c->base);
    p = put_u8(p, kind);
    p = put_uleb128(p, from - c->base);
    return put_uleb128(p, to - c->base);
}

/* Writes an entry, but for its expression, or a range with its own addresses. No other entry may follow. */
static uint8_t *put_apart(const struct composer *c, uint8_t *p, uint8_t kind, uint64_t from, uint64_t to)
{
    if (is_4(c))
        return put_u64(put_u64(put_u64(put_u64(p, UINT64_MAX), 0), c->text + from), c->text + to);
    return put_uleb128(put_u64(put_u8(p, kind), c->text + from), to - from);
}

static uint8_t *put_end(const struct composer *c, uint8_t *p)
{
    return is_4(c) ? put_u64(put_u64(p, 0), 0) : put_u8(p, 0);
}

void compose_list_begin(struct composer *c, uint64_t base)
{
    c->uses_lists = true;
    c->list = c->lists;
    c->list_entries = 0;
    c->lists = put_base(c, c->lists, DW_LLE_base_address, base);
}

/* Writes the length of an entry's expression behind the entry's addresses. Returns where the expression belongs. */
static inline uint8_t *put_length(struct composer *c, uint8_t *p, uint32_t size)
{
    c->list_entries++;
    return is_4(c) ? put_u16(p, (uint16_t)size) : put_u8(p, (uint8_t)size);
}

/* Writes an entry but for its expression, which has `size` bytes. Returns where the expression belongs. */
static inline uint8_t *begin_entry(struct composer *c, uint64_t from, uint64_t to, uint32_t size)
{
    return put_length(c, put_pair(c, c->lists, DW_LLE_offset_pair, from, to), size);
}

void compose_list_entry(struct composer *c, uint64_t from, uint64_t to, const uint8_t *expression, uint32_t size)
{
    if (from != to)
        c->lists = put_bytes(begin_entry(c, from, to, size), expression, size);
}

void compose_list_register(struct composer *c, uint64_t from, uint64_t to, uint32_t reg)
{
    if (from != to)
        c->lists = put_u8(begin_entry(c, from, to, 1), (uint8_t)(DW_OP_reg0 + reg));
}

void compose_list_entry_value(struct composer *c, uint64_t from, uint64_t to, uint32_t reg)
{
    const uint8_t expression[] = {is_4(c) ? DW_OP_GNU_entry_value : DW_OP_entry_value, 1 /* byte */,
                                  (uint8_t)(DW_OP_reg0 + reg), DW_OP_stack_value};
    compose_list_entry(c, from, to, expression, sizeof expression);
    c->out->entry_values += from != to;
}

void compose_list_frame(struct composer *c, uint64_t from, uint64_t to, int32_t place)
{
    if (from == to)
        return;
    uint8_t *p = begin_entry(c, from, to, 1 + leb128_signed_size(place));
    c->lists = put_sleb128(put_u8(p, DW_OP_fbreg), place);
}

void compose_list_elsewhere(struct composer *c, uint64_t from, uint64_t to, int32_t place)
{
    if (from == to)
        return;
    assert(c->list_entries);
    uint8_t *const p =
        put_length(c, put_apart(c, c->lists, DW_LLE_start_length, from, to), 1 + leb128_signed_size(place));
    c->lists = put_sleb128(put_u8(p, DW_OP_fbreg), place);
}

/* Whether the list, of one entry, has its address in the entry and no base address. gcc writes such lists where
 * functions are in many sections, as those of C++ are. */
static bool is_single(const struct composer *c)
{
    return c->list_entries == 1 && c->lists_as == LISTS_BASED && !is_4(c) && c->corpus->dialect.language == DWARF_CPP;
}

/* Turns a list of one entry with a base address into that form. Either form has an address behind its first byte. */
static uint8_t *put_single(uint8_t *list, const uint8_t *end)
{
    const uint8_t *at = list + 1;
    const uint64_t base = take_u64(&at);
    at++; /* DW_LLE_offset_pair */
    const uint64_t from = take_uleb128(&at);
    const uint64_t to = take_uleb128(&at);
    uint8_t *p = put_u64(put_u8(list, DW_LLE_start_length), base + from);
    p = put_uleb128(p, to - from);
    const size_t rest = (size_t)(end - at);
    memmove(p, at, rest);
    return p + rest;
}

struct debug_list compose_list_end(struct composer *c)
{
    if (is_single(c))
        c->lists = put_single(c->list, c->lists);
    const uint32_t views = c->corpus->dialect.views ? 2 * c->list_entries : 0;
    const uint32_t at = c->lists_base + (uint32_t)(c->list - c->out->lists.data);
    c->lists = put_end(c, c->lists);
    c->out->entries += c->list_entries;
    if (views) { /* only now is it known how many bytes they take */
        memmove(c->list + views, c->list, (size_t)(c->lists - c->list));
        memset(c->list, 0, views);
        c->lists += views;
    }
    return (struct debug_list){at + views, at};
}

uint32_t compose_ranges(struct composer *c, uint64_t base, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    uint32_t list = compose_next_ranges(c);
    c->uses_ranges = true;
    c->ranges = put_base(c, c->ranges, DW_RLE_base_address, base);
    for (uint32_t i = 0; i < count; i++)
        c->ranges = put_pair(c, c->ranges, DW_RLE_offset_pair, from[i], to[i]);
    c->ranges = put_end(c, c->ranges);
    return list;
}

uint32_t compose_parted_ranges(struct composer *c, const uint64_t from[COMPOSE_PARTED],
                               const uint64_t to[COMPOSE_PARTED])
{
    const uint32_t list = compose_next_ranges(c);
    c->uses_ranges = true;
    c->base = c->unit->start - c->text;
    c->ranges = is_4(c) ? put_pair(c, c->ranges, 0, from[0], to[0])
                        : put_apart(c, c->ranges, DW_RLE_start_length, from[0], to[0]);
    c->ranges = put_end(c, put_apart(c, c->ranges, DW_RLE_start_length, from[1], to[1]));
    return list;
}
