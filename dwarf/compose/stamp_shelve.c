/* Puts stamps into their store; see stamp.h. */
#include "dwarf/compose/stamp_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

/* STORE_PIECE: bytes of the store that a shelf takes at once, more than any stamp has. RESERVED: bytes of addresses
 * that are reserved for each stamp, many times what a stamp usually takes. */
enum { STORE_PIECE = 1 << 17, RESERVED = 1 << 13 };

bool stamp_store_open(struct stamp_store *s, uint32_t stamps)
{
    s->data = huge_alloc(stamps * (size_t)RESERVED, &s->capacity);
    return s->data;
}

void stamp_store_free(struct stamp_store *s)
{
    free(s->data);
    s->data = NULL;
}

/* The lists of a stamp: as they were composed, or near. */
struct told {
    const struct bytes *lists, *ranges;
};

/* Makes room for what the maker has, in the piece under way or in another. */
static void make_room(const struct stamp_maker *m, struct told t, struct stamp_shelf *shelf)
{
    const struct composed *o = &m->out;
    struct bytes *const b = &shelf->bytes;
    size_t most = 2 * sizeof(uint16_t) + o->info.size + t.lists->size + t.ranges->size + o->programs.size + BYTES_STEP;
    for (unsigned kind = 0; kind < STAMP_PATCHES; kind++)
        most += 2 * m->count[kind] * sizeof m->patch[0][0]; /* a far patch is two numbers */
    assert(most <= STORE_PIECE);
    if (most <= b->capacity - b->size)
        return;
    const size_t from = atomic_fetch_add(&shelf->store->taken, STORE_PIECE);
    if (from > shelf->store->capacity - STORE_PIECE) {
        shelf->store->overfull = true;
        b->failed = true;
        return;
    }
    if (from != b->capacity) /* another shelf has taken what follows */
        b->size = from;
    b->data = shelf->store->data;
    b->capacity = from + STORE_PIECE;
}

/* Puts the patches of one kind on the shelf. */
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

/* Puts the patches of the kinds [first, end) on the shelf, each with its kind, and returns how many. Those whose offset
 * is too large for that are noted as far. */
static uint16_t shelve_kinds(struct stamp_maker *m, struct stamp_shelf *shelf, unsigned first, unsigned end)
{
    size_t count = 0;
    for (unsigned kind = first; kind < end; kind++)
        count += m->count[kind];
    uint8_t *const start = bytes_reserve(&shelf->bytes, count * sizeof(uint16_t));
    if (!start)
        return 0; /* shelf->bytes.failed tells */
    uint8_t *p = start;
    for (unsigned kind = first; kind < end; kind++) {
        const uint16_t *const patch = m->patch[kind];
        for (uint32_t i = 0; i < m->count[kind]; i++)
            if (patch[i] < PATCH_FAR)
                p = put_u16(p, (uint16_t)(patch[i] | (kind - first) << PATCH_BITS));
            else
                note_far(m, kind, patch[i]);
    }
    bytes_keep(&shelf->bytes, p);
    return (uint16_t)((size_t)(p - start) / sizeof(uint16_t));
}

/* Where the next patches go: at an even offset, because they are 16-bit numbers. */
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

static void drop_code(struct stamp *s, enum abbrev_code code)
{
    s->codes[code / 64] &= ~(UINT64_C(1) << code % 64);
}

/* Notes the patches that do not depend on the form of the lists: references to entries, and what an index of names
 * lists. */
static void note_rest(struct stamp_maker *m)
{
    const struct composed *o = &m->out;
    size_t references = m->references.size / sizeof(uint32_t);
    uint32_t origin = 0; /* origins of calls are among the references, in the same order */
    for (size_t i = 0; i < references; i++) {
        uint32_t at;
        memcpy(&at, m->references.data + i * sizeof at, sizeof at);
        if (origin < m->count[STAMP_ORIGIN] && m->patch[STAMP_ORIGIN][origin] == at)
            origin += 2;
        else
            stamp_note(m, STAMP_PLACE, at);
    }
    assert(origin == m->count[STAMP_ORIGIN]);
    for (size_t at = 0; at < o->noted.size; at += sizeof(struct compose_noted)) {
        struct compose_noted noted;
        memcpy(&noted, o->noted.data + at, sizeof noted);
        assert(noted.from == NAME_INLINE);
        stamp_note(m, STAMP_NOTED, noted.place);
        stamp_note(m, STAMP_NOTED, noted.name);
    }
}

static void shelve_entries(struct stamp_maker *m, struct told t, struct stamp_shelf *shelf, struct stamp *s)
{
    const struct composed *o = &m->out;
    const uint16_t attributes = (uint16_t)o->attributes;
    *s = (struct stamp){.inlined = (uint32_t)m->unit.inlined,
                        .codes = {o->codes[0], o->codes[1]},
                        .entries = (uint16_t)o->entries,
                        .dies = (uint16_t)o->dies,
                        .info_size = (uint16_t)o->info.size,
                        .lists_size = (uint16_t)t.lists->size,
                        .ranges_size = (uint16_t)t.ranges->size};
    if (stamp_is_last(m)) {
        const struct stamp_parent *const last = &m->parent[0];
        s->last = (uint16_t)(last->end - last->begin);
        s->last_sibling = (uint8_t)(last->sibling - last->begin);
        s->last_code = o->info.data[last->begin];
    }
    drop_code(s, ABBREV_LOCAL_LIST);
    drop_code(s, ABBREV_LOCAL_GONE);
    m->far_count = 0;
    make_room(m, t, shelf);
    s->patches = next_patches(shelf);
    bytes_append(&shelf->bytes, &attributes, sizeof attributes);
    s->added = shelve_kinds(m, shelf, 0, STAMP_ADDED);
    s->pairs = shelve_kinds(m, shelf, STAMP_LIST_PAIR, STAMP_NAME);
    for (unsigned kind = STAMP_NAME; kind < STAMP_ENTER; kind++)
        shelve_kind(m, shelf, kind);
    assert(!m->far_count || m->far[m->far_count - 2] < STAMP_ADDED); /* a pair is never far */
    bytes_append(&shelf->bytes, m->far, m->far_count * sizeof m->far[0]);
    s->far = (uint16_t)m->far_count;
    s->info = shelve(shelf, &o->info);
    s->ranges = shelve(shelf, t.ranges);
    s->lists = shelve_lists(shelf, t.lists);
    s->names = (uint16_t)m->count[STAMP_NAME];
    s->origins = (uint16_t)m->count[STAMP_ORIGIN];
    s->noted = (uint16_t)m->count[STAMP_NOTED];
}

static void shelve_rows(const struct stamp_maker *m, struct stamp_shelf *shelf, struct stamp_rows *s)
{
    const struct bytes *rows = &m->out.programs;
    assert(m->count[STAMP_ENTER] == m->count[STAMP_LEAVE]); /* each header that is entered is left */
    *s = (struct stamp_rows){.size = (uint16_t)rows->size,
                             .patched = (uint16_t)(m->count[STAMP_ENTER] + m->count[STAMP_LEAVE]),
                             .last_row = (uint16_t)m->composer.rows.address,
                             .last_line = (uint16_t)m->composer.rows.line,
                             .count = (uint16_t)m->composer.rows.count};
    make_room(m, (struct told){&m->out.lists, &m->out.ranges}, shelf);
    s->patches = next_patches(shelf);
    for (uint32_t i = 0; i < s->patched / 2; i += 2) {
        bytes_append(&shelf->bytes, &m->patch[STAMP_ENTER][i], 2 * sizeof m->patch[0][0]);
        bytes_append(&shelf->bytes, &m->patch[STAMP_LEAVE][i], 2 * sizeof m->patch[0][0]);
    }
    shelve(shelf, rows);
}

/* Bytes of the largest of entries, lists, ranges and rows. */
static size_t largest(const struct composed *o)
{
    const size_t size[] = {o->info.size, o->lists.size, o->ranges.size, o->programs.size};
    size_t most = 0;
    for (unsigned i = 0; i < sizeof size / sizeof size[0]; i++)
        most = size[i] > most ? size[i] : most;
    return most;
}

/* For a stamp that is larger than it may be. */
static bool refuse(struct stamp_shelves *on)
{
    on->anywhere.store->overfull = true;
    return false;
}

bool stamp_finish(struct stamp_maker *m, struct stamp_shelves *on, const struct stamp_wanted *wanted)
{
    if (!stamp_is_last(m)) /* else it is settled where the stamp is put */
        stamp_settle_child(m);
    compose_keep(&m->composer);
    const struct composed *o = &m->out;
    const size_t most = largest(o);
    assert(most <= MAKE_MOST);
    if (most > STAMP_MOST || m->failed)
        return refuse(on);
    if (m->references.failed || composed_failed(o))
        return false;
    note_rest(m);
    shelve_entries(m, (struct told){&o->lists, &o->ranges}, &on->anywhere, wanted->anywhere);
    if (wanted->rows)
        shelve_rows(m, &on->anywhere, wanted->rows);
    if (wanted->near && !m->failed) {
        stamp_tell_near(m);
        if (m->near.lists.size > PATCH_FAR || m->near.ranges.size > PATCH_FAR)
            return refuse(on);
        shelve_entries(m, (struct told){&m->near.lists, &m->near.ranges}, &on->near, wanted->near);
    }
    if (m->failed)
        return refuse(on);
    const bool ok =
        !m->near.lists.failed && !m->near.ranges.failed && !on->anywhere.bytes.failed && !on->near.bytes.failed;
    return ok && stamp_start(m, m->composer.corpus);
}
