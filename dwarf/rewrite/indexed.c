/* Units in clang's form: see indexed.h. */
#include "dwarf/rewrite/indexed.h"

#include <assert.h>

#include "base/random.h"
#include "base/words.h"
#include "dwarf/compose/compose.h"
#include "dwarf/rewrite/indexed_parts.h"
#include "dwarf/rewrite/list_read.h"

/* --- a unit as it is --------------------------------------------------------------- */

static void clear_unit(struct indexed *x)
{
    x->references.size = 0;
    x->unit.type = 0;
    numbers_clear(&x->strings);
    numbers_clear(&x->addresses);
    numbers_clear(&x->codes);
    list_table_clear(&x->locations);
    list_table_clear(&x->ranges);
}

/* Offset of the text in .debug_str. Such texts are appended to the strings of the normal form, each once. */
static uint32_t put_name(struct indexed *x, const void *text)
{
    return once_put(&x->names, &x->section[INDEXED_STR], text);
}

/* Reads the unit's header, its table of abbreviations, and its own entry, which is as unit_put_entry writes it. */
static void read_unit(struct indexed *x, const uint8_t *p)
{
    struct indexed_unit *const u = &x->unit;
    const uint8_t *const line_strings = x->from.places.section[DEBUG_LINE_STR];
    u->start = p;
    u->end = p + 4;
    u->end += take_u32(&p);
    u->is_last = u->end == x->from.places.section[DEBUG_INFO] + x->from.size[DEBUG_INFO];
    p += 4; /* version, kind, size of addresses */
    indexed_read_table(x, take_u32(&p));
    const bool has_code = *p++ == ABBREV_COMPILE_UNIT;
    u->producer = take_u32(&p);
    p++; /* language */
    u->name = put_name(x, line_strings + take_u32(&p));
    u->directory = put_name(x, line_strings + take_u32(&p));
    u->low = has_code ? take_u64(&p) : 0;
    u->size = has_code ? take_u64(&p) : 0;
    u->lines = take_u32(&p);
    u->entries = p;
}

/* --- values ------------------------------------------------------------------------ */

static unsigned width_of_string(uint32_t number)
{
    assert(number < 1 << 24);
    return number < 1 << 8 ? 0 : number < 1 << 16 ? 1 : 2;
}

static unsigned width_of_number(uint64_t value)
{
    assert(value <= UINT32_MAX);
    return value < 1 << 8 ? 0 : value < 1 << 16 ? 1 : 2;
}

/* An entry in its new form, without its code. */
struct written {
    uint8_t *p;
    uint64_t widths; /* see indexed_code */
    unsigned wide;   /* how many values are in `widths` */
    uint8_t *reference[ABBREV_REFERENCES_MOST];
    unsigned references;
};

static void note_width(struct written *w, unsigned width)
{
    w->widths |= (uint64_t)width << 2 * w->wide++;
}

static void put_string(struct indexed *x, struct written *w, uint32_t offset)
{
    const uint32_t number = numbers_of(&x->strings, offset);
    const unsigned width = width_of_string(number);
    note_width(w, width);
    w->p = put_u16(w->p, (uint16_t)number) - (width == 0);
    if (width == 2)
        w->p = put_u8(w->p, (uint8_t)(number >> 16));
}

static void put_number(struct written *w, uint64_t value)
{
    const unsigned width = width_of_number(value);
    note_width(w, width);
    w->p = put_u32(w->p, (uint32_t)value) - 4 + (UINT64_C(1) << width);
}

/* Reads four bytes. The value may be shorter: the bytes behind it can be read, at the end of .debug_info those of a
 * further section. */
static uint32_t read_four(const uint8_t *p)
{
    return take_u32(&p);
}

static uint64_t take_number(const uint8_t *p, unsigned bytes)
{
    const unsigned unused = 32 - 8 * bytes;
    return read_four(p) << unused >> unused;
}

static int64_t take_signed(const uint8_t *p, unsigned bytes)
{
    const unsigned unused = 64 - 8 * bytes;
    return (int64_t)(take_number(p, bytes) << unused) >> unused;
}

static uint32_t location_list(struct indexed *x, uint32_t offset)
{
    bool is_new;
    const uint32_t number = list_table_of(&x->locations, offset, &is_new);
    struct bytes *const out = &x->locations.bytes;
    if (!is_new)
        return number;
    const uint8_t *p = x->from.places.section[DEBUG_LISTS] + offset;
    uint64_t base = x->unit.low;
    for (struct list_entry e; list_read_5(&p, &base, true, &e);) {
        uint8_t expression[128];
        const uint8_t *const end = list_put_expression(expression, e.expression, e.end, DW_OP_addrx, &x->addresses);
        bytes_u8(out, DW_LLE_offset_pair);
        bytes_uleb128(out, e.from - x->unit.low);
        bytes_uleb128(out, e.to - x->unit.low);
        bytes_uleb128(out, (uint64_t)(end - expression));
        bytes_append(out, expression, (size_t)(end - expression));
    }
    bytes_u8(out, DW_LLE_end_of_list);
    return number;
}

static void put_expression(struct indexed *x, struct written *w, const uint8_t **p)
{
    const size_t size = (size_t)take_uleb128(p);
    const uint8_t *const end = list_put_expression(w->p + 1, *p, *p + size, DW_OP_addrx, &x->addresses);
    *p += size;
    put_u8(w->p, (uint8_t)(end - w->p - 1));
    w->p += 1 + w->p[0];
}

/* Writes the place of a parameter or variable that is nowhere in the normal form: a number for a share of them, else
 * nothing. */
static void put_place(struct indexed *x, struct written *w)
{
    enum { NUMBER = 8, NUMBERS = 32, BYTES = 2 };
    const uint64_t drawn = random_at(x->from.variety ^ x->from.placed, x->counts.gone++);
    const bool is_placed = drawn % MANNER_USUAL < x->from.placed;
    note_width(w, is_placed);
    x->counts.attributes += is_placed;
    if (!is_placed)
        return;
    w->p = put_u8(w->p, BYTES);
    w->p = put_u8(w->p, (uint8_t)(DW_OP_lit0 + (drawn >> NUMBER) % NUMBERS));
    w->p = put_u8(w->p, DW_OP_stack_value);
}

/* Writes what the value at *p becomes, and moves *p on behind it. */
static void put_value(struct indexed *x, const struct indexed_rule *rule, const uint8_t **p, struct written *w)
{
    const uint8_t *value = *p;
    *p += rule->size;
    switch ((enum indexed_does)rule->does) {
    case INDEXED_COPY:
        put_u32(w->p, read_four(value)); /* what follows overwrites bytes beyond the value */
        w->p += rule->size;
        break;
    case INDEXED_SAY:
        w->p = put_u8(w->p, (uint8_t)rule->value);
        break;
    case INDEXED_TEXT:
        *p += strlen((const char *)value) + 1;
        put_string(x, w, put_name(x, value));
        break;
    case INDEXED_STRING:
        put_string(x, w, take_u32(&value));
        break;
    case INDEXED_LINE_STRING:
        put_string(x, w, put_name(x, x->from.places.section[DEBUG_LINE_STR] + take_u32(&value)));
        break;
    case INDEXED_ADDRESS:
        w->p = put_uleb128(w->p, numbers_of(&x->addresses, take_u64(&value)));
        break;
    case INDEXED_REFERENCE:
        assert(w->references < ABBREV_REFERENCES_MOST);
        w->reference[w->references++] = w->p;
        w->p = put_u32(w->p, read_four(value));
        break;
    case INDEXED_EXPRESSION:
        put_expression(x, w, p);
        break;
    case INDEXED_LOCATIONS:
        w->p = put_uleb128(w->p, location_list(x, take_u32(&value)));
        break;
    case INDEXED_PIECES:
        w->p = put_uleb128(
            w->p, list_table_ranges(&x->ranges, x->from.places.section[DEBUG_RANGES], take_u32(&value), x->unit.low));
        break;
    case INDEXED_NUMBER:
        put_number(w, take_number(value, rule->size));
        break;
    case INDEXED_COUNT:
        put_number(w, take_number(value, rule->size) + 1);
        break;
    case INDEXED_UNSIGNED:
        w->p = put_uleb128(w->p, take_number(value, rule->size));
        break;
    case INDEXED_SIGNED:
        w->p = put_sleb128(w->p, take_signed(value, rule->size));
        break;
    case INDEXED_SHORTER:
        w->p = put_u32(w->p, (uint32_t)take_u64(&value));
        break;
    case INDEXED_PLACE:
        put_place(x, w);
        break;
    case INDEXED_KEEP:
    case INDEXED_DROP:
    case INDEXED_END:
        break;
    }
}

/* --- entries ------------------------------------------------------------------------ */

/* Writes what the entry at *p becomes, and moves *p on behind it; returns the place behind what it wrote. The code
 * depends on the values, so these are written first, behind room for a code of one byte. If it takes two, they move. */
static uint8_t *put_entry(struct indexed *x, const uint8_t **p, uint8_t *start, uint8_t *out)
{
    enum { ROOM = 1 };
    uint8_t *const values = out + ROOM;
    struct written w = {.p = values};
    const uint64_t code = take_uleb128(p);
    if (!code)
        return put_u8(out, 0);
    const struct indexed_entry *const entry = indexed_entry_of(x, code);
    x->counts.dies++;
    if (!x->unit.type && entry->tag == DW_TAG_base_type)
        x->unit.type = (uint32_t)(out - start);
    for (const struct indexed_rule *rule = entry->rule; rule->does != INDEXED_END; rule++) {
        x->counts.attributes += rule->does != INDEXED_DROP && rule->does != INDEXED_PLACE;
        put_value(x, rule, p, &w);
    }
    assert(w.p <= out + INDEXED_ENTRY_MOST);
    const uint32_t as = indexed_code(x, entry, w.widths);
    const size_t more = leb128_unsigned_size(as) - ROOM;
    if (more)
        memmove(values + more, values, (size_t)(w.p - values));
    put_uleb128(out, as);
    for (unsigned i = 0; i < w.references; i++)
        bytes_u32(&x->references, (uint32_t)((size_t)(w.reference[i] - start) + more));
    return w.p + more;
}

static uint8_t *put_unit_entry(struct indexed *x, uint8_t *p)
{
    enum { OF_ALL = 6, OF_CODE = 2 }; /* attributes */
    const struct indexed_unit *const u = &x->unit;
    const enum dwarf_language language = x->from.dialect.language;
    x->counts.dies++;
    x->counts.attributes += OF_ALL + (u->size ? OF_CODE : 0u) + u->has_addresses + u->has_ranges + u->has_locations;
    indexed_put_unit_code(x);
    p = put_u8(p, 1);
    p = put_u8(p, (uint8_t)numbers_of(&x->strings, u->producer));
    p = put_u16(p, language == DWARF_CPP ? DW_LANG_C_plus_plus_14 : DW_LANG_C99);
    p = put_u8(p, (uint8_t)numbers_of(&x->strings, u->name));
    p = put_u32(p, (uint32_t)x->section[INDEXED_STR_OFFSETS].size + INDEXED_HEADER);
    p = put_u32(p, u->lines);
    p = put_u8(p, (uint8_t)numbers_of(&x->strings, u->directory));
    if (u->size) {
        p = put_uleb128(p, numbers_of(&x->addresses, u->low));
        p = put_u32(p, (uint32_t)u->size);
    }
    if (u->has_addresses)
        p = put_u32(p, (uint32_t)x->section[INDEXED_ADDR].size + INDEXED_HEADER);
    if (u->has_ranges)
        p = put_u32(p, (uint32_t)x->section[INDEXED_RANGES].size + LIST_HEADER);
    if (u->has_locations)
        p = put_u32(p, (uint32_t)x->section[INDEXED_LISTS].size + LIST_HEADER);
    return p;
}

/* Upper bound of the bytes of a unit of `bytes` bytes in clang's form. Numbers, constants from abbreviations, places
 * and longer codes can make entries longer, but no entry more than twice as long: one of one byte can get a code of two
 * bytes, and one of five, with an origin, a place of three. */
static size_t room_for(size_t bytes)
{
    return 2 * bytes + INDEXED_ENTRY_MOST;
}

static void put_entries(struct indexed *x)
{
    const struct indexed_unit *const u = &x->unit;
    struct bytes *const info = &x->section[INDEXED_INFO];
    const size_t bytes = (size_t)(u->end - u->start);
    uint8_t *const start = bytes_reserve(info, room_for(bytes));
    x->places.size = 0;
    if (!start || !bytes_reserve(&x->places, bytes * sizeof(uint32_t)))
        return;
    uint8_t *out = put_u32(start, 0); /* the length, when the unit ends */
    out = put_u16(out, 5);
    out = put_u8(out, DW_UT_compile);
    out = put_u8(out, 8); /* address size */
    out = put_u32(out, (uint32_t)x->section[INDEXED_ABBREV].size);
    out = put_unit_entry(x, out);
    if (u->is_last)
        indexed_put_fill_codes(x);
    for (const uint8_t *p = u->entries; p < u->end;) {
        put_u32(x->places.data + (size_t)(p - u->start) * sizeof(uint32_t), (uint32_t)(out - start));
        out = put_entry(x, &p, start, out);
    }
    assert((size_t)(out - start) <= room_for(bytes));
    put_u32(start, (uint32_t)(out - start - 4));
    for (size_t i = 0; i < x->references.size / sizeof(uint32_t); i++) {
        uint8_t *const at = start + bytes_number(&x->references, i);
        put_u32(at, bytes_number(&x->places, read_four(at)));
    }
    bytes_keep(info, out);
}

static bool failed(const struct indexed *x)
{
    bool any = x->rules.failed || x->first.failed || x->places.failed || x->references.failed ||
               numbers_failed(&x->strings) || numbers_failed(&x->addresses) || numbers_failed(&x->codes) ||
               list_table_failed(&x->locations) || list_table_failed(&x->ranges) ||
               list_table_failed(&x->last_locations.lists) || list_table_failed(&x->last_ranges.lists);
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        any |= x->section[i].failed;
    return any;
}

/* Writes the unit's entries. Returns false if the unit's own entry has not the bases that it turned out to need; then
 * another try has them. */
static bool try_entries(struct indexed *x)
{
    struct indexed_unit *const u = &x->unit;
    const struct indexed_unit before = *u;
    clear_unit(x);
    put_entries(x);
    u->has_locations = x->locations.at.size > 0;
    u->has_ranges = x->ranges.at.size > 0;
    u->has_addresses = x->addresses.keys.size > 0;
    return failed(x) || (u->has_locations == before.has_locations && u->has_ranges == before.has_ranges &&
                         u->has_addresses == before.has_addresses);
}

/* --- tables ----------------------------------------------------------------------------- */

static size_t begin_part(struct bytes *out, uint8_t address)
{
    const size_t start = bytes_u32(out, 0); /* the length, when it ends */
    bytes_u16(out, 5);
    bytes_u8(out, address); /* bytes of an address, or padding */
    bytes_u8(out, 0);       /* no segment selectors, or padding */
    return start;
}

static void end_part(struct bytes *out, size_t start)
{
    if (!out->failed)
        bytes_patch_u32(out, start, (uint32_t)(out->size - start - 4));
}

static void put_strings(struct indexed *x)
{
    struct bytes *const out = &x->section[INDEXED_STR_OFFSETS];
    x->last_offsets = begin_part(out, 0);
    for (uint32_t i = 0; i < numbers_count(&x->strings); i++)
        bytes_u32(out, (uint32_t)numbers_key(&x->strings, i));
    end_part(out, x->last_offsets);
}

static void put_addresses(struct indexed *x)
{
    struct bytes *const out = &x->section[INDEXED_ADDR];
    if (!x->unit.has_addresses)
        return;
    x->last_addresses = begin_part(out, 8);
    bytes_append(out, x->addresses.keys.data, x->addresses.keys.size);
    end_part(out, x->last_addresses);
}

/* Appends the unit's lists, and keeps them in *last: if no later unit has lists, further ones may be added to these. */
static void put_lists(struct list_table *lists, struct indexed_last *last, struct bytes *out)
{
    if (!lists->at.size)
        return;
    const struct list_table before = last->lists;
    last->start = out->size;
    list_table_put(lists, out);
    last->lists = *lists;
    *lists = before;
}

static void put_unit(struct indexed *x)
{
    const size_t info = x->section[INDEXED_INFO].size;
    const size_t abbrev = x->section[INDEXED_ABBREV].size;
    const struct indexed_counts counts = x->counts;
    while (!try_entries(x)) {
        x->counts = counts;
        x->section[INDEXED_INFO].size = info;
        x->section[INDEXED_ABBREV].size = abbrev;
    }
    indexed_end_table(x, 0);
    put_strings(x);
    put_addresses(x);
    put_lists(&x->locations, &x->last_locations, &x->section[INDEXED_LISTS]);
    put_lists(&x->ranges, &x->last_ranges, &x->section[INDEXED_RANGES]);
}

/* --- filling ----------------------------------------------------------------------------- */

/* A section is filled by one list that no entry refers to, in the table of the last unit that has lists. The ranges of
 * its entries begin at the unit's first address. */
enum { FILL_ENTRY = 3, FILL_FURTHER = 7, FILL_NUMBER_MOST = 4 };

/* Writes an entry that is `more` bytes longer than the shortest; its numbers are padded. */
static uint8_t *put_fill_entry(uint8_t *p, bool is_location, unsigned more)
{
    const unsigned from = more < FILL_NUMBER_MOST - 1 ? more : FILL_NUMBER_MOST - 1;
    p = put_u8(p, DW_LLE_offset_pair); /* DW_RLE_offset_pair is the same */
    p = put_padded_leb128(p, 0, 1 + from);
    p = put_padded_leb128(p, 1, 1 + more - from);
    return is_location ? put_u8(put_u8(p, 1), DW_OP_reg0) : p;
}

/* Writes the lists of the last unit that has any again, with one list more, which is `longer` bytes longer than the
 * shortest. */
static void put_fill_list(struct indexed_last *last, struct bytes *out, bool is_location, uint64_t longer)
{
    struct bytes *const bytes = &last->lists.bytes;
    const size_t lists = bytes->size;
    const unsigned least = FILL_ENTRY + (is_location ? 2 : 0);
    if (!last->lists.at.size)
        return;
    out->size = last->start;
    bytes_u32(&last->lists.at, (uint32_t)lists);
    uint8_t *p = bytes_reserve(bytes, longer + least + 1);
    if (p) {
        for (; longer >= FILL_FURTHER; longer -= least)
            p = put_fill_entry(p, is_location, 0);
        p = put_fill_entry(p, is_location, (unsigned)longer);
        bytes_keep(bytes, put_u8(p, DW_LLE_end_of_list));
        list_table_put(&last->lists, out);
    }
    bytes->size = lists;
    last->lists.at.size -= sizeof(uint32_t);
}

/* Appends types of `longer` bytes to the last unit. */
static void fill_info(struct indexed *x, uint64_t longer)
{
    enum { TYPE = 5 };
    struct bytes *const info = &x->section[INDEXED_INFO];
    const size_t start = info->size - (size_t)x->last_unit;
    info->size--; /* the end of the unit's children */
    uneven_remove(&x->counts.sizes, x->last_unit);
    for (; longer >= TYPE && x->unit.type; longer -= TYPE) {
        bytes_u8(info, INDEXED_FILL_TYPE);
        bytes_u32(info, x->unit.type);
        x->counts.dies++;
        x->counts.attributes++;
    }
    for (; longer; longer--) {
        bytes_u8(info, INDEXED_FILL_VOID);
        x->counts.dies++;
    }
    bytes_u8(info, 0);
    x->last_unit = info->size - start;
    uneven_add(&x->counts.sizes, x->last_unit);
    end_part(info, start);
}

static void fill_strings(struct indexed *x, uint64_t longer)
{
    enum { LENGTH_MOST = 24 };
    struct bytes *const out = &x->section[INDEXED_STR];
    for (uint64_t i = 0; longer; i++) {
        char name[LENGTH_MOST + 1];
        const uint32_t length = longer <= LENGTH_MOST + 1 ? (uint32_t)longer - 1 : LENGTH_MOST / 2;
        words_identifier(random_at(x->from.variety, i), length, name);
        bytes_append(out, name, length + UINT64_C(1));
        longer -= length + UINT64_C(1);
    }
}

/* Repeats the numbers or addresses of the last unit's part, which begins at `start`, for `longer` bytes. */
static void fill_part(struct bytes *out, size_t start, unsigned each, uint64_t longer)
{
    const uint64_t count = (out->size - start - INDEXED_HEADER) / each;
    if (!out->size || !count)
        return;
    for (uint64_t i = 0; i < longer / each && bytes_reserve(out, each); i++)
        bytes_keep(out, put_bytes(out->data + out->size, out->data + start + INDEXED_HEADER + i % count * each, each));
    end_part(out, start);
}

bool indexed_fill(struct indexed *x, const uint64_t wanted[INDEXED_SECTIONS])
{
    uint64_t longer[INDEXED_SECTIONS];
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        longer[i] = wanted[i] > x->section[i].size ? wanted[i] - x->section[i].size : 0;
    fill_info(x, longer[INDEXED_INFO]);
    indexed_reopen_table(x);
    indexed_end_table(x, longer[INDEXED_ABBREV]);
    fill_strings(x, longer[INDEXED_STR]);
    put_fill_list(&x->last_locations, &x->section[INDEXED_LISTS], true, longer[INDEXED_LISTS]);
    put_fill_list(&x->last_ranges, &x->section[INDEXED_RANGES], false, longer[INDEXED_RANGES]);
    fill_part(&x->section[INDEXED_STR_OFFSETS], x->last_offsets, 4, longer[INDEXED_STR_OFFSETS]);
    fill_part(&x->section[INDEXED_ADDR], x->last_addresses, 8, longer[INDEXED_ADDR]);
    return !failed(x);
}

/* --- all of them --------------------------------------------------------------------------- */

bool indexed_make(struct indexed *x, const struct indexed_source *from)
{
    x->from = *from;
    x->unit = (struct indexed_unit){.size = 0};
    x->counts = (struct indexed_counts){.dies = 0};
    x->rules.size = 0;
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        x->section[i].size = 0;
    once_free(&x->names);
    list_table_clear(&x->last_locations.lists);
    list_table_clear(&x->last_ranges.lists);
    bytes_append(&x->section[INDEXED_STR], from->places.section[DEBUG_STR], from->size[DEBUG_STR]);
    const uint8_t *p = from->places.section[DEBUG_INFO];
    for (const uint8_t *const end = p + from->size[DEBUG_INFO]; p < end && !failed(x); p = x->unit.end) {
        x->last_unit = x->section[INDEXED_INFO].size;
        read_unit(x, p);
        if (!failed(x))
            put_unit(x);
        x->last_unit = x->section[INDEXED_INFO].size - x->last_unit;
        uneven_add(&x->counts.sizes, x->last_unit);
    }
    put_fill_list(&x->last_locations, &x->section[INDEXED_LISTS], true, 0);
    put_fill_list(&x->last_ranges, &x->section[INDEXED_RANGES], false, 0);
    return !failed(x);
}

void indexed_free(struct indexed *x)
{
    struct bytes *const all[] = {&x->rules, &x->first, &x->places, &x->references};
    struct list_table *const lists[] = {&x->locations, &x->ranges, &x->last_locations.lists, &x->last_ranges.lists};
    struct numbers *const numbers[] = {&x->strings, &x->addresses, &x->codes};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bytes_free(all[i]);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        list_table_free(lists[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers_free(numbers[i]);
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        bytes_free(&x->section[i]);
    once_free(&x->names);
}
