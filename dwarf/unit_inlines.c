/* Names that inline functions have in one unit or a few (unit_sizes.h).
 *
 * A header's inline functions have the header's names, in all units that include it. Most functions that a compiler
 * inlines into C are the source's own, though. So where a library's row says how much .debug_str has, three in four of
 * a unit's inline functions have other names, as far as a part of these bytes goes.
 */
#include "base/random.h"
#include "base/words.h"
#include "dwarf/unit_sizes.h"

enum {
    SHARED = 4,      /* one of so many inline functions has the header's name */
    PART = 6,        /* of the bytes for names */
    NAME_LEAST = 12, /* characters; lengths take turns, */
    LENGTHS = 16,    /* less than this many more */
    TURN = 7,        /* from one length to the next; has no divisor in common with LENGTHS */
    VARIETY = 64,    /* a stream of random numbers that nothing else has */
    ROUND = LENGTHS * (2 * NAME_LEAST + LENGTHS + 1) / 2, /* bytes of one name of each length, with terminators */
};

static uint32_t name_bytes(uint64_t i)
{
    return NAME_LEAST + (uint32_t)(i * TURN % LENGTHS) + 1;
}

/* Bytes of the first `count` names. */
static uint64_t names_bytes(uint64_t count)
{
    uint64_t bytes = count / LENGTHS * ROUND;
    for (uint64_t i = count / LENGTHS * LENGTHS; i < count; i++)
        bytes += name_bytes(i);
    return bytes;
}

/* Whether inline function k has the header's name in a unit. */
static bool is_shared(uint32_t unit, uint32_t k)
{
    return (unit + k) % SHARED == 0;
}

/* How many inline functions of a unit have names of their own, at most. */
static uint32_t own_most(const struct corpus *c)
{
    return (corpus_inlines(c) * (SHARED - 1) + SHARED - 1) / SHARED;
}

uint64_t unit_inline_names_bytes(const struct debug *d)
{
    return names_bytes(d->inline_names);
}

void unit_choose_inline_names(struct debug *d, uint64_t bytes)
{
    const struct dialect dialect = d->corpus->dialect;
    const uint64_t most = UINT64_C(1) * d->unit_count * own_most(d->corpus);
    const bool is_mangled = dialect.language == DWARF_CPP && !dialect.lines;
    d->inline_names = 0;
    if (!d->units_wanted || d->joined || d->partials || dialect.index || is_mangled)
        return;
    uint64_t count = bytes / PART / ROUND * LENGTHS;
    count = count < most ? count : most;
    if (count >= own_most(d->corpus)) /* otherwise functions of one unit would have the same name */
        d->inline_names = (uint32_t)count;
}

uint8_t *unit_put_inline_names(const struct debug *d, uint8_t *p)
{
    for (uint32_t i = 0; i < d->inline_names; i++) {
        words_identifier(random_at(d->variety + VARIETY, i), name_bytes(i) - 1, (char *)p);
        p += name_bytes(i);
    }
    return p;
}

void unit_name_inlines(const struct debug *d, uint32_t unit, uint32_t names, uint8_t *start)
{
    uint64_t number = (uint64_t)unit * own_most(d->corpus);
    for (uint32_t k = 0; d->inline_names && k < corpus_inlines(d->corpus); k++) {
        if (is_shared(unit, k))
            continue;
        const uint64_t bytes = names_bytes(number++ % d->inline_names);
        put_u32(start + d->corpus->inlines[k].at + 1, names + (uint32_t)bytes); /* behind the abbreviation's code */
    }
}
