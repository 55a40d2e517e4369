/* The write pass of the debug information; see unit.h. */
#include "dwarf/unit.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "base/words.h"
#include "dwarf/unit_sizes.h"

/* Where the library's own names begin in .debug_str. */
static uint32_t names_start(const struct debug *d)
{
    return (uint32_t)(d->corpus->common + d->header_names);
}

static uint8_t *put_unit_entry(const struct debug *d, const struct debug_unit *u, uint64_t line_at, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    bool has_code = u->end > u->start;
    p = put_u8(p, has_code ? ABBREV_COMPILE_UNIT : ABBREV_DATA_UNIT);
    p = put_u32(p, c->producer);
    p = put_u8(p, DW_LANG_C11);
    p = put_u32(p, u->source);
    p = put_u32(p, c->compile_directory);
    if (has_code) {
        p = put_u64(p, u->start);
        p = put_u64(p, u->end - u->start);
        return put_u32(p, (uint32_t)line_at);
    }
    p = put_u32(p, (uint32_t)line_at);
    uint8_t *prelude = p;
    p = put_u8(p, ABBREV_POINTER);
    p = put_u32(p, corpus_type(BASE_LONG));
    p = put_u8(p, ABBREV_POINTER);
    p = put_u32(p, corpus_type(BASE_DOUBLE));
    p = put_u8(p, ABBREV_CONST);
    p = put_u32(p, corpus_type(BASE_INT));
    p = put_u8(p, ABBREV_VOID_POINTER);
    assert(p == prelude + DATA_UNIT_PRELUDE);
    return p;
}

/* Adds `by` to the references at `places` of what begins at `start`. */
static void move_references(uint8_t *start, const uint8_t *places, size_t count, uint32_t by)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t place;
        uint32_t value;
        memcpy(&place, places + i * sizeof place, sizeof place);
        memcpy(&value, start + place, sizeof value);
        put_u32(start + place, value + by);
    }
}

static uint8_t *put_functions(const struct debug *d, const struct debug_unit *u, const uint8_t *unit, uint8_t *p)
{
    const struct composed *c = d->composed;
    memcpy(p, c->info.data + u->entries, u->entries_size);
    move_references(p, c->moved.data + u->moved * sizeof(uint32_t), u->moved_count, (uint32_t)(p - unit));
    move_references(p, c->named.data + u->named * sizeof(uint32_t), u->named_count, names_start(d));
    return p + u->entries_size;
}

static uint8_t *put_tail(const struct debug *d, uint8_t *p)
{
    uint64_t name = names_start(d) + d->names_size + d->statics_size;
    for (uint32_t i = 0; i < TAIL_ENTRIES; i++) {
        p = put_u8(p, ABBREV_EXTERN_VARIABLE);
        p = put_u32(p, (uint32_t)name);
        p = put_u16(p, (uint16_t)(DEBUG_LINE_MOST + 2 * i));
        p = put_u8(p, 12);
        p = put_u32(p, corpus_type(random_at(d->variety + 2, i) % BASE_TYPES));
        name += tail_length(d->tail_extra, i) + 1;
    }
    return p;
}

static uint8_t *put_unit(const struct debug *d, uint32_t index, uint64_t line_at, uint8_t *p)
{
    const struct debug_unit *u = &d->unit[index];
    const struct corpus_header *h = &d->corpus->header[u->header];
    uint8_t *start = p;
    p = put_u32(p, (uint32_t)(u->info_size - 4));
    p = put_u16(p, 5);
    p = put_u8(p, DW_UT_compile);
    p = put_u8(p, 8);                                           /* address size */
    p = put_u32(p, (uint32_t)(index * d->corpus->abbrev.size)); /* a table of abbreviations for each unit */
    p = put_unit_entry(d, u, line_at, p);
    assert(p == start + CORPUS_START);
    p = put_bytes(p, h->entries, h->cut[u->cut].entries);
    p = put_functions(d, u, start, p);
    if (index == d->unit_count - 1)
        p = put_tail(d, p);
    p = put_u8(p, ABBREV_END);
    assert(p == start + u->info_size);
    return p;
}

static uint8_t *put_aranges(const struct debug_unit *u, uint64_t info_at, uint8_t *p)
{
    p = put_u32(p, ARANGES_UNIT - 4);
    p = put_u16(p, 2);
    p = put_u32(p, (uint32_t)info_at);
    p = put_u8(p, 8); /* address size */
    p = put_u8(p, 0);
    p = put_u32(p, 0); /* to a multiple of two addresses */
    p = put_u64(p, u->start);
    p = put_u64(p, u->end - u->start);
    p = put_u64(p, 0);
    return put_u64(p, 0);
}

static uint8_t *put_line(const struct debug *d, const struct debug_unit *u, uint8_t *p)
{
    const struct line_files files = {d->corpus->compile_directory, d->corpus->include_directory, u->source,
                                     d->corpus->header[u->header].file};
    p = line_write_header(p, &files, u->program_size);
    if (!u->program_size)
        return p;
    memcpy(p, d->composed->programs.data + u->program, u->program_size);
    put_u64(p + 3, u->start); /* the operand of DW_LNE_set_address, composed as an offset */
    return p + u->program_size;
}

static void put_strings(const struct debug *d, const uint8_t *names, const struct debug_places *places)
{
    const struct corpus *c = d->corpus;
    uint8_t *p = put_bytes(places->str, c->strings.data, c->common + d->header_names);
    p = put_bytes(p, names, d->names_size);
    p = put_bytes(p, d->statics, d->statics_size);
    for (uint32_t i = 0; i < TAIL_ENTRIES; i++) {
        uint32_t length = (uint32_t)tail_length(d->tail_extra, i);
        words_identifier(random_at(d->variety + 3, i), length, (char *)p);
        p += length + 1;
    }
    assert(p == places->str + d->str);
    p = put_bytes(places->line_str, c->line_strings.data, c->line_strings.size);
    put_bytes(p, d->sources.data, d->sources.size);
}

void debug_write(const struct debug *d, const uint8_t *names, const struct debug_places *places)
{
    uint8_t *info = places->info;
    uint8_t *line = places->line;
    uint8_t *aranges = places->aranges;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct debug_unit *u = &d->unit[i];
        if (u->end > u->start)
            aranges = put_aranges(u, (uint64_t)(info - places->info), aranges);
        info = put_unit(d, i, (uint64_t)(line - places->line), info);
        line = put_line(d, u, line);
    }
    assert(info == places->info + d->info);
    assert(line == places->line + d->line);
    assert(aranges == places->aranges + d->aranges);
    uint8_t *abbrev = places->abbrev;
    for (uint32_t i = 0; i < d->unit_count; i++)
        abbrev = put_bytes(abbrev, d->corpus->abbrev.data, d->corpus->abbrev.size);
    assert(abbrev == places->abbrev + d->abbrev);
    put_bytes(places->loclists, d->composed->lists.data, d->composed->lists.size);
    put_bytes(places->rnglists, d->composed->ranges.data, d->composed->ranges.size);
    put_strings(d, names, places);
}
