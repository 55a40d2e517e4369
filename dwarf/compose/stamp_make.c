/* Composes stamps; see stamp.h. */
#include "dwarf/compose/stamp_parts.h"

#include <assert.h>
#include <string.h>

bool stamp_start(struct stamp_maker *m, const struct corpus *corpus)
{
    struct composer *c = &m->composer;
    composed_clear(&m->out, corpus);
    m->references.size = 0;
    memset(&m->unit, 0, sizeof m->unit);
    memset(m->count, 0, sizeof m->count);
    m->depth = 0;
    m->parent[0] = (struct stamp_parent){0};
    *c = (struct composer){.corpus = corpus,
                           .out = &m->out,
                           .unit = &m->unit,
                           .references = &m->references,
                           .lists_as = dialect_is_4(corpus->dialect) ? LISTS_PLAIN : LISTS_BASED};
    return compose_reserve(c, MAKE_MOST, MAKE_MOST, MAKE_MOST, MAKE_MOST);
}

void stamp_maker_free(struct stamp_maker *m)
{
    composed_free(&m->out);
    bytes_free(&m->references);
    bytes_free(&m->near.lists);
    bytes_free(&m->near.ranges);
}

/* Offset of p among the entries. */
static uint32_t entry(const struct stamp_maker *m, const uint8_t *p)
{
    return (uint32_t)(p - m->out.info.data);
}

static struct dialect dialect_of(const struct stamp_maker *m)
{
    return m->composer.corpus->dialect;
}

/* Notes what moves the list at offset `at`: its base address, or in version 4 both addresses of each entry. */
static void note_base(struct stamp_maker *m, enum stamp_patch kind, const struct bytes *lists, uint32_t at)
{
    if (!dialect_is_4(dialect_of(m))) {
        stamp_note(m, kind, at + COMPOSE_BASE_AT);
        return;
    }
    for (const uint8_t *p = lists->data + at;;) {
        const uint32_t entry = (uint32_t)(p - lists->data);
        const uint64_t from = take_u64(&p);
        if (!take_u64(&p) && !from)
            return;
        stamp_note(m, kind, entry);
        stamp_note(m, kind, entry + (uint32_t)sizeof from);
        if (kind == STAMP_LIST_BASE) /* an expression, behind its length */
            p += 2 + p[0] + 256 * p[1];
    }
}

struct debug_list stamp_list_end(struct stamp_maker *m)
{
    const struct debug_list list = compose_list_end(&m->composer);
    note_base(m, STAMP_LIST_BASE, &m->out.lists, list.at);
    return list;
}

/* Notes the list that the entry under way refers to at its end, with views also its views. */
static void note_list(struct stamp_maker *m)
{
    const uint32_t end = entry(m, m->composer.info);
    stamp_note(m, STAMP_LIST, end - 4);
    if (dialect_of(m).views)
        stamp_note(m, STAMP_LIST, end - 8);
}

/* Notes what an entry has at offset `at`: the address of its one range, or the offset of a range list. Notes the base
 * address in that list as well. */
static void note_ranges(struct stamp_maker *m, uint32_t at, uint32_t count, const uint8_t *ranges_before)
{
    if (count == 1) {
        stamp_note(m, STAMP_ADDRESS, at);
    } else {
        uint32_t list = (uint32_t)(ranges_before - m->out.ranges.data);
        stamp_note(m, STAMP_RANGES, at);
        if (m->composer.ranges != ranges_before) /* the list is its own, and not that of an entry around it */
            note_base(m, STAMP_RANGE_BASE, &m->out.ranges, list);
    }
}

/* Moves the patches of what stood behind `from` among the entries, and now stands `by` bytes before. Patches are in the
 * order of their places. */
static void move_patches(struct stamp_maker *m, uint32_t from, uint32_t by)
{
    const uint32_t place = compose_place_of(&m->composer, m->out.info.data + from);
    static const enum stamp_patch kinds[] = {STAMP_ADDRESS, STAMP_LIST, STAMP_RANGES, STAMP_LINE, STAMP_NAME};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint16_t *const patch = m->patch[kinds[i]];
        for (uint32_t k = m->count[kinds[i]]; k && patch[k - 1] > from; k--)
            patch[k - 1] = (uint16_t)(patch[k - 1] - by);
    }
    uint16_t *const origin = m->patch[STAMP_ORIGIN];
    for (uint32_t k = m->count[STAMP_ORIGIN]; k && origin[k - 2] > from; k -= 2)
        origin[k - 2] = (uint16_t)(origin[k - 2] - by);
    struct compose_noted *const noted = (struct compose_noted *)(void *)m->out.noted.data;
    for (size_t i = m->out.noted.size / sizeof *noted; i && noted[i - 1].place > place; i--)
        noted[i - 1].place -= by;
}

/* Moves the references to entries likewise, and drops the one at `from`. That one was noted last, when its entry ended,
 * and those inside the entry just before. What stands before the entry refers to nothing behind it. */
static void move_references(struct stamp_maker *m, uint32_t from, uint32_t by)
{
    const uint32_t place = compose_place_of(&m->composer, m->out.info.data + from);
    uint32_t *const reference = (uint32_t *)(void *)m->references.data;
    size_t count = m->references.size / sizeof *reference;
    if (m->references.failed) /* stamp_finish tells */
        return;
    assert(reference[count - 1] == from);
    m->references.size = --count * sizeof *reference;
    for (; count && reference[count - 1] > from; count--) {
        const uint32_t at = reference[count - 1] - by;
        uint8_t *const p = m->out.info.data + at;
        uint32_t to;
        memcpy(&to, p, sizeof to);
        put_u32(p, to > place ? to - by : to);
        reference[count - 1] = at;
    }
}

bool stamp_is_last(const struct stamp_maker *m)
{
    const struct stamp_parent *const e = &m->parent[m->depth];
    return e->sibling && e->end == entry(m, m->composer.info);
}

/* Takes the reference to a sibling out of the entry that was ended last. */
static void be_last(struct stamp_maker *m)
{
    const struct stamp_parent *const e = &m->parent[m->depth];
    uint8_t *const info = m->out.info.data;
    const uint8_t code = abbrev_last(dialect_of(m), info[e->begin]);
    const uint32_t behind = e->sibling + sizeof(uint32_t);
    put_u8(info + e->begin, code);
    memmove(info + e->sibling, info + behind, e->end - behind);
    m->composer.info -= sizeof(uint32_t);
    move_references(m, e->sibling, sizeof(uint32_t));
    move_patches(m, e->sibling, sizeof(uint32_t));
}

void stamp_settle_child(struct stamp_maker *m)
{
    struct stamp_parent *const e = &m->parent[m->depth];
    if (!e->end)
        return;
    if (stamp_is_last(m))
        be_last(m);
    compose_note_code(&m->out, m->out.info.data[e->begin]);
    e->end = 0;
}

static void open_parent(struct stamp_maker *m, uint32_t begin, const uint8_t *sibling)
{
    assert(m->depth + 1 < STAMP_DEPTH_MOST);
    stamp_settle_child(m);
    m->parent[m->depth++] = (struct stamp_parent){.begin = begin, .sibling = sibling ? entry(m, sibling) : 0};
    m->parent[m->depth] = (struct stamp_parent){0}; /* nothing was ended in it */
}

void stamp_inlined(struct stamp_maker *m, uint32_t k, uint8_t file, uint32_t line, uint32_t column, uint32_t count,
                   const uint64_t *from, const uint64_t *to)
{
    /* code, origin, entry_pc, its view, then low_pc and high_pc or ranges, file, line, column, sibling */
    uint32_t start = entry(m, m->composer.info);
    const uint8_t *ranges = m->composer.ranges;
    uint8_t *sibling = compose_inlined(&m->composer, k, file, line, column, count, from, to);
    stamp_note(m, STAMP_ADDRESS, start + 5);
    note_ranges(m, start + (dialect_of(m).views ? 14 : 13), count, ranges);
    if (file == DIALECT_SOURCE_FILE)
        stamp_note(m, STAMP_LINE, entry(m, sibling) - 3);
    open_parent(m, start, sibling);
}

void stamp_inlined_child(struct stamp_maker *m, uint32_t k, uint32_t child, struct debug_list list)
{
    compose_inlined_child(&m->composer, k, child, list);
    if (list.at != COMPOSE_UNKNOWN)
        note_list(m);
}

void stamp_block(struct stamp_maker *m, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    uint32_t start = entry(m, m->composer.info);
    const uint8_t *ranges = m->composer.ranges;
    uint8_t *sibling = compose_block(&m->composer, count, from, to);
    note_ranges(m, start + 1, count, ranges);
    open_parent(m, start, sibling);
}

void stamp_inlined_block(struct stamp_maker *m, uint32_t k, uint32_t count, const uint64_t *from, const uint64_t *to)
{
    /* code, origin, then low_pc and high_pc or ranges, sibling */
    uint32_t start = entry(m, m->composer.info);
    const uint8_t *ranges = m->composer.ranges;
    uint8_t *sibling = compose_inlined_block(&m->composer, k, count, from, to);
    note_ranges(m, start + 5, count, ranges);
    open_parent(m, start, sibling);
}

void stamp_local(struct stamp_maker *m, uint32_t line, enum base_type type, struct debug_list list)
{
    uint32_t start = entry(m, m->composer.info);
    const struct debug_variable v = {.line = line, .column = 10, .type = type};
    stamp_note(m, STAMP_NAME, start + 1);
    stamp_note(m, STAMP_LINE, start + (dialect_has_one_file(dialect_of(m)) ? 5 : 6)); /* code, name, perhaps its file */
    if (list.at == COMPOSE_UNKNOWN) {
        compose_local_gone(&m->composer, &v);
        return;
    }
    compose_local_list(&m->composer, &v, list);
    note_list(m);
}

void stamp_constants(struct stamp_maker *m, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        compose_constant(&m->composer);
}

void stamp_call(struct stamp_maker *m, uint64_t returns, uint32_t number, bool ends)
{
    uint32_t start = entry(m, m->composer.info);
    uint8_t *sibling = compose_call(&m->composer, returns, 0, true);
    stamp_note(m, STAMP_ADDRESS, start + 1);
    stamp_note(m, STAMP_ORIGIN, start + 9);
    stamp_note(m, STAMP_ORIGIN, number);
    if (ends) {
        put_u8(m->out.info.data + start, abbrev_last(dialect_of(m), ABBREV_CALL_SITE_ORIGIN));
        m->composer.info = sibling;
        sibling = NULL;
    }
    open_parent(m, start, sibling);
}

void stamp_end_children(struct stamp_maker *m)
{
    stamp_settle_child(m);
    struct stamp_parent *const e = &m->parent[--m->depth];
    compose_end_children(&m->composer, e->sibling ? m->out.info.data + e->sibling : NULL);
    e->end = entry(m, m->composer.info);
}

/* Takes three bytes, because the value is not known yet. */
static void note_line_advance(struct stamp_maker *m, enum stamp_patch kind, int32_t number)
{
    struct line_rows *rows = &m->composer.rows;
    rows->p = put_u8(rows->p, DW_LNS_advance_line);
    stamp_note(m, kind, (uint32_t)(rows->p - m->out.programs.data));
    stamp_note(m, kind, (uint32_t)number);
    rows->p += PADDED_LEB;
}

void stamp_enter_header(struct stamp_maker *m, uint32_t line)
{
    struct line_rows *rows = &m->composer.rows;
    rows->p = put_bytes(rows->p, (const uint8_t[]){DW_LNS_set_file, DIALECT_HEADER_FILE}, 2);
    note_line_advance(m, STAMP_ENTER, (int32_t)line - (int32_t)rows->line);
    rows->line = line;
}

void stamp_leave_header(struct stamp_maker *m, uint32_t line)
{
    struct line_rows *rows = &m->composer.rows;
    rows->p = put_bytes(rows->p, (const uint8_t[]){DW_LNS_set_file, DIALECT_SOURCE_FILE}, 2);
    note_line_advance(m, STAMP_LEAVE, (int32_t)line - (int32_t)rows->line);
    rows->line = line;
}
