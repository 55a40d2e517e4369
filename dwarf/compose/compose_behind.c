/* Moves the entries of functions that were composed first behind the unit's others (compose.h), so that all are in the
 * order of their addresses. */
#include <string.h>

#include "dwarf/compose/compose.h"
#include "dwarf/form/abbrev.h"

/* Entries [0, first) of `all` bytes, which change places with those behind them. */
struct exchange {
    uint32_t first, all;
};

/* Where what is at this offset comes to be. */
static uint32_t moved(const struct exchange *x, uint32_t offset)
{
    return offset < x->first ? offset + (x->all - x->first) : offset - x->first;
}

/* Where what an entry at `from` refers to comes to be. The end of all entries before `from` is that of the last one:
 * the place behind it is that of DW_AT_sibling. */
static uint32_t refers(const struct exchange *x, uint32_t from, uint32_t to)
{
    return from < x->first && to == x->first ? x->all : moved(x, to);
}

/* Exchanges the first `size` bytes of `all` with the others. */
static bool exchange_bytes(uint8_t *at, size_t size, size_t all)
{
    struct bytes first = {0};
    bytes_append(&first, at, size);
    const bool ok = !first.failed;
    if (ok && size) {
        memmove(at, at + size, all - size);
        memcpy(at + (all - size), first.data, size);
    }
    bytes_free(&first);
    return ok;
}

static bool move_references(struct composer *c, uint8_t *entries, const struct exchange *x)
{
    const uint32_t start = compose_place_of(c, entries);
    struct bytes places = {0};
    abbrev_references(&c->corpus->layouts, entries, 0, x->all, start, 0, &places);
    for (size_t i = 0; i < places.size / sizeof(uint32_t); i++) {
        const uint32_t at = bytes_number(&places, i);
        uint32_t to;
        memcpy(&to, entries + at, sizeof to);
        put_u32(entries + at, start + refers(x, at, to - start));
    }
    const bool ok = !places.failed;
    bytes_free(&places);
    return ok;
}

void compose_part_behind(struct composer *c)
{
    struct composed *const out = c->out;
    const struct debug_unit *const u = c->unit;
    uint8_t *const entries = out->info.data + u->entries;
    const struct exchange x = {c->before_others.info, (uint32_t)(out->info.size - u->entries)};
    uint32_t *const named = (uint32_t *)(void *)out->named.data + u->named;
    struct compose_noted *const noted = (struct compose_noted *)(void *)out->noted.data + u->noted;
    const size_t names = out->named.size / sizeof *named - u->named;
    const size_t notes = out->noted.size / sizeof *noted - u->noted;
    const uint32_t start = compose_place_of(c, entries);
    if (c->only_sizes || composed_failed(out))
        return;
    for (size_t i = 0; i < names; i++)
        named[i] = moved(&x, named[i]);
    for (size_t i = 0; i < notes; i++)
        noted[i].place = start + moved(&x, noted[i].place - start);
    if (!move_references(c, entries, &x) || !exchange_bytes(entries, x.first, x.all) ||
        !exchange_bytes((uint8_t *)named, c->before_others.named * sizeof *named, names * sizeof *named) ||
        !exchange_bytes((uint8_t *)noted, c->before_others.noted * sizeof *noted, notes * sizeof *noted))
        out->info.failed = true;
}
