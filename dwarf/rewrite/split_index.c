/* The index of a package (gcc.gnu.org/wiki/DebugFissionDWP, version 2; DWARF 5 section 7.3.5 has its successor):
 *
 *     version 2 | columns | units | slots
 *     hash table: identities of units, 0 where a slot is free
 *     for each slot, the row of its unit, from 1
 *     for each column, which section it is of
 *     rows: where the unit's part of each section begins
 *     rows: how many bytes it has */
#include "dwarf/rewrite/split_parts.h"

enum { SLOTS_LEAST = 16 }; /* as in binutils' dwp */

static struct split_contribution contribution(const struct split *s, uint32_t unit)
{
    struct split_contribution c;
    memcpy(&c, s->contributions.data + unit * sizeof c, sizeof c);
    return c;
}

static uint64_t slots_for(uint32_t units)
{
    uint64_t slots = SLOTS_LEAST;
    while (3 * (uint64_t)units >= 2 * slots) /* at most two thirds in use */
        slots *= 2;
    return slots;
}

/* Fills the hash table: for each unit, its slot of `identities` and of `rows`. */
static void fill_slots(const struct split *s, uint64_t slots, uint8_t *identities, uint8_t *rows)
{
    const uint64_t mask = slots - 1;
    for (uint32_t i = 0; i < s->units; i++) {
        const uint64_t identity = contribution(s, i).identity;
        const uint64_t step = ((identity >> 32) & mask) | 1;
        uint64_t slot = identity & mask;
        for (uint32_t row; memcpy(&row, rows + 4 * slot, sizeof row), row;)
            slot = (slot + step) & mask;
        put_u64(identities + 8 * slot, identity);
        put_u32(rows + 4 * slot, i + 1);
    }
}

void split_put_index(struct split *s)
{
    struct bytes *out = &s->part[SPLIT_INDEX];
    const uint64_t slots = slots_for(s->units);
    bytes_u32(out, 2);
    bytes_u32(out, SPLIT_COLUMNS);
    bytes_u32(out, s->units);
    bytes_u32(out, (uint32_t)slots);
    const size_t identities = bytes_append(out, NULL, 8 * slots);
    const size_t rows = bytes_append(out, NULL, 4 * slots);
    if (out->failed)
        return;
    fill_slots(s, slots, out->data + identities, out->data + rows);
    const uint32_t columns[SPLIT_COLUMNS] = {DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_LOC, DW_SECT_STR_OFFSETS};
    for (unsigned k = 0; k < SPLIT_COLUMNS; k++)
        bytes_u32(out, columns[k]);
    for (uint32_t i = 0; i < s->units; i++)
        for (unsigned k = 0; k < SPLIT_COLUMNS; k++)
            bytes_u32(out, contribution(s, i).offset[k]);
    for (uint32_t i = 0; i < s->units; i++)
        for (unsigned k = 0; k < SPLIT_COLUMNS; k++)
            bytes_u32(out, contribution(s, i).size[k]);
}
