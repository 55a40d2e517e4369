/* The write pass of the debug information; see unit.h. */
#include "dwarf/unit/unit.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "base/words.h"
#include "dwarf/unit/partial.h"
#include "dwarf/unit/spare.h"
#include "dwarf/unit/unit_sizes.h"

/* Offset in .debug_str of the first name that only some units' inline functions have. */
static uint32_t inline_names_start(const struct debug *d)
{
    uint64_t sources = dialect_is_4(d->corpus->dialect) ? d->sources.size : 0;
    return (uint32_t)(names_start(d) + d->names_size + d->statics.size + sources);
}

/* The same of the declarations at the end. */
static uint32_t tail_names_start(const struct debug *d)
{
    return inline_names_start(d) + (uint32_t)unit_inline_names_bytes(d);
}

/* References in types are relative to the unit, so types begin at the same place in all units. These entries make up
 * for the shorter own entry of a unit without code. */
static uint8_t *put_data_prelude(const struct corpus *c, uint8_t *p)
{
    static const char name[] = "definition"; /* of the length that is missing */
    const bool is_4 = dialect_is_4(c->dialect);
    if (c->dialect.lines) {
        p = put_bytes(put_u8(p, LINES_DECLARATION_SHORT), (const uint8_t *)name, sizeof name);
        return put_u8(put_u16(put_u8(p, DIALECT_SOURCE_FILE), DEBUG_LINE_MOST), LINES_COLUMN);
    }
    p = put_u8(p, ABBREV_CONST);
    p = put_u32(p, corpus_type(c, BASE_LONG));
    p = put_u8(p, ABBREV_CONST);
    p = put_u32(p, corpus_type(c, BASE_INT));
    p = put_u8(p, is_4 ? ABBREV_POINTER : ABBREV_CONST);
    p = dialect_put_constant(c->dialect, p, 8);
    p = put_u32(p, corpus_type(c, BASE_DOUBLE));
    return is_4 ? p : put_u8(p, ABBREV_VOID_POINTER);
}

uint8_t *unit_put_entry(const struct debug *d, const struct debug_unit *u, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const bool has_code = unit_has_code(u);
    const bool is_parted = unit_is_parted(u);
    p = put_u8(p, !has_code   ? ABBREV_DATA_UNIT
                  : is_parted ? abbrev_parted(c->dialect, ABBREV_COMPILE_UNIT)
                              : ABBREV_COMPILE_UNIT);
    p = put_u32(p, c->producer);
    if (is_parted)
        p = put_u8(put_u32(p, dialect_language(c->dialect)), true); /* names are in UTF-8 */
    else
        p = put_u8(p, dialect_language(c->dialect));
    if (c->dialect.fortran)
        p = put_u8(p, DW_ID_down_case);
    p = put_u32(p, unit_sources(d) + u->source);
    p = put_u32(p, unit_sources(d)); /* the compilation directory */
    if (is_parted)
        return put_u32(put_u32(put_u64(p, u->start), u->ranges), u->line);
    if (has_code) {
        p = put_u64(p, u->start);
        p = put_u64(p, u->end - u->start);
        return put_u32(p, u->line);
    }
    p = put_u32(p, u->line);
    return put_data_prelude(c, p);
}

/* Adds `by` to each number whose offset from `start` is in `places`. */
static void add_to(uint8_t *start, const uint8_t *places, size_t count, uint32_t by)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t place;
        uint32_t value;
        memcpy(&place, places + i * sizeof place, sizeof place);
        memcpy(&value, start + place, sizeof value);
        put_u32(start + place, value + by);
    }
}

/* Writes the unit's functions, behind `before` bytes of types. */
static uint8_t *put_functions(const struct debug *d, const struct debug_unit *u, uint32_t before, uint8_t *p)
{
    const struct composed *c = d->composed;
    put_bytes(p, c->info.data + u->entries, u->entries_size);
    add_to(p, c->named.data + u->named * sizeof(uint32_t), u->named_count, names_start(d));
    if (d->types_first)
        unit_move_references(d, u, before, p, p + u->entries_size);
    return p + u->entries_size;
}

/* Writes the pieces of the unit's headers, the last up to the unit's cut, behind `before` bytes of functions. Their
 * references are made as if each header's pieces stood right behind the inline functions. */
static uint8_t *put_pieces(const struct debug *d, const struct debug_unit *u, uint32_t before, uint8_t *p)
{
    const uint32_t fixed = d->corpus->fixed;
    for (uint32_t i = 0; i <= u->wholes; i++) {
        const struct corpus_header *h = unit_header(d, u, i);
        const struct corpus_cut *cut = unit_cut(d, u, i);
        uint8_t *end = put_bytes(p, h->entries + fixed, cut->entries - fixed);
        add_to(p, h->references, cut->references, before);
        if (cut->open) {
            end[-1] = ABBREV_END;
            put_u32(p + (cut->open - fixed), d->corpus->start + before + cut->entries);
        }
        before += (uint32_t)(end - p);
        p = end;
    }
    return p;
}

static uint32_t tail_type(const struct debug *d, uint32_t i)
{
    return corpus_type(d->corpus, random_at(d->variety + 2, i) % BASE_TYPES);
}

/* What the tail's declarations with shared abbreviations have behind their names. */
static uint8_t *put_tail_place(const struct debug *d, uint8_t *p, uint32_t i)
{
    const struct dialect dialect = d->corpus->dialect;
    p = dialect.lines ? put_u8(p, DIALECT_SOURCE_FILE) : dialect_put_declaring(dialect, p);
    p = put_u16(p, (uint16_t)(DEBUG_LINE_MOST + (2 * i) % 500));
    p = put_u8(p, 12);
    return dialect.lines ? p : put_u32(p, tail_type(d, i));
}

static uint8_t *put_tail(const struct debug *d, uint8_t *p)
{
    const struct dialect dialect = d->corpus->dialect;
    const uint8_t code = unit_abbrev_code(d, d->tables - 1, abbrev_tail(dialect));
    const uint8_t code_short = unit_abbrev_code(d, d->tables - 1, abbrev_tail_short(dialect));
    const uint32_t names = named_tail(d);
    uint32_t name = tail_names_start(d);
    uint32_t i = 0;
    for (uint32_t singles = single_count(&d->single); i < singles; i++) {
        p = single_put_entry(p, dialect, d->single.first + i, single_kind(&d->single, i), name, tail_type(d, i));
        name += TAIL_NAME + (uint32_t)share_of(d->names_extra, names, i) + 1;
    }
    for (uint32_t k = 0; k < d->externs; k++, i++) {
        p = put_u8(p, code);
        p = put_u32(p, name);
        p = put_tail_place(d, p, i);
        name += TAIL_NAME + (uint32_t)share_of(d->names_extra, names, i) + 1;
    }
    for (uint32_t k = 0; k < d->shorts; k++, i++) {
        p = put_u8(p, code_short);
        p = unit_put_short_name(d, k, p);
        p = put_tail_place(d, p, i);
    }
    return p;
}

/* Makes the entries [p, end) of unit `index`, at `info` of the section, refer to others as with partial units. */
static void refer(const struct debug *d, uint32_t index, uint64_t info, uint8_t *p, const uint8_t *end)
{
    uint64_t inlines[CORPUS_INLINES];
    for (uint32_t k = 0; k < corpus_inlines(d->corpus); k++)
        inlines[k] = info + d->corpus->inlines[k].at;
    partial_find_inlines(d, index, inlines);
    partial_refer(d, inlines, info, d->unit[index].small, p, end);
}

/* Writes unit `index`, which begins at `info` of the section. */
static uint8_t *put_unit(const struct debug *d, uint32_t index, uint64_t info, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const struct debug_unit *u = &d->unit[index];
    const struct corpus_header *h = &c->header[u->header];
    const uint64_t table = unit_table_bytes(d);
    uint8_t *start = p;
    p = put_u32(p, (uint32_t)(u->info_size - 4));
    p = put_u16(p, c->dialect.version);
    uint32_t abbrev = joined_base(d, DEBUG_ABBREV) + (uint32_t)(unit_table_of(d, index) * table);
    if (dialect_is_4(c->dialect)) {
        p = put_u32(p, abbrev);
        p = put_u8(p, 8); /* address size */
    } else {
        p = put_u8(p, DW_UT_compile);
        p = put_u8(p, 8);
        p = put_u32(p, abbrev);
    }
    uint8_t *entries = p;
    p = unit_put_entry(d, u, p);
    assert(p == start + c->start);
    p = partial_put_common(d, index, p);
    p = put_bytes(p, h->entries + c->types, c->fixed - c->types);
    unit_name_inlines(d, index, inline_names_start(d), start);
    if (d->types_first) {
        const uint8_t *const types = p;
        p = put_pieces(d, u, 0, p);
        p = spare_put(d, index, start, p);
        p = put_functions(d, u, (uint32_t)(p - types), p);
    } else {
        p = put_functions(d, u, 0, p);
        p = put_pieces(d, u, (uint32_t)u->entries_size, p);
        p = spare_put(d, index, start, p);
    }
    if (d->partials)
        refer(d, index, info, entries, p);
    unit_renumber(d, unit_table_of(d, index), entries, p);
    p = partial_put_imports(d, index, p);
    if (index == d->unit_count - 1)
        p = put_tail(d, p);
    p = put_u8(p, ABBREV_END);
    assert(p == start + u->info_size);
    return p;
}

/* Writes the type units that unit `u` adds to those of its header that are written, up to *cut. Moves *cut on. */
static uint8_t *put_types(const struct debug *d, const struct debug_unit *u, uint32_t *cut, uint8_t *p)
{
    const struct corpus_header *h = &d->corpus->header[u->header];
    if (u->cut <= *cut)
        return p;
    const struct corpus_cut *from = &h->cut[*cut];
    const struct corpus_cut *to = &h->cut[u->cut];
    uint8_t *end = put_bytes(p, h->types + from->types, to->types - from->types);
    for (uint32_t i = from->type_units; i < to->type_units; i++) {
        uint32_t place;
        memcpy(&place, h->type_lines + i * sizeof place, sizeof place);
        put_u32(p + (place - from->types), u->line);
    }
    *cut = u->cut;
    return end;
}

/* Writes the unit's part of .debug_aranges: its code in 1 + `more` ranges, and the parts of functions elsewhere. */
static uint8_t *put_aranges(const struct debug_unit *u, uint64_t info_at, uint64_t more, uint8_t *p)
{
    const uint64_t rows = (u->end - u->start + ARANGES_LEAST - 1) / ARANGES_LEAST;
    p = put_u32(p, (uint32_t)(ARANGES_UNIT - 4 + (more + unit_is_parted(u)) * ARANGES_TUPLE));
    p = put_u16(p, 2);
    p = put_u32(p, (uint32_t)info_at);
    p = put_u8(p, 8); /* address size */
    p = put_u8(p, 0);
    p = put_u32(p, 0); /* padding to a multiple of two addresses */
    uint64_t at = u->start;
    for (uint64_t i = 0; i <= more; i++) {
        const uint64_t end = i < more ? u->start + rows * (i + 1) / (more + 1) * ARANGES_LEAST : u->end;
        p = put_u64(p, at);
        p = put_u64(p, end - at);
        at = end;
    }
    if (unit_is_parted(u))
        p = put_u64(put_u64(p, u->part_start), u->part_end - u->part_start);
    p = put_u64(p, 0);
    return put_u64(p, 0);
}

/* The header that a unit of a library with a row names, in which all of its headers' entries are declared: for entries
 * that other units have, too, the same one there. So debuggers list them once. Headers with the same names are a group
 * behind the one that these belong to. Without rows each header has its own lines (--sources), and so its own name. */
static uint32_t named_header(const struct debug *d, const struct debug_unit *u)
{
    uint32_t header = u->header;
    if (d->several)
        return 0;
    while (d->units_wanted && header && !d->corpus->header[header].names)
        header--;
    return header;
}

static uint8_t *put_line(const struct debug *d, uint32_t unit, uint8_t *p)
{
    struct line_name others[FILES_MOST];
    const struct debug_unit *u = &d->unit[unit];
    const uint32_t base = unit_sources(d); /* not used in version 4 */
    const char *texts = (const char *)d->sources.data;
    const struct line_files files =
        unit_files(d, unit, named_header(d, u), (struct line_name){base + u->source, texts + u->source},
                   (struct line_name){base, texts}, others);
    p = line_write_header(d->corpus->dialect, p, &files, u->program_size);
    if (!u->program_size)
        return p;
    memcpy(p, d->composed->programs.data + u->program, u->program_size);
    put_u64(p + 3, u->start); /* the operand of DW_LNE_set_address, composed as an offset */
    if (u->second)
        put_u64(p + u->part_program + 3, u->second);
    return p + u->program_size;
}

/* Writes the tables of abbreviations. The last one has those that occur once. */
static void put_abbrev(const struct debug *d, uint8_t *p)
{
    const uint8_t *end = p + d->size[DEBUG_ABBREV];
    for (uint32_t i = 0; i < d->tables; i++) {
        p = unit_put_abbrevs(d, i, p);
        p = partial_put_abbrevs(d, i, p);
        for (uint32_t k = 0; k < d->unused && i + 1 < d->tables; k++)
            p = single_put_unused(p, d->corpus->dialect, unit_codes(d) + 1 + k);
        uint32_t singles = i + 1 == d->tables ? single_count(&d->single) : 0;
        for (uint32_t k = 0; k < singles; k++)
            p = single_put_abbrev(p, d->corpus->dialect, d->single.first + k, single_kind(&d->single, k), d->partials);
        p = put_u8(p, 0);
    }
    assert(p == end);
    (void)end;
}

uint8_t *unit_put_tail_names(const struct debug *d, uint8_t *p)
{
    const uint32_t count = named_tail(d);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = TAIL_NAME + (uint32_t)share_of(d->names_extra, count, i);
        words_identifier(random_at(d->variety + 3, i), length, (char *)p);
        p += length + 1;
    }
    return p;
}

uint8_t *unit_put_short_name(const struct debug *d, uint32_t k, uint8_t *p)
{
    uint32_t length = SHORT_NAME + (uint32_t)share_of(d->shorts_extra, d->shorts, k);
    words_identifier(random_at(d->variety + 4, k), length, (char *)p);
    return p + length + 1;
}

/* A library without location lists is described as compiled without optimisation: its producer says -O0. With lines
 * alone it is one without inlined calls. */
static void put_level(const struct debug *d, uint8_t *strings)
{
    static const char optimised[] = "-O2";
    char *const level = strstr((char *)strings + d->corpus->producer, optimised);
    assert(level);
    const bool is_inlined = d->corpus->dialect.lines && d->composed->codes[0] >> LINES_INLINED & 3;
    if (d->wanted[DEBUG_LISTS] == 0 && !is_inlined)
        level[sizeof optimised - 2] = '0';
}

static void put_strings(const struct debug *d, const uint8_t *names, const struct debug_places *places)
{
    const struct corpus *c = d->corpus;
    const bool is_4 = dialect_is_4(c->dialect);
    const uint64_t shared = d->joined ? debug_shared(d, DEBUG_STR) : 0;
    uint8_t *p = places->section[DEBUG_STR];
    if (!d->joined) {
        put_bytes(p, c->strings.data, c->common + d->header_names);
        put_level(d, p);
        p += c->common + d->header_names;
    }
    p = put_bytes(p, names, d->names_size);
    p = put_bytes(p, d->statics.data, d->statics.size);
    if (is_4)
        p = put_bytes(p, d->sources.data, d->sources.size);
    p = unit_put_inline_names(d, p);
    p = unit_put_tail_names(d, p);
    assert(p == places->section[DEBUG_STR] + d->size[DEBUG_STR] - shared);
    if (is_4)
        return;
    p = places->section[DEBUG_LINE_STR];
    if (!d->joined)
        p = put_bytes(p, c->line_strings.data, unit_files_bytes(d));
    put_bytes(p, d->sources.data, d->sources.size);
}

uint64_t debug_shared(const struct debug *d, enum debug_section s)
{
    if (s == DEBUG_STR)
        return d->corpus->common + d->header_names;
    return s == DEBUG_LINE_STR && !dialect_is_4(d->corpus->dialect) ? d->corpus->line_strings.size : 0;
}

void debug_write_shared(const struct corpus *c, enum debug_section s, uint8_t *p, uint64_t size)
{
    const struct bytes *strings = s == DEBUG_STR ? &c->strings : &c->line_strings;
    assert(size <= strings->size);
    put_bytes(p, strings->data, size);
}

static void write_line(struct debug_writer *w, uint32_t unit)
{
    const struct debug *d = w->d;
    d->unit[unit].line = joined_base(d, DEBUG_LINE) + (uint32_t)(w->at[DEBUG_LINE] - w->places->section[DEBUG_LINE]);
    w->at[DEBUG_LINE] = put_line(d, unit, w->at[DEBUG_LINE]);
}

/* Writes all of the next unit but its line table. */
static void write_unit(struct debug_writer *w)
{
    const struct debug *d = w->d;
    const struct debug_unit *u = &d->unit[w->unit];
    w->aranges_room += unit_aranges_room(u);
    const uint64_t until = w->aranges_most ? d->aranges_more * w->aranges_room / w->aranges_most : 0;
    uint8_t **const types = &w->at[dialect_is_4(d->corpus->dialect) ? DEBUG_TYPES : DEBUG_INFO];
    if (d->corpus->dialect.type_units)
        *types = put_types(d, u, &w->included[u->header], *types);
    const uint64_t info = (uint64_t)(w->at[DEBUG_INFO] - w->places->section[DEBUG_INFO]);
    if (unit_has_code(u))
        w->at[DEBUG_ARANGES] =
            put_aranges(u, joined_base(d, DEBUG_INFO) + info, until - w->aranges_given, w->at[DEBUG_ARANGES]);
    w->aranges_given = until;
    w->at[DEBUG_INFO] = put_unit(d, w->unit++, info, w->at[DEBUG_INFO]);
}

void debug_writer_start(struct debug_writer *w, const struct debug *d, const uint8_t *names,
                        const struct debug_places *places)
{
    *w = (struct debug_writer){.d = d, .places = places, .aranges_most = unit_aranges_most(d)};
    memcpy(w->at, places->section, sizeof w->at);
    put_abbrev(d, places->section[DEBUG_ABBREV]);
    put_strings(d, names, places);
    /* units without rows first: readelf wants bytes behind each header */
    for (uint32_t i = 0; i < d->unit_count; i++)
        if (!unit_has_code(&d->unit[i]))
            write_line(w, i);
    for (uint32_t i = 0; d->partials && i < d->unit_count; i++) /* partial units may name the table of any unit */
        if (unit_has_code(&d->unit[i]))
            write_line(w, i);
    w->at[DEBUG_INFO] = partial_put_units(d, w->at[DEBUG_INFO]);
}

void debug_writer_unit(struct debug_writer *w)
{
    if (unit_has_code(&w->d->unit[w->unit]) && !w->d->partials)
        write_line(w, w->unit);
    write_unit(w);
}

static uint8_t *write_composed(const struct bytes *composed, const uint8_t *start, uint8_t *p)
{
    const size_t written = (size_t)(p - start);
    return put_bytes(p, composed->data + written, composed->size - written);
}

void debug_writer_lists(struct debug_writer *w)
{
    const struct composed *c = w->d->composed;
    uint8_t *const *section = w->places->section;
    w->at[DEBUG_LISTS] = write_composed(&c->lists, section[DEBUG_LISTS], w->at[DEBUG_LISTS]);
    w->at[DEBUG_RANGES] = write_composed(&c->ranges, section[DEBUG_RANGES], w->at[DEBUG_RANGES]);
}

void debug_writer_end(struct debug_writer *w)
{
    static const enum debug_section written[] = {DEBUG_INFO, DEBUG_TYPES, DEBUG_LINE, DEBUG_ARANGES};
    const struct debug *d = w->d;
    debug_writer_lists(w);
    assert(w->unit == d->unit_count);
    for (unsigned i = 0; i < sizeof written / sizeof written[0]; i++)
        assert(w->at[written[i]] == w->places->section[written[i]] + d->size[written[i]]);
    (void)written;
    struct index index = d->index; /* the write pass changes only what this points to */
    if (d->corpus->dialect.index == INDEX_DEBUG_NAMES)
        index_write(&index, w->places->section[DEBUG_NAMES]);
    else if (d->corpus->dialect.index == INDEX_GDB)
        index_write(&index, w->places->gdb_index);
}

void debug_write(const struct debug *d, const uint8_t *names, const struct debug_places *places)
{
    struct debug_writer w;
    debug_writer_start(&w, d, names, places);
    while (w.unit < d->unit_count)
        debug_writer_unit(&w);
    debug_writer_end(&w);
}
