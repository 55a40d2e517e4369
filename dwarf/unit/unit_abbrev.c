/* What tables of abbreviations have, and in which order; see unit.h.
 *
 * Where .debug_abbrev is to be smaller than the whole table, there is one of only the abbreviations that entries use.
 * What functions and inline functions use is known before the fill. Units include only as many of the first header's
 * pieces as there is room for their abbreviations. */
#include <assert.h>
#include <string.h>

#include "dwarf/unit/unit_sizes.h"

static bool is_kept(const struct debug_abbrevs *a, uint32_t code)
{
    return a->kept[code / 64] >> code % 64 & 1;
}

/* Returns the place behind an abbreviation (DWARF 5 section 7.5.3). */
static const uint8_t *skip_abbreviation(const uint8_t *p)
{
    p = skip_leb128(skip_leb128(p)) + 1; /* code, tag, children */
    for (bool more = true; more;) {
        const uint8_t *form = skip_leb128(p);
        more = *p || *form;
        const bool has_value = *form == DW_FORM_implicit_const;
        p = skip_leb128(form);
        p = more && has_value ? skip_leb128(p) : p;
    }
    return p;
}

/* How many abbreviations are kept. ABBREV_END, which ends children, may be marked as kept too, but has no abbreviation.
 */
static uint8_t count_kept(const struct debug_abbrevs *a)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < ABBREV_CODES_SHORT / 64; i++)
        count += count_bits(a->kept[i]);
    return (uint8_t)(count - is_kept(a, ABBREV_END));
}

bool unit_has_abbrev(const struct debug *d, enum abbrev_code code)
{
    return !d->abbrevs.is_part || is_kept(&d->abbrevs, code);
}

/* The codes that the abbreviations of the corpus have in a table; 0 for those that it lacks. */
struct table_codes {
    uint8_t of[ABBREV_CODES_SHORT];
};

/* Makes the second abbreviation that of an inlined call, whose origin may be in another unit, as in units that gcc's
 * link-time optimisation has made of code. By a form that leads to other units pahole 1.24 tells that it has to read
 * all units together. libdw 0.188 does not find it behind certain others (dwarf_getabbrevattr fails where the value of
 * DW_FORM_implicit_const looks like an attribute's end). */
static void begin_with_inlined(uint8_t order[ABBREV_CODES_SHORT], uint32_t count)
{
    for (uint32_t i = 3; i <= count; i++)
        if (order[i] == ABBREV_INLINED) {
            order[i] = order[2];
            order[2] = ABBREV_INLINED;
        }
}

/* Numbers those that a table has, one after the other, as dwarfdump wants no gaps, and shuffles all but the unit's own,
 * which is the first: each unit of a compiler has them in the order in which it needs them. */
static struct table_codes codes_of(const struct debug *d, uint32_t table)
{
    const struct debug_abbrevs *const a = &d->abbrevs;
    const uint32_t all = unit_codes_own(d);
    const uint64_t key = random_at(d->variety + 9, table);
    struct table_codes codes = {{0}};
    uint8_t order[ABBREV_CODES_SHORT]; /* the abbreviation with each code */
    uint32_t count = 0;
    assert(all < ABBREV_CODES_SHORT);
    for (uint32_t code = 1; code <= all; code++)
        if (!a->is_part || is_kept(a, code))
            order[++count] = (uint8_t)code;
    for (uint32_t i = count; d->is_shuffled && i > 2; i--) {
        const uint32_t other = 2 + random_below(random_at(key, i), i - 1);
        const uint8_t code = order[i];
        order[i] = order[other];
        order[other] = code;
    }
    if (d->is_shuffled && unit_reach(d, table) == ABBREV_FAR_ORIGINS)
        begin_with_inlined(order, count);
    for (uint32_t i = 1; i <= count; i++)
        codes.of[order[i]] = (uint8_t)i;
    return codes;
}

uint8_t unit_abbrev_code(const struct debug *d, uint32_t table, uint32_t code)
{
    return codes_of(d, table).of[code];
}

void unit_renumber(const struct debug *d, uint32_t table, uint8_t *p, const uint8_t *end)
{
    if (!d->abbrevs.is_part && !d->is_shuffled)
        return;
    const struct table_codes codes = codes_of(d, table);
    while (p < end) {
        const uint32_t size = abbrev_size_of(&d->corpus->layouts, p);
        *p = codes.of[*p];
        p += size;
    }
}

/* A table of the corpus, with abbreviations of functions in two places if the library's tables have these. */
struct table {
    const uint8_t *begin, *end;
};

static struct table table_of(const struct debug *d, uint32_t table)
{
    const struct bytes *const all = unit_table(d, table);
    return (struct table){all->data, all->data + (unit_tables_parted(d) ? all->size : d->corpus->abbrev_own)};
}

uint8_t *unit_put_abbrevs(const struct debug *d, uint32_t table, uint8_t *p)
{
    const struct table whole = table_of(d, table);
    const uint8_t *from[ABBREV_CODES_SHORT] = {NULL}; /* by their codes in the table */
    if (!d->abbrevs.is_part && !d->is_shuffled)
        return put_bytes(p, whole.begin, (size_t)(whole.end - whole.begin));
    const struct table_codes codes = codes_of(d, table);
    for (const uint8_t *at = whole.begin; at < whole.end; at = skip_abbreviation(at))
        if (codes.of[*at])
            from[codes.of[*at]] = at;
    for (uint32_t code = 1; code < ABBREV_CODES_SHORT && from[code]; code++) {
        uint8_t *const start = p;
        p = put_bytes(p, from[code], (size_t)(skip_abbreviation(from[code]) - from[code]));
        *start = (uint8_t)code;
    }
    return p;
}

/* Bytes of each abbreviation of the whole table, by code. */
struct table_sizes {
    uint8_t of[ABBREV_CODES_SHORT];
};

static struct table_sizes measure(const struct debug *d)
{
    const struct table whole = table_of(d, 0);
    struct table_sizes sizes = {{0}};
    for (const uint8_t *from = whole.begin; from < whole.end;) {
        const uint8_t *end = skip_abbreviation(from);
        assert(end - from <= UINT8_MAX);
        sizes.of[*from] = (uint8_t)(end - from);
        from = end;
    }
    return sizes;
}

/* Bytes of a table of the kept abbreviations, with the byte that ends it. */
static uint64_t size_of(const struct table_sizes *sizes, const struct debug_abbrevs *a)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < ABBREV_CODES_SHORT / 64; i++)
        for (uint64_t kept = a->kept[i]; kept; kept &= kept - 1)
            size += sizes->of[64 * i + (uint32_t)__builtin_ctzll(kept)];
    return size;
}

/* Like single_divide behind so many codes, but false if a code takes two bytes: the codes will be lower in the end. */
static bool divide_narrow(const struct single_ways *ways, uint32_t codes, uint64_t bytes, struct single_mix *single)
{
    if (!single_divide(ways, codes + 1, bytes, single))
        return false;
    for (uint32_t k = 0; k < SINGLE_KINDS; k++)
        if (single->count[1][k])
            return false;
    return true;
}

/* Keeps one more abbreviation that no entry uses, and takes its size off *rest. Prefers the first one after which *rest
 * can be divided into `single`; sets *divided if there is one. False if none is small enough. */
static bool keep_another(const struct single_ways *ways, uint32_t codes, const struct table_sizes *sizes,
                         struct debug_abbrevs *a, uint64_t *rest, struct single_mix *single, bool *divided)
{
    uint32_t first = 0;
    *divided = false;
    for (uint32_t code = 1; code <= codes && !*divided; code++) {
        if (is_kept(a, code) || sizes->of[code] > *rest)
            continue;
        *divided = divide_narrow(ways, codes, *rest - sizes->of[code], single);
        if (*divided || !first)
            first = code;
    }
    if (!first)
        return false;
    abbrev_note(a->kept, first);
    *rest -= sizes->of[first];
    return true;
}

/* Divides `wanted` bytes into the kept abbreviations, further ones that no entry uses if necessary, and `single`. */
static bool divide(uint32_t codes, const struct table_sizes *sizes, struct debug_abbrevs *a, uint64_t wanted,
                   struct single_mix *single)
{
    const uint64_t size = size_of(sizes, a);
    struct single_ways ways;
    if (size > wanted)
        return false;
    single_find_ways(&ways);
    uint64_t rest = wanted - size;
    bool divided = divide_narrow(&ways, codes, rest, single);
    while (!divided && keep_another(&ways, codes, sizes, a, &rest, single, &divided))
        continue;
    return divided;
}

/* Keeps the abbreviations that the first header's entries up to a cut use. */
static void keep_pieces(const struct debug *d, struct debug_abbrevs *a, uint32_t cut)
{
    const uint64_t *const codes = d->corpus->header[0].codes[cut];
    for (unsigned i = 0; i < sizeof a->kept / sizeof a->kept[0]; i++)
        a->kept[i] |= codes[i];
}

/* A part with the abbreviations that functions, and all units, use. */
static struct debug_abbrevs least_part(const struct debug *d)
{
    static const uint8_t of_data[] = {ABBREV_DATA_UNIT, ABBREV_CONST, ABBREV_POINTER, ABBREV_VOID_POINTER};
    const struct corpus *c = d->corpus;
    const uint8_t always[] = {ABBREV_COMPILE_UNIT, abbrev_tail(c->dialect), abbrev_tail_short(c->dialect)};
    struct debug_abbrevs least = {.is_part = true};
    for (unsigned i = 0; i < sizeof always; i++)
        abbrev_note(least.kept, always[i]);
    if (d->parted)
        abbrev_note(least.kept, abbrev_parted(c->dialect, ABBREV_COMPILE_UNIT));
    for (unsigned i = 0; i < (c->dialect.lines ? 1 : sizeof of_data) && d->data_units; i++)
        abbrev_note(least.kept, of_data[i]);
    abbrev_note_entries(&c->layouts, c->header[0].entries, c->header[0].entries + c->fixed, least.kept);
    for (unsigned i = 0; i < 2; i++) /* the entries themselves may be undefined (only_sizes) */
        least.kept[i] |= d->composed->codes[i];
    return least;
}

void unit_keep_used(struct debug *d)
{
    const struct table_sizes sizes = measure(d);
    d->abbrevs = least_part(d);
    d->abbrevs.size = (uint32_t)size_of(&sizes, &d->abbrevs);
    d->abbrevs.codes = count_kept(&d->abbrevs);
}

bool unit_part_abbrevs(struct debug *d)
{
    const struct corpus *c = d->corpus;
    const struct corpus_header *h = &c->header[0];
    const uint64_t wanted = d->wanted[DEBUG_ABBREV];
    const uint64_t most = (uint64_t)ABBREV_CODES_SHORT * UINT8_MAX; /* of one table, whatever is in it */
    if (!units_include_any(d) || c->dialect.lines || unit_codes_own(d) >= ABBREV_CODES_SHORT || wanted > most)
        return false;
    const struct table_sizes sizes = measure(d);
    const struct debug_abbrevs least = least_part(d);
    uint32_t cut = 0; /* each further piece may need more abbreviations */
    for (struct debug_abbrevs next = least; cut + 1 < h->cuts; cut++) {
        keep_pieces(d, &next, cut + 1);
        if (size_of(&sizes, &next) > wanted)
            break;
    }
    for (;; cut--) {
        d->abbrevs = least;
        keep_pieces(d, &d->abbrevs, cut);
        if (divide(unit_codes_own(d), &sizes, &d->abbrevs, wanted, &d->single))
            break;
        if (!cut) {
            d->abbrevs.is_part = false;
            return false;
        }
    }
    d->pieces_most = cut;
    d->single.first = count_kept(&d->abbrevs) + 1u;
    d->tables = 1;
    d->unused = 0;
    d->size[DEBUG_ABBREV] = wanted;
    return true;
}
