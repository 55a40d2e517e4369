/* The write pass of the indexes; see index.h. */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "dwarf/form/index_parts.h"

enum { AHEAD = 12 }; /* names whose slots are fetched before they are needed */

/* --- .debug_names ----------------------------------------------------------------
 *
 *      0  header (section 6.1.1.4.1)
 *     36  offsets of the units
 *         buckets: the number, from 1, of the first name in each; 0 for none
 *         hashes of the names, bucket by bucket
 *         offsets of their texts, in .debug_str
 *         offsets of their lists, from the first one
 *         abbreviations
 *         lists of entries: abbreviation, number of the unit, offset in it; ..., 0
 *
 * A reader knows by the hashes where the next bucket begins. */

/* Orders the names: bucket after bucket, and in each bucket as they were met. */
static void order_names(const struct index *x, uint32_t buckets)
{
    memset(x->bucket, 0, buckets * sizeof *x->bucket);
    for (uint32_t i = 0; i < x->counts.names; i++)
        x->bucket[x->name[i].hash % buckets]++;
    uint32_t end = 0;
    for (uint32_t b = 0; b < buckets; b++)
        x->bucket[b] = end += x->bucket[b];
    for (uint32_t i = (uint32_t)x->counts.names; i--;)
        x->ordered[--x->bucket[x->name[i].hash % buckets]] = i;
}

static uint8_t *put_buckets(const struct index *x, uint32_t buckets, uint8_t *p)
{
    for (uint32_t b = 0; b < buckets; b++) {
        uint32_t end = b + 1 < buckets ? x->bucket[b + 1] : (uint32_t)x->counts.names;
        p = put_u32(p, x->bucket[b] < end ? x->bucket[b] + 1 : 0);
    }
    return p;
}

static uint8_t *put_names(const struct index *x, uint8_t *p)
{
    uint8_t *hashes = p;
    uint8_t *texts = hashes + 4 * x->counts.names;
    uint8_t *lists = texts + 4 * x->counts.names;
    uint32_t place = 0;
    for (uint32_t i = 0; i < x->counts.names; i++) {
        struct index_name *n = &x->name[x->ordered[i]];
        hashes = put_u32(hashes, n->hash);
        texts = put_u32(texts, n->name);
        lists = put_u32(lists, place);
        n->place = place;
        place += n->list + 1;
    }
    return lists;
}

/* The unit's number is ULEB128, because gdb reads no fixed size smaller than four bytes here. */
static uint8_t *put_abbreviations(const struct index *x, uint8_t *p)
{
    uint8_t *start = p;
    for (uint32_t tag = 0; tag < sizeof x->code; tag++) {
        if (!x->code[tag])
            continue;
        uint8_t *abbreviation = start + ABBREVIATION * (x->code[tag] - 1U);
        put_bytes(abbreviation,
                  (const uint8_t[ABBREVIATION]){x->code[tag], (uint8_t)tag, DW_IDX_compile_unit, DW_FORM_udata,
                                                DW_IDX_die_offset, DW_FORM_ref4},
                  ABBREVIATION);
    }
    return put_u8(start + ABBREVIATION * x->counts.tags, 0);
}

static uint8_t *put_lists(const struct index *x, uint8_t *start)
{
    for (uint32_t i = 0; i < x->entry_count; i++) {
        const struct index_entry *entry = &x->entry[i];
        struct index_name *n = &x->name[x->name_of[i]];
        uint8_t *p = start + n->place;
        p = put_u8(p, x->code[entry->tag]);
        p = put_uleb128(p, entry->unit);
        p = put_u32(p, entry->die);
        n->place = (uint32_t)(p - start);
    }
    for (uint32_t i = 0; i < x->counts.names; i++)
        put_u8(start + x->name[i].place, 0);
    return start + ENTRY_FIXED * x->counts.entries + x->counts.numbers + x->counts.names;
}

static uint8_t *write_debug_names(struct index *x, uint8_t *p)
{
    uint32_t buckets = index_buckets(x->counts.names);
    p = put_u32(p, (uint32_t)(x->size - 4));
    p = put_u16(p, 5);
    p = put_u16(p, 0);
    p = put_u32(p, x->unit_count);
    p = put_u32(p, 0); /* type units */
    p = put_u32(p, 0); /* type units of other files */
    p = put_u32(p, buckets);
    p = put_u32(p, (uint32_t)x->counts.names);
    p = put_u32(p, (uint32_t)(ABBREVIATION * x->counts.tags + 1));
    p = put_u32(p, 0); /* augmentation string */
    for (uint32_t i = 0; i < x->unit_count; i++)
        p = put_u32(p, (uint32_t)x->unit[i].offset);
    order_names(x, buckets);
    p = put_buckets(x, buckets, p);
    p = put_names(x, p);
    p = put_abbreviations(x, p);
    return put_lists(x, p);
}

/* --- .gdb_index --------------------------------------------------------------------
 *
 *      0  header: version, where each of the following begins
 *     24  units: offset and length, 8 bytes each
 *         type units: none
 *         addresses: start, end, 8 bytes each, and the unit's number
 *         hash table: for each slot a name's text and its vector, in the pool
 *         pool: vectors, then texts with a zero each
 *
 * A vector is the number of its elements and the elements. An element has the unit in the lower 24 bits, the kind from
 * bit 28 on and the static bit in bit 31. gdb lets names with the same vector share it; here, as with lld, each name
 * has its own. */

static uint8_t *put_ranges(const struct index *x, uint8_t *p)
{
    for (uint32_t i = 0; i < x->unit_count; i++) {
        if (x->unit[i].end <= x->unit[i].start)
            continue;
        p = put_u64(p, x->unit[i].start);
        p = put_u64(p, x->unit[i].end);
        p = put_u32(p, i);
    }
    return p;
}

static uint8_t *put_vectors(const struct index *x, uint8_t *start)
{
    uint8_t *p = start;
    for (uint32_t i = 0; i < x->counts.names; i++) {
        struct index_name *n = &x->name[i];
        put_u32(p, n->list);
        n->place = (uint32_t)(p - start) + 4;
        p += 4 * (1 + (size_t)n->list);
    }
    for (uint32_t i = 0; i < x->entry_count; i++) {
        if (x->name_of[i] == INDEX_NOT_LISTED)
            continue;
        struct index_name *n = &x->name[x->name_of[i]];
        put_u32(start + n->place, x->entry[i].unit | index_attributes(&x->entry[i]) << 28);
        n->place += 4;
    }
    return p;
}

/* Fills the slot of a name: the free one that a search for the name meets first. No text is at the pool's beginning, so
 * a text's offset of 0 says that a slot is free. */
static void put_slot(uint8_t *table, uint32_t slots, uint32_t hash, uint32_t text, uint32_t vector)
{
    uint32_t step = (hash * 17 & (slots - 1)) | 1;
    uint32_t taken;
    for (uint32_t i = hash & (slots - 1);; i = (i + step) & (slots - 1)) {
        uint8_t *slot = table + GDB_SLOT * (size_t)i;
        memcpy(&taken, slot, sizeof taken);
        if (!taken) {
            put_u32(put_u32(slot, text), vector);
            return;
        }
    }
}

static uint8_t *write_gdb(struct index *x, uint8_t *start)
{
    uint32_t slots = index_slots(x->counts.names);
    uint32_t units = GDB_HEADER;
    uint32_t ranges = units + GDB_UNIT * x->unit_count;
    uint32_t table = ranges + GDB_RANGE * (uint32_t)x->counts.units_coded;
    uint32_t pool = table + GDB_SLOT * slots;
    uint8_t *p = put_u32(start, 8);
    p = put_u32(p, units);
    p = put_u32(p, ranges); /* type units: none */
    p = put_u32(p, ranges);
    p = put_u32(p, table);
    p = put_u32(p, pool);
    for (uint32_t i = 0; i < x->unit_count; i++) {
        p = put_u64(p, x->unit[i].offset);
        p = put_u64(p, x->unit[i].length);
    }
    p = put_ranges(x, p);
    assert(p == start + table);
    memset(p, 0, GDB_SLOT * (size_t)slots);
    p = put_vectors(x, start + pool);
    for (uint32_t i = 0; i < x->counts.names; i++) {
        const struct index_name *n = &x->name[i];
        if (i + AHEAD < x->counts.names)
            __builtin_prefetch(start + table + GDB_SLOT * (size_t)(n[AHEAD].hash & (slots - 1)), 1);
        put_slot(start + table, slots, n->hash, (uint32_t)(p - start) - pool, n->place - 4 * (1 + n->list));
        p = put_bytes(p, n->text, n->length + (size_t)1);
    }
    return p;
}

uint8_t *index_write(struct index *x, uint8_t *p)
{
    uint8_t *end = x->kind == INDEX_DEBUG_NAMES ? write_debug_names(x, p) : write_gdb(x, p);
    assert(end == p + x->size);
    return end;
}
