/* See list_table.h. */
#include "dwarf/rewrite/list_table.h"

#include "dwarf/compose/compose.h"
#include "dwarf/rewrite/list_read.h"

uint32_t list_table_of(struct list_table *t, uint32_t offset, bool *is_new)
{
    const uint32_t known = numbers_count(&t->numbers);
    const uint32_t number = numbers_of(&t->numbers, offset);
    *is_new = number == known;
    if (*is_new)
        bytes_u32(&t->at, (uint32_t)t->bytes.size);
    return number;
}

static void put_range(struct bytes *out, const struct list_entry *e, uint64_t low)
{
    bytes_u8(out, DW_RLE_offset_pair);
    bytes_uleb128(out, e->from - low);
    bytes_uleb128(out, e->to - low);
}

uint32_t list_table_ranges(struct list_table *t, const uint8_t *section, uint32_t offset, uint64_t low)
{
    bool is_new;
    const uint32_t number = list_table_of(t, offset, &is_new);
    if (is_new) {
        const uint8_t *p = section + offset;
        uint64_t base = low;
        struct list_entry e;
        while (list_read_5(&p, &base, false, &e))
            put_range(&t->bytes, &e, low);
        bytes_u8(&t->bytes, DW_RLE_end_of_list);
    }
    return number;
}

void list_table_views(struct list_table *t, const uint8_t *views, uint32_t size)
{
    bytes_append(&t->bytes, views, size);
    if (!t->at.failed)
        put_u32(t->at.data + t->at.size - sizeof(uint32_t), (uint32_t)t->bytes.size);
}

uint32_t list_table_begin(const struct list_table *t)
{
    return LIST_HEADER + (uint32_t)t->at.size;
}

uint32_t list_table_at(const struct list_table *t, uint32_t number)
{
    return t->at.failed ? 0 : bytes_number(&t->at, number);
}

void list_table_put(const struct list_table *t, struct bytes *out)
{
    const uint32_t count = (uint32_t)(t->at.size / sizeof(uint32_t));
    if (!count)
        return;
    bytes_u32(out, (uint32_t)(LIST_HEADER - 4 + t->at.size + t->bytes.size));
    bytes_u16(out, 5);
    bytes_u8(out, 8); /* address size */
    bytes_u8(out, 0); /* no segment selectors */
    bytes_u32(out, count);
    for (uint32_t i = 0; i < count; i++)
        bytes_u32(out, (uint32_t)t->at.size + list_table_at(t, i)); /* counted from the table's beginning */
    bytes_append(out, t->bytes.data, t->bytes.size);
}

void list_table_clear(struct list_table *t)
{
    numbers_clear(&t->numbers);
    t->at.size = t->bytes.size = 0;
}

bool list_table_failed(const struct list_table *t)
{
    return numbers_failed(&t->numbers) || t->at.failed || t->bytes.failed;
}

void list_table_free(struct list_table *t)
{
    numbers_free(&t->numbers);
    bytes_free(&t->at);
    bytes_free(&t->bytes);
}
