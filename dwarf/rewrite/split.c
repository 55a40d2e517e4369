/* Units of split debug information: see split.h. */
#include "dwarf/rewrite/split.h"

#include <assert.h>
#include <stdio.h>

#include "base/random.h"
#include "dwarf/rewrite/split_parts.h"

enum { STR_OFFSETS_HEADER = 8, ADDR_HEADER = 8 };

/* Keys of strings are offsets in .debug_str or, with this bit, in .debug_line_str. */
#define OF_LINE_STR (UINT64_C(1) << 32)

static const char *string_at(const struct split *s, enum split_does does, uint32_t offset)
{
    return (const char *)s->from.places.section[does == SPLIT_STRING ? DEBUG_STR : DEBUG_LINE_STR] + offset;
}

void split_start(struct split *s, const struct split_source *from)
{
    s->from = *from;
    s->units = 0;
    s->sizes = (struct uneven_sum){0};
    s->attributes_more = 0;
    s->at = 0;
    s->aranges = from->places.section[DEBUG_ARANGES];
    for (unsigned i = 0; i < SPLIT_PARTS; i++)
        s->part[i].size = 0;
    for (unsigned i = 0; i < SPLIT_STUBS; i++)
        s->stub[i].size = 0;
    s->contributions.size = 0;
}

/* --- a unit as it is --------------------------------------------------------------- */

/* Begins the unit: reads its header and its table of abbreviations. */
static void begin_unit(struct split *s)
{
    struct split_unit *u = &s->unit;
    const uint8_t *p = s->from.places.section[DEBUG_INFO] + s->at;
    *u = (struct split_unit){.start = p, .ranges = UINT32_MAX};
    u->end = p + 4;
    u->end += take_u32(&p);
    p += split_is_4(s) ? 2 : 4; /* version; type and size of addresses */
    const uint32_t table = take_u32(&p);
    u->entries = u->start + dialect_unit_header(s->from.dialect);
    u->identity = random_at(s->from.identity, s->units);
    s->references.size = s->range_places.size = s->views.size = 0;
    list_table_clear(&s->locations);
    list_table_clear(&s->ranges);
    numbers_clear(&s->strings);
    numbers_clear(&s->addresses);
    split_table(s, s->from.places.section[DEBUG_ABBREV] + table);
}

static void take_unit_entry(struct split *s)
{
    struct split_unit *u = &s->unit;
    const uint8_t *p = u->entries;
    const struct split_attribute *a = split_attributes(s, take_uleb128(&p));
    for (const uint8_t *value = p; a->does != SPLIT_END; value = p += a->size, a++) {
        assert(a->size || a->does == SPLIT_IDENTITY);
        if (a->name == DW_AT_low_pc)
            u->low = take_u64(&value);
        else if (a->name == DW_AT_high_pc)
            u->size = take_u64(&value);
        else if (a->name == DW_AT_stmt_list)
            u->lines = take_u32(&value);
        else if (a->name == DW_AT_name)
            u->source = string_at(s, a->does, take_u32(&value));
        else if (a->name == DW_AT_comp_dir)
            u->directory = string_at(s, a->does, take_u32(&value));
    }
    const char *dot = strrchr(u->source, '.');
    if (!s->from.stem)
        snprintf(s->name, sizeof s->name, "%.*s.dwo", (int)(dot - u->source), u->source);
    else if (!s->units)
        snprintf(s->name, sizeof s->name, "%s.dwo", s->from.stem);
    else
        snprintf(s->name, sizeof s->name, "%s_%u.dwo", s->from.stem, s->units);
}

/* --- its entries -------------------------------------------------------------------- */

/* Notes the offset in the unit of what is patched later. */
static void note(struct bytes *places, const uint8_t *unit, const uint8_t *at)
{
    bytes_u32(places, (uint32_t)(at - unit));
}

/* Writes what the value at *p becomes, and moves *p on behind it. */
static uint8_t *put_value(struct split *s, const struct split_attribute *a, const uint8_t **p, uint8_t *unit,
                          uint8_t *out)
{
    const uint8_t *value = *p;
    *p += a->size;
    switch ((enum split_does)a->does) {
    case SPLIT_COPY:
        return put_bytes(out, value, a->size);
    case SPLIT_NUMBER:
        *p = skip_leb128(value);
        return put_bytes(out, value, (size_t)(*p - value));
    case SPLIT_TEXT:
        *p += strlen((const char *)value) + 1;
        return put_bytes(out, value, (size_t)(*p - value));
    case SPLIT_BLOCK:
        *p += 1 + *value;
        return put_bytes(out, value, (size_t)(*p - value));
    case SPLIT_STRING:
        return put_uleb128(out, numbers_of(&s->strings, take_u32(&value)));
    case SPLIT_LINE_STRING:
        return put_uleb128(out, numbers_of(&s->strings, take_u32(&value) | OF_LINE_STR));
    case SPLIT_ADDRESS:
        return put_uleb128(out, split_address(s, take_u64(&value)));
    case SPLIT_REFERENCE:
        note(&s->references, unit, out);
        return put_u32(out, take_u32(&value));
    case SPLIT_EXPRESSION: {
        const size_t size = (size_t)take_uleb128(&value);
        *p = value + size;
        uint8_t *end = split_expression(s, out + 1, value, *p);
        assert(end - out <= 0x80);
        put_u8(out, (uint8_t)(end - out - 1));
        return end;
    }
    case SPLIT_LOCATIONS: {
        s->list_was = take_u32(&value);
        const uint32_t list = split_location_list(s, s->list_was);
        return split_is_4(s) ? put_u32(out, list) : put_uleb128(out, list);
    }
    case SPLIT_VIEWS:
        note(&s->views, unit, out);
        return put_u32(out, split_location_views(s, take_u32(&value)));
    case SPLIT_PIECES: {
        const uint32_t offset = take_u32(&value);
        if (!split_is_4(s))
            return put_uleb128(out, split_range_list(s, offset));
        note(&s->range_places, unit, out);
        if (offset < s->unit.ranges)
            s->unit.ranges = offset;
        return put_u32(out, offset);
    }
    case SPLIT_IDENTITY:
        s->attributes_more++;
        return put_u64(out, s->unit.identity);
    case SPLIT_DROP:
        s->attributes_more--;
        break;
    case SPLIT_END:
        break;
    }
    return out;
}

static uint8_t *put_header(const struct split *s, uint8_t *p, uint8_t kind, uint32_t table)
{
    p = put_u32(p, 0); /* the length, when the unit ends */
    p = put_u16(p, s->from.dialect.version);
    if (split_is_4(s)) {
        p = put_u32(p, table);
        return put_u8(p, 8); /* address size */
    }
    p = put_u8(p, kind);
    p = put_u8(p, 8);
    p = put_u32(p, table);
    return put_u64(p, s->unit.identity);
}

/* Makes references lead to where entries are now, offsets of views to where lists are behind their table, and makes
 * offsets of ranges relative to the unit's first. */
static void patch(const struct split *s, uint8_t *unit)
{
    for (size_t i = 0; i < s->references.size / 4; i++) {
        uint8_t *at = unit + bytes_number(&s->references, i);
        const uint8_t *value = at;
        put_u32(at, bytes_number(&s->places, take_u32(&value)));
    }
    for (size_t i = 0; i < s->views.size / 4 && !split_is_4(s); i++) {
        uint8_t *at = unit + bytes_number(&s->views, i);
        const uint8_t *value = at;
        put_u32(at, take_u32(&value) + list_table_begin(&s->locations));
    }
    for (size_t i = 0; i < s->range_places.size / 4; i++) {
        uint8_t *at = unit + bytes_number(&s->range_places, i);
        const uint8_t *value = at;
        put_u32(at, take_u32(&value) - s->unit.ranges);
    }
}

/* Upper bound of the bytes of a unit: a number that takes the place of four bytes may take five. */
static size_t room_for(size_t bytes)
{
    return bytes + bytes / 4 + 64;
}

static bool put_entries(struct split *s)
{
    const struct split_unit *u = &s->unit;
    struct bytes *info = &s->part[SPLIT_INFO];
    const size_t bytes = (size_t)(u->end - u->start);
    uint8_t *start = bytes_reserve(info, room_for(bytes));
    s->places.size = 0;
    if (!start || !bytes_reserve(&s->places, bytes * sizeof(uint32_t)))
        return false;
    uint8_t *out = put_header(s, start, DW_UT_split_compile, 0);
    for (const uint8_t *p = u->entries; p < u->end;) {
        put_u32(s->places.data + (size_t)(p - u->start) * sizeof(uint32_t), (uint32_t)(out - start));
        const uint64_t code = take_uleb128(&p);
        out = put_uleb128(out, code);
        if (!code)
            continue;
        s->used.data[code - 1] = true;
        for (const struct split_attribute *a = split_attributes(s, code); a->does != SPLIT_END; a++)
            out = put_value(s, a, &p, start, out);
    }
    assert((size_t)(out - start) <= room_for(bytes));
    put_u32(start, (uint32_t)(out - start - 4));
    patch(s, start);
    bytes_keep(info, out);
    return true;
}

/* --- its tables ----------------------------------------------------------------------- */

/* Writes the unit's offsets of strings, in version 5 with the strings. A package's .debug_str.dwo is .debug_str as it
 * was. */
static void put_strings(struct split *s)
{
    struct bytes *offsets = &s->part[SPLIT_STR_OFFSETS];
    struct bytes *strings = &s->part[SPLIT_STR];
    const uint32_t count = numbers_count(&s->strings);
    if (!split_is_4(s)) {
        bytes_u32(offsets, STR_OFFSETS_HEADER - 4 + count * 4);
        bytes_u16(offsets, 5);
        bytes_u16(offsets, 0); /* padding */
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t key = numbers_key(&s->strings, i);
        const enum split_does does = key & OF_LINE_STR ? SPLIT_LINE_STRING : SPLIT_STRING;
        bytes_u32(offsets,
                  split_is_4(s) ? (uint32_t)key : (uint32_t)bytes_string(strings, string_at(s, does, (uint32_t)key)));
    }
}

/* Writes the unit's addresses; returns the value of DW_AT_addr_base. */
static uint32_t put_addresses(struct split *s)
{
    struct bytes *out = &s->stub[STUB_ADDR];
    if (!split_is_4(s)) {
        bytes_u32(out, ADDR_HEADER - 4 + (uint32_t)s->addresses.keys.size);
        bytes_u16(out, 5);
        bytes_u8(out, 8); /* address size */
        bytes_u8(out, 0); /* no segment selectors */
    }
    return (uint32_t)bytes_append(out, s->addresses.keys.data, s->addresses.keys.size);
}

/* --- its skeleton --------------------------------------------------------------------- */

/* In version 5 the directory is that of the library, because lldb and elfutils look for the file relative to it; gdb
 * looks there anyway. Readers of version 4 find the package by the library's name. */
static const char *directory_of(const struct split *s)
{
    return split_is_4(s) ? s->unit.directory : ".";
}

static void put_skeleton_table(struct split *s)
{
    struct bytes *out = &s->stub[STUB_ABBREV];
    const bool is_4 = split_is_4(s);
    const struct {
        bool wanted;
        uint16_t name, form;
    } attributes[] = {
        {s->unit.size, DW_AT_low_pc, DW_FORM_addr},
        {s->unit.size, DW_AT_high_pc, DW_FORM_data8},
        {true, DW_AT_stmt_list, DW_FORM_sec_offset},
        {true, is_4 ? DW_AT_GNU_dwo_name : DW_AT_dwo_name, DW_FORM_strp},
        {true, DW_AT_comp_dir, DW_FORM_strp},
        {s->addresses.keys.size, is_4 ? DW_AT_GNU_addr_base : DW_AT_addr_base, DW_FORM_sec_offset},
        {is_4, DW_AT_GNU_dwo_id, DW_FORM_data8},
        {s->range_places.size, DW_AT_GNU_ranges_base, DW_FORM_sec_offset},
    };
    bytes_uleb128(out, 1);
    bytes_uleb128(out, is_4 ? DW_TAG_compile_unit : DW_TAG_skeleton_unit);
    bytes_u8(out, 0); /* no children */
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        if (!attributes[i].wanted)
            continue;
        s->attributes_more++;
        bytes_uleb128(out, attributes[i].name);
        bytes_uleb128(out, attributes[i].form);
    }
    bytes_u16(out, 0);
    bytes_u8(out, 0);
}

/* Writes the skeleton; attributes are in the order of its table. */
static void put_skeleton(struct split *s)
{
    struct bytes *info = &s->stub[STUB_INFO];
    struct bytes *str = &s->stub[STUB_STR];
    const bool is_4 = split_is_4(s);
    const uint32_t table = (uint32_t)s->stub[STUB_ABBREV].size;
    const uint32_t offset = (uint32_t)info->size;
    put_skeleton_table(s);
    if (!str->size)
        bytes_string(str, directory_of(s)); /* the same of all units */
    uint8_t *start = bytes_reserve(info, 128);
    if (!start)
        return;
    uint8_t *p = put_header(s, start, DW_UT_skeleton, table);
    p = put_u8(p, 1);
    if (s->unit.size) {
        p = put_u64(p, s->unit.low);
        p = put_u64(p, s->unit.size);
    }
    p = put_u32(p, s->unit.lines);
    p = put_u32(p, (uint32_t)bytes_string(str, s->name));
    p = put_u32(p, 0); /* the directory */
    if (s->addresses.keys.size)
        p = put_u32(p, put_addresses(s));
    if (is_4)
        p = put_u64(p, s->unit.identity);
    if (s->range_places.size)
        p = put_u32(p, s->unit.ranges);
    put_u32(start, (uint32_t)(p - start - 4));
    bytes_keep(info, p);
    if (s->unit.size) { /* its part of .debug_aranges has the skeleton's offset */
        put_u32(s->aranges + 6, offset);
        const uint8_t *length = s->aranges;
        s->aranges += 4 + take_u32(&length);
    }
}

/* --- all of them ------------------------------------------------------------------------ */

static bool failed(const struct split *s)
{
    bool any = s->attributes.failed || s->first.failed || s->table.failed || s->abbreviations.failed ||
               s->used.failed || s->places.failed || s->references.failed || s->range_places.failed ||
               s->views.failed || s->contributions.failed || numbers_failed(&s->strings) ||
               numbers_failed(&s->addresses) || list_table_failed(&s->locations) || list_table_failed(&s->ranges);
    for (unsigned i = 0; i < SPLIT_PARTS; i++)
        any |= s->part[i].failed;
    for (unsigned i = 0; i < SPLIT_STUBS; i++)
        any |= s->stub[i].failed;
    return any;
}

/* The sections of a package whose parts its index lists, in the order of columns. */
static const enum split_part shared[SPLIT_COLUMNS] = {SPLIT_INFO, SPLIT_ABBREV, SPLIT_LISTS, SPLIT_STR_OFFSETS};

bool split_next(struct split *s)
{
    struct split_contribution c = {0};
    if (s->at == s->from.size[DEBUG_INFO])
        return false;
    for (unsigned i = 0; i < SPLIT_PARTS && !split_is_4(s); i++)
        s->part[i].size = 0;
    for (unsigned i = 0; i < SPLIT_COLUMNS; i++)
        c.offset[i] = (uint32_t)s->part[shared[i]].size;
    begin_unit(s);
    if (failed(s))
        return false;
    take_unit_entry(s);
    if (!put_entries(s))
        return false;
    split_put_table(s);
    split_put_lists(s, &s->locations, &s->part[SPLIT_LISTS]);
    split_put_lists(s, &s->ranges, &s->part[SPLIT_RANGES]);
    put_strings(s);
    put_skeleton(s);
    c.identity = s->unit.identity;
    for (unsigned i = 0; i < SPLIT_COLUMNS; i++)
        c.size[i] = (uint32_t)s->part[shared[i]].size - c.offset[i];
    bytes_append(&s->contributions, &c, sizeof c);
    uneven_add(&s->sizes, c.size[0]); /* of .debug_info */
    s->at += (uint64_t)(s->unit.end - s->unit.start);
    s->units++;
    return !failed(s);
}

bool split_end(struct split *s)
{
    if (split_is_4(s) && !failed(s)) {
        bytes_append(&s->part[SPLIT_STR], s->from.places.section[DEBUG_STR], s->from.size[DEBUG_STR]);
        split_put_index(s);
    }
    return !failed(s);
}

void split_free(struct split *s)
{
    struct bytes *const all[] = {&s->attributes, &s->table,      &s->abbreviations, &s->used,  &s->first,
                                 &s->places,     &s->references, &s->range_places,  &s->views, &s->contributions};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bytes_free(all[i]);
    for (unsigned i = 0; i < SPLIT_PARTS; i++)
        bytes_free(&s->part[i]);
    for (unsigned i = 0; i < SPLIT_STUBS; i++)
        bytes_free(&s->stub[i]);
    numbers_free(&s->strings);
    numbers_free(&s->addresses);
    list_table_free(&s->locations);
    list_table_free(&s->ranges);
}
