/* The forms of references in units beside partial ones; see partial.h. Entries were composed as without partial units
 * and keep their sizes, because others refer to their places. */
#include <assert.h>
#include <string.h>

#include "dwarf/unit/partial.h"
#include "dwarf/unit/unit_sizes.h"

enum { SMALL_MOST = 1 << 16 }; /* most bytes of a unit whose places all fit into two bytes */

void partial_choose_forms(struct debug *d)
{
    if (!d->partials || !d->corpus->manner.shortest)
        return;
    for (uint32_t i = 0, next; i < d->unit_count; i = next) {
        bool small = true;
        for (next = i; next < d->unit_count && unit_table_of(d, next) == unit_table_of(d, i); next++)
            small = small && d->unit[next].info_size <= SMALL_MOST;
        for (uint32_t k = i; k < next; k++)
            d->unit[k].small = small;
    }
}

static uint64_t value_at(const uint8_t *p, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, p, size);
    return value;
}

/* Gives an entry the form for a line below 256, if it has such a line (abbrev_low). */
static void put_low(const struct debug *d, uint8_t *p, struct abbrev_entry *entry)
{
    const uint8_t low = d->corpus->lows[0].size ? abbrev_low(d->corpus->dialect, *p) : ABBREV_END;
    uint8_t *const line = p + entry->line;
    if (low == ABBREV_END || value_at(line, 2) > UINT8_MAX)
        return;
    *p = low;
    line[1] = line[0];
    if (entry->view) { /* the view's second byte moves what is between */
        uint8_t *const behind = p + entry->view + 1;
        memmove(behind + 1, behind, (size_t)(line - behind));
        *behind = 0;
        entry->end += entry->end != 0;
    } else {
        line[0] = DIALECT_SOURCE_FILE;
    }
}

/* Takes two bytes from the reference to the sibling for DW_AT_high_pc; see abbrev_is_small. */
static void put_small(uint8_t *p, const struct abbrev_entry *entry)
{
    enum { SHORT = 2, LESS = sizeof(uint32_t) - SHORT };
    const uint32_t sibling = entry->size - (uint32_t)sizeof(uint32_t);
    const uint32_t next = (uint32_t)value_at(p + sibling, sizeof next);
    const uint32_t behind = entry->end + (uint32_t)sizeof(uint64_t);
    const uint64_t size = value_at(p + entry->end, sizeof size);
    assert(next < SMALL_MOST);
    memmove(p + behind + LESS, p + behind, sibling - behind);
    put_padded_leb128(p + entry->end, (int64_t)size, sizeof size + LESS);
    put_u16(p + sibling + LESS, (uint16_t)next);
}

/* Where in .debug_info the origin is that was composed as `place`: perhaps in a home. */
static uint64_t origin_of(const struct corpus *c, const uint64_t *inlines, uint64_t unit, uint32_t place)
{
    if (!inlines || place >= c->start + c->fixed)
        return unit + place;
    const uint32_t k = corpus_inline_at(c, place);
    return k == UINT32_MAX ? unit + place : inlines[k] + (place - c->inlines[k].at);
}

/* Where in .debug_info the type at `place` is: one that all units use is in partial unit 0. */
static uint64_t type_of(const struct corpus *c, uint64_t unit, uint32_t place)
{
    return place < c->start + c->types ? place : unit + place;
}

/* Rewrites one entry of the unit at `unit`. */
static void refer(const struct debug *d, const uint64_t *inlines, uint64_t unit, bool is_small, uint8_t *p,
                  struct abbrev_entry *entry)
{
    const bool small = is_small && abbrev_is_small(*p);
    for (uint32_t i = 0; i < entry->references; i++) {
        uint8_t *const at = p + entry->reference[i].at;
        const uint32_t place = (uint32_t)value_at(at, sizeof place);
        switch (entry->reference[i].attribute) {
        case DW_AT_sibling: /* in as many bytes as DW_FORM_ref4 has */
            assert(place <= PARTIAL_PADDED_MOST);
            if (!small)
                put_padded_leb128(at, place, sizeof place);
            break;
        case DW_AT_call_origin:
        case DW_AT_abstract_origin:
            put_u32(at, (uint32_t)origin_of(d->corpus, inlines, unit, place));
            break;
        case DW_AT_type:
            put_u32(at, (uint32_t)type_of(d->corpus, unit, place));
            break;
        default:
            break;
        }
    }
    put_low(d, p, entry);
    if (entry->end && d->corpus->manner.shortest && !small)
        put_padded_leb128(p + entry->end, (int64_t)value_at(p + entry->end, sizeof(uint64_t)), sizeof(uint64_t));
    if (small)
        put_small(p, entry);
}

void partial_refer(const struct debug *d, const uint64_t inlines[CORPUS_INLINES], uint64_t unit, bool small, uint8_t *p,
                   const uint8_t *end)
{
    while (p < end) {
        struct abbrev_entry entry = abbrev_read(d->corpus->dialect, p);
        refer(d, inlines, unit, small, p, &entry);
        p += entry.size;
    }
}
