/* Which functions a unit's inlined calls are of (unit_sizes.h).
 *
 * Calls are composed as those of the few inline functions that every header has at the same places. A compiler inlines
 * thousands of different functions, most of them now and then and some often. So where types stand before functions, as
 * in libraries with a row, a call becomes one of another function whose entry is laid out alike:
 *
 *     C++   the abstract instance of a method that the unit's headers declare
 *     far   the same inline function in another unit (ABBREV_FAR_ORIGINS), which may have another name there
 *
 * The reference of the call, and those of what the call has, move by the same number of bytes. So nothing changes its
 * size. Within a unit a line calls the same function wherever that line was inlined.
 */
#include <assert.h>

#include "base/random.h"
#include "dwarf/unit/unit_sizes.h"

enum { DEPTH_MOST = 512 /* inlined calls, one in another; blocks between them do not count */ };

struct mover {
    const struct debug *d;
    uint32_t unit;
    bool is_far, is_near;
    uint32_t headers;
    uint32_t before[CORPUS_HEADERS];               /* bytes of the pieces of the headers before each one, */
    uint32_t until[CORPUS_SHAPES][CORPUS_HEADERS]; /* and how many methods there are up to it, of each shape */
    uint32_t depth;                                /* inlined calls that are open, and for each: */
    struct {
        uint32_t moved;   /* by how many bytes its origin moves, and those of what it has */
        uint32_t place;   /* its origin */
        uint32_t entries; /* open entries inside it that are no inlined calls */
    } call[DEPTH_MOST];
};

/* How many of the header's methods of a shape a unit has that includes it up to `cut`. */
static uint32_t alikes_until(const struct corpus_header *h, uint32_t shape, const struct corpus *c,
                             const struct corpus_cut *cut)
{
    uint32_t low = 0;
    uint32_t high = h->alikes[shape];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (h->alike[shape][middle] < c->start + cut->entries)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void count_methods(struct mover *m, const struct debug_unit *u)
{
    const struct corpus *const c = m->d->corpus;
    uint32_t before = 0;
    m->headers = u->wholes + 1 < CORPUS_HEADERS ? u->wholes + 1 : CORPUS_HEADERS;
    for (uint32_t i = 0; i < m->headers; i++) {
        const struct corpus_header *const h = unit_header(m->d, u, i);
        const struct corpus_cut *const cut = unit_cut(m->d, u, i);
        m->before[i] = before;
        before += cut->entries - c->fixed;
        for (uint32_t shape = 0; shape < CORPUS_SHAPES; shape++)
            m->until[shape][i] = (i ? m->until[shape][i - 1] : 0) + alikes_until(h, shape, c, cut);
    }
}

/* The arrays are large, and set only where they are needed. */
static void start(struct mover *m, const struct debug *d, const struct debug_unit *u)
{
    const struct dialect dialect = d->corpus->dialect;
    m->d = d;
    m->unit = (uint32_t)(u - d->unit);
    m->depth = 0;
    m->is_far = unit_reach(d, unit_table_of(d, m->unit)) == ABBREV_FAR_ORIGINS;
    m->is_near = dialect.language == DWARF_CPP && !dialect.lines && !dialect.index && !d->partials && !m->is_far;
    if (m->is_near)
        count_methods(m, u);
}

/* A number below n. Small ones are more likely. */
static uint32_t some(uint64_t r, uint32_t n)
{
    return random_below(r, random_below(random_mix(r), n) + UINT64_C(1));
}

/* The place of a method of this shape, or 0. */
static uint32_t choose_method(const struct mover *m, uint32_t shape, uint64_t r)
{
    const uint32_t *const until = m->until[shape];
    const uint32_t count = shape < CORPUS_SHAPES ? until[m->headers - 1] : 0;
    uint32_t number = some(r, count + 1);
    uint32_t i = 0;
    if (!number--)
        return 0;
    while (until[i] <= number)
        i++;
    number -= i ? until[i - 1] : 0;
    return unit_header(m->d, &m->d->unit[m->unit], i)->alike[shape][number] + m->before[i];
}

/* By how many bytes the origin of a call moves that is composed as one of inline function k, on line `line` of the
 * function at `caller` or, if that is 0, of the source. */
static uint32_t choose(const struct mover *m, uint32_t k, uint32_t caller, uint32_t line)
{
    const struct corpus_inline *const f = &m->d->corpus->inlines[k];
    const uint64_t key = m->d->variety + (caller ? caller : m->unit + (UINT64_C(1) << 32));
    const uint64_t r = random_at(key, line);
    if (m->is_far)
        return m->d->unit[some(r, m->d->unit_count)].info;
    const uint32_t place = choose_method(m, corpus_shape(f), r);
    return !place || place == caller ? 0 : place - f->at;
}

static uint32_t read_u32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* Enters an inlined call. */
static void enter(struct mover *m, const uint8_t *p, const struct abbrev_entry *entry)
{
    const struct corpus *const c = m->d->corpus;
    const uint32_t composed = read_u32(p + entry->reference[0].at);
    const uint32_t caller = m->depth ? m->call[m->depth - 1].place : 0;
    uint16_t line = 0;
    memcpy(&line, p + entry->line, sizeof line);
    const uint32_t moved = choose(m, corpus_inline_at(c, composed), caller, line);
    assert(m->depth < DEPTH_MOST);
    m->call[m->depth].moved = moved;
    m->call[m->depth].place = composed + moved;
    m->call[m->depth++].entries = 0;
}

/* Leaves an entry that is in an inlined call, or that call. */
static void leave(struct mover *m)
{
    uint32_t *const entries = &m->call[m->depth - 1].entries;
    if (*entries)
        --*entries;
    else
        m->depth--;
}

/* Follows the walk into an entry that has children, and out of one. */
static void follow(struct mover *m, const uint8_t *p, const struct abbrev_entry *entry)
{
    if (entry->has_children && entry->is_inlined)
        enter(m, p, entry);
    else if (entry->has_children && m->depth)
        m->call[m->depth - 1].entries++;
    else if (*p == ABBREV_END && m->depth)
        leave(m);
}

void unit_move_references(const struct debug *d, const struct debug_unit *u, uint32_t by, uint8_t *p,
                          const uint8_t *end)
{
    const struct corpus *const c = d->corpus;
    struct mover m;
    start(&m, d, u);
    const bool moves = m.is_far || m.is_near;
    while (p < end && (by || moves)) {
        const struct abbrev_entry *entry = &c->layouts.of[*p];
        struct abbrev_entry read;
        if (!entry->size || c->layouts.begins_with_text[*p]) {
            read = abbrev_read(c->dialect, p);
            entry = &read;
        }
        if (moves)
            follow(&m, p, entry);
        for (uint32_t i = 0; i < entry->references; i++) {
            uint8_t *const at = p + entry->reference[i].at;
            const uint32_t place = read_u32(at);
            if (place >= c->start + c->fixed)
                put_u32(at, place + by);
            else if (entry->reference[i].attribute == DW_AT_abstract_origin && m.depth)
                put_u32(at, place + m.call[m.depth - 1].moved);
        }
        p += entry->size;
    }
}
