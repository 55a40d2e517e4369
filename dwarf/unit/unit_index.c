/* The index of names of one library's debug information; see unit.h.
 *
 * What it lists was noted when it was made: for headers once for all units, in the corpus; for functions when they were
 * composed. Here the notes become entries, unit after unit. Names are numbered as in .debug_str; for .gdb_index, which
 * has its own copies, they are numbered as if these stood in this order:
 *
 *     .debug_names  headers' names             the library's names  static functions'
 *     .gdb_index    the corpus's index_texts   the library's names  static functions'  composed texts  names at the end
 */
#include <assert.h>
#include <string.h>

#include "dwarf/unit/unit_sizes.h"

/* Most entries for one function: names and linkage names, of it and of its scopes. */
enum { NOTES_MOST_CPP = 6 };

static bool is_gdb(const struct debug *d)
{
    return d->corpus->dialect.index == INDEX_GDB;
}

/* --- what it takes at most ------------------------------------------------------------ */

struct names_bound names_bound_start(const struct debug *d, bool any_headers)
{
    const struct corpus *c = d->corpus;
    const struct corpus_cut *first = &c->header[0].cut[0]; /* the same in all headers */
    const unsigned inline_names = c->header[0].inline_name[1] ? 2 : 1;
    struct names_bound b = {.counts = {.units = d->unit_count, .tags = c->index_tags, .names = c->index_common}};
    uint64_t inlined[CORPUS_HEADERS] = {0};
    bool used[CORPUS_HEADERS] = {false};
    uint64_t called = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct debug_unit *u = &d->unit[i];
        uint64_t entries = first->listed + u->noted_count;
        b.counts.entries += entries;
        b.counts.numbers += entries * leb128_unsigned_size(i);
        b.counts.names += u->noted_own;
        inlined[u->header] |= u->inlined;
        used[u->header] = true;
        called += count_bits(u->inlined);
    }
    for (uint32_t h = 0; h < c->headers; h++) {
        b.named[h] = c->header[h < c->made ? h : 0].cut[0].named;
        if (any_headers)
            b.counts.names += b.named[h];
        else if (used[h])
            b.counts.names += b.named[h] + count_bits(inlined[h]) * inline_names;
    }
    if (any_headers)
        b.counts.names += inline_names * (called < CORPUS_INLINES * c->headers ? called : CORPUS_INLINES * c->headers);
    return b;
}

struct index_counts names_bound_at(const struct names_bound *b, const struct debug *d, uint32_t i, uint32_t cut)
{
    const struct debug_unit *u = &d->unit[i];
    const struct corpus_cut *cuts = d->corpus->header[u->header].cut;
    const uint64_t entries = cuts[cut].listed - cuts[u->cut].listed;
    struct index_counts counts = b->counts;
    counts.entries += entries;
    counts.numbers += entries * leb128_unsigned_size(i);
    if (cuts[cut].named > b->named[u->header])
        counts.names += cuts[cut].named - b->named[u->header];
    return counts;
}

void names_bound_go(struct names_bound *b, const struct debug *d, uint32_t i, uint32_t cut)
{
    const uint32_t header = d->unit[i].header;
    const uint32_t named = d->corpus->header[header].cut[cut].named;
    b->counts = names_bound_at(b, d, i, cut);
    b->named[header] = named > b->named[header] ? named : b->named[header];
}

uint64_t unit_index_least(const struct corpus *c, uint64_t functions, uint64_t units)
{
    const struct corpus_cut *first = &c->header[0].cut[0];
    const uint64_t notes = functions * (c->dialect.language == DWARF_CPP ? NOTES_MOST_CPP : 1);
    const struct index_counts counts = {
        .names = c->index_common + c->headers * UINT64_C(1) * first->named + notes,
        .units = units,
        .entries = notes + units * first->listed,
        .numbers = (notes + units * first->listed) * leb128_unsigned_size(units),
        .tags = c->index_tags,
    };
    return index_counted_most(&counts);
}

/* --- names ------------------------------------------------------------------------------ */

/* The number of the library's first own name. */
static uint32_t own_names(const struct debug *d)
{
    return is_gdb(d) ? (uint32_t)d->corpus->index_texts.size : names_start(d);
}

/* The numbers of the first composed text and, below, of the first name at the end. */
static uint32_t composed_texts(const struct debug *d)
{
    return (uint32_t)(own_names(d) + d->names_size + d->statics.size);
}

static uint32_t tail_texts(const struct debug *d)
{
    return (uint32_t)(composed_texts(d) + d->composed->texts.size);
}

static const char *text_at(const void *owner, uint32_t name)
{
    const struct debug *d = owner;
    const struct bytes *headers = is_gdb(d) ? &d->corpus->index_texts : &d->corpus->strings;
    uint32_t own = own_names(d);
    if (name < own)
        return (const char *)headers->data + name;
    if (name - own < d->names_size)
        return d->names + (name - own);
    if (name < composed_texts(d))
        return (const char *)d->statics.data + (name - own - d->names_size);
    if (name < tail_texts(d))
        return (const char *)d->composed->texts.data + (name - composed_texts(d));
    return d->tail_texts + (name - tail_texts(d));
}

/* --- entries ---------------------------------------------------------------------------- */

static uint64_t tail_count(const struct debug *d)
{
    return is_gdb(d) ? (uint64_t)named_tail(d) + d->shorts : 0;
}

static struct index_entry *list_unit(const struct debug *d, uint32_t i, struct index_entry *entry)
{
    const struct corpus *c = d->corpus;
    const struct debug_unit *u = &d->unit[i];
    const struct corpus_header *h = &c->header[u->header];
    const struct corpus_cut *cut = &h->cut[u->cut];
    const uint32_t first = c->start + c->fixed; /* functions or pieces begin here */
    const uint32_t functions = d->types_first ? 0 : (uint32_t)u->entries_size;
    const uint32_t types = d->types_first ? cut->entries - c->fixed : 0; /* one header, no spare types */
    for (uint32_t k = 0; k < cut->listed; k++) {
        *entry = h->listed[k];
        entry->unit = i;
        entry->die += entry->die >= first ? functions : 0;
        entry++;
    }
    const struct compose_noted *noted = (const struct compose_noted *)(const void *)d->composed->noted.data + u->noted;
    const uint32_t own = own_names(d);
    const uint32_t texts = composed_texts(d);
    for (size_t k = 0; k < u->noted_count; k++, noted++) {
        const struct corpus_listing *as = &c->listing[noted->code];
        uint32_t name = noted->from == NAME_INLINE   ? h->inline_name[noted->name]
                        : noted->from == NAME_TEXT   ? texts + noted->name
                        : noted->from == NAME_COMMON ? noted->name
                                                     : own + noted->name;
        *entry++ = (struct index_entry){
            .name = name, .die = noted->place + types, .unit = i, .tag = as->tag, .is_static = as->is_static};
    }
    return entry;
}

/* Lists the declarations at the end of the last unit, which are external variables. NULL when memory ran out. */
static struct index_entry *list_tail(struct debug *d, struct index_entry *entry, struct arena *arena)
{
    uint64_t size = named_tail(d) * UINT64_C(1) * (TAIL_NAME + 1) + d->names_extra;
    size += d->shorts * UINT64_C(1) * (SHORT_NAME + 1) + d->shorts_extra;
    char *texts = arena_take(arena, size + 1);
    if (!texts)
        return NULL;
    uint8_t *p = unit_put_tail_names(d, (uint8_t *)texts);
    for (uint32_t k = 0; k < d->shorts; k++)
        p = unit_put_short_name(d, k, p);
    assert(p == (uint8_t *)texts + size);
    d->tail_texts = texts;
    for (const char *text = texts; text < texts + size; text += strlen(text) + 1)
        *entry++ = (struct index_entry){
            .name = tail_texts(d) + (uint32_t)(text - texts), .unit = d->unit_count - 1, .tag = DW_TAG_variable};
    return entry;
}

bool unit_index_size(struct debug *d, struct arena *arena, struct error *e)
{
    uint64_t count = tail_count(d);
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct debug_unit *u = &d->unit[i];
        count += d->corpus->header[u->header].cut[u->cut].listed + u->noted_count;
    }
    struct index_unit *unit = arena_take(arena, d->unit_count * sizeof *unit);
    struct index_entry *entry = arena_take(arena, count * sizeof *entry);
    struct index_entry *end = entry;
    uint64_t offset = partial_units_size(d);
    for (uint32_t i = 0; unit && entry && i < d->unit_count; i++) {
        const struct debug_unit *u = &d->unit[i];
        unit[i] = (struct index_unit){offset, u->info_size, u->start, u->end};
        offset += u->info_size;
        end = list_unit(d, i, end);
    }
    if (unit && end && is_gdb(d))
        end = list_tail(d, end, arena);
    if (!unit || !end)
        return error_set(e, ERROR_MEMORY, "out of memory for an index of names");
    assert(end == entry + count);
    d->index = (struct index){.kind = d->corpus->dialect.index,
                              .text = {text_at, d},
                              .entry = entry,
                              .entry_count = (uint32_t)count,
                              .unit = unit,
                              .unit_count = d->unit_count};
    return index_size(&d->index, arena, e);
}
