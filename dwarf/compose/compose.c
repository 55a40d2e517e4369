/* Encodes what compose.h names (DWARF 5 sections 3.3, 3.4, 3.5, 7.5, 7.25, 7.28). */
#include "dwarf/compose/compose.h"

#include <assert.h>
#include <string.h>

void composed_clear(struct composed *c, const struct corpus *corpus)
{
    c->info.size = c->lists.size = c->ranges.size = c->programs.size = c->named.size = 0;
    c->parts.size = c->noted.size = c->texts.size = 0;
    c->dies = c->attributes = c->defined = c->functions = c->code = c->inlined = c->rows = 0;
    c->entries = c->entry_values = 0;
    c->each = corpus->layouts.attributes;
    memset(c->codes, 0, sizeof c->codes);
}

void composed_free(struct composed *c)
{
    bytes_free(&c->info);
    bytes_free(&c->lists);
    bytes_free(&c->ranges);
    bytes_free(&c->programs);
    bytes_free(&c->parts);
    bytes_free(&c->named);
    bytes_free(&c->noted);
    bytes_free(&c->texts);
}

bool composed_failed(const struct composed *c)
{
    return c->info.failed || c->lists.failed || c->ranges.failed || c->programs.failed || c->parts.failed ||
           c->named.failed || c->noted.failed || c->texts.failed;
}

/* --- units ------------------------------------------------------------------------ */

bool compose_unit(struct composer *c, struct debug_unit *unit, uint64_t offset)
{
    struct composed *out = c->out;
    c->unit = unit;
    unit->start = c->text + offset;
    unit->entries = out->info.size;
    unit->program = out->programs.size;
    unit->named = out->named.size / sizeof(uint32_t);
    unit->noted = out->noted.size / sizeof(struct compose_noted);
    c->next_function = NULL;
    c->adjoins = false;
    compose_lists_begin(c);
    uint8_t *program = bytes_reserve(&out->programs, LINE_BEGIN);
    if (!program)
        return false;
    c->rows.p = program;
    line_begin(&c->rows, offset);
    bytes_keep(&out->programs, c->rows.p);
    return true;
}

/* The range list of the open unit, whose code ends at this offset. */
static uint32_t unit_ranges(struct composer *c, uint64_t end)
{
    const struct debug_unit *const u = c->unit;
    const uint64_t from[] = {u->start - c->text, u->part_start - c->text};
    const uint64_t to[] = {end, u->part_end - c->text};
    return compose_parted_ranges(c, from, to);
}

/* Keeps what has been written of parts' rows, and counts them. */
static void keep_part(struct composer *c, struct bytes *rows)
{
    bytes_keep(rows, c->part.p);
    c->rows.count += c->part.count;
    c->part.count = 0;
}

/* Writes what the open unit, which ends at this code offset, has because of its parts. */
static void end_parts(struct composer *c, uint64_t end)
{
    struct composed *const out = c->out;
    struct debug_unit *const u = c->unit;
    uint8_t *const p = bytes_reserve(&out->programs, out->parts.size + LINE_END_MOST);
    c->ranges = bytes_reserve(&out->ranges, COMPOSE_LIST_MOST + 2 * COMPOSE_ENTRY_MOST);
    if (!p || !c->ranges)
        return; /* composed_failed tells */
    u->second = u->part_start;
    u->part_program = out->programs.size - u->program;
    c->part.p = put_bytes(p, out->parts.data, out->parts.size);
    line_end(&c->part, u->part_end - c->text);
    keep_part(c, &out->programs);
    out->parts.size = 0;
    if (c->adjoins) {
        u->end = u->part_end;
        u->part_start = u->part_end = 0;
        return;
    }
    u->ranges = unit_ranges(c, end);
    bytes_keep(&out->ranges, c->ranges);
}

void compose_part_adjoins(struct composer *c)
{
    c->adjoins = true;
}

void compose_part_ends(struct composer *c)
{
    const struct composed *const out = c->out;
    const struct debug_unit *const u = c->unit;
    c->before_others.info = (uint32_t)(out->info.size - u->entries);
    c->before_others.named = out->named.size / sizeof(uint32_t) - u->named;
    c->before_others.noted = out->noted.size / sizeof(struct compose_noted) - u->noted;
}

uint64_t compose_rows_pending(const struct composer *c)
{
    const uint64_t rows = c->out->parts.size;
    return rows ? rows + LINE_END_AT(c->unit->part_end - c->text - c->part.address) : 0;
}

uint64_t compose_ranges_pending(struct composer *c, uint64_t end)
{
    uint8_t *const ranges = c->ranges;
    if (!c->out->parts.size || c->adjoins)
        return 0;
    unit_ranges(c, end);
    const uint64_t bytes = (uint64_t)(c->ranges - ranges);
    c->ranges = ranges;
    return bytes;
}

bool compose_part(struct composer *c, uint64_t offset, uint64_t rows)
{
    struct bytes *const parts = &c->out->parts;
    c->part.p = bytes_reserve(parts, LINE_BEGIN + rows);
    if (!c->part.p)
        return false;
    if (!parts->size) {
        line_begin(&c->part, offset);
        c->unit->part_start = c->text + offset;
    }
    return true;
}

void compose_part_end(struct composer *c, uint64_t end)
{
    keep_part(c, &c->out->parts);
    c->unit->part_end = c->text + end;
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
    if (out->parts.size)
        end_parts(c, offset);
    if (c->adjoins)
        compose_part_behind(c);
    out->rows = c->rows.count;
    u->entries_size = out->info.size - u->entries;
    u->program_size = out->programs.size - u->program;
    u->named_count = out->named.size / sizeof(uint32_t) - u->named;
    u->noted_count = out->noted.size / sizeof(struct compose_noted) - u->noted;
    compose_lists_end(c);
    c->unit = NULL;
}

bool compose_reserve(struct composer *c, uint64_t info, uint64_t lists, uint64_t ranges, uint64_t rows)
{
    struct composed *out = c->out;
    size_t waiting = c->next_function ? (size_t)(c->next_function - out->info.data) : SIZE_MAX;
    c->info = bytes_reserve(&out->info, info + BYTES_STEP);
    c->lists = bytes_reserve(&out->lists, lists + BYTES_STEP);
    c->ranges = bytes_reserve(&out->ranges, ranges + BYTES_STEP);
    c->rows.p = bytes_reserve(&out->programs, rows + BYTES_STEP);
    if (!c->info || !c->lists || !c->ranges || !c->rows.p)
        return false;
    c->next_function = waiting == SIZE_MAX ? NULL : out->info.data + waiting;
    return true;
}

/* Whether what was written up to `end` had room. */
static bool fits(const struct bytes *b, const uint8_t *end)
{
    return (size_t)(end - b->data) <= b->capacity;
}

void compose_keep(struct composer *c)
{
    assert(fits(&c->out->info, c->info) && fits(&c->out->lists, c->lists));
    assert(fits(&c->out->ranges, c->ranges) && fits(&c->out->programs, c->rows.p));
    bytes_keep(&c->out->info, c->info);
    bytes_keep(&c->out->lists, c->lists);
    bytes_keep(&c->out->ranges, c->ranges);
    bytes_keep(&c->out->programs, c->rows.p);
}

void compose_refer(struct composer *c, uint8_t *at, uint32_t place)
{
    put_u32(at, place);
    if (c->references)
        bytes_u32(c->references, compose_offset_of(c, at));
}

/* --- for an index of names ------------------------------------------------------------ */

static void note(struct composer *c, enum abbrev_code code, uint8_t from, uint32_t name)
{
    const struct compose_noted noted = {compose_place(c), name, from, (uint8_t)code};
    bytes_append(&c->out->noted, &noted, sizeof noted);
    c->unit->noted_own += from != NAME_INLINE;
}

void compose_note(struct composer *c, enum abbrev_code code, uint32_t name, uint32_t linkage_name,
                  const char *qualified)
{
    const struct corpus_listing *as = &c->corpus->listing[code];
    const enum index_kind kind = c->corpus->dialect.index;
    if (!as->wanted)
        return;
    if (kind == INDEX_GDB && qualified)
        note(c, code, NAME_TEXT, (uint32_t)bytes_string(&c->out->texts, qualified));
    else
        note(c, code, NAME_OWN, name);
    if (linkage_name != COMPOSE_UNKNOWN && index_wants_linkage_name(kind, as->tag))
        note(c, code, NAME_OWN, linkage_name);
}

/* Notes a call of inline function k: by its name and, where it has one, by its linkage name. */
static void note_inlined(struct composer *c, uint32_t k)
{
    const uint32_t *names = c->corpus->header[0].inline_name + 2 * (size_t)k;
    if (!c->corpus->listing[ABBREV_INLINED].wanted)
        return;
    c->unit->inlined |= UINT64_C(1) << k;
    note(c, ABBREV_INLINED, NAME_INLINE, 2 * k);
    if (names[1])
        note(c, ABBREV_INLINED, NAME_INLINE, 2 * k + 1);
}

/* --- functions ---------------------------------------------------------------------- */

/* Writes where a function or one of its children is declared; the file only where it is not in the abbreviation. */
static uint8_t *put_declared(const struct composer *c, uint8_t *p, uint32_t line, uint32_t column)
{
    if (dialect_has_one_file(c->corpus->dialect))
        return put_u8(put_u16(p, (uint16_t)line), (uint8_t)column);
    return compose_put_declared(p, line, column);
}

/* The entry of the array's type stands before that of the variable. */
void compose_object(struct composer *c, const struct debug_object *o)
{
    const uint32_t type = compose_place(c);
    const uint32_t last = dialect_upper_bound(c->corpus->dialect, o->count);
    const bool is_signed = c->corpus->dialect.fortran; /* bounds are of a signed type, whose sign readers extend */
    const bool takes_2 = last > (is_signed ? INT8_MAX : UINT8_MAX);
    const bool takes_4 = last > (is_signed ? INT16_MAX : UINT16_MAX);
    const enum abbrev_code code = o->external ? ABBREV_GLOBAL_VARIABLE : ABBREV_STATIC_VARIABLE;
    uint8_t *sibling = put_u32(compose_code(c->out, c->info, ABBREV_ARRAY), corpus_type(c->corpus, o->type));
    uint8_t *p = sibling + 4;
    p = compose_code(c->out, p, takes_4 ? ABBREV_SUBRANGE_4 : takes_2 ? ABBREV_SUBRANGE_2 : ABBREV_SUBRANGE);
    p = put_u32(p, corpus_type(c->corpus, BASE_UNSIGNED_LONG));
    p = takes_4 ? put_u32(p, last) : takes_2 ? put_u16(p, (uint16_t)last) : put_u8(p, (uint8_t)last);
    c->info = p;
    compose_end_children(c, sibling);
    compose_note(c, code, o->name, COMPOSE_UNKNOWN, NULL);
    p = compose_code(c->out, c->info, code);
    bytes_u32(&c->out->named, compose_offset_of(c, p));
    p = put_u32(p, o->name);
    p = put_u8(p, DIALECT_SOURCE_FILE);
    p = put_u8(p, (uint8_t)o->line);
    p = put_u8(p, (uint8_t)o->column);
    p = put_u32(p, type);
    p = put_u8(put_u8(p, 9), DW_OP_addr);
    c->info = put_u64(p, o->address);
}

static uint8_t function_code(const struct composer *c, const struct debug_function *f, enum abbrev_code code)
{
    return f->part_size ? abbrev_parted(c->corpus->dialect, code) : (uint8_t)code;
}

/* Writes a function's entry up to the part that entries of all kinds of functions share. */
static uint8_t *begin_function(struct composer *c, const struct debug_function *f)
{
    static const uint8_t codes[] = {
        [FUNCTION_RICH] = ABBREV_FUNCTION,
        [FUNCTION_PLAIN] = ABBREV_PLAIN_FUNCTION,
        [FUNCTION_STATIC] = ABBREV_STATIC_FUNCTION,
    };
    uint8_t *p = c->info;
    if (c->corpus->dialect.lines)
        return compose_caller(c, f);
    if (f->declared != COMPOSE_UNKNOWN) {
        const enum abbrev_code code = f->kind == FUNCTION_RICH ? ABBREV_DEFINED_METHOD : ABBREV_PLAIN_METHOD;
        compose_note(c, ABBREV_DEFINED_METHOD, f->method, f->name, f->qualified);
        p = put_u8(p, function_code(c, f, code));
        compose_refer(c, p, f->declared);
        return put_u16(p + 4, (uint16_t)f->line);
    }
    compose_note(c, codes[f->kind], f->name, COMPOSE_UNKNOWN, NULL);
    p = put_u8(p, function_code(c, f, codes[f->kind]));
    bytes_u32(&c->out->named, compose_offset_of(c, p));
    p = put_u32(p, f->name);
    p = put_declared(c, p, f->line, f->column);
    return put_u32(p, corpus_type(c->corpus, f->result));
}

void compose_function(struct composer *c, const struct debug_function *f)
{
    c->function = c->info;
    c->before = c->out->dies;
    c->out->functions++;
    c->out->code += f->size + f->part_size;
    c->child.end = NULL;
    if (c->next_function) {
        compose_refer(c, c->next_function, compose_place_of(c, c->info));
        c->next_function = NULL;
    }
    uint8_t *p = begin_function(c, f);
    if (f->part_size) {
        const uint64_t from[] = {f->offset, f->part};
        const uint64_t to[] = {f->offset + f->size, f->part + f->part_size};
        p = put_u32(p, compose_parted_ranges(c, from, to));
    } else {
        p = put_u64(p, c->text + f->offset);
        p = put_u64(p, f->size);
    }
    p = put_u8(p, 1);
    p = put_u8(p, DW_OP_call_frame_cfa);
    c->sibling = p;
    c->info = p + 4;
}

/* A reference was taken out before `from`, so what stood from there on in the unit's functions now stands 4 bytes
 * nearer to their beginning. Corrects composed.named and composed.noted. */
static void move_notes(struct composer *c, const uint8_t *from)
{
    enum { BY = sizeof(uint32_t) };
    struct bytes *const named = &c->out->named;
    for (uint8_t *p = named->data + named->size; p > named->data;) {
        uint32_t at;
        p -= sizeof at;
        memcpy(&at, p, sizeof at);
        if (at < compose_offset_of(c, from))
            break;
        put_u32(p, at - BY);
    }
    struct compose_noted *const noted = (struct compose_noted *)(void *)c->out->noted.data;
    for (size_t i = c->out->noted.size / sizeof *noted; i && noted[i - 1].place >= compose_place_of(c, from); i--)
        noted[i - 1].place -= BY;
}

/* Corrects DW_AT_sibling of the entries from p on: all of them refer to entries that have moved, too. */
static void move_siblings(const struct composer *c, uint8_t *p)
{
    const struct dialect d = c->corpus->dialect;
    while (p < c->info) {
        const struct abbrev_entry read = abbrev_read(d, p);
        for (uint32_t i = 0; i < read.references; i++) {
            uint8_t *const at = p + read.reference[i].at;
            uint32_t to;
            memcpy(&to, at, sizeof to);
            if (read.reference[i].attribute == DW_AT_sibling)
                put_u32(at, to - (uint32_t)sizeof to);
        }
        p += read.size;
    }
}

static bool is_call(uint8_t code)
{
    return code == ABBREV_CALL_SITE || code == ABBREV_CALL_SITE_ORIGIN;
}

/* Takes DW_AT_sibling out of the entry that ended last, because it is the last of its siblings. */
static void be_last(struct composer *c)
{
    const struct compose_child *const last = &c->child;
    uint8_t *const behind = last->sibling + sizeof(uint32_t);
    const uint8_t code = *last->begin;
    put_u8(last->begin, abbrev_last(c->corpus->dialect, code));
    memmove(last->sibling, behind, (size_t)(last->end - behind));
    c->info -= sizeof(uint32_t);
    if (is_call(code)) /* its children, the parameters, refer to nothing */
        return;
    move_notes(c, behind);
    if (!c->only_sizes)
        move_siblings(c, last->sibling);
}

/* To be called before another entry ends. If nothing was composed behind the entry that ended last, it is the last of
 * its siblings. */
static void settle_child(struct composer *c)
{
    if (!c->child.end)
        return;
    if (c->child.end == c->info)
        be_last(c);
    compose_note_code(c->out, *c->child.begin);
    c->child.end = NULL;
}

void compose_function_end(struct composer *c)
{
    uint32_t code = *c->function;
    if (c->info > c->sibling + 4) {
        settle_child(c);
        compose_end_children(c, c->sibling);
    } else if (c->corpus->dialect.lines) {
        code = compose_without_calls(code);
        c->info = c->sibling;
    } else {
        bool is_method = code == ABBREV_DEFINED_METHOD || code == ABBREV_PLAIN_METHOD;
        assert(code != ABBREV_STATIC_FUNCTION && code <= abbrev_codes(c->corpus->dialect));
        code = is_method ? ABBREV_LEAF_METHOD : ABBREV_LEAF_FUNCTION;
        c->info = c->sibling;
    }
    compose_code(c->out, c->function, code);
    c->out->defined += c->out->dies - c->before;
}

void compose_end_children(struct composer *c, uint8_t *sibling)
{
    c->info = compose_code(c->out, c->info, ABBREV_END);
    if (sibling)
        compose_refer(c, sibling, compose_place_of(c, c->info));
}

void compose_end_child(struct composer *c, uint8_t *begin, uint8_t *sibling)
{
    settle_child(c);
    compose_end_children(c, sibling);
    c->child = (struct compose_child){begin, sibling, c->info};
}

void compose_end_call(struct composer *c, uint8_t *begin, uint8_t *sibling)
{
    compose_end_child(c, begin, NULL);
    c->child.sibling = sibling;
    be_last(c);
    compose_note_code(c->out, *begin);
    c->child.end = NULL;
}

void compose_end_put(struct composer *c, uint8_t code, uint32_t sibling, uint32_t size)
{
    uint8_t *const begin = c->info - size;
    settle_child(c);
    put_u8(begin, code); /* with only_sizes the stamp has not written it */
    c->child = (struct compose_child){begin, begin + sibling, c->info};
}

/* Writes a parameter's or local's entry up to its location. */
static uint8_t *put_variable(struct composer *c, enum abbrev_code code, const struct debug_variable *v)
{
    uint8_t *p = compose_code(c->out, c->info, code + short_name_is(v->name));
    p = short_name_put(p, v->name);
    p = put_declared(c, p, v->line, v->column);
    return compose_put_type(c, p, v->type, v->type_at);
}

static uint8_t *put_frame_place(uint8_t *p, int32_t place)
{
    uint8_t *length = p++;
    p = put_u8(p, DW_OP_fbreg);
    p = put_sleb128(p, place);
    *length = (uint8_t)(p - length - 1);
    return p;
}

void compose_parameter(struct composer *c, const struct debug_variable *v, int32_t place)
{
    c->info = put_frame_place(put_variable(c, ABBREV_PARAMETER, v), place);
}

void compose_parameter_register(struct composer *c, const struct debug_variable *v, uint32_t reg)
{
    c->info = put_u8(put_u8(put_variable(c, ABBREV_PARAMETER, v), 1), (uint8_t)(DW_OP_reg0 + reg));
}

void compose_local(struct composer *c, const struct debug_variable *v, int32_t place)
{
    c->info = put_frame_place(put_variable(c, ABBREV_LOCAL, v), place);
}

void compose_local_own(struct composer *c, const struct debug_variable *v, int32_t place)
{
    uint8_t *p = compose_code(c->out, c->info, ABBREV_LOCAL);
    bytes_u32(&c->out->named, compose_offset_of(c, p));
    p = put_declared(c, put_u32(p, v->name), v->line, v->column);
    c->info = put_frame_place(put_u32(p, corpus_type(c->corpus, v->type)), place);
}

static uint8_t *put_list(const struct composer *c, uint8_t *p, struct debug_list list)
{
    p = put_u32(p, list.at);
    return c->corpus->dialect.views ? put_u32(p, list.views) : p;
}

void compose_parameter_list(struct composer *c, const struct debug_variable *v, struct debug_list list)
{
    c->info = put_list(c, put_variable(c, ABBREV_PARAMETER_LIST, v), list);
}

void compose_local_list(struct composer *c, const struct debug_variable *v, struct debug_list list)
{
    c->info = put_list(c, put_variable(c, ABBREV_LOCAL_LIST, v), list);
}

void compose_local_gone(struct composer *c, const struct debug_variable *v)
{
    c->info = put_variable(c, ABBREV_LOCAL_GONE, v);
}

/* --- children of functions ---------------------------------------------------------------- */

/* The list of these ranges. The list composed last serves again if it has the same ranges. */
static uint32_t ranges_of(struct composer *c, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    struct compose_extent *const last = &c->extent;
    const size_t size = count * sizeof *from;
    assert(count <= COMPOSE_RANGES_MOST);
    if (last->count != count || memcmp(last->from, from, size) != 0 || memcmp(last->to, to, size) != 0) {
        last->count = count;
        last->list = compose_ranges(c, from[0], count, from, to);
        memcpy(last->from, from, size);
        memcpy(last->to, to, size);
    }
    return last->list;
}

/* DW_AT_low_pc and DW_AT_high_pc, or DW_AT_ranges. */
static uint8_t *put_extent(struct composer *c, uint8_t *p, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    if (count > 1)
        return put_u32(p, ranges_of(c, count, from, to));
    p = put_u64(p, c->text + from[0]);
    return put_u64(p, to[0] - from[0]);
}

uint8_t *compose_inlined(struct composer *c, uint32_t k, uint8_t file, uint32_t line, uint32_t column, uint32_t count,
                         const uint64_t *from, const uint64_t *to)
{
    note_inlined(c, k);
    uint8_t *p = put_u8(c->info, count == 1 ? ABBREV_INLINED : ABBREV_INLINED_RANGES);
    p = put_u32(p, c->corpus->inlines[k].at);
    p = put_u64(p, c->text + from[0]);
    if (c->corpus->dialect.views)
        p = put_u8(p, 0); /* the first row at that address */
    p = put_extent(c, p, count, from, to);
    p = put_u8(p, file);
    p = put_u16(p, (uint16_t)line);
    p = put_u8(p, (uint8_t)column);
    c->info = p + 4;
    return p;
}

void compose_inlined_child(struct composer *c, uint32_t k, uint32_t child, struct debug_list list)
{
    const struct corpus_inline *f = &c->corpus->inlines[k];
    bool is_parameter = child + f->variables < f->children;
    bool gone = list.at == COMPOSE_UNKNOWN;
    enum abbrev_code code = is_parameter ? (gone ? ABBREV_INLINED_PARAMETER_GONE : ABBREV_INLINED_PARAMETER)
                                         : (gone ? ABBREV_INLINED_VARIABLE_GONE : ABBREV_INLINED_VARIABLE);
    uint8_t *p = compose_code(c->out, c->info, code);
    p = put_u32(p, f->child[child]);
    c->info = gone ? p : put_list(c, p, list);
}

void compose_inlined_constant(struct composer *c, uint32_t k, uint32_t child, uint8_t value)
{
    uint8_t *p = compose_code(c->out, c->info, ABBREV_INLINED_PARAMETER_CONSTANT);
    p = put_u32(p, c->corpus->inlines[k].child[child]);
    c->info = put_u8(p, value);
}

void compose_label(struct composer *c, uint32_t name, uint32_t line, uint64_t at)
{
    if (c->corpus->listing[ABBREV_LABEL].wanted)
        note(c, ABBREV_LABEL, NAME_COMMON, name);
    uint8_t *p = put_u32(compose_code(c->out, c->info, ABBREV_LABEL), name);
    p = put_declared(c, p, line, 1);
    c->info = put_u64(p, c->text + at);
}

uint8_t *compose_block(struct composer *c, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    uint8_t *p = put_u8(c->info, count == 1 ? ABBREV_LEXICAL_BLOCK : ABBREV_LEXICAL_RANGES);
    p = put_extent(c, p, count, from, to);
    c->info = p + 4;
    return p;
}

void compose_constant(struct composer *c)
{
    uint8_t *p = compose_code(c->out, c->info, abbrev_fortran(ABBREV_CONSTANT));
    c->info = put_u32(p, c->corpus->constant_type);
}

uint8_t *compose_inlined_block(struct composer *c, uint32_t k, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    uint8_t *p = put_u8(c->info, count == 1 ? ABBREV_INLINED_BLOCK : ABBREV_INLINED_BLOCK_RANGES);
    p = put_u32(p, c->corpus->inlines[k].block);
    p = put_extent(c, p, count, from, to);
    c->info = p + 4;
    return p;
}

void compose_last_block(struct composer *c, uint32_t ranges)
{
    uint8_t *p = compose_code(c->out, c->info, abbrev_last(c->corpus->dialect, ABBREV_LEXICAL_RANGES));
    c->info = put_u32(p, ranges);
}

uint32_t compose_place(const struct composer *c)
{
    return compose_place_of(c, c->info);
}

uint32_t compose_declaration(struct composer *c, uint32_t name, uint32_t line, uint32_t parameters,
                             const uint8_t *types)
{
    uint32_t place = compose_place_of(c, c->info);
    uint8_t *p = compose_code(c->out, c->info, ABBREV_DECLARED_FUNCTION);
    bytes_u32(&c->out->named, compose_offset_of(c, p));
    p = put_u32(p, name);
    if (dialect_is_fortran_5(c->corpus->dialect))
        p = put_declared(c, p, line, 15);
    else
        p = compose_put_declared(p, line, 15);
    p = put_u32(p, corpus_type(c->corpus, BASE_UNSIGNED_LONG));
    uint8_t *sibling = p;
    p += 4;
    for (uint32_t j = 0; j < parameters; j++) {
        p = compose_code(c->out, p, ABBREV_TYPE_PARAMETER);
        p = put_u32(p, corpus_type(c->corpus, types[j]));
    }
    c->info = p;
    compose_end_children(c, sibling);
    return place;
}
