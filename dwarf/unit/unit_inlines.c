/* Names that inline functions have in one unit or a few (unit_sizes.h).
 *
 * A header's inline functions have the header's names, in all units that include it. Most functions that a compiler
 * inlines into C are the source's own, though. So where a library's row says how much .debug_str has, three in four of
 * a unit's inline functions have other names, as far as a part of these bytes goes.
 */
#include "base/random.h"
#include "base/words.h"
#include "dwarf/form/turns.h"
#include "dwarf/unit/unit_sizes.h"

enum {
    SHARED = 4,   /* one of so many inline functions has the header's name */
    PART = 6,     /* of the bytes for names */
    VARIETY = 64, /* a stream of random numbers that nothing else has */
};

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
    return turns_bytes(d->inline_names);
}

void unit_choose_inline_names(struct debug *d, uint64_t bytes)
{
    const struct dialect dialect = d->corpus->dialect;
    const uint64_t most = UINT64_C(1) * d->unit_count * own_most(d->corpus);
    const bool is_mangled = dialect.language == DWARF_CPP && !dialect.lines;
    d->inline_names = 0;
    if (!d->units_wanted || d->joined || d->partials || dialect.index || is_mangled)
        return;
    uint64_t count = bytes / PART / TURNS_ROUND * TURNS_LENGTHS;
    count = count < most ? count : most;
    if (count >= own_most(d->corpus)) /* otherwise functions of one unit would have the same name */
        d->inline_names = (uint32_t)count;
}

uint8_t *unit_put_inline_names(const struct debug *d, uint8_t *p)
{
    for (uint32_t i = 0; i < d->inline_names; i++) {
        words_identifier(random_at(d->variety + VARIETY, i), turns_name(i) - 1, (char *)p);
        p += turns_name(i);
    }
    return p;
}

void unit_name_inlines(const struct debug *d, uint32_t unit, uint32_t names, uint8_t *start)
{
    uint64_t number = (uint64_t)unit * own_most(d->corpus);
    for (uint32_t k = 0; d->inline_names && k < corpus_inlines(d->corpus); k++) {
        if (is_shared(unit, k))
            continue;
        const uint64_t bytes = turns_bytes(number++ % d->inline_names);
        put_u32(start + d->corpus->inlines[k].at + 1, names + (uint32_t)bytes); /* behind the abbreviation's code */
    }
}
