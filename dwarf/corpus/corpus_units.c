/* Types in units of their own, as gcc -fdebug-types-section puts them (DWARF 5 section 3.1.4; in version 4 such units
 * are in .debug_types).
 *
 *     unit of a header's pieces    ... <type with DW_AT_signature> ...
 *     type unit                    header  unit entry | the type | what it refers to | 0
 *
 * A type is made among the pieces, like any other, and then moved. Copies of what it refers to move along, with all
 * that these refer to: pointers, typedefs, arrays, types of functions, base types. Types that have units of their own
 * end that: they are referred to by their signatures. An entry stands for such a type in the new unit. If there would
 * be one reference to that entry only, the reference itself has the signature, as with gcc's optimize_external_refs.
 *
 * Types are in the order of the pieces and refer to earlier ones only. So those of the pieces up to a cut are a prefix
 * of the header's, and a library has them once, however many of its units go that far.
 */
#include <assert.h>
#include <string.h>

#include "dwarf/corpus/corpus_parts.h"

enum { DEPTH_MOST = 8 };

/* An entry of the outermost level, with its children. Places are in the header's unit. */
struct part {
    uint32_t from, to;
    uint32_t uses;     /* references to it */
    bool is_signature; /* stands for a type that has a unit of its own */
};

/* Where something stood in the header's unit, and where it stands in the new one. */
struct moved {
    uint32_t from, to;
};

struct mover {
    struct header_builder *b;
    struct bytes parts;      /* struct part; the type itself is the first */
    struct bytes moved;      /* struct moved: the entries that have been put */
    struct bytes references; /* struct moved: references to the entry at `from`, each of which stands at `to` */
    size_t start;            /* where the unit begins among all type units */
};

static struct part *parts(const struct mover *m, uint32_t *count)
{
    *count = (uint32_t)(m->parts.size / sizeof(struct part));
    return (struct part *)(void *)m->parts.data;
}

/* The entry at a place in the header's unit. */
static const uint8_t *entry_at(const struct mover *m, uint32_t at)
{
    return m->b->entries.data + (at - m->b->corpus->start);
}

static uint32_t reference_of(const uint8_t *entry, const struct abbrev_reference *r)
{
    uint32_t value;
    memcpy(&value, entry + r->at, sizeof value);
    return value;
}

static struct part *find_part(const struct mover *m, uint32_t at)
{
    uint32_t count;
    struct part *part = parts(m, &count);
    while (count && (at < part->from || at >= part->to)) {
        part++;
        count--;
    }
    return count ? part : NULL;
}

/* The place behind the entry at `at` and its children. */
static uint32_t end_of(const struct mover *m, uint32_t at)
{
    uint32_t depth = 0;
    do {
        const uint8_t *entry = entry_at(m, at);
        const struct abbrev_entry read = abbrev_read(m->b->corpus->dialect, entry);
        depth += read.has_children;
        depth -= *entry == ABBREV_END;
        at += read.size;
    } while (depth);
    return at;
}

static void add_part(struct mover *m, uint32_t at)
{
    const struct abbrev_entry read = abbrev_read(m->b->corpus->dialect, entry_at(m, at));
    const struct part part = {.from = at, .to = end_of(m, at), .is_signature = read.is_signature};
    bytes_append(&m->parts, &part, sizeof part);
}

/* Lists what the parts refer to, including the parts that are added here. */
static void list_parts(struct mover *m)
{
    for (size_t i = 0; i < m->parts.size; i += sizeof(struct part)) {
        struct part of;
        memcpy(&of, m->parts.data + i, sizeof of);
        for (uint32_t at = of.from; at < of.to;) {
            const uint8_t *entry = entry_at(m, at);
            const struct abbrev_entry read = abbrev_read(m->b->corpus->dialect, entry);
            for (uint32_t k = 0; k < read.references; k++) {
                if (read.reference[k].attribute == DW_AT_sibling)
                    continue;
                uint32_t to = reference_of(entry, &read.reference[k]);
                if (!find_part(m, to))
                    add_part(m, to);
                if (m->parts.failed)
                    return;
                find_part(m, to)->uses++;
            }
            at += read.size;
        }
    }
}

static uint32_t unit_place(const struct mover *m)
{
    return (uint32_t)(m->b->types.size - m->start);
}

/* Whether an entry with code `by` can have the part's signature itself, so that it does not need the part. */
static bool goes_without(const struct mover *m, const struct part *part, enum abbrev_code by)
{
    return part->is_signature && part->uses == 1 && abbrev_with_signature(m->b->corpus->dialect, by);
}

/* Puts a copy of an entry. Returns where its DW_AT_sibling is to be stated, or 0. */
static size_t put_entry(struct mover *m, uint32_t from)
{
    struct bytes *out = &m->b->types;
    const uint8_t *entry = entry_at(m, from);
    const struct abbrev_entry read = abbrev_read(m->b->corpus->dialect, entry);
    const struct moved moved = {from, unit_place(m)};
    const size_t code = out->size;
    size_t sibling = 0;
    uint32_t done = 0;
    bytes_append(&m->moved, &moved, sizeof moved);
    for (uint32_t k = 0; k < read.references; k++) {
        const struct abbrev_reference *r = &read.reference[k];
        const uint32_t to = reference_of(entry, r);
        bytes_append(out, entry + done, r->at - done);
        done = r->at + (uint32_t)sizeof to;
        if (r->attribute == DW_AT_sibling) {
            sibling = bytes_u32(out, 0);
            continue;
        }
        if (r->attribute == DW_AT_type && goes_without(m, find_part(m, to), *entry)) {
            bytes_append(out, entry_at(m, to) + 1, sizeof(uint64_t));
            if (!out->failed)
                out->data[code] = abbrev_with_signature(m->b->corpus->dialect, *entry);
            continue;
        }
        const struct moved reference = {to, unit_place(m)};
        bytes_append(&m->references, &reference, sizeof reference);
        bytes_u32(out, 0);
    }
    bytes_append(out, entry + done, read.size - done);
    return sibling;
}

static void put_part(struct mover *m, const struct part *part)
{
    size_t sibling[DEPTH_MOST];
    uint32_t depth = 0;
    for (uint32_t at = part->from; at < part->to;) {
        const uint8_t *entry = entry_at(m, at);
        const struct abbrev_entry read = abbrev_read(m->b->corpus->dialect, entry);
        size_t stated = put_entry(m, at);
        if (*entry == ABBREV_END && sibling[--depth])
            bytes_patch_u32(&m->b->types, sibling[depth], unit_place(m));
        if (read.has_children) {
            assert(depth < DEPTH_MOST);
            sibling[depth++] = stated;
        }
        at += read.size;
    }
}

/* Whether the part stands for a type and its only reference does without it. */
static bool is_left_out(const struct mover *m, const struct part *part)
{
    if (!part->is_signature || part->uses != 1)
        return false;
    const struct moved *reference = (const struct moved *)(const void *)m->references.data;
    for (size_t i = m->references.size / sizeof *reference; i; i--, reference++)
        if (reference->from == part->from)
            return false;
    return true;
}

static void put_parts(struct mover *m)
{
    uint32_t count;
    const struct part *part = parts(m, &count);
    for (uint32_t pass = 0; pass < 2; pass++) /* entries for other types last: now it is known which are needed */
        for (uint32_t i = 0; i < count; i++)
            if (part[i].is_signature == pass && !is_left_out(m, &part[i]))
                put_part(m, &part[i]);
    bytes_u8(&m->b->types, ABBREV_END);
}

static void settle_references(struct mover *m)
{
    const struct moved *reference = (const struct moved *)(const void *)m->references.data;
    for (size_t i = m->references.size / sizeof *reference; i; i--, reference++) {
        const struct moved *moved = (const struct moved *)(const void *)m->moved.data;
        while (moved->from != reference->from)
            moved++;
        bytes_patch_u32(&m->b->types, m->start + reference->to, moved->to);
    }
}

/* Puts the unit's header and its entry. Each library sets where the line table is. */
static void begin_unit(struct mover *m)
{
    const struct dialect d = m->b->corpus->dialect;
    struct bytes *out = &m->b->types;
    bytes_u32(out, 0);
    bytes_u16(out, d.version);
    if (dialect_is_4(d)) {
        bytes_u32(out, 0); /* offset of the table of abbreviations: the first, which is like all others */
        bytes_u8(out, 8);  /* address size */
    } else {
        bytes_u8(out, DW_UT_type);
        bytes_u8(out, 8);
        bytes_u32(out, 0);
    }
    bytes_u64(out, 0);
    bytes_u32(out, dialect_type_unit_header(d) + abbrev_entry_size(d, ABBREV_TYPE_UNIT));
    assert(out->failed || unit_place(m) == dialect_type_unit_header(d));
    bytes_u8(out, abbrev_type_units(d, ABBREV_TYPE_UNIT));
    bytes_u8(out, dialect_language(d));
    bytes_u32(&m->b->type_lines, (uint32_t)out->size);
    bytes_u32(out, 0);
}

/* A hash of all that the unit says. It is the same in all libraries of a set, because names are at the same places. */
static uint64_t hash_of(const uint8_t *p, size_t size)
{
    uint64_t hash = random_mix(size);
    for (; size; p += 8, size -= size < 8 ? size : 8) {
        uint64_t word = 0;
        memcpy(&word, p, size < 8 ? size : 8);
        hash = random_mix((hash ^ word) + RANDOM_STEP);
    }
    return hash;
}

uint64_t corpus_move_type(struct header_builder *b, uint32_t at)
{
    struct mover m = {.b = b, .start = b->types.size};
    uint64_t signature = 0;
    if (b->entries.failed)
        return 0;
    add_part(&m, at);
    if (!m.parts.failed)
        list_parts(&m);
    begin_unit(&m);
    if (!m.parts.failed)
        put_parts(&m);
    if (m.parts.failed || m.moved.failed || m.references.failed)
        b->types.failed = true;
    if (!b->types.failed) {
        settle_references(&m);
        uint8_t *unit = b->types.data + m.start;
        put_u32(unit, unit_place(&m) - 4);
        signature = hash_of(unit, unit_place(&m));
        put_u64(unit + dialect_type_unit_header(b->corpus->dialect) - 12, signature);
    }
    b->moved += (uint32_t)b->entries.size - (at - b->corpus->start);
    b->entries.size = at - b->corpus->start;
    bytes_free(&m.parts);
    bytes_free(&m.moved);
    bytes_free(&m.references);
    return signature;
}
