/* The size pass of the indexes; see index.h.
 *
 * Most entries of a library name what many of its units define, by the same offset of .debug_str. So names are first
 * told apart by their offsets. Only different offsets are then compared by text, and each of their texts is hashed
 * once. Both steps use a table with open addressing. Its slots are fetched ahead, because most are met for the first
 * time. */
#include "dwarf/form/index.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "dwarf/form/index_hash.h"
#include "dwarf/form/index_parts.h"

enum { FIRST_BITS = 8, AHEAD = 12 };

struct slot {
    uint32_t key;
    uint32_t number; /* the name's number + 1; 0: the slot is free */
};

struct table {
    struct slot *slot;
    uint32_t bits;
};

static inline uint32_t first_slot(const struct table *t, uint32_t key)
{
    return key * UINT32_C(0x9e3779b1) >> (32 - t->bits);
}

static inline uint32_t next_slot(const struct table *t, uint32_t i)
{
    return (i + 1) & ((UINT32_C(1) << t->bits) - 1);
}

/* Makes an empty table in which `names` names take at most half of the slots; false when memory ran out. */
static bool table_make(struct table *t, uint64_t names, struct arena *arena)
{
    t->bits = FIRST_BITS;
    while (UINT64_C(1) << t->bits < 2 * names)
        t->bits++;
    t->slot = arena_zeroed(arena, (size_t)1 << t->bits, sizeof *t->slot);
    return t->slot;
}

/* The slot of a key, or the free one where it belongs. */
static inline uint32_t slot_of(const struct table *t, uint32_t key)
{
    uint32_t i = first_slot(t, key);
    while (t->slot[i].number && t->slot[i].key != key)
        i = next_slot(t, i);
    return i;
}

/* Makes room for four times as many names; there are `count` so far. */
static bool grow(struct index *x, struct table *t, uint64_t count, struct arena *arena)
{
    uint64_t capacity = UINT64_C(2) << t->bits;
    struct index_name *name = arena_take(arena, capacity * sizeof *name);
    if (!name || !table_make(t, capacity, arena))
        return false;
    memcpy(name, x->name, count * sizeof *name);
    x->name = name;
    for (uint32_t i = 0; i < count; i++)
        t->slot[slot_of(t, name[i].name)] = (struct slot){name[i].name, i + 1};
    return true;
}

/* Makes a name of each offset of .debug_str that entries have, and sets *offsets to their number. False when memory ran
 * out. */
static bool number_offsets(struct index *x, uint64_t *offsets, struct arena *arena)
{
    struct table t;
    uint64_t count = 0;
    x->name_of = arena_take(arena, x->entry_count * sizeof *x->name_of);
    if (!x->name_of || !table_make(&t, x->entry_count / 4, arena))
        return false;
    x->name = arena_take(arena, (sizeof *x->name << t.bits) / 2);
    if (!x->name)
        return false;
    for (uint32_t i = 0; i < x->entry_count; i++) {
        uint32_t name = x->entry[i].name;
        if (i + AHEAD < x->entry_count)
            __builtin_prefetch(&t.slot[first_slot(&t, x->entry[i + AHEAD].name)]);
        uint32_t at = slot_of(&t, name);
        if (!t.slot[at].number) {
            if (count == UINT64_C(1) << (t.bits - 1)) {
                if (!grow(x, &t, count, arena))
                    return false;
                at = slot_of(&t, name);
            }
            x->name[count].name = name;
            t.slot[at] = (struct slot){name, (uint32_t)++count};
        }
        x->name_of[i] = t.slot[at].number - 1;
    }
    *offsets = count;
    return true;
}

static void read_text(const struct index *x, struct index_name *n)
{
    const char *text = x->text.at(x->text.owner, n->name);
    uint32_t length = (uint32_t)strlen(text);
    uint32_t hash = x->kind == INDEX_DEBUG_NAMES ? index_hash_debug_names(text, length) : index_hash_gdb(text, length);
    *n = (struct index_name){.text = text, .length = length, .hash = hash, .name = n->name, .unit = UINT32_MAX};
}

/* The slot of a name with the same text, or the free one where this one belongs. */
static uint32_t slot_of_text(const struct index *x, const struct table *t, const struct index_name *like)
{
    uint32_t i = first_slot(t, like->hash);
    for (; t->slot[i].number; i = next_slot(t, i)) {
        const struct index_name *n = &x->name[t->slot[i].number - 1];
        if (t->slot[i].key == like->hash && n->length == like->length && memcmp(n->text, like->text, n->length) == 0)
            break;
    }
    return i;
}

/* Of names with the same text, leaves only the one that was met first. False when memory ran out. */
static bool unite_texts(struct index *x, uint64_t offsets, struct arena *arena)
{
    struct table t;
    uint32_t *becomes = arena_take(arena, offsets * sizeof *becomes);
    if (!becomes || !table_make(&t, offsets, arena))
        return false;
    for (uint32_t i = 0; i < offsets; i++)
        read_text(x, &x->name[i]);
    for (uint32_t i = 0; i < offsets; i++) {
        const struct index_name *n = &x->name[i];
        if (i + AHEAD < offsets)
            __builtin_prefetch(&t.slot[first_slot(&t, n[AHEAD].hash)]);
        uint32_t at = slot_of_text(x, &t, n);
        if (!t.slot[at].number) {
            x->counts.text += n->length + 1;
            x->name[x->counts.names++] = *n;
            t.slot[at] = (struct slot){n->hash, (uint32_t)x->counts.names};
        }
        becomes[i] = t.slot[at].number - 1;
    }
    if (x->counts.names < offsets)
        for (uint32_t i = 0; i < x->entry_count; i++)
            x->name_of[i] = becomes[x->name_of[i]];
    return true;
}

static bool number_names(struct index *x, struct arena *arena)
{
    uint64_t offsets;
    return number_offsets(x, &offsets, arena) && unite_texts(x, offsets, arena);
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

/* As many buckets as llvm makes. */
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

/* As many slots as gdb makes: a power of two, of which more than a quarter is free. */
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

uint64_t index_counted_most(const struct index_counts *c)
{
    static const uint32_t before_fewer[] = {16, 1024}; /* names, see index_buckets */
    uint32_t buckets = index_buckets(c->names);
    uint32_t most = buckets;
    for (unsigned i = 0; i < sizeof before_fewer / sizeof before_fewer[0]; i++)
        if (c->names > before_fewer[i] && index_buckets(before_fewer[i]) > most)
            most = index_buckets(before_fewer[i]);
    return index_counted_size(INDEX_DEBUG_NAMES, c) + 4 * (uint64_t)(most - buckets);
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
