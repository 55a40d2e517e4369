/* See partial.h. */
#include "dwarf/partial.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "dwarf/unit_sizes.h"

enum {
    UNIT_HEADER = 12,
    ABBREVS = 21,     /* bytes of the abbreviations of partial units */
    NAMED = 8,        /* bytes of what a unit's own entry has that names a line table and a directory */
    BASE = 7,         /* bytes of a base type; */
    DECLARING_OF = 3, /* one in so many units that name a line table has an inline function; */
    DECLARED_OF = 3,  /* one in so many inline functions is in partial units: two in three calls of PETSc's are not */
    QUALIFIED = 5,    /* of what has the type of another, */
    BRIEF = 3,        /* by a reference of two bytes, */
    PARAMETERS = 4,   /* as these of a function's type may have it; */
    BRIEF_ABBREV = 7  /* their abbreviation then */
};

/* Bytes of a type of functions with its sibling, its parameters, and what ends them; */
static uint32_t function_type(const struct corpus *c)
{
    return QUALIFIED + 4 + PARAMETERS * (c->manner.shortest ? BRIEF : QUALIFIED) + 1;
}

/* with a base type; */
static uint32_t types_size(const struct corpus *c)
{
    return function_type(c) + BASE;
}

/* and of a unit with its own entry, if it names nothing, and the end. */
enum { EMPTY = UNIT_HEADER + 1 + 1 };

/* Their codes, behind those of all other entries. */
static uint8_t import_code(const struct debug *d)
{
    return (uint8_t)(abbrev_codes(d->corpus->dialect) + 1);
}

static uint8_t unit_code(const struct debug *d)
{
    return import_code(d) + 1;
}

static uint8_t named_code(const struct debug *d)
{
    return unit_code(d) + 1;
}

/* How many inline functions of headers are in units that name a line table, in turn, one in each DECLARING_OF-th. */
static uint32_t declared(const struct corpus *c)
{
    return (corpus_inlines(c) + DECLARED_OF - 1) / DECLARED_OF;
}

/* Whether the named-th of these has one, */
static bool declares(const struct corpus *c, uint64_t named)
{
    return declared(c) && named % DECLARING_OF == 0;
}

/* and which. */
static uint32_t declared_in(const struct corpus *c, uint64_t named)
{
    return (uint32_t)(named / DECLARING_OF % declared(c)) * DECLARED_OF;
}

/* How many of the first `named` units have the i-th of them. */
static uint64_t declaring(const struct corpus *c, uint64_t named, uint32_t i)
{
    const uint64_t all = (named + DECLARING_OF - 1) / DECLARING_OF;
    return all / declared(c) + (i < all % declared(c));
}

/* Bytes of an inline function, with what it has below it. */
static uint32_t declared_size(const struct corpus *c, uint32_t k)
{
    const uint32_t end = k + 1 < corpus_inlines(c) ? c->inlines[k + 1].at : c->start + c->fixed;
    return end - c->inlines[k].at;
}

/* What of the first `named` units is a function or, where there is none, types. */
static uint64_t named_size(const struct corpus *c, uint64_t named)
{
    uint64_t functions = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < declared(c); i++) {
        functions += declaring(c, named, i);
        bytes += declaring(c, named, i) * declared_size(c, i * DECLARED_OF);
    }
    return bytes + (named - functions) * types_size(c);
}

/* How many of the units from the second on, and up to before `number`, name a line table. */
static uint64_t named_before(const struct debug *d, uint64_t number)
{
    return (number - 1) * d->corpus->manner.tables / MANNER_USUAL;
}

static bool is_named(const struct debug *d, uint64_t number)
{
    return number && named_before(d, number + 1) > named_before(d, number);
}

/* That of parameters with brief references is the last. */
uint32_t partial_codes(const struct corpus *c)
{
    return ABBREV_PARTIALS + (c->lows[0].size ? ABBREV_LOWS : 0u) + c->manner.shortest;
}

static uint8_t brief_code(const struct corpus *c)
{
    return (uint8_t)(abbrev_codes(c->dialect) + partial_codes(c));
}

uint64_t partial_abbrevs_size(const struct corpus *c)
{
    return ABBREVS + c->lows[0].size + (c->manner.shortest ? BRIEF_ABBREV : 0u);
}

/* Where unit `number` begins in .debug_info. */
static uint64_t unit_at(const struct debug *d, uint64_t number)
{
    const struct corpus *c = d->corpus;
    if (!number)
        return 0;
    const uint64_t named = named_before(d, number);
    return c->start + c->types + 1 + (number - 1) * EMPTY + (number - 1 - named) * types_size(c) + NAMED * named +
           named_size(c, named);
}

uint64_t partial_units_size(const struct debug *d)
{
    return unit_at(d, d->partials);
}

uint32_t partial_possible(const struct debug *d, uint32_t wanted)
{
    enum { INFO_PART = 4 }; /* of .debug_info, at most */
    const struct corpus *c = d->corpus;
    const uint64_t abbrev = d->wanted[DEBUG_ABBREV];
    const uint64_t info = d->wanted[DEBUG_INFO];
    if (!units_include_any(d) || c->dialect.language != DWARF_C || dialect_is_4(c->dialect) || abbrev == DEBUG_ANY ||
        info > PARTIAL_PADDED_MOST || abbrev_codes(c->dialect) + partial_codes(c) >= ABBREV_CODES_SHORT)
        return 0;
    if (c->abbrev[ABBREV_NEAR].size + 1 + partial_abbrevs_size(c) + SINGLE_SURE > abbrev)
        return 0;
    uint64_t largest = types_size(c);
    for (uint32_t i = 0; i < declared(c); i++) {
        const uint64_t size = declared_size(c, i * DECLARED_OF);
        largest = size > largest ? size : largest;
    }
    const uint64_t each = EMPTY + NAMED + largest + PARTIAL_IMPORT * (uint64_t)c->manner.imports;
    return c->start + c->types + wanted * each <= info / INFO_PART ? wanted : 0;
}

static uint64_t all_imports(const struct debug *d)
{
    return (uint64_t)d->partials * d->corpus->manner.imports;
}

/* How many imports there are in the units before this one. All units import them in turn. */
static uint64_t imports_before(const struct debug *d, uint32_t unit)
{
    return all_imports(d) * unit / d->unit_count;
}

uint64_t partial_imports_size(const struct debug *d, uint32_t unit)
{
    return (imports_before(d, unit + 1) - imports_before(d, unit)) * PARTIAL_IMPORT;
}

uint64_t partial_all_imports_size(const struct debug *d)
{
    return all_imports(d) * PARTIAL_IMPORT;
}

/* Types of nothing in so many bytes, so that others fill the rest. */
static uint32_t voids_in(uint32_t bytes)
{
    return bytes % QUALIFIED ? bytes % QUALIFIED : QUALIFIED;
}

uint64_t partial_dies(const struct debug *d)
{
    enum { TYPES = 2 + PARAMETERS };
    const struct corpus *c = d->corpus;
    const uint32_t before = c->start - UNIT_HEADER - 1;
    const uint32_t voids = voids_in(before);
    if (!d->partials)
        return 0;
    const uint64_t named = named_before(d, d->partials);
    uint64_t functions = 0;
    uint64_t dies = 1 + voids + (before - voids) / QUALIFIED + BASE_ALL + all_imports(d);
    for (uint32_t i = 0; i < declared(c); i++) {
        functions += declaring(c, named, i);
        dies += declaring(c, named, i) * (UINT64_C(1) + c->inlines[i * DECLARED_OF].children);
    }
    return dies + (d->partials - UINT64_C(1)) + TYPES * (d->partials - 1 - functions);
}

uint8_t *partial_put_imports(const struct debug *d, uint32_t unit, uint8_t *p)
{
    for (uint64_t i = imports_before(d, unit); i < imports_before(d, unit + 1); i++) {
        p = put_u8(p, import_code(d));
        p = put_u32(p, (uint32_t)unit_at(d, i % d->partials) + UNIT_HEADER);
    }
    return p;
}

/* The largest of half of the units that import it: dwz takes the first one that has what they share, and that is a unit
 * with much of it. Line tables that PETSc's name are 3.7 times as large as its mean one. */
static uint32_t importer(const struct debug *d, uint32_t number)
{
    const uint32_t half = (d->corpus->manner.imports + UINT32_C(1)) / 2;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < half; i++) {
        const uint64_t import = number + (uint64_t)d->partials * i;
        const uint32_t unit = (uint32_t)(((import + 1) * d->unit_count - 1) / all_imports(d));
        if (!i || d->unit[unit].info_size > d->unit[largest].info_size)
            largest = unit;
    }
    return largest;
}

/* They use the tables of the others, evenly. */
static uint32_t table_of(const struct debug *d, uint32_t number)
{
    return (uint32_t)((uint64_t)number * d->tables / d->partials);
}

/* Unit `number` up to its first type. */
static uint8_t *put_head(const struct debug *d, uint32_t number, uint8_t *p)
{
    p = put_u32(p, (uint32_t)(unit_at(d, number + UINT64_C(1)) - unit_at(d, number)) - 4);
    p = put_u16(p, d->corpus->dialect.version);
    p = put_u8(put_u8(p, DW_UT_partial), 8);
    p = put_u32(p, (uint32_t)(table_of(d, number) * unit_table_bytes(d)));
    if (!is_named(d, number))
        return put_u8(p, unit_code(d));
    p = put_u32(put_u8(p, named_code(d)), d->unit[importer(d, number)].line);
    return put_u32(p, unit_sources(d)); /* the compilation directory */
}

static uint8_t *put_type(uint8_t *p, enum abbrev_code code, uint32_t of)
{
    return put_u32(put_u8(p, (uint8_t)code), of);
}

static uint8_t *put_parameter(const struct corpus *c, uint8_t *p, uint32_t of)
{
    return c->manner.shortest ? put_u16(put_u8(p, brief_code(c)), (uint16_t)of)
                              : put_type(p, ABBREV_TYPE_PARAMETER, of);
}

/* The types that all units have, and before them as many bytes of types that are made of these as other units have
 * there of their own entry. */
static uint8_t *put_common(const struct debug *d, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const uint8_t *const start = p;
    const uint8_t *const types = start + c->start;
    p = put_head(d, 0, p);
    const uint32_t nothing = (uint32_t)(p - start);
    for (uint32_t i = voids_in((uint32_t)(types - p)); i; i--)
        p = put_u8(p, ABBREV_VOID_CONST);
    p = put_type(p, ABBREV_POINTER, nothing);
    for (unsigned i = 0; p < types; i++)
        p = put_type(p, ABBREV_CONST, c->type[i]);
    assert(p == types);
    return put_u8(put_bytes(p, c->header[0].entries, c->types), ABBREV_END);
}

/* Where an inline function begins in a unit that has one. */
enum { DECLARED_AT = UNIT_HEADER + 1 + NAMED };

/* The inline function of this unit, as the importer's header has it. Its types are in the first unit. */
static uint8_t *put_declared(const struct debug *d, uint32_t number, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const uint32_t k = declared_in(c, named_before(d, number));
    const uint32_t from = c->inlines[k].at;
    const struct corpus_header *h = &c->header[d->unit[importer(d, number)].header];
    const struct abbrev_entry entry = abbrev_read(c->dialect, h->entries + (from - c->start));
    uint8_t *const end = put_bytes(p, h->entries + (from - c->start), declared_size(c, k));
    for (uint32_t i = 0; i < entry.references; i++)
        if (entry.reference[i].attribute == DW_AT_sibling)
            put_u32(p + entry.reference[i].at, DECLARED_AT + declared_size(c, k));
    partial_refer(d, PARTIAL_NO_UNIT, unit_at(d, number), unit_table_is_small(d, table_of(d, number)), p, end);
    return end;
}

uint64_t partial_declared(const struct debug *d, uint32_t unit, uint32_t k)
{
    const struct corpus *c = d->corpus;
    if (k % DECLARED_OF)
        return 0;
    for (uint64_t i = imports_before(d, unit); i < imports_before(d, unit + 1); i++) {
        const uint64_t number = i % d->partials;
        const uint64_t named = number ? named_before(d, number) : 0;
        if (is_named(d, number) && declares(c, named) && declared_in(c, named) == k)
            return unit_at(d, number) + DECLARED_AT;
    }
    return 0;
}

/* A type of functions, as there are many among what an application's units share, and that of what they take. */
static uint8_t *put_types(const struct debug *d, uint32_t number, const uint8_t *start, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const bool is_long = number % 2;
    const uint32_t base = (uint32_t)(p - start) + function_type(c);
    uint8_t *const type = p;
    p = put_u32(put_type(p, ABBREV_FUNCTION_TYPE, base), base); /* its result, and its sibling */
    partial_refer(d, PARTIAL_NO_UNIT, unit_at(d, number), unit_table_is_small(d, table_of(d, number)), type, p);
    for (unsigned i = 0; i < PARAMETERS; i++)
        p = put_parameter(c, p, base);
    p = put_u8(p, ABBREV_END);
    p = put_u8(put_u8(put_u8(p, ABBREV_BASE_TYPE), 8), is_long ? DW_ATE_signed : DW_ATE_float);
    return put_u32(p, c->base_name[is_long ? BASE_LONG : BASE_DOUBLE]);
}

static uint8_t *put_unit(const struct debug *d, uint32_t number, uint8_t *p)
{
    const uint8_t *const start = p;
    p = put_head(d, number, p);
    const bool function = is_named(d, number) && declares(d->corpus, named_before(d, number));
    p = function ? put_declared(d, number, p) : put_types(d, number, start, p);
    p = put_u8(p, ABBREV_END);
    assert((uint64_t)(p - start) == unit_at(d, number + UINT64_C(1)) - unit_at(d, number));
    return p;
}

uint8_t *partial_put_units(const struct debug *d, uint8_t *p)
{
    if (d->partials)
        p = put_common(d, p);
    for (uint32_t i = 1; i < d->partials; i++)
        p = put_unit(d, i, p);
    return p;
}

uint8_t *partial_put_abbrevs(const struct debug *d, uint32_t table, uint8_t *p)
{
    const struct corpus *const c = d->corpus;
    const struct bytes *const lows = &c->lows[unit_reach(d, table)];
    const uint8_t import[] = {import_code(d), DW_TAG_imported_unit, 0, DW_AT_import, DW_FORM_ref_addr, 0, 0};
    const uint8_t unit[] = {unit_code(d), DW_TAG_partial_unit, 1, 0, 0};
    const uint8_t named[] = {named_code(d),
                             DW_TAG_partial_unit,
                             1,
                             DW_AT_stmt_list,
                             DW_FORM_sec_offset,
                             DW_AT_comp_dir,
                             DW_FORM_line_strp,
                             0,
                             0};
    const uint8_t brief[] = {brief_code(c), DW_TAG_formal_parameter, 0, DW_AT_type, DW_FORM_ref2, 0, 0};
    static_assert(sizeof import + sizeof unit + sizeof named == ABBREVS && sizeof brief == BRIEF_ABBREV,
                  "they are all");
    if (!d->partials)
        return p;
    p = put_bytes(put_bytes(p, import, sizeof import), unit, sizeof unit);
    p = put_bytes(p, named, sizeof named);
    p = put_bytes(p, lows->data, lows->size);
    return c->manner.shortest ? put_bytes(p, brief, sizeof brief) : p;
}
