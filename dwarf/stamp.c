/* Makes stamps and puts them; see stamp.h. */
#include "dwarf/stamp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

/* In the store a patch of one of several kinds has its kind, from the first of them, above its offset. */
enum { PATCH_BITS = 13, PATCH_FAR = 1 << PATCH_BITS, MAKE_MOST = 1 << 14, PADDED_LEB = 3 };

/* Bytes of what a shelf takes at once, more than any stamp has; of what is reserved for a stamp, thrice of what one
 * usually takes. */
enum { STORE_PIECE = 1 << 17, RESERVED_C = 2048, RESERVED_CPP = 8192 };

static_assert(STAMP_ADDED <= 1 << (16 - PATCH_BITS), "a kind and an offset have 16 bits");

bool stamp_store_open(struct stamp_store *s, uint32_t stamps, struct dialect dialect)
{
    const size_t reserved = dialect.language == DWARF_CPP ? RESERVED_CPP : RESERVED_C;
    s->data = huge_alloc(stamps * reserved, &s->capacity);
    return s->data;
}

void stamp_store_free(struct stamp_store *s)
{
    free(s->data);
    s->data = NULL;
}

/* Room for what the maker has, in the piece under way or in another. */
static void make_room(const struct stamp_maker *m, struct stamp_shelf *shelf)
{
    const struct composed *o = &m->out;
    struct bytes *const b = &shelf->bytes;
    size_t most = sizeof(uint16_t) + o->info.size + o->lists.size + o->ranges.size + o->programs.size + BYTES_STEP;
    for (unsigned kind = 0; kind < STAMP_PATCHES; kind++)
        most += 2 * m->count[kind] * sizeof m->patch[0][0]; /* those that are far are two numbers */
    assert(most <= STORE_PIECE);
    if (most <= b->capacity - b->size)
        return;
    const size_t from = atomic_fetch_add(&shelf->store->taken, STORE_PIECE);
    if (from > shelf->store->capacity - STORE_PIECE) {
        b->failed = true;
        return;
    }
    if (from != b->capacity) /* somebody else has what follows */
        b->size = from;
    b->data = shelf->store->data;
    b->capacity = from + STORE_PIECE;
}

/* --- making ------------------------------------------------------------------------ */

bool stamp_start(struct stamp_maker *m, const struct corpus *corpus, bool near)
{
    struct composer *c = &m->composer;
    composed_clear(&m->out);
    m->references.size = 0;
    memset(&m->unit, 0, sizeof m->unit);
    memset(m->count, 0, sizeof m->count);
    m->depth = 0;
    m->parent[0] = (struct stamp_parent){0};
    *c = (struct composer){.corpus = corpus,
                           .out = &m->out,
                           .unit = &m->unit,
                           .references = &m->references,
                           .lists_as = near ? LISTS_NEAR : LISTS_BASED};
    return compose_reserve(c, MAKE_MOST, MAKE_MOST, MAKE_MOST, MAKE_MOST);
}

void stamp_maker_free(struct stamp_maker *m)
{
    composed_free(&m->out);
    bytes_free(&m->references);
}

static void note(struct stamp_maker *m, enum stamp_patch kind, uint32_t number)
{
    if (m->count[kind] == STAMP_PATCHES_MOST)
        m->failed = true;
    else
        m->patch[kind][m->count[kind]++] = (uint16_t)number;
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

/* Notes the pairs of lists in [at, end): behind each entry's kind are four bytes of
 * numbers, then, in location lists, a length and so many bytes. */
static void note_pairs(struct stamp_maker *m, enum stamp_patch kind, const uint8_t *data, uint32_t at, size_t end)
{
    while (at < end) {
        bool is_pair = data[at++] != 0; /* or a list's end */
        if (!is_pair)
            continue;
        note(m, kind, at);
        at += 4;
        at += kind == STAMP_LIST_PAIR ? 1u + data[at] : 0;
    }
}

struct debug_list stamp_list_end(struct stamp_maker *m)
{
    const struct composer *c = &m->composer;
    const struct debug_list list = compose_list_end(&m->composer);
    if (c->lists_as == LISTS_BASED)
        note(m, STAMP_LIST_BASE, list.at + compose_base_at(dialect_of(m)));
    else
        note_pairs(m, STAMP_LIST_PAIR, m->out.lists.data, list.at, (size_t)(c->lists - m->out.lists.data));
    return list;
}

/* Notes that what the entry under way ends with is where a list is. */
static void note_list(struct stamp_maker *m)
{
    const uint32_t end = entry(m, m->composer.info);
    note(m, STAMP_LIST, end - 4);
    if (dialect_of(m).views)
        note(m, STAMP_LIST, end - 8);
}

/* Notes the address at `at` of the entry, and its ranges where it has a list. */
static void note_ranges(struct stamp_maker *m, uint32_t at, uint32_t count, const uint8_t *ranges_before)
{
    if (count == 1) {
        note(m, STAMP_ADDRESS, at);
    } else {
        uint32_t list = (uint32_t)(ranges_before - m->out.ranges.data);
        note(m, STAMP_RANGES, at);
        if (m->composer.lists_as == LISTS_BASED)
            note(m, STAMP_RANGE_BASE, list + compose_base_at(dialect_of(m)));
    }
}

/* What stands behind `from` among the entries now stands `by` bytes before. */
static uint32_t moved(uint32_t at, uint32_t from, uint32_t by)
{
    return at > from ? at - by : at;
}

/* These are in the order of their places. */
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

/* The same with what refers to entries, but for the reference that stood at `from`. */
static void move_references(struct stamp_maker *m, uint32_t from, uint32_t by)
{
    const uint32_t place = compose_place_of(&m->composer, m->out.info.data + from);
    uint8_t *kept = m->references.data;
    for (size_t i = 0; i < m->references.size; i += sizeof(uint32_t)) {
        uint32_t at;
        uint32_t to;
        memcpy(&at, m->references.data + i, sizeof at);
        if (at == from)
            continue;
        at = moved(at, from, by);
        memcpy(&to, m->out.info.data + at, sizeof to);
        put_u32(m->out.info.data + at, moved(to, place, by));
        kept = put_u32(kept, at);
    }
    m->references.size = (size_t)(kept - m->references.data);
}

/* Whether the entry that was ended last is the last of its siblings, as far as is known, and refers to the next. */
static bool is_last(const struct stamp_maker *m)
{
    const struct stamp_parent *const e = &m->parent[m->depth];
    return e->sibling && e->end == entry(m, m->composer.info);
}

/* Then it refers to none. */
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

/* Now it is known what was ended last is. */
static void settle_child(struct stamp_maker *m)
{
    struct stamp_parent *const e = &m->parent[m->depth];
    if (!e->end)
        return;
    if (is_last(m))
        be_last(m);
    compose_note_code(&m->out, m->out.info.data[e->begin]);
    e->end = 0;
}

static void open_parent(struct stamp_maker *m, uint32_t begin, const uint8_t *sibling)
{
    assert(m->depth + 1 < STAMP_DEPTH_MOST);
    settle_child(m);
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
    note(m, STAMP_ADDRESS, start + 5);
    note_ranges(m, start + (dialect_of(m).views ? 14 : 13), count, ranges);
    if (file == DIALECT_SOURCE_FILE)
        note(m, STAMP_LINE, entry(m, sibling) - 3);
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
    note(m, STAMP_NAME, start + 1);
    note(m, STAMP_LINE, start + (dialect_has_one_file(dialect_of(m)) ? 5 : 6)); /* code, name, perhaps its file */
    if (list.at == COMPOSE_UNKNOWN) {
        compose_local_gone(&m->composer, &v);
        return;
    }
    compose_local_list(&m->composer, &v, list);
    note_list(m);
}

void stamp_call(struct stamp_maker *m, uint64_t returns, uint32_t number, bool ends)
{
    uint32_t start = entry(m, m->composer.info);
    uint8_t *sibling = compose_call(&m->composer, returns, 0, true);
    note(m, STAMP_ADDRESS, start + 1);
    note(m, STAMP_ORIGIN, start + 9);
    note(m, STAMP_ORIGIN, number);
    if (ends) {
        put_u8(m->out.info.data + start, abbrev_last(dialect_of(m), ABBREV_CALL_SITE_ORIGIN));
        m->composer.info = sibling;
        sibling = NULL;
    }
    open_parent(m, start, sibling);
}

void stamp_end_children(struct stamp_maker *m)
{
    settle_child(m);
    struct stamp_parent *const e = &m->parent[--m->depth];
    compose_end_children(&m->composer, e->sibling ? m->out.info.data + e->sibling : NULL);
    e->end = entry(m, m->composer.info);
}

/* Three bytes, whatever the value: it is not known yet. */
static void note_line_advance(struct stamp_maker *m, enum stamp_patch kind, int32_t number)
{
    struct line_rows *rows = &m->composer.rows;
    rows->p = put_u8(rows->p, DW_LNS_advance_line);
    note(m, kind, (uint32_t)(rows->p - m->out.programs.data));
    note(m, kind, (uint32_t)number);
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

/* Patches of one kind. */
static void shelve_kind(const struct stamp_maker *m, struct stamp_shelf *shelf, enum stamp_patch kind)
{
    if (m->count[kind])
        bytes_append(&shelf->bytes, m->patch[kind], m->count[kind] * sizeof m->patch[kind][0]);
}

static void note_far(struct stamp_maker *m, unsigned kind, uint16_t at)
{
    if (m->far_count + 2 > sizeof m->far / sizeof m->far[0]) {
        m->failed = true;
        return;
    }
    m->far[m->far_count++] = (uint16_t)kind;
    m->far[m->far_count++] = at;
}

/* Patches of the kinds [first, end), each with its own; returns how many. Those that are too far behind for that are
 * noted for later. */
static uint16_t shelve_kinds(struct stamp_maker *m, struct stamp_shelf *shelf, unsigned first, unsigned end)
{
    uint32_t count = 0;
    for (unsigned kind = first; kind < end; kind++) {
        uint16_t *const patch = m->patch[kind];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < m->count[kind]; i++)
            if (patch[i] < PATCH_FAR)
                patch[kept++] = (uint16_t)(patch[i] | (kind - first) << PATCH_BITS);
            else
                note_far(m, kind, patch[i]);
        m->count[kind] = kept;
        shelve_kind(m, shelf, kind);
        count += kept;
    }
    return (uint16_t)count;
}

/* Where patches are put: where numbers of 16 bits may be. */
static uint32_t next_patches(struct stamp_shelf *shelf)
{
    bytes_append(&shelf->bytes, "", shelf->bytes.size % sizeof(uint16_t));
    return (uint32_t)shelf->bytes.size;
}

static uint32_t shelve(struct stamp_shelf *shelf, const struct bytes *b)
{
    return (uint32_t)bytes_append(&shelf->bytes, b->data, b->size);
}

static uint32_t shelve_lists(struct stamp_shelf *shelf, const struct bytes *b)
{
    const struct bytes *on = &shelf->bytes;
    if (b->size != shelf->lists_size || !b->size || memcmp(on->data + shelf->lists, b->data, b->size) != 0)
        shelf->lists = shelve(shelf, b);
    shelf->lists_size = (uint32_t)b->size;
    return shelf->lists;
}

/* Two numbers of two bytes each (unsigned LEB128), side by side in one register, have 16 bits each in the store. */
static void split_pairs(const struct stamp_maker *m, enum stamp_patch kind, uint8_t *data)
{
    for (uint32_t i = 0; i < m->count[kind]; i++) {
        uint8_t *const p = data + m->patch[kind][i];
        uint32_t v;
        memcpy(&v, p, sizeof v);
        put_u32(p, (v & 0x007f007f) | (v >> 1 & 0x3f803f80));
    }
}

static void drop_code(struct stamp *s, enum abbrev_code code)
{
    s->codes[code / 64] &= ~(UINT64_C(1) << code % 64);
}

static void shelve_entries(struct stamp_maker *m, struct stamp_shelf *shelf, struct stamp *s)
{
    const struct composed *o = &m->out;
    size_t references = m->references.size / sizeof(uint32_t);
    uint32_t origin = 0; /* both are in the order of their places */
    for (size_t i = 0; i < references; i++) {
        uint32_t at;
        memcpy(&at, m->references.data + i * sizeof at, sizeof at);
        if (origin < m->count[STAMP_ORIGIN] && m->patch[STAMP_ORIGIN][origin] == at)
            origin += 2;
        else
            note(m, STAMP_PLACE, at);
    }
    assert(origin == m->count[STAMP_ORIGIN]);
    if (m->composer.lists_as == LISTS_NEAR)
        note_pairs(m, STAMP_RANGE_PAIR, o->ranges.data, 0, o->ranges.size);
    for (size_t at = 0; at < o->noted.size; at += sizeof(struct compose_noted)) {
        struct compose_noted noted;
        memcpy(&noted, o->noted.data + at, sizeof noted);
        assert(noted.from == NAME_INLINE);
        note(m, STAMP_NOTED, noted.place);
        note(m, STAMP_NOTED, noted.name);
    }
    *s = (struct stamp){.inlined = m->unit.inlined,
                        .codes = {o->codes[0], o->codes[1]},
                        .entries = (uint16_t)o->entries,
                        .info_size = (uint16_t)o->info.size,
                        .lists_size = (uint16_t)o->lists.size,
                        .ranges_size = (uint16_t)o->ranges.size};
    if (is_last(m)) {
        const struct stamp_parent *const last = &m->parent[0];
        s->last = (uint16_t)(last->end - last->begin);
        s->last_sibling = (uint8_t)(last->sibling - last->begin);
        s->last_code = o->info.data[last->begin];
    }
    drop_code(s, ABBREV_LOCAL_LIST);
    drop_code(s, ABBREV_LOCAL_GONE);
    split_pairs(m, STAMP_LIST_PAIR, o->lists.data);
    split_pairs(m, STAMP_RANGE_PAIR, o->ranges.data);
    m->far_count = 0;
    make_room(m, shelf);
    s->patches = next_patches(shelf);
    s->added = shelve_kinds(m, shelf, 0, STAMP_ADDED);
    s->pairs = shelve_kinds(m, shelf, STAMP_LIST_PAIR, STAMP_NAME);
    for (unsigned kind = STAMP_NAME; kind < STAMP_ENTER; kind++)
        shelve_kind(m, shelf, kind);
    assert(!m->far_count || m->far[m->far_count - 2] < STAMP_ADDED); /* of pairs there are none */
    bytes_append(&shelf->bytes, m->far, m->far_count * sizeof m->far[0]);
    s->far = (uint16_t)m->far_count;
    s->info = shelve(shelf, &o->info);
    s->ranges = shelve(shelf, &o->ranges);
    s->lists = shelve_lists(shelf, &o->lists);
    s->names = (uint16_t)m->count[STAMP_NAME];
    s->origins = (uint16_t)m->count[STAMP_ORIGIN];
    s->noted = (uint16_t)m->count[STAMP_NOTED];
}

static void shelve_rows(const struct stamp_maker *m, struct stamp_shelf *shelf, struct stamp_rows *s)
{
    const struct bytes *rows = &m->out.programs;
    assert(m->count[STAMP_ENTER] == m->count[STAMP_LEAVE]); /* what is entered is left */
    *s = (struct stamp_rows){.size = (uint16_t)rows->size,
                             .patched = (uint16_t)(m->count[STAMP_ENTER] + m->count[STAMP_LEAVE]),
                             .last_row = (uint16_t)m->composer.rows.address,
                             .last_line = (uint16_t)m->composer.rows.line,
                             .count = (uint16_t)m->composer.rows.count};
    make_room(m, shelf);
    s->patches = next_patches(shelf);
    for (uint32_t i = 0; i < s->patched / 2; i += 2) {
        bytes_append(&shelf->bytes, &m->patch[STAMP_ENTER][i], 2 * sizeof m->patch[0][0]);
        bytes_append(&shelf->bytes, &m->patch[STAMP_LEAVE][i], 2 * sizeof m->patch[0][0]);
    }
    s->rows = shelve(shelf, rows);
}

bool stamp_finish(struct stamp_maker *m, struct stamp_shelf *shelf, struct stamp *stamp, struct stamp_rows *rows)
{
    if (!is_last(m)) /* else it is settled where it is put */
        settle_child(m);
    compose_keep(&m->composer);
    const struct composed *o = &m->out;
    assert(o->info.size <= MAKE_MOST && o->lists.size <= MAKE_MOST && o->ranges.size <= MAKE_MOST &&
           o->programs.size <= MAKE_MOST);
    if (stamp)
        shelve_entries(m, shelf, stamp);
    if (rows)
        shelve_rows(m, shelf, rows);
    const bool ok = !m->failed && !m->references.failed && !composed_failed(o) && !shelf->bytes.failed;
    return ok && stamp_start(m, m->composer.corpus, m->composer.lists_as == LISTS_NEAR);
}

/* --- putting ------------------------------------------------------------------------- */

static const uint16_t *patches_of(const struct stamp_store *store, uint32_t patches)
{
    return (const uint16_t *)(const void *)(store->data + patches);
}

/* Adds to a number of up to 8 bytes: what it is less has no carry, and so the bytes behind it stay as they are. */
static void add(uint8_t *p, uint64_t value)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    put_u64(p, v + value);
}

/* Adds to two numbers that are split, and has them be LEB128: below COMPOSE_NEAR even then. */
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

/* Notes the codes of locals whose entries, made for names that are not short, are `entries`. Where these are to be put,
 * too, `p` is their copy, which has the names. */
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

/* The bytes themselves, but for names. One loop for all that is added: how often each kind is, no processor foresees.
 */
static void put_copies(struct composer *c, const struct stamp_store *store, const struct stamp *s, uint64_t at,
                       uint32_t line, const uint32_t *origin)
{
    uint8_t *const p = c->info;
    uint8_t *const lists = c->lists;
    uint8_t *const ranges = c->ranges;
    const uint64_t address = c->text + at;
    const uint64_t value[STAMP_ADDED] = {
        [STAMP_ADDRESS] = address,
        [STAMP_PLACE] = compose_offset_of(c, p),
        [STAMP_LIST] = compose_next_list(c),
        [STAMP_RANGES] = compose_next_ranges(c),
        [STAMP_LINE] = line,
        [STAMP_LIST_BASE] = address,
        [STAMP_RANGE_BASE] = address,
    };
    uint8_t *const in[STAMP_ADDED] = {p, p, p, p, p, lists, ranges};
    uint8_t *const pair_in[] = {lists, ranges};
    const uint32_t offset = (uint32_t)(address - c->unit->start);
    const uint16_t *patch = patches_of(store, s->patches);
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
    const uint16_t *const name_patches = patches_of(store, s->patches) + s->added + s->pairs;
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
    c->ranges += s->ranges_size;
    c->uses_lists |= s->lists_size != 0;
    c->uses_ranges |= s->ranges_size != 0;
}

static void put_row_copies(uint8_t *p, const struct stamp_store *store, const struct stamp_rows *s, uint32_t line)
{
    copy_in_steps(p, store->data + s->rows, s->size);
    const uint16_t *patch = patches_of(store, s->patches);
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
