/* Encodes what compose.h names (DWARF 5 sections 3.3, 3.4, 3.5, 7.5, 7.25, 7.28). */
#include "dwarf/compose.h"

#include <assert.h>
#include <string.h>

void composed_clear(struct composed *c)
{
    c->info.size = c->lists.size = c->ranges.size = c->programs.size = c->moved.size = c->named.size = 0;
}

void composed_free(struct composed *c)
{
    bytes_free(&c->info);
    bytes_free(&c->lists);
    bytes_free(&c->ranges);
    bytes_free(&c->programs);
    bytes_free(&c->moved);
    bytes_free(&c->named);
}

bool composed_failed(const struct composed *c)
{
    return c->info.failed || c->lists.failed || c->ranges.failed || c->programs.failed || c->moved.failed ||
           c->named.failed;
}

/* --- units ------------------------------------------------------------------------ */

static uint8_t *put_list_header(uint8_t *p)
{
    p = put_u32(p, 0); /* the length, when the unit ends */
    p = put_u16(p, 5);
    p = put_u8(p, 8);     /* address size */
    p = put_u8(p, 0);     /* no segment selectors */
    return put_u32(p, 0); /* no table of offsets */
}

bool compose_unit(struct composer *c, struct debug_unit *unit, uint64_t offset)
{
    struct composed *out = c->out;
    c->unit = unit;
    unit->start = c->text + offset;
    unit->entries = out->info.size;
    unit->program = out->programs.size;
    unit->moved = out->moved.size / sizeof(uint32_t);
    unit->named = out->named.size / sizeof(uint32_t);
    c->lists_start = out->lists.size;
    c->ranges_start = out->ranges.size;
    c->uses_lists = c->uses_ranges = false;
    c->next_function = NULL;
    uint8_t *program = bytes_reserve(&out->programs, LINE_BEGIN);
    uint8_t *lists = bytes_reserve(&out->lists, LIST_HEADER);
    uint8_t *ranges = bytes_reserve(&out->ranges, LIST_HEADER);
    if (!program || !lists || !ranges)
        return false;
    bytes_keep(&out->lists, put_list_header(lists));
    bytes_keep(&out->ranges, put_list_header(ranges));
    c->rows.p = program;
    line_begin(&c->rows, offset);
    bytes_keep(&out->programs, c->rows.p);
    return true;
}

static void end_lists(struct bytes *b, size_t start, bool used)
{
    if (!used)
        b->size = start;
    else
        bytes_patch_u32(b, start, (uint32_t)(b->size - start - 4));
}

void compose_unit_end(struct composer *c, uint64_t offset)
{
    struct composed *out = c->out;
    struct debug_unit *u = c->unit;
    assert(!c->next_function);
    uint8_t *p = bytes_reserve(&out->programs, LINE_END_MOST);
    if (p) {
        c->rows.p = p;
        line_end(&c->rows, offset);
        bytes_keep(&out->programs, c->rows.p);
    }
    u->end = c->text + offset;
    u->entries_size = out->info.size - u->entries;
    u->program_size = out->programs.size - u->program;
    u->moved_count = out->moved.size / sizeof(uint32_t) - u->moved;
    u->named_count = out->named.size / sizeof(uint32_t) - u->named;
    end_lists(&out->lists, c->lists_start, c->uses_lists);
    end_lists(&out->ranges, c->ranges_start, c->uses_ranges);
    c->unit = NULL;
}

bool compose_reserve(struct composer *c, uint64_t info, uint64_t lists, uint64_t ranges, uint64_t rows)
{
    struct composed *out = c->out;
    size_t waiting = c->next_function ? (size_t)(c->next_function - out->info.data) : SIZE_MAX;
    c->info = bytes_reserve(&out->info, info);
    c->lists = bytes_reserve(&out->lists, lists);
    c->ranges = bytes_reserve(&out->ranges, ranges);
    c->rows.p = bytes_reserve(&out->programs, rows);
    if (!c->info || !c->lists || !c->ranges || !c->rows.p)
        return false;
    c->next_function = waiting == SIZE_MAX ? NULL : out->info.data + waiting;
    return true;
}

void compose_keep(struct composer *c)
{
    bytes_keep(&c->out->info, c->info);
    bytes_keep(&c->out->lists, c->lists);
    bytes_keep(&c->out->ranges, c->ranges);
    bytes_keep(&c->out->programs, c->rows.p);
}

void compose_move(struct composer *c, uint8_t *at, uint32_t place)
{
    put_u32(at, place);
    bytes_u32(&c->out->moved, compose_place_of(c, at));
}

/* --- functions ---------------------------------------------------------------------- */

void compose_function(struct composer *c, const struct debug_function *f)
{
    static const uint8_t codes[] = {
        [FUNCTION_RICH] = ABBREV_FUNCTION,
        [FUNCTION_PLAIN] = ABBREV_PLAIN_FUNCTION,
        [FUNCTION_STATIC] = ABBREV_STATIC_FUNCTION,
    };
    c->function = c->info;
    if (c->next_function) {
        compose_move(c, c->next_function, compose_place_of(c, c->info));
        c->next_function = NULL;
    }
    uint8_t *p = put_u8(c->info, codes[f->kind]);
    bytes_u32(&c->out->named, compose_place_of(c, p));
    p = put_u32(p, f->name);
    p = put_u16(p, (uint16_t)f->line);
    p = put_u32(p, corpus_type(f->result));
    p = put_u64(p, c->text + f->offset);
    p = put_u64(p, f->size);
    p = put_u8(p, 1);
    p = put_u8(p, DW_OP_call_frame_cfa);
    c->sibling = p;
    c->info = p + 4;
}

void compose_function_end(struct composer *c)
{
    if (c->info > c->sibling + 4) {
        compose_end_children(c, c->sibling);
    } else {
        assert(*c->function != ABBREV_STATIC_FUNCTION);
        *c->function = ABBREV_LEAF_FUNCTION;
        c->info = c->sibling;
    }
}

void compose_end_children(struct composer *c, uint8_t *sibling)
{
    c->info = put_u8(c->info, ABBREV_END);
    compose_move(c, sibling, compose_place_of(c, c->info));
}

/* A parameter's or local's entry up to its location. */
static uint8_t *put_parameter(const struct composer *c, enum abbrev_code code, uint32_t name, uint32_t line,
                              uint32_t column, enum base_type type)
{
    uint8_t *p = put_u8(c->info, code);
    p = put_u32(p, name);
    p = put_u16(p, (uint16_t)line);
    p = put_u8(p, (uint8_t)column);
    return put_u32(p, corpus_type(type));
}

static uint8_t *put_local(const struct composer *c, enum abbrev_code code, uint32_t name, uint32_t line,
                          enum base_type type)
{
    uint8_t *p = put_u8(c->info, code);
    p = put_u32(p, name);
    p = put_u16(p, (uint16_t)line);
    return put_u32(p, corpus_type(type));
}

static uint8_t *put_frame_place(uint8_t *p, int32_t place)
{
    uint8_t *length = p++;
    p = put_u8(p, DW_OP_fbreg);
    p = put_sleb128(p, place);
    *length = (uint8_t)(p - length - 1);
    return p;
}

void compose_parameter(struct composer *c, uint32_t name, uint32_t line, uint32_t column, enum base_type type,
                       int32_t place)
{
    c->info = put_frame_place(put_parameter(c, ABBREV_PARAMETER, name, line, column, type), place);
}

void compose_local(struct composer *c, uint32_t name, uint32_t line, enum base_type type, int32_t place)
{
    c->info = put_frame_place(put_local(c, ABBREV_LOCAL, name, line, type), place);
}

void compose_parameter_list(struct composer *c, uint32_t name, uint32_t line, uint32_t column, enum base_type type,
                            uint32_t list)
{
    c->info = put_u32(put_parameter(c, ABBREV_PARAMETER_LIST, name, line, column, type), list);
}

void compose_local_list(struct composer *c, uint32_t name, uint32_t line, enum base_type type, uint32_t list)
{
    c->info = put_u32(put_local(c, ABBREV_LOCAL_LIST, name, line, type), list);
}

/* --- lists ------------------------------------------------------------------------------ */

uint32_t compose_list(struct composer *c)
{
    uint32_t list = (uint32_t)(c->lists - c->out->lists.data);
    c->uses_lists = true;
    if (c->based)
        c->lists = put_u64(put_u8(c->lists, DW_LLE_base_address), 0);
    return list;
}

/* From and to as offsets from the unit's first address, its base. */
static uint8_t *put_pair(const struct composer *c, uint8_t *p, uint64_t from, uint64_t to)
{
    uint64_t base = c->unit->start - c->text;
    p = put_uleb128(p, from - base);
    return put_uleb128(p, to - base);
}

void compose_list_register(struct composer *c, uint64_t from, uint64_t to, uint32_t reg)
{
    if (from == to)
        return;
    uint8_t *p = put_u8(c->lists, DW_LLE_offset_pair);
    p = put_pair(c, p, from, to);
    p = put_u8(p, 1);
    c->lists = put_u8(p, (uint8_t)(DW_OP_reg0 + reg));
}

void compose_list_frame(struct composer *c, uint64_t from, uint64_t to, int32_t place)
{
    if (from == to)
        return;
    uint8_t *p = put_u8(c->lists, DW_LLE_offset_pair);
    p = put_pair(c, p, from, to);
    c->lists = put_frame_place(p, place);
}

void compose_list_end(struct composer *c)
{
    c->lists = put_u8(c->lists, DW_LLE_end_of_list);
}

/* A range list of `count` pieces of code, from[i] to to[i]. */
static uint32_t put_ranges(struct composer *c, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    uint32_t list = (uint32_t)(c->ranges - c->out->ranges.data);
    c->uses_ranges = true;
    if (c->based)
        c->ranges = put_u64(put_u8(c->ranges, DW_RLE_base_address), 0);
    for (uint32_t i = 0; i < count; i++) {
        c->ranges = put_u8(c->ranges, DW_RLE_offset_pair);
        c->ranges = put_pair(c, c->ranges, from[i], to[i]);
    }
    c->ranges = put_u8(c->ranges, DW_RLE_end_of_list);
    return list;
}

/* --- children of functions ---------------------------------------------------------------- */

uint8_t *compose_inlined(struct composer *c, uint32_t k, uint32_t line, uint32_t column, uint32_t count,
                         const uint64_t *from, const uint64_t *to)
{
    uint8_t *p = put_u8(c->info, count == 1 ? ABBREV_INLINED : ABBREV_INLINED_RANGES);
    p = put_u32(p, corpus_inline(k));
    p = put_u64(p, c->text + from[0]);
    if (count == 1) {
        p = put_u64(p, c->text + from[0]);
        p = put_u64(p, to[0] - from[0]);
    } else {
        p = put_u32(p, put_ranges(c, count, from, to));
    }
    p = put_u16(p, (uint16_t)line);
    p = put_u8(p, (uint8_t)column);
    c->info = p + 4;
    return p;
}

void compose_inlined_child(struct composer *c, uint32_t k, uint32_t child, uint32_t list)
{
    uint8_t *p = put_u8(c->info, child < 2 ? ABBREV_INLINED_PARAMETER : ABBREV_INLINED_VARIABLE);
    p = put_u32(p, corpus_inline_child(k, child));
    c->info = put_u32(p, list);
}

uint8_t *compose_block(struct composer *c, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    uint8_t *p = put_u8(c->info, count == 1 ? ABBREV_LEXICAL_BLOCK : ABBREV_LEXICAL_RANGES);
    if (count == 1) {
        p = put_u64(p, c->text + from[0]);
        p = put_u64(p, to[0] - from[0]);
    } else {
        p = put_u32(p, put_ranges(c, count, from, to));
    }
    c->info = p + 4;
    return p;
}

uint32_t compose_place(const struct composer *c)
{
    return compose_place_of(c, c->info);
}

uint32_t compose_declaration(struct composer *c, uint32_t name, uint32_t line, uint32_t parameters,
                             const uint8_t *types)
{
    uint32_t place = compose_place_of(c, c->info);
    uint8_t *p = put_u8(c->info, parameters ? ABBREV_DECLARED_FUNCTION : ABBREV_DECLARED_LEAF);
    bytes_u32(&c->out->named, compose_place_of(c, p));
    p = put_u32(p, name);
    p = put_u16(p, (uint16_t)line);
    p = put_u32(p, corpus_type(BASE_UNSIGNED_LONG));
    c->info = p;
    if (!parameters)
        return place;
    uint8_t *sibling = p;
    p += 4;
    for (uint32_t j = 0; j < parameters; j++) {
        p = put_u8(p, ABBREV_TYPE_PARAMETER);
        p = put_u32(p, corpus_type(types[j]));
    }
    c->info = p;
    compose_end_children(c, sibling);
    return place;
}

uint8_t *compose_call(struct composer *c, uint64_t returns, uint32_t origin, bool parameters)
{
    bool known = origin != COMPOSE_UNKNOWN;
    uint8_t code = parameters ? (known ? ABBREV_CALL_SITE_ORIGIN : ABBREV_CALL_SITE)
                              : (known ? ABBREV_CALL_SITE_LEAF_ORIGIN : ABBREV_CALL_SITE_LEAF);
    uint8_t *p = put_u8(c->info, code);
    p = put_u64(p, c->text + returns);
    if (origin == COMPOSE_NEXT)
        c->next_function = p;
    else if (known)
        compose_move(c, p, origin);
    p += known ? 4 : 0;
    c->info = parameters ? p + 4 : p;
    return p;
}

static uint8_t *begin_call_parameter(struct composer *c, uint32_t reg)
{
    uint8_t *p = put_u8(c->info, ABBREV_CALL_PARAMETER);
    p = put_u8(p, 1);
    return put_u8(p, (uint8_t)(DW_OP_reg0 + reg));
}

void compose_call_constant(struct composer *c, uint32_t reg, int64_t value)
{
    uint8_t *length = begin_call_parameter(c, reg);
    uint8_t *p = length + 1;
    if (value >= 0 && value < 32) {
        p = put_u8(p, (uint8_t)(DW_OP_lit0 + value));
    } else if (value >= 0 && value <= UINT8_MAX) {
        p = put_u8(p, DW_OP_const1u);
        p = put_u8(p, (uint8_t)value);
    } else if (value >= INT8_MIN && value < 0) {
        p = put_u8(p, DW_OP_const1s);
        p = put_u8(p, (uint8_t)value);
    } else if (value >= INT16_MIN && value <= INT16_MAX) {
        p = put_u8(p, DW_OP_const2s);
        p = put_u16(p, (uint16_t)value);
    } else if (value >= 0 && value <= UINT16_MAX) {
        p = put_u8(p, DW_OP_const2u);
        p = put_u16(p, (uint16_t)value);
    } else {
        p = put_u8(p, DW_OP_const4s);
        p = put_u32(p, (uint32_t)value);
    }
    *length = (uint8_t)(p - length - 1);
    c->info = p;
}

void compose_call_address(struct composer *c, uint32_t reg, uint64_t address)
{
    uint8_t *p = begin_call_parameter(c, reg);
    p = put_u8(p, 9);
    p = put_u8(p, DW_OP_addr);
    c->info = put_u64(p, address);
}

void compose_call_slot(struct composer *c, uint32_t reg, int32_t place)
{
    uint8_t *length = begin_call_parameter(c, reg);
    uint8_t *p = put_u8(length + 1, DW_OP_fbreg);
    p = put_sleb128(p, place);
    p = put_u8(p, DW_OP_deref);
    *length = (uint8_t)(p - length - 1);
    c->info = p;
}
