/* See count.h. */
#include "dwarf/unit/count.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/form/clang.h"
#include "dwarf/unit/partial.h"
#include "dwarf/unit/spare.h"
#include "dwarf/unit/unit_sizes.h"

enum { CODES = 256, COMMON_MOST = 256 /* bytes of the types that all units have */ };

/* How many entries have each code of a library's table: in headers behind what all have, and elsewhere. */
struct counting {
    const struct debug *d;
    uint64_t own[CODES], header[CODES];
};

static void count_entries(const struct counting *c, const uint8_t *p, const uint8_t *end, uint64_t counts[CODES])
{
    while (p < end) {
        counts[*p]++;
        p += abbrev_size_of(&c->d->corpus->layouts, p);
    }
}

/* Counts the unit's own entry. */
static void count_frame(struct counting *c, const struct debug_unit *u)
{
    uint8_t frame[UNIT_ENTRY_MOST];
    assert(c->d->corpus->start <= sizeof frame);
    count_entries(c, frame, unit_put_entry(c->d, u, frame), c->own);
}

/* Counts the types that every unit has, or what stands in their place (partial.h). */
static void count_common(struct counting *c, uint32_t unit)
{
    uint8_t common[COMMON_MOST];
    assert(c->d->corpus->types <= sizeof common);
    count_entries(c, common, partial_put_common(c->d, unit, common), c->own);
}

static void count_headers(struct counting *c, const struct debug_unit *u)
{
    const uint32_t fixed = c->d->corpus->fixed;
    for (uint32_t i = 0; i <= u->wholes; i++) {
        const uint8_t *const entries = unit_header(c->d, u, i)->entries;
        const struct corpus_cut *const cut = unit_cut(c->d, u, i);
        count_entries(c, entries + fixed, entries + cut->entries - (cut->open != 0), c->header);
    }
}

static bool count_spare(struct counting *c, uint32_t unit)
{
    const uint64_t size = spare_size(c->d, unit);
    uint8_t *const spare = size ? malloc(size) : NULL;
    if (spare)
        count_entries(c, spare, spare_put(c->d, unit, spare, spare), c->own);
    free(spare);
    return spare || !size;
}

static bool count_unit(struct counting *c, uint32_t unit)
{
    const struct debug *const d = c->d;
    const struct debug_unit *const u = &d->unit[unit];
    const struct corpus_header *const h = &d->corpus->header[u->header];
    count_frame(c, u);
    count_common(c, unit);
    count_entries(c, h->entries + d->corpus->types, h->entries + d->corpus->fixed, c->own);
    if (u->entries_size) {
        const uint8_t *const functions = d->composed->info.data + u->entries;
        count_entries(c, functions, functions + u->entries_size, c->own);
    }
    count_headers(c, u);
    return count_spare(c, unit);
}

/* Adds uses of an attribute. Attributes are kept in ascending order, so the order in which they are met does not
 * matter. */
static void add_attribute(struct debug_counts *sum, uint32_t name, uint64_t uses)
{
    uint32_t i = 0;
    while (i < sum->attributes && sum->attribute[i].name < name)
        i++;
    if (i == sum->attributes || sum->attribute[i].name != name) {
        assert(sum->attributes < COUNT_ATTRIBUTES);
        memmove(&sum->attribute[i + 1], &sum->attribute[i], (sum->attributes - i) * sizeof sum->attribute[0]);
        sum->attributes++;
        sum->attribute[i].name = name;
        sum->attribute[i].uses = 0;
    }
    sum->attribute[i].uses += uses;
}

static bool has(const struct abbreviation *abbreviation, uint32_t name)
{
    const struct abbrev_attribute *a = abbreviation->attributes;
    while (a->name && a->name != name)
        a++;
    return a->name;
}

static void add_entries(struct debug_counts *sum, struct dialect d, uint32_t placed, uint32_t code, uint64_t own,
                        uint64_t header)
{
    const enum abbrev_code of = abbrev_code_of(d, code);
    if (!own && !header)
        return;
    sum->all[of] += own + header;
    sum->header[of] += header;
    const struct abbreviation *const abbreviation = abbrev_of(d, code);
    const bool declares = has(abbreviation, DW_AT_declaration);
    for (const struct abbrev_attribute *a = abbreviation->attributes; (a = abbrev_said(d, a))->name; a++) {
        const uint32_t name = abbrev_attribute(d, a);
        const uint32_t as = d.clang ? clang_attribute(abbreviation->tag, name, declares) : name;
        if (as)
            add_attribute(sum, as, own + header);
    }
    if (d.clang && clang_has_convention(d, abbreviation->tag) && has(abbreviation, DW_AT_byte_size))
        add_attribute(sum, DW_AT_calling_convention, own + header);
    const bool is_gone = of == ABBREV_INLINED_PARAMETER_GONE || of == ABBREV_INLINED_VARIABLE_GONE;
    if (d.clang && is_gone)
        add_attribute(sum, DW_AT_location, (own + header) * placed / MANNER_USUAL);
}

static void add_counts(struct counting *c, struct debug_counts *sum)
{
    const struct dialect dialect = c->d->corpus->dialect;
    c->own[abbrev_tail(dialect)] += c->d->externs;
    c->own[abbrev_tail_short(dialect)] += c->d->shorts;
    for (uint32_t code = 1; code <= unit_codes_own(c->d); code++)
        add_entries(sum, dialect, c->d->corpus->manner.placed, code, c->own[code], c->header[code]);
    sum->all[ABBREV_EXTERN_VARIABLE] += single_count(&c->d->single);
    sum->others += single_attributes(&c->d->single);
}

/* Attributes of the unit's own entry. */
static uint64_t frame_attributes(const struct debug *d, const struct debug_unit *u)
{
    uint8_t frame[UNIT_ENTRY_MOST];
    const struct corpus *const c = d->corpus;
    const uint8_t *const end = unit_put_entry(d, u, frame);
    uint64_t sum = 0;
    for (const uint8_t *p = frame; p < end; p += abbrev_size_of(&c->layouts, p))
        sum += c->layouts.attributes[*p];
    return sum;
}

static uint64_t partial_all_attributes(const struct debug *d)
{
    uint64_t entries[ABBREV_COUNT] = {0};
    uint64_t sum = partial_attributes(d);
    partial_count(d, entries);
    for (unsigned code = 1; code < ABBREV_COUNT; code++)
        sum += entries[code] * d->corpus->layouts.attributes[code];
    return sum;
}

uint64_t debug_attributes(const struct debug *d)
{
    const uint8_t *const each = d->corpus->layouts.attributes;
    uint64_t frame[3] = {0}; /* of a unit without code, of one with code, and of one with parts; 0: not known yet */
    uint64_t sum = d->composed->attributes + single_attributes(&d->single) + partial_all_attributes(d) +
                   spare_attributes(d) + d->externs * UINT64_C(1) * each[abbrev_tail(d->corpus->dialect)] +
                   d->shorts * UINT64_C(1) * each[abbrev_tail_short(d->corpus->dialect)] +
                   d->unit_count * partial_fixed_attributes(d);
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct debug_unit *const u = &d->unit[i];
        uint64_t *const its = &frame[unit_has_code(u) + unit_is_parted(u)];
        if (!*its)
            *its = frame_attributes(d, u);
        sum += *its;
        for (uint32_t h = 0; h <= u->wholes; h++)
            sum += unit_cut(d, u, h)->attributes;
    }
    return sum;
}

/* By which part of the wanted number of entries the library has more or fewer; 0 where entries were not counted. */
static double lacks(const struct debug *d)
{
    const double wanted = (double)d->dies_wanted;
    return d->dies ? fabs((double)d->dies - wanted) / wanted : 0;
}

bool debug_count(const struct debug *d, struct debug_counts *sum)
{
    struct counting c = {.d = d};
    bool ok = true;
    for (uint32_t i = 0; i < d->unit_count && ok; i++)
        ok = count_unit(&c, i);
    partial_count(d, c.own);
    add_counts(&c, sum);
    sum->partial_units += d->partials;
    sum->imports += partial_imports(d);
    sum->others += partial_attributes(d);
    sum->libraries++;
    sum->lacks += lacks(d);
    return ok;
}

void debug_counts_add(struct debug_counts *sum, const struct debug_counts *more, uint64_t times)
{
    for (unsigned code = 0; code < ABBREV_COUNT; code++) {
        sum->all[code] += more->all[code] * times / COUNT_ONCE;
        sum->header[code] += more->header[code] * times / COUNT_ONCE;
    }
    sum->partial_units += more->partial_units * times / COUNT_ONCE;
    sum->imports += more->imports * times / COUNT_ONCE;
    sum->others += more->others * times / COUNT_ONCE;
    sum->libraries += more->libraries;
    sum->lacks += more->lacks;
    for (uint32_t i = 0; i < more->attributes; i++)
        add_attribute(sum, more->attribute[i].name, more->attribute[i].uses * times / COUNT_ONCE);
}
