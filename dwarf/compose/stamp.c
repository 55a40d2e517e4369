/* Puts stamps where they belong; see stamp.h. */
#include "dwarf/compose/stamp_parts.h"

#include <string.h>

static const uint16_t *patches_of(const struct stamp_store *store, uint32_t patches)
{
    return (const uint16_t *)(const void *)(store->data + patches);
}

/* Adds to a number of up to 8 bytes. The sum fits into the number, so the bytes behind it stay as they are. */
static void add(uint8_t *p, uint64_t value)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    put_u64(p, v + value);
}

/* Adds `value` to two numbers of two bytes each, and makes the sums LEB128. They are below COMPOSE_NEAR, so that two
 * bytes are enough. */
static void add_pair(uint8_t *p, uint32_t value)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    v += value * 0x00010001;
    put_u32(p, (v & 0x007f007f) | (v & 0x3f803f80) << 1 | 0x00800080);
}

static void put_noted(struct composer *c, const struct stamp *s, const uint16_t *patch, uint32_t place)
{
    uint8_t *p = bytes_reserve(&c->out->noted, s->noted / 2 * sizeof(struct compose_noted));
    if (!p)
        return; /* composed_failed tells */
    for (uint32_t n = s->noted; n; n -= 2, patch += 2) {
        const struct compose_noted noted = {place + patch[0], patch[1], NAME_INLINE, ABBREV_INLINED};
        p = put_bytes(p, &noted, sizeof noted);
    }
    bytes_keep(&c->out->noted, p);
    c->unit->inlined |= s->inlined;
}

/* Notes the codes of locals, which depend on whether their names are short. `entries` is the stamp as it is stored,
 * with codes for names that are not. `p`, if not NULL, is a copy of it, which gets names and codes. */
static void put_names(struct composer *c, const struct stamp *s, const uint16_t *patch, const uint8_t *entries,
                      uint32_t names, uint8_t *p)
{
    uint64_t codes[2] = {s->codes[0], s->codes[1]};
    for (uint32_t n = s->names; n; n--, patch++, names += 37) {
        const uint32_t name = c->corpus->name[names % CORPUS_NAMES];
        const uint32_t code = (uint32_t)entries[*patch - 1] + short_name_is(name);
        codes[0] |= (uint64_t)(code < 64) << code % 64;
        codes[1] |= (uint64_t)(code >= 64) << code % 64;
        if (!p)
            continue;
        p[*patch - 1] = (uint8_t)code;
        put_u32(p + *patch, short_name_bytes(name));
    }
    c->out->codes[0] |= codes[0];
    c->out->codes[1] |= codes[1];
}

/* Copies the bytes and patches all but names. One loop does all additions, because a processor cannot foresee how many
 * there are of each kind. */
static void put_copies(struct composer *c, const struct stamp_store *store, const struct stamp *s, uint64_t at,
                       uint32_t line, const uint32_t *origin)
{
    uint8_t *const p = c->info;
    uint8_t *const lists = c->lists;
    uint8_t *const ranges = c->ranges;
    const uint64_t address = c->text + at;
    const uint64_t moved = dialect_is_4(c->corpus->dialect) ? address - c->unit->start : address;
    const uint64_t value[STAMP_ADDED] = {
        [STAMP_ADDRESS] = address,
        [STAMP_PLACE] = compose_offset_of(c, p),
        [STAMP_LIST] = compose_next_list(c),
        [STAMP_RANGES] = compose_next_ranges(c),
        [STAMP_LINE] = line,
        [STAMP_LIST_BASE] = moved,
        [STAMP_RANGE_BASE] = moved,
    };
    uint8_t *const in[STAMP_ADDED] = {p, p, p, p, p, lists, ranges};
    uint8_t *const pair_in[] = {lists, ranges};
    const uint32_t offset = (uint32_t)(address - c->unit->start);
    const uint16_t *patch = patches_of(store, s->patches) + 1;
    copy_in_steps(p, store->data + s->info, s->info_size);
    copy_in_steps(lists, store->data + s->lists, s->lists_size);
    copy_in_steps(ranges, store->data + s->ranges, s->ranges_size);
    for (uint32_t n = s->added; n; n--, patch++)
        add(in[*patch >> PATCH_BITS] + *patch % PATCH_FAR, value[*patch >> PATCH_BITS]);
    for (uint32_t n = s->pairs; n; n--, patch++)
        add_pair(pair_in[*patch >> PATCH_BITS] + *patch % PATCH_FAR, offset);
    patch += s->names;
    for (uint32_t n = s->origins; n; n -= 2, patch += 2)
        put_u32(p + patch[0], origin[patch[1]]);
    patch += s->noted;
    for (uint32_t n = s->far; n; n -= 2, patch += 2)
        add(in[patch[0]] + patch[1], value[patch[0]]);
}

void stamp_put_entries(struct composer *c, const struct stamp_store *store, const struct stamp *s, uint64_t at,
                       uint32_t line, uint32_t names, const uint32_t *origin)
{
    const uint16_t *const attributes = patches_of(store, s->patches);
    const uint16_t *const name_patches = attributes + 1 + s->added + s->pairs;
    if (!c->only_sizes)
        put_copies(c, store, s, at, line, origin);
    put_names(c, s, name_patches, store->data + s->info, names, c->only_sizes ? NULL : c->info);
    if (s->noted)
        put_noted(c, s, name_patches + s->names + s->origins, compose_offset_of(c, c->info));
    c->info += s->info_size;
    if (s->last)
        compose_end_put(c, s->last_code, s->last_sibling, s->last);
    c->lists += s->lists_size;
    c->out->entries += s->entries;
    c->out->dies += s->dies;
    c->out->attributes += *attributes;
    c->ranges += s->ranges_size;
    c->uses_lists |= s->lists_size != 0;
    c->uses_ranges |= s->ranges_size != 0;
}

static void put_row_copies(uint8_t *p, const struct stamp_store *store, const struct stamp_rows *s, uint32_t line)
{
    const uint16_t *patch = patches_of(store, s->patches);
    copy_in_steps(p, (const uint8_t *)(patch + s->patched), s->size);
    for (uint32_t n = s->patched; n; n -= 4, patch += 4) {
        put_padded_leb128(p + patch[0], (int16_t)patch[1] - (int32_t)line, PADDED_LEB);
        put_padded_leb128(p + patch[2], (int16_t)patch[3] + (int32_t)line, PADDED_LEB);
    }
}

void stamp_put_rows(struct composer *c, const struct stamp_store *store, const struct stamp_rows *s, uint64_t at,
                    uint32_t line)
{
    struct line_rows *rows = &c->rows;
    line_row(rows, at, line);
    if (!c->only_sizes)
        put_row_copies(rows->p, store, s, line);
    rows->p += s->size;
    rows->address = at + s->last_row;
    rows->line = line + s->last_line;
    rows->count += s->count;
}
