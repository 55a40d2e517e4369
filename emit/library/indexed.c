/* See indexed.h. */
#include "emit/library/indexed.h"
#include "emit/library/symbols.h"

#include <string.h>

static const enum section_id section_of[INDEXED_SECTIONS] = {
    [INDEXED_INFO] = SECTION_DEBUG_INFO,       [INDEXED_ABBREV] = SECTION_DEBUG_ABBREV,
    [INDEXED_STR] = SECTION_DEBUG_STR,         [INDEXED_LISTS] = SECTION_DEBUG_LOCLISTS,
    [INDEXED_RANGES] = SECTION_DEBUG_RNGLISTS, [INDEXED_STR_OFFSETS] = SECTION_DEBUG_STR_OFFSETS,
    [INDEXED_ADDR] = SECTION_DEBUG_ADDR,
};

/* Sections that are the same in both forms. */
static const enum debug_section kept[] = {DEBUG_LINE, DEBUG_LINE_STR};
enum { KEPT = sizeof kept / sizeof kept[0] };

bool indexed_row_is(const struct stock *stock, const struct plan_library *row)
{
    return stock->corpus.dialect.clang && !plan_is_direct(row) && !row->debug.none && !row->debug.hollow;
}

bool indexed_is(const struct library *l)
{
    return !l->joined && indexed_row_is(l->stock, l->row);
}

uint64_t indexed_normal_size(const struct library *l)
{
    return indexed_is(l) ? l->plan->mix[l->row - l->plan->library].normal : l->row->size[SIZE_DEBUG];
}

uint64_t indexed_said(const struct plan *plan, const struct plan_library *row, enum row_value value)
{
    const int64_t bytes = row->said ? profile_row_says(plan->profile, row->said, value) : PROFILE_DERIVED;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

void indexed_wanted(const struct plan *plan, const struct plan_library *row, uint64_t wanted[INDEXED_SECTIONS])
{
    static const enum row_value said[INDEXED_SECTIONS] = {
        [INDEXED_INFO] = ROW_MIX_INFO,       [INDEXED_ABBREV] = ROW_MIX_ABBREV,
        [INDEXED_STR] = ROW_MIX_STR,         [INDEXED_LISTS] = ROW_MIX_LOCLISTS,
        [INDEXED_RANGES] = ROW_MIX_RNGLISTS, [INDEXED_STR_OFFSETS] = ROW_MIX_STR_OFFSETS,
        [INDEXED_ADDR] = ROW_MIX_ADDR,
    };
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        wanted[i] = indexed_said(plan, row, said[i]);
}

static bool no_memory(const struct builder *b, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for %s", b->library.row->name);
}

/* What b->indexed would be made of now. */
static struct translated made_of(const struct library *l)
{
    struct translated t = {.stock = l->stock, .row = l->row, .mix = l->plan->mix[l->row - l->plan->library]};
    t.mix.is_settled = false;
    return t;
}

/* Whether b->indexed is made of the library as it is now, and not filled yet. This is so where the last try of the
 * mix was the best. */
static bool is_translated(const struct builder *b)
{
    const struct translated now = made_of(&b->library);
    const struct translated *const t = &b->translated;
    return t->stock == now.stock && t->row == now.row && t->mix.normal == now.mix.normal &&
           memcmp(t->mix.size, now.mix.size, sizeof now.mix.size) == 0 && t->mix.rows_part == now.mix.rows_part &&
           t->mix.expression == now.mix.expression && t->mix.letters == now.mix.letters &&
           t->mix.told == now.mix.told && t->mix.besides == now.mix.besides && t->mix.even == now.mix.even;
}

bool indexed_translate(struct builder *b, struct error *e)
{
    const struct library *const l = &b->library;
    const struct debug *const d = &l->debug;
    struct indexed_source source = {
        .dialect = d->corpus->dialect, .variety = d->variety, .placed = d->corpus->manner.placed};
    const char *const names = symbols_names(l, d->names_size, &b->arena);
    uint64_t bytes = 0;
    memcpy(source.size, d->size, sizeof source.size);
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        bytes += d->size[i];
    b->translated.stock = NULL;
    b->normal.size = 0;
    uint8_t *p = bytes_reserve(&b->normal, bytes);
    if (!p || !names)
        return no_memory(b, e);
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; p += d->size[i++])
        source.places.section[i] = p;
    debug_write(d, (const uint8_t *)names, &source.places);
    if (!indexed_make(&b->indexed, &source))
        return no_memory(b, e);
    b->translated = made_of(l);
    return true;
}

void indexed_sizes(const struct builder *b, uint64_t size[INDEXED_SECTIONS])
{
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        size[i] = b->indexed.section[i].size;
}

uint64_t indexed_total(const struct builder *b)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        sum += b->indexed.section[i].size;
    for (unsigned i = 0; i < KEPT; i++)
        sum += b->library.debug.size[kept[i]];
    return sum;
}

/* Sets the sizes of sections: as wanted, in this order, while `room` lasts. .debug_str takes the rest. */
static void share_room(const struct indexed *x, uint64_t room, uint64_t wanted[INDEXED_SECTIONS])
{
    static const struct {
        enum indexed_section section;
        uint64_t unit;
    } order[] = {{INDEXED_ABBREV, 1}, {INDEXED_LISTS, 1}, {INDEXED_RANGES, 1}, {INDEXED_STR_OFFSETS, 4},
                 {INDEXED_ADDR, 8},   {INDEXED_INFO, 1},  {INDEXED_STR, 1}};
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++) {
        const enum indexed_section s = order[i].section;
        const uint64_t size = x->section[s].size;
        uint64_t more = wanted[s] > size ? wanted[s] - size : 0;
        more = (more < room ? more : room) / order[i].unit * order[i].unit;
        if (!size && s != INDEXED_STR)
            more = 0; /* an empty section has no place for contents */
        wanted[s] = size + more;
        room -= more;
    }
    wanted[INDEXED_STR] += room;
}

bool indexed_size(struct builder *b, struct error *e)
{
    struct library *const l = &b->library;
    uint64_t wanted[INDEXED_SECTIONS];
    if (!is_translated(b) && !indexed_translate(b, e))
        return false;
    const uint64_t all = l->row->size[SIZE_DEBUG];
    const uint64_t size = indexed_total(b);
    if (size > all) {
        error_set(e, ERROR_INFEASIBLE,
                  "%s%s: its debug information needs %llu bytes in clang's form, and may have %llu; raise 'debug', or "
                  "use 'compiler: gcc'",
                  plan_stem(l->row), plan_ending(l->row), (unsigned long long)size, (unsigned long long)all);
        if (e) {
            e->wanted = (int64_t)all;
            e->possible = (int64_t)size;
        }
        return false;
    }
    indexed_wanted(l->plan, l->row, wanted);
    share_room(&b->indexed, all - size, wanted);
    b->translated.stock = NULL;
    if (!indexed_fill(&b->indexed, wanted))
        return no_memory(b, e);
    l->indexed = b->indexed.counts;
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        l->layout.section[section_of[i]].size = b->indexed.section[i].size;
    for (unsigned i = 0; i < KEPT; i++)
        l->layout.section[library_debug_section(l, kept[i])].size = l->debug.size[kept[i]];
    return true;
}

void indexed_write(const struct builder *b, uint8_t *image)
{
    const struct library *const l = &b->library;
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        put_bytes(image + l->layout.section[section_of[i]].offset, b->indexed.section[i].data,
                  b->indexed.section[i].size);
    for (unsigned i = 0; i < KEPT; i++)
        put_bytes(image + l->layout.section[library_debug_section(l, kept[i])].offset,
                  b->indexed.from.places.section[kept[i]], l->debug.size[kept[i]]);
}
