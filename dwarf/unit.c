/* The write pass of the debug information; see unit.h. */
#include "dwarf/unit.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "dwarf/unit_sizes.h"

/* Where the library's own names begin in .debug_str. */
static uint32_t names_start(const struct debug *d)
{
    return (uint32_t)(d->corpus->common + d->header_names);
}

static uint8_t *put_unit_entry(const struct debug *d, const struct debug_unit *u, uint64_t text, uint64_t line_at,
                               uint8_t *p)
{
    const struct corpus *c = d->corpus;
    p = put_u8(p, u->count ? ABBREV_COMPILE_UNIT : ABBREV_DATA_UNIT);
    p = put_u32(p, c->producer);
    p = put_u8(p, DW_LANG_C11);
    p = put_u32(p, u->source);
    p = put_u32(p, c->compile_directory);
    if (u->count) {
        const struct debug_function *first = &d->function[u->first];
        const struct debug_function *last = first + u->count - 1;
        p = put_u64(p, text + first->offset);
        p = put_u64(p, last->offset + (uint64_t)last->size - first->offset);
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

static uint8_t *put_location(uint8_t *p, int32_t place, unsigned size)
{
    p = put_u8(p, (uint8_t)(1 + size));
    p = put_u8(p, DW_OP_fbreg);
    return put_sleb128(p, place);
}

static uint8_t *put_function(const struct debug *d, const struct debug_function *f, uint64_t text, uint32_t unit_offset,
                             uint8_t *p)
{
    const struct corpus *c = d->corpus;
    uint8_t *start = p;
    bool leaf = !f->parameters && !f->locals;
    p = put_u8(p, leaf ? ABBREV_LEAF_FUNCTION : f->is_static ? ABBREV_STATIC_FUNCTION : ABBREV_FUNCTION);
    p = put_u32(p, names_start(d) + f->name);
    p = put_u16(p, f->line);
    p = put_u32(p, corpus_type(f->result));
    p = put_u64(p, text + f->offset);
    p = put_u64(p, f->size);
    p = put_u8(p, 1);
    p = put_u8(p, DW_OP_call_frame_cfa);
    if (leaf)
        return p;
    p = put_u32(p, unit_offset + debug_function_size(f));
    /* an odd step through 128 names: all of one function are different */
    uint32_t name = f->variety;
    uint32_t step = (f->variety >> 8) | 1;
    for (uint32_t j = 0; j < f->parameters; j++, name += step) {
        p = put_u8(p, ABBREV_PARAMETER);
        p = put_u32(p, c->name[name % CORPUS_NAMES]);
        p = put_u16(p, f->line);
        p = put_u8(p, (uint8_t)(24 + 18 * j + ((f->variety >> 20) & 15)));
        p = put_u32(p, corpus_type(f->type[j]));
        p = put_location(p, f->parameter_place - 8 * (int32_t)j, 1);
    }
    for (uint32_t j = 0; j < f->locals; j++, name += step) {
        p = put_u8(p, ABBREV_LOCAL);
        p = put_u32(p, c->name[name % CORPUS_NAMES]);
        p = put_u16(p, (uint16_t)(f->line + 1));
        p = put_u32(p, corpus_type(j & 1 ? BASE_DOUBLE : BASE_LONG));
        p = put_location(p, f->local_place - 8 * (int32_t)j, 2);
    }
    p = put_u8(p, ABBREV_END);
    assert(p == start + debug_function_size(f));
    return p;
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

static uint8_t *put_unit(const struct debug *d, uint32_t index, uint64_t text, uint64_t line_at, uint8_t *p)
{
    const struct debug_unit *u = &d->unit[index];
    const struct corpus_header *h = &d->corpus->header[u->header];
    uint8_t *start = p;
    p = put_u32(p, (uint32_t)(u->info_size - 4));
    p = put_u16(p, 5);
    p = put_u8(p, DW_UT_compile);
    p = put_u8(p, 8);  /* address size */
    p = put_u32(p, 0); /* every unit uses the one table of abbreviations */
    p = put_unit_entry(d, u, text, line_at, p);
    assert(p == start + CORPUS_START);
    p = put_bytes(p, h->entries, h->cut[u->cut].entries);
    for (uint32_t i = 0; i < u->count; i++)
        p = put_function(d, &d->function[u->first + i], text, (uint32_t)(p - start), p);
    if (index == d->unit_count - 1)
        p = put_tail(d, p);
    p = put_u8(p, ABBREV_END);
    assert(p == start + u->info_size);
    return p;
}

static uint8_t *put_aranges(const struct debug *d, const struct debug_unit *u, uint64_t text, uint64_t info_at,
                            uint8_t *p)
{
    const struct debug_function *first = &d->function[u->first];
    const struct debug_function *last = first + u->count - 1;
    p = put_u32(p, ARANGES_UNIT - 4);
    p = put_u16(p, 2);
    p = put_u32(p, (uint32_t)info_at);
    p = put_u8(p, 8); /* address size */
    p = put_u8(p, 0);
    p = put_u32(p, 0); /* to a multiple of two addresses */
    p = put_u64(p, text + first->offset);
    p = put_u64(p, last->offset + (uint64_t)last->size - first->offset);
    p = put_u64(p, 0);
    return put_u64(p, 0);
}

static uint8_t *put_line(const struct debug *d, const struct debug_unit *u, uint64_t text, uint8_t *p)
{
    const struct line_files files = {d->corpus->compile_directory, d->corpus->include_directory, u->source,
                                     d->corpus->header[u->header].file};
    p = line_write_header(p, &files, u->program_size);
    if (!u->program_size)
        return p;
    memcpy(p, d->programs + u->program, u->program_size);
    uint64_t address;
    memcpy(&address, p + 3, 8); /* the operand of DW_LNE_set_address, from the code's start */
    put_u64(p + 3, address + text);
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
        corpus_identifier(random_at(d->variety + 3, i), length, (char *)p);
        p += length + 1;
    }
    assert(p == places->str + d->str);
    p = put_bytes(places->line_str, c->line_strings.data, c->line_strings.size);
    put_bytes(p, d->sources.data, d->sources.size);
}

void debug_write(const struct debug *d, uint64_t text, const uint8_t *names, const struct debug_places *places)
{
    uint8_t *info = places->info;
    uint8_t *line = places->line;
    uint8_t *aranges = places->aranges;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct debug_unit *u = &d->unit[i];
        if (u->count)
            aranges = put_aranges(d, u, text, (uint64_t)(info - places->info), aranges);
        info = put_unit(d, i, text, (uint64_t)(line - places->line), info);
        line = put_line(d, u, text, line);
    }
    assert(info == places->info + d->info);
    assert(line == places->line + d->line);
    assert(aranges == places->aranges + d->aranges);
    put_bytes(places->abbrev, d->corpus->abbrev.data, d->corpus->abbrev.size);
    put_strings(d, names, places);
}
