/* The size pass of the indexes; see index.h.
 *
 * Most entries of a library name what many of its units define, by the same offset of
 * .debug_str. So a name is first looked up by its offset, and only an offset that is
 * new by its text, which is then hashed; both in tables of open addressing that grow
 * with the names and not with the entries.
 */
#include "dwarf/index.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "dwarf/index_hash.h"
#include "dwarf/index_parts.h"

enum { FIRST_BITS = 10 };

struct slot {
    uint32_t key;
    uint32_t number; /* of the name, and one; 0 where the slot is free */
};

struct table {
    struct slot *slot;
    uint32_t bits;
    uint32_t used;
};

struct names {
    struct table by_offset; /* keys: struct index_entry's `name` */
    struct table by_text;   /* keys: hashes, of which several names may have the same */
    uint32_t capacity;
};

static inline uint32_t first_slot(const struct table *t, uint32_t key)
{
    return key * UINT32_C(0x9e3779b1) >> (32 - t->bits);
}

static inline uint32_t next_slot(const struct table *t, uint32_t i)
{
    return (i + 1) & ((UINT32_C(1) << t->bits) - 1);
}

static void put_slot(struct table *t, uint32_t key, uint32_t number)
{
    uint32_t i = first_slot(t, key);
    while (t->slot[i].number)
        i = next_slot(t, i);
    t->slot[i] = (struct slot){key, number};
}

/* Room for one more, so that at most half of the slots are in use. */
static bool table_reserve(struct table *t, struct arena *arena)
{
    if (t->slot && t->used < UINT32_C(1) << (t->bits - 1))
        return true;
    const struct table old = *t;
    t->bits = old.slot ? old.bits + 1 : FIRST_BITS;
    t->slot = arena_zeroed(arena, (size_t)1 << t->bits, sizeof *t->slot);
    if (!t->slot)
        return false;
    for (uint32_t i = 0; old.slot && i < UINT32_C(1) << old.bits; i++)
        if (old.slot[i].number)
            put_slot(t, old.slot[i].key, old.slot[i].number);
    return true;
}

/* The name with this text, 0 where there is none yet. */
static uint32_t find_text(const struct index *x, const struct table *t, const struct index_name *like)
{
    for (uint32_t i = first_slot(t, like->hash);; i = next_slot(t, i)) {
        const struct slot *s = &t->slot[i];
        if (!s->number)
            return 0;
        const struct index_name *n = &x->name[s->number - 1];
        if (s->key == like->hash && n->length == like->length && memcmp(n->text, like->text, like->length) == 0)
            return s->number;
    }
}

static bool name_reserve(struct index *x, struct names *names, struct arena *arena)
{
    if (x->counts.names < names->capacity)
        return true;
    names->capacity = names->capacity ? 2 * names->capacity : 1 << FIRST_BITS;
    struct index_name *longer = arena_take(arena, names->capacity * sizeof *longer);
    if (!longer)
        return false;
    if (x->counts.names)
        memcpy(longer, x->name, x->counts.names * sizeof *longer);
    x->name = longer;
    return true;
}

/* The number of a name whose offset is met for the first time; 0 when memory is exhausted. */
static uint32_t add_offset(struct index *x, struct names *names, uint32_t name, struct arena *arena)
{
    struct index_name n = {.text = x->text.at(x->text.owner, name), .name = name, .unit = UINT32_MAX};
    n.length = (uint32_t)strlen(n.text);
    n.hash = x->kind == INDEX_DEBUG_NAMES ? index_hash_debug_names(n.text, n.length) : index_hash_gdb(n.text, n.length);
    if (!table_reserve(&names->by_offset, arena) || !table_reserve(&names->by_text, arena) ||
        !name_reserve(x, names, arena))
        return 0;
    uint32_t number = find_text(x, &names->by_text, &n);
    if (!number) {
        x->name[x->counts.names++] = n;
        x->counts.text += n.length + 1;
        number = (uint32_t)x->counts.names;
        put_slot(&names->by_text, n.hash, number);
        names->by_text.used++;
    }
    put_slot(&names->by_offset, name, number);
    names->by_offset.used++;
    return number;
}

static bool number_names(struct index *x, struct arena *arena)
{
    struct names names = {.capacity = 0};
    x->name = NULL;
    x->name_of = arena_take(arena, x->entry_count * sizeof *x->name_of);
    if (!x->name_of || !table_reserve(&names.by_offset, arena))
        return false;
    for (uint32_t i = 0; i < x->entry_count; i++) {
        const struct table *t = &names.by_offset;
        uint32_t name = x->entry[i].name;
        uint32_t at = first_slot(t, name);
        while (t->slot[at].number && t->slot[at].key != name)
            at = next_slot(t, at);
        uint32_t number = t->slot[at].number;
        if (!number && !(number = add_offset(x, &names, name, arena)))
            return false;
        x->name_of[i] = number - 1;
    }
    return true;
}

/* --- .debug_names --------------------------------------------------------------- */

static bool size_debug_names(struct index *x, struct arena *arena)
{
    memset(x->code, 0, sizeof x->code);
    for (uint32_t i = 0; i < x->entry_count; i++) {
        const struct index_entry *entry = &x->entry[i];
        uint32_t number = leb128_unsigned_size(entry->unit);
        assert(entry->tag < sizeof x->code);
        if (!x->code[entry->tag])
            x->code[entry->tag] = (uint8_t)++x->counts.tags;
        x->name[x->name_of[i]].list += ENTRY_FIXED + number;
        x->counts.numbers += number;
    }
    x->counts.entries = x->entry_count;
    x->bucket = arena_take(arena, index_buckets(x->counts.names) * sizeof *x->bucket);
    x->ordered = arena_take(arena, x->counts.names * sizeof *x->ordered);
    return x->bucket && x->ordered;
}

/* As many as llvm makes. */
uint32_t index_buckets(uint64_t names)
{
    if (names > 1024)
        return (uint32_t)(names / 4);
    if (names > 16)
        return (uint32_t)(names / 2);
    return names ? (uint32_t)names : 1;
}

/* --- .gdb_index ------------------------------------------------------------------ */

uint32_t index_attributes(const struct index_entry *entry)
{
    uint32_t kind = GDB_KIND_TYPE;
    if (entry->tag == DW_TAG_subprogram)
        kind = GDB_KIND_FUNCTION;
    else if (entry->tag == DW_TAG_variable || entry->tag == DW_TAG_constant || entry->tag == DW_TAG_enumerator)
        kind = GDB_KIND_VARIABLE;
    else if (entry->tag == DW_TAG_module)
        kind = GDB_KIND_OTHER;
    return (uint32_t)entry->is_static << 3 | kind;
}

static void size_gdb(struct index *x)
{
    const uint32_t types = 1 << GDB_KIND_TYPE | 1 << (8 | GDB_KIND_TYPE);
    for (uint32_t i = 0; i < x->entry_count; i++) {
        const struct index_entry *entry = &x->entry[i];
        struct index_name *n = &x->name[x->name_of[i]];
        uint32_t seen = n->seen;
        uint32_t bit = UINT32_C(1) << index_attributes(entry);
        assert(n->unit == UINT32_MAX || n->unit <= entry->unit);
        if (n->unit != entry->unit)
            seen &= types;
        if (seen & bit) {
            x->name_of[i] = INDEX_NOT_LISTED;
        } else {
            n->list++;
            x->counts.entries++;
        }
        n->unit = entry->unit;
        n->seen = (uint16_t)(seen | bit);
    }
    for (uint32_t i = 0; i < x->unit_count; i++)
        x->counts.units_coded += x->unit[i].end > x->unit[i].start;
}

/* As many as gdb makes: a power of two, of which more than a quarter is free. */
uint32_t index_slots(uint64_t names)
{
    uint32_t slots = names ? 1024 : 0;
    while (names && 4 * names / 3 >= slots)
        slots *= 2;
    return slots;
}

/* --- both --------------------------------------------------------------------------- */

uint64_t index_counted_size(enum index_kind kind, const struct index_counts *c)
{
    if (kind == INDEX_DEBUG_NAMES)
        return DEBUG_NAMES_HEADER + 4 * c->units + 4 * (uint64_t)index_buckets(c->names) +
               c->names * (DEBUG_NAMES_NAME + 1) + ABBREVIATION * c->tags + 1 + ENTRY_FIXED * c->entries + c->numbers;
    return GDB_HEADER + GDB_UNIT * c->units + GDB_RANGE * c->units_coded + GDB_SLOT * (uint64_t)index_slots(c->names) +
           4 * (c->names + c->entries) + c->text;
}

bool index_size(struct index *x, struct arena *arena, struct error *e)
{
    assert(x->entry_count < UINT32_MAX && x->unit_count <= GDB_UNITS_MOST);
    x->counts = (struct index_counts){.units = x->unit_count};
    if (!number_names(x, arena) || (x->kind == INDEX_DEBUG_NAMES && !size_debug_names(x, arena)))
        return error_set(e, ERROR_MEMORY, "out of memory for an index of names");
    if (x->kind == INDEX_GDB)
        size_gdb(x);
    x->size = index_counted_size(x->kind, &x->counts);
    assert(x->size <= UINT32_MAX);
    return true;
}
