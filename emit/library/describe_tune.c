/* Writes the last bytes of lists, ranges and rows, where these sections are to have sizes of their own.
 *
 * The stamps of all blocks leave some hundred bytes open (describe_detail.c). The last function of the library gets
 * them: location lists of further locals, range lists of further blocks of its beginning, one in another, and rows of
 * its epilogue. To find lists that have exactly as many bytes is a small knapsack problem: each kind of list, with so
 * many entries, may be taken any number of times.
 */
#include <assert.h>
#include <string.h>

#include "base/apart.h"
#include "emit/library/describe_parts.h"

enum {
    KINDS_MOST = 96,
    BYTES_MOST = 4000, /* if more bytes are missing, nothing is tuned */
    BLOCKS_MOST = 200, /* blocks, one in another */
};

/* A kind of list: so many entries, of which `registers` are a register. The other entries have `extra` bytes more than
 * their least in all. */
struct kind {
    uint16_t bytes;
    uint8_t entries, registers, extra;
    bool based;
};

/* Finds the fewest lists that take exactly `bytes` bytes; each kind may be taken any number of times. Sets last[sum] to
 * the kind of the last list for each sum that can be made. False where `bytes` cannot be made. */
static bool knapsack(const struct kind *kind, uint32_t kinds, uint32_t bytes, uint8_t *last)
{
    uint16_t count[BYTES_MOST + 1];
    memset(count, 0xff, sizeof count);
    count[0] = 0;
    for (uint32_t sum = 1; sum <= bytes; sum++)
        for (uint32_t k = 0; k < kinds; k++) {
            if (kind[k].bytes > sum || count[sum - kind[k].bytes] == UINT16_MAX)
                continue;
            uint16_t with = (uint16_t)(count[sum - kind[k].bytes] + 1);
            if (with < count[sum]) {
                count[sum] = with;
                last[sum] = (uint8_t)k;
            }
        }
    return count[bytes] != UINT16_MAX;
}

/* With how many entries lists can make up each sum of bytes. A sum has `words` words: bit n % 64 of word n / 64 is set
 * if n entries can. */
enum { SUM_MOST = 1500, ENTRIES_MOST = 256, ENTRIES_WORDS = ENTRIES_MOST / 64 };
struct reach {
    uint32_t words;
    uint64_t of[(SUM_MOST + 1) * ENTRIES_WORDS];
};

static bool reaches(const struct reach *r, uint32_t sum, uint32_t entries)
{
    return r->of[sum * r->words + entries / 64] >> entries % 64 & 1;
}

/* Sets `reach` for all sums up to `bytes`. Kinds have fewer than 64 entries. Constant `words` make it fast. */
static inline __attribute__((always_inline)) void fill_reach(const struct kind *kind, uint32_t kinds, uint32_t bytes,
                                                             uint32_t words, struct reach *reach)
{
    reach->words = words;
    memset(reach->of, 0, (bytes + 1) * words * sizeof *reach->of);
    reach->of[0] = 1;
    for (uint32_t sum = 1; sum <= bytes; sum++)
        for (uint32_t k = 0; k < kinds; k++) {
            if (kind[k].bytes > sum)
                continue;
            const uint32_t entries = kind[k].entries;
            const uint64_t *const without = &reach->of[(sum - kind[k].bytes) * words];
            uint64_t *const with = &reach->of[sum * words];
            for (uint32_t i = words; i--;) {
                with[i] |= without[i] << entries;
                if (i)
                    with[i] |= without[i - 1] >> (64 - entries);
            }
        }
}

/* Fills `reach` for fewer than 64 * `words` entries. Returns how many of these `bytes` bytes can have that are nearest
 * to `wanted`; 0: none. */
static uint32_t find_nearest(const struct kind *kind, uint32_t kinds, uint32_t bytes, uint64_t wanted, uint32_t words,
                             struct reach *reach)
{
    uint32_t nearest = 0;
    if (words == 1)
        fill_reach(kind, kinds, bytes, 1, reach);
    else if (words == 2)
        fill_reach(kind, kinds, bytes, 2, reach);
    else
        fill_reach(kind, kinds, bytes, ENTRIES_WORDS, reach);
    for (uint32_t n = 1; n < 64 * words; n++)
        if (reaches(reach, bytes, n) && (!nearest || apart(n, wanted) < apart(nearest, wanted)))
            nearest = n;
    return nearest;
}

/* Copies the kinds without those that have as many bytes and entries as one before. Returns how many are left. */
static uint32_t leave_same(const struct kind *kind, uint32_t kinds, struct kind *unlike)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < kinds; k++) {
        uint32_t i = 0;
        while (i < count && (unlike[i].bytes != kind[k].bytes || unlike[i].entries != kind[k].entries))
            i++;
        if (i == count)
            unlike[count++] = kind[k];
    }
    return count;
}

/* Finds lists that take `bytes` bytes and have `entries` entries, or the number nearest to it that is possible. Sets
 * chosen[0] to chosen[*count - 1] to their kinds. False where there are none, or where there would be too much to
 * try. */
static bool knapsack_entries(const struct kind *kind, uint32_t kinds, uint32_t bytes, uint64_t entries, uint8_t *chosen,
                             uint32_t *count)
{
    struct reach reach;
    struct kind unlike[KINDS_MOST];
    *count = 0;
    if (bytes > SUM_MOST || entries >= ENTRIES_MOST)
        return false;
    const uint32_t some = leave_same(kind, kinds, unlike);
    /* as a rule, a number is possible that is nearer than all beyond the words that are looked at first */
    const uint32_t words = entries < 64 ? 1 : entries < 128 ? 2 : ENTRIES_WORDS;
    uint32_t nearest = find_nearest(unlike, some, bytes, entries, words, &reach);
    if (words < ENTRIES_WORDS && (!nearest || apart(nearest, entries) > 64 * words - entries))
        nearest = find_nearest(unlike, some, bytes, entries, ENTRIES_WORDS, &reach);
    for (uint32_t n = nearest; n;) { /* long lists first, of those whose rest other lists can make up */
        uint32_t k = kinds - 1;
        while (kind[k].entries > n || kind[k].bytes > bytes ||
               !reaches(&reach, bytes - kind[k].bytes, n - kind[k].entries))
            k--;
        chosen[(*count)++] = (uint8_t)k;
        bytes -= kind[k].bytes;
        n -= kind[k].entries;
    }
    return nearest;
}

uint32_t tune_borders(const struct walk *w, const struct subject *s, uint64_t *border)
{
    struct code_parameter parameter[ARGUMENTS_MOST];
    uint32_t count = 0;
    uint64_t at = s->start + code_parameters(w->l->row, s->frame, s->f, parameter);
    border[count++] = lines_first(w, s);
    if (at > border[0])
        border[count++] = at;
    border[count++] = at += CODE_MARK;
    border[count++] = at += CODE_OWN - 4;
    border[count++] = at += 4;
    for (uint32_t j = 0; j < s->f->count && count < TUNE_BORDERS_MOST; j++)
        border[count++] = at += code_mix_size(s->f, j);
    return count;
}

/* --- location lists ------------------------------------------------------------- */

/* Bytes of an entry's expression beyond its least: 0 for a place from the register that locals are below, 1 for one
 * from the CFA, and EXTRA_VALUE more for the value at that place. From EXTRA_SUM on, the expression is the sum of a
 * value and numbers. Sums are only in lists of one entry, where other lists do not make up the bytes. */
enum { EXTRA_MOST = 3, EXTRA_VALUE = 2, EXTRA_SUM = 4, EXTRA_SUM_MOST = 16 };

/* In which steps expressions grow. The displacement of a near place takes no more bytes from the CFA than from that
 * register, so that there are no steps of one byte. */
static uint32_t extra_step(int32_t place)
{
    return place < INT8_MIN / 2 ? 1 : EXTRA_VALUE;
}

/* A place in the frame, and the register that locals are below. */
struct place {
    int32_t from_cfa;
    uint8_t base;
};

static void list_entry(struct walk *w, uint64_t from, uint64_t to, const struct place *place, uint32_t extra)
{
    uint8_t expression[2 + EXTRA_SUM_MOST];
    uint8_t *p = expression;
    if (extra % 2 == 0 || extra >= EXTRA_SUM) {
        p = put_u8(p, DW_OP_breg0 + place->base);
        p = put_sleb128(p, place->from_cfa + 16);
    } else {
        p = put_u8(p, DW_OP_fbreg);
        p = put_sleb128(p, place->from_cfa);
    }
    if (extra >= EXTRA_SUM)
        p = put_u8(more_put_numbers(put_u8(p, DW_OP_deref), extra - EXTRA_VALUE, random_mix(from)), DW_OP_stack_value);
    else if (extra >= EXTRA_VALUE)
        p = put_bytes(p, (const uint8_t[]){DW_OP_deref, DW_OP_stack_value}, 2);
    assert(p == expression + 2 + extra);
    compose_list_entry(&w->composer, from, to, expression, (uint32_t)(p - expression));
}

/* Writes a list of this kind. */
static struct debug_list put_list(struct walk *w, const uint64_t *border, const struct kind *kind,
                                  const struct place *place)
{
    struct composer *c = &w->composer;
    const uint32_t step = extra_step(place->from_cfa);
    const uint32_t steps = kind->extra / step;
    compose_list_begin(c, border[0]);
    for (uint32_t i = 0; i < kind->registers; i++)
        detail_register_entry(w, border[i], border[i + 1], i);
    for (uint32_t i = kind->registers; i < kind->entries; i++) {
        const uint32_t more = steps / kind->entries + (i < steps % kind->entries ? 1 : 0);
        list_entry(w, border[i], border[i + 1], place, kind->entries > 1 ? more * step : kind->extra);
    }
    return compose_list_end(c);
}

/* Appends a kind of list, and finds by a trial how many bytes such a list takes. Returns how many kinds there are
 * then. */
static uint32_t add_kind(struct walk *w, const uint64_t *border, const struct place *place, struct kind *kind,
                         uint32_t kinds, struct kind of)
{
    uint8_t *const lists = w->composer.lists;
    put_list(w, border, &of, place);
    of.bytes = (uint16_t)(w->composer.lists - lists);
    w->composer.lists = lists;
    if (kinds < KINDS_MOST)
        kind[kinds++] = of;
    return kinds;
}

static uint64_t rest_of(uint64_t wanted, const uint8_t *p, const struct bytes *out)
{
    uint64_t written = (uint64_t)(p - out->data);
    return wanted != DEBUG_ANY && wanted > written ? wanted - written : 0;
}

uint64_t tune_lists_left(const struct walk *w)
{
    return rest_of(w->l->debug.wanted[DEBUG_LISTS], w->composer.lists, &w->composer.out->lists);
}

void tune_lists(struct walk *w, struct subject *s, const uint64_t *border, uint32_t borders,
                const int32_t from_cfa[TUNE_PLACES])
{
    struct composer *c = &w->composer;
    struct kind kind[KINDS_MOST];
    uint8_t last[BYTES_MOST + 1];
    struct place place[TUNE_PLACES];
    for (uint32_t i = 0; i < TUNE_PLACES; i++)
        place[i] = (struct place){from_cfa[i], frame_base(s->frame)};
    uint32_t kinds = 0;
    uint64_t rest = tune_lists_left(w);
    const uint32_t entries = borders - 1;
    if (!rest || rest > BYTES_MOST)
        return;
    assert(extra_step(from_cfa[0]) == extra_step(from_cfa[1]));
    const bool used = c->uses_lists;
    const uint64_t told = c->out->entries;
    for (uint32_t n = 1; n <= entries; n++) {
        for (uint32_t extra = 0; extra <= EXTRA_MOST; extra += extra_step(from_cfa[0]))
            kinds = add_kind(w, border, &place[0], kind, kinds,
                             (struct kind){.entries = (uint8_t)n, .extra = (uint8_t)extra});
        if (!w->goal->entries)
            continue;
        kinds = add_kind(w, border, &place[0], kind, kinds, (struct kind){.entries = (uint8_t)n, .registers = 1});
        if (n > 1)
            kinds = add_kind(w, border, &place[0], kind, kinds,
                             (struct kind){.entries = (uint8_t)n, .registers = (uint8_t)n});
    }
    uint8_t chosen[ENTRIES_MOST];
    uint32_t count = 0;
    const uint64_t more = w->goal->entries > told ? w->goal->entries - told : 0;
    bool divided = more && knapsack_entries(kind, kinds, (uint32_t)rest, more, chosen, &count);
    divided = divided || knapsack(kind, kinds, (uint32_t)rest, last);
    for (uint32_t extra = EXTRA_SUM; !divided && extra <= EXTRA_SUM_MOST; extra++) {
        kinds = add_kind(w, border, &place[0], kind, kinds, (struct kind){.entries = 1, .extra = (uint8_t)extra});
        divided = knapsack(kind, kinds, (uint32_t)rest, last);
    }
    c->uses_lists = used;
    c->out->entries = told;
    if (!divided)
        return;
    for (uint32_t number = 0; rest; number++) {
        const struct kind *k = &kind[number < count ? chosen[number] : last[rest]];
        const uint32_t which = number % TUNE_PLACES;
        const struct debug_variable v = {
            .name = subject_name(w, s), .line = s->line + 1, .column = 10, .type = which ? BASE_DOUBLE : BASE_LONG};
        compose_local_list(c, &v, put_list(w, border, k, &place[which]));
        rest -= k->bytes;
    }
}

/* --- range lists ------------------------------------------------------------------- */

/* Writes a range list of this kind: one range from each border to the next, from the first border on. Returns its
 * bytes. */
static uint32_t put_ranges(struct walk *w, const uint64_t *border, const struct kind *kind)
{
    struct composer *c = &w->composer;
    const uint8_t *before = c->ranges;
    c->lists_as = kind->based ? LISTS_BASED : LISTS_PLAIN;
    compose_ranges(c, border[0], kind->entries, border, border + 1);
    c->lists_as = LISTS_PLAIN;
    return (uint32_t)(c->ranges - before);
}

/* Writes blocks, one in another: the ranges of an inner block cover the same code as those of the outer one, or
 * less. */
static void put_blocks(struct walk *w, struct subject *s, const uint64_t *border, const struct kind *kind,
                       const uint8_t *last, uint32_t rest)
{
    struct composer *c = &w->composer;
    uint32_t order[BLOCKS_MOST];
    uint32_t count = 0;
    for (; rest && count < BLOCKS_MOST; rest -= kind[last[rest]].bytes)
        order[count++] = last[rest];
    /* blocks with more ranges are around those with fewer */
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j && kind[order[j]].entries > kind[order[j - 1]].entries; j--) {
            uint32_t swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t list = compose_next_ranges(c);
        put_ranges(w, border, &kind[order[i]]);
        more_block(w, s, border[0], list, i % TUNE_PLACES * 2);
    }
    if (count)
        lines_innermost(w, s, border);
    if (count && lines_are_told(w))
        c->out->inlined += border[kind[order[0]].entries] - border[0];
    while (count--)
        compose_end_children(c, NULL);
}

/* Sets kind[0] to lists of so many ranges without a base address of their own, and in version 5 kind[1] to lists with
 * one. Returns how many kinds that makes. */
static uint32_t range_kinds(struct walk *w, const uint64_t *border, uint32_t entries, struct kind *kind)
{
    struct composer *c = &w->composer;
    uint8_t *const ranges = c->ranges;
    const bool used = c->uses_ranges;
    const uint32_t kinds = dialect_is_4(c->corpus->dialect) ? 1 : 2;
    for (uint32_t based = 0; based < kinds; based++) {
        kind[based] = (struct kind){.entries = (uint8_t)entries, .based = based};
        kind[based].bytes = (uint16_t)put_ranges(w, border, &kind[based]);
        c->ranges = ranges;
    }
    c->uses_ranges = used;
    return kinds;
}

/* Uses lists of two ranges and more. Lists of one range come in where these do not make up the bytes. */
void tune_ranges(struct walk *w, struct subject *s)
{
    struct composer *c = &w->composer;
    uint64_t border[TUNE_BORDERS_MOST + 1];
    struct kind kind[KINDS_MOST];
    uint8_t last[BYTES_MOST + 1];
    uint32_t kinds = 0;
    const uint64_t pending = compose_ranges_pending(c, s->end);
    uint64_t rest = rest_of(w->l->debug.wanted[DEBUG_RANGES], c->ranges, &c->out->ranges);
    rest -= pending < rest ? pending : rest;
    uint32_t entries = tune_borders(w, s, border) - 1;
    if (!rest || rest > BYTES_MOST)
        return;
    for (uint32_t n = 2; n <= entries; n++)
        kinds += range_kinds(w, border, n, &kind[kinds]);
    bool fits = knapsack(kind, kinds, (uint32_t)rest, last);
    if (!fits) {
        kinds += range_kinds(w, border, 1, &kind[kinds]);
        fits = knapsack(kind, kinds, (uint32_t)rest, last);
    }
    if (fits)
        put_blocks(w, s, border, kind, last, (uint32_t)rest);
}

/* --- rows ------------------------------------------------------------------------------ */

/* Bytes that .debug_info is to have: the wanted size or, where there is none, what the other wanted sizes leave of all
 * debug information. */
static uint64_t info_bytes(const struct walk *w)
{
    const struct debug *d = &w->l->debug;
    uint64_t bytes = w->l->row->size[SIZE_DEBUG];
    if (d->wanted[DEBUG_INFO] != DEBUG_ANY)
        return d->wanted[DEBUG_INFO];
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++) {
        uint64_t others = d->wanted[i] != DEBUG_ANY ? d->wanted[i] : 0;
        bytes -= others < bytes ? others : bytes;
    }
    return bytes;
}

/* Settles how many units of data there are, for what the units of code cannot hold. Each has a line table's header, so
 * this has to be known before the last rows. Returns the bytes of these headers. */
static uint64_t settle_data_units(struct walk *w)
{
    struct debug *d = &w->l->debug;
    const struct composer *c = &w->composer;
    d->data_units = debug_data_units(d, info_bytes(w), (uint64_t)(c->info - c->out->info.data), w->units);
    uint64_t headers = 0;
    for (uint32_t i = 0; i < d->data_units; i++)
        headers += debug_line_header(d, w->units + i, false);
    return headers;
}

uint64_t tune_data_headers(const struct walk *w)
{
    const struct debug *d = &w->l->debug;
    uint64_t units = 1 + (w->l->described + GLUE_LIBRARY) / (uint64_t)plan_units(w->l->plan, w->l->row);
    if (w->l->row->debug.units)
        units = w->l->row->debug.units;
    if (d->wanted[DEBUG_LINE] == DEBUG_ANY)
        return 0;
    return debug_data_units(d, info_bytes(w), w->goal->info, (uint32_t)units) * w->line_header;
}

/* Writes `wanted` rows in exactly `bytes` bytes. If so many rows cannot take so many bytes, their number is the nearest
 * possible. */
static void put_rows(struct line_rows *rows, uint64_t bytes, uint64_t wanted)
{
    enum { NEGATE = 1, COLUMN = 2, DISCRIMINATOR = 4, ROW_MOST = 1 + NEGATE + COLUMN + DISCRIMINATOR };
    const uint64_t least = (bytes + ROW_MOST - 1) / ROW_MOST;
    const uint64_t count = wanted < least ? least : wanted < bytes ? wanted : bytes;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t more = (bytes - count) / count + (i < (bytes - count) % count);
        if (more & DISCRIMINATOR)
            line_discriminator(rows, 1 + i % 7);
        if (more & COLUMN)
            line_column(rows, 1 + i % 40);
        if (more & NEGATE)
            line_inside(rows, !rows->inside);
        line_row(rows, rows->address, rows->line + (i % 2 ? -1u : 1u));
    }
}

void tune_rows(struct walk *w, uint64_t end)
{
    struct line_rows *rows = &w->composer.rows;
    const struct debug *d = &w->l->debug;
    if (d->wanted[DEBUG_LINE] == DEBUG_ANY)
        return;
    const uint64_t pending = compose_rows_pending(&w->composer);
    uint64_t others = settle_data_units(w) + LINE_END_AT(end - rows->address) + pending;
    for (uint32_t i = 0; i < w->units; i++)
        others += debug_line_header(d, i, true);
    if (others > d->wanted[DEBUG_LINE])
        return;
    uint64_t rest = rest_of(d->wanted[DEBUG_LINE] - others, rows->p, &w->composer.out->programs);
    if (rest > BYTES_MOST)
        return;
    if (w->goal->rows) {
        const uint64_t there = rows->count + 1 + (pending ? 1 : 0); /* each sequence has a row at its end */
        put_rows(rows, rest, w->goal->rows > there ? w->goal->rows - there : 0);
        return;
    }
    for (uint32_t i = 0; rest; i++) {
        if (rest >= 3) {
            line_column(rows, 1 + i % 40);
            rest -= 2;
        }
        line_row(rows, rows->address, rows->line + (i % 2 ? -1u : 1u));
        rest--;
    }
}

uint64_t tune_room(const struct walk *w)
{
    const struct debug *d = &w->l->debug;
    bool any = d->wanted[DEBUG_LINE] != DEBUG_ANY || d->wanted[DEBUG_LISTS] != DEBUG_ANY ||
               d->wanted[DEBUG_RANGES] != DEBUG_ANY;
    return any ? 6 * BYTES_MOST : 0;
}
