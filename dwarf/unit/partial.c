/* See partial.h. */
#include "dwarf/unit/partial.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "dwarf/unit/unit_sizes.h"

enum {
    UNIT_HEADER = 12,
    ABBREVS = 21,    /* bytes of the three abbreviations of imports and partial units */
    NAMED = 8,       /* bytes that name a line table and a directory in a partial unit's own entry */
    QUALIFIED = 5,   /* bytes of an entry that refers to a type */
    BRIEF = 3,       /* the same, with a reference of two bytes */
    PARAMETERS = 4,  /* parameters of a type of functions; they may have such references */
    BRIEF_ABBREV = 7 /* bytes of the abbreviation of such parameters */
};

/* Bytes of a type of functions, with its reference to the sibling, its parameters, and what ends them. */
static uint32_t function_type(const struct corpus *c)
{
    return QUALIFIED + 4 + PARAMETERS * (c->manner.shortest ? BRIEF : QUALIFIED) + 1;
}

/* Bytes of such a type and a type of pointers. */
static uint32_t types_size(const struct corpus *c)
{
    return function_type(c) + QUALIFIED;
}

enum {
    EMPTY = UNIT_HEADER + 1 + 1,         /* bytes of a partial unit without types whose own entry names nothing */
    INLINE_AT = UNIT_HEADER + 1 + NAMED, /* where the inline function begins in a home */
    ONE_IN_NAMED = 2,                    /* one in so many units that name a line table may be a home */
    ONE_IN_INLINES = 3, /* one in so many of a header's functions has a home; half of PETSc's calls do */
    HOMES_MOST = 32,    /* most headers whose functions have homes */
    IMPORTS_LEAST = 4   /* least imports, for each home of its header, of a unit that imports these homes */
};

/* The codes of abbreviations of partial units follow those of all other entries. */
static uint8_t import_code(const struct debug *d)
{
    return (uint8_t)(abbrev_codes_all(d->corpus->dialect) + 1);
}

static uint8_t unit_code(const struct debug *d)
{
    return import_code(d) + 1;
}

static uint8_t named_code(const struct debug *d)
{
    return unit_code(d) + 1;
}

/* How many of a header's inline functions have homes. */
static uint32_t shared_inlines(const struct corpus *c)
{
    return (corpus_inlines(c) + ONE_IN_INLINES - 1) / ONE_IN_INLINES;
}

/* Bytes of an inline function with its children. */
static uint32_t inline_size(const struct corpus *c, uint32_t k)
{
    const uint32_t end = k + 1 < corpus_inlines(c) ? c->inlines[k + 1].at : c->start + c->fixed;
    return end - c->inlines[k].at;
}

/* How many of the partial units 1 to `number` - 1 name a line table. */
static uint64_t named_before(const struct corpus *c, uint64_t number)
{
    return (number - 1) * c->manner.tables / MANNER_USUAL;
}

static bool is_named(const struct corpus *c, uint64_t number)
{
    return number && named_before(c, number + 1) > named_before(c, number);
}

/* How many of `partials` partial units are homes: they have an inline function, and calls of it lead there. They are
 * the first of the units that name a line table: the homes of all such functions of the first header, then of the
 * second, and so on. */
static uint32_t homes(const struct corpus *c, uint32_t partials)
{
    const uint64_t named = partials ? named_before(c, partials) : 0;
    const uint32_t each = shared_inlines(c);
    const uint64_t headers = each ? named / ONE_IN_NAMED / each : 0;
    return each * (uint32_t)(headers < HOMES_MOST ? headers : HOMES_MOST);
}

/* Whether partial unit `number` is a home. Sets *home to its number among the homes. */
static bool is_home(const struct debug *d, uint32_t number, uint32_t *home)
{
    *home = is_named(d->corpus, number) ? (uint32_t)named_before(d->corpus, number) : UINT32_MAX;
    return *home < homes(d->corpus, d->partials);
}

/* The number of a home among the partial units. */
static uint32_t home_number(const struct corpus *c, uint32_t home)
{
    return (uint32_t)(((home + UINT64_C(1)) * MANNER_USUAL + c->manner.tables - 1) / c->manner.tables);
}

static uint32_t home_header(const struct corpus *c, uint32_t home)
{
    return home / shared_inlines(c);
}

static uint32_t home_inline(const struct corpus *c, uint32_t home)
{
    return home % shared_inlines(c) * ONE_IN_INLINES;
}

/* Bytes of the functions of the first `count` homes. */
static uint64_t homes_size(const struct corpus *c, uint64_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < shared_inlines(c); i++)
        bytes += (count + shared_inlines(c) - 1 - i) / shared_inlines(c) * inline_size(c, i * ONE_IN_INLINES);
    return bytes;
}

/* The code of parameters with brief references is the last. */
uint32_t partial_codes(const struct corpus *c)
{
    return ABBREV_PARTIALS + (c->lows[0].size ? ABBREV_LOWS : 0u) + c->manner.shortest;
}

static uint8_t brief_code(const struct corpus *c)
{
    return (uint8_t)(abbrev_codes_all(c->dialect) + partial_codes(c));
}

uint64_t partial_abbrevs_size(const struct corpus *c)
{
    return ABBREVS + c->lows[0].size + (c->manner.shortest ? BRIEF_ABBREV : 0u);
}

/* Where unit `number` of `partials` partial units begins in .debug_info. */
static uint64_t place_of(const struct corpus *c, uint32_t partials, uint64_t number)
{
    if (!number)
        return 0;
    const uint64_t named = named_before(c, number);
    const uint32_t all = homes(c, partials);
    return c->start + c->types + 1 + (number - 1) * (EMPTY + types_size(c)) + NAMED * named +
           homes_size(c, named < all ? named : all);
}

static uint64_t unit_at(const struct debug *d, uint64_t number)
{
    return place_of(d->corpus, d->partials, number);
}

uint64_t partial_units_size(const struct debug *d)
{
    return unit_at(d, d->partials);
}

uint32_t partial_possible(const struct debug *d, uint32_t wanted)
{
    enum { INFO_PART = 4 }; /* one byte in so many of .debug_info, at most */
    const struct corpus *c = d->corpus;
    const uint64_t abbrev = d->wanted[DEBUG_ABBREV];
    const uint64_t info = d->wanted[DEBUG_INFO];
    if (!units_include_any(d) || c->dialect.language != DWARF_C || c->dialect.clang || dialect_is_4(c->dialect) ||
        abbrev == DEBUG_ANY || info > PARTIAL_PADDED_MOST ||
        abbrev_codes_all(c->dialect) + partial_codes(c) >= ABBREV_CODES_SHORT)
        return 0;
    if (unit_table_all(c) + partial_abbrevs_size(c) + SINGLE_SURE > abbrev)
        return 0;
    const uint64_t imports = wanted * (uint64_t)c->manner.imports * PARTIAL_IMPORT;
    return place_of(c, wanted, wanted) + imports <= info / INFO_PART ? wanted : 0;
}

static uint64_t all_imports(const struct debug *d)
{
    return (uint64_t)d->partials * d->corpus->manner.imports;
}

/* How many imports the units before this one have. All units together import the partial units in turn, again and
 * again. */
static uint64_t imports_before(const struct debug *d, uint32_t unit)
{
    return all_imports(d) * unit / d->unit_count;
}

static uint64_t imports_of(const struct debug *d, uint32_t unit)
{
    return imports_before(d, unit + 1) - imports_before(d, unit);
}

/* Whether a unit imports the homes of its header in place of its first imports in turn: if it has enough imports. */
static bool has_homes(const struct debug *d, uint32_t unit)
{
    return imports_of(d, unit) >= IMPORTS_LEAST * shared_inlines(d->corpus);
}

static bool is_in_turn(const struct debug *d, uint32_t unit, uint32_t number)
{
    const uint64_t first = imports_before(d, unit) % d->partials;
    return (number + d->partials - first) % d->partials < imports_of(d, unit);
}

/* The partial unit that `import`, counted over all units, of this unit leads to. */
static uint32_t imported(const struct debug *d, uint32_t unit, uint64_t import)
{
    const struct corpus *c = d->corpus;
    const uint64_t place = import - imports_before(d, unit);
    const uint64_t home = (uint64_t)d->unit[unit].header * shared_inlines(c) + place;
    const uint32_t number = (uint32_t)(import % d->partials);
    if (place >= shared_inlines(c) || home >= homes(c, d->partials) || !has_homes(d, unit))
        return number;
    const uint32_t instead = home_number(c, (uint32_t)home);
    return is_in_turn(d, unit, instead) ? number : instead;
}

uint64_t partial_imports_size(const struct debug *d, uint32_t unit)
{
    return imports_of(d, unit) * PARTIAL_IMPORT;
}

uint64_t partial_all_imports_size(const struct debug *d)
{
    return all_imports(d) * PARTIAL_IMPORT;
}

/* How many types of nothing, of one byte each, there are in `bytes` bytes, so that types of QUALIFIED bytes fill the
 * rest. */
static uint32_t voids_in(uint32_t bytes)
{
    return bytes % QUALIFIED ? bytes % QUALIFIED : QUALIFIED;
}

uint64_t partial_imports(const struct debug *d)
{
    return all_imports(d);
}

uint64_t partial_attributes(const struct debug *d)
{
    enum { OF_NAMED = 2 }; /* the line table and the directory */
    return all_imports(d) + (d->partials ? OF_NAMED * named_before(d->corpus, d->partials) : 0);
}

void partial_count(const struct debug *d, uint64_t entries[ABBREV_COUNT])
{
    const struct corpus *const c = d->corpus;
    const uint32_t before = c->start - UNIT_HEADER - 1;
    const uint32_t voids = voids_in(before);
    const uint64_t others = d->partials ? d->partials - UINT64_C(1) : 0;
    if (!d->partials)
        return;
    entries[ABBREV_VOID_CONST] += voids;
    entries[ABBREV_CONST] += (before - voids) / QUALIFIED; /* with those among the types that all units have */
    entries[ABBREV_POINTER] += 2;
    entries[ABBREV_VOID_POINTER]++;
    entries[ABBREV_BASE_TYPE] += BASE_TYPES;
    entries[ABBREV_FUNCTION_TYPE] += others;
    entries[ABBREV_TYPE_PARAMETER] += PARAMETERS * others;
    entries[ABBREV_POINTER] += others;
    for (uint32_t i = 0; i < homes(c, d->partials); i++) {
        const struct corpus_inline *const f = &c->inlines[home_inline(c, i)];
        entries[ABBREV_INLINE_FUNCTION]++;
        entries[ABBREV_INLINE_VARIABLE] += f->variables;
        entries[ABBREV_INLINE_PARAMETER] += (uint64_t)f->children - f->variables;
    }
}

uint64_t partial_dies(const struct debug *d)
{
    uint64_t entries[ABBREV_COUNT] = {0};
    uint64_t dies = d->partials + all_imports(d);
    partial_count(d, entries);
    for (unsigned code = 1; code < ABBREV_COUNT; code++)
        dies += entries[code];
    return dies;
}

uint8_t *partial_put_imports(const struct debug *d, uint32_t unit, uint8_t *p)
{
    for (uint64_t i = imports_before(d, unit); i < imports_before(d, unit + 1); i++) {
        p = put_u8(p, import_code(d));
        p = put_u32(p, (uint32_t)unit_at(d, imported(d, unit, i)) + UNIT_HEADER);
    }
    return p;
}

static bool is_larger(const struct debug *d, uint32_t unit, uint32_t than)
{
    return than == UINT32_MAX || d->unit[unit].info_size > d->unit[than].info_size;
}

/* The largest unit that calls the function of a home: it has the function's header and imports the home. UINT32_MAX if
 * there is none. */
static uint32_t largest_caller(const struct debug *d, uint32_t home)
{
    const uint32_t number = home_number(d->corpus, home);
    uint32_t largest = UINT32_MAX;
    for (uint32_t i = 0; i < d->unit_count; i++)
        if (d->unit[i].header == home_header(d->corpus, home) && (has_homes(d, i) || is_in_turn(d, i, number)) &&
            is_larger(d, i, largest))
            largest = i;
    return largest;
}

/* The unit whose line table a partial unit names. For a home, it is the largest unit that calls the home's function.
 * For others, it is the largest of the first half of the units that import it, or of all if that finds none. dwz takes
 * the first unit that has what units share, and that is one with much of it: the line tables that PETSc's partial units
 * name are 3.7 times as large as its mean one. */
static uint32_t importer(const struct debug *d, uint32_t number)
{
    const uint32_t all = d->corpus->manner.imports;
    uint32_t home;
    uint32_t largest = is_home(d, number, &home) ? largest_caller(d, home) : UINT32_MAX;
    if (largest != UINT32_MAX)
        return largest;
    for (uint32_t i = 0; i < all && (largest == UINT32_MAX || i < (all + 1) / 2); i++) {
        const uint64_t import = number + (uint64_t)d->partials * i;
        const uint32_t unit = (uint32_t)(((import + 1) * d->unit_count - 1) / all_imports(d));
        if (is_larger(d, unit, largest) && imported(d, unit, import) == number)
            largest = unit;
    }
    return largest != UINT32_MAX ? largest : 0; /* no unit imports it */
}

/* Partial units share the other units' tables of abbreviations evenly. */
static uint32_t table_of(const struct debug *d, uint32_t number)
{
    return (uint32_t)((uint64_t)number * d->tables / d->partials);
}

/* Writes partial unit `number` up to its first type. `of` is the unit whose line table it names, if any. */
static uint8_t *put_head(const struct debug *d, uint32_t number, uint32_t of, uint8_t *p)
{
    p = put_u32(p, (uint32_t)(unit_at(d, number + UINT64_C(1)) - unit_at(d, number)) - 4);
    p = put_u16(p, d->corpus->dialect.version);
    p = put_u8(put_u8(p, DW_UT_partial), 8);
    p = put_u32(p, (uint32_t)(table_of(d, number) * unit_table_bytes(d)));
    if (!is_named(d->corpus, number))
        return put_u8(p, unit_code(d));
    p = put_u32(put_u8(p, named_code(d)), d->unit[of].line);
    return put_u32(p, unit_sources(d)); /* the compilation directory */
}

static uint8_t *put_type(uint8_t *p, enum abbrev_code code, uint32_t of)
{
    return put_u32(put_u8(p, (uint8_t)code), of);
}

/* Writes a parameter. Its type is `type`, which all units have, or, in the shortest forms, `own` of the same unit. */
static uint8_t *put_parameter(const struct corpus *c, uint8_t *p, uint32_t type, uint32_t own)
{
    return c->manner.shortest ? put_u16(put_u8(p, brief_code(c)), (uint16_t)own)
                              : put_type(p, ABBREV_TYPE_PARAMETER, type);
}

/* --- in the place of the types that all units have ----------------------------------- */

/* How many entries stand there: declarations of variables with a line below 256, or above, and types made of others. */
struct instead {
    uint32_t early, late, consts, voids;
};

/* Whether units have such entries. With an index of names they do not, because it lists the types of each unit. */
static bool has_instead(const struct debug *d)
{
    return d->partials && !d->corpus->dialect.index;
}

/* The numbers of entries that fill c->types bytes with the fewest types. */
static struct instead instead_of(const struct corpus *c)
{
    const uint32_t early = abbrev_entry_size(c->dialect, ABBREV_EXTERN_VARIABLE_EARLY);
    const uint32_t late = abbrev_entry_size(c->dialect, ABBREV_EXTERN_VARIABLE);
    struct instead best = {.voids = c->types};
    for (uint32_t i = 0; i < early && i * late <= c->types; i++) {
        const uint32_t rest = (c->types - i * late) % early;
        const struct instead now = {(c->types - i * late) / early, i, rest / QUALIFIED, rest % QUALIFIED};
        if (now.consts + now.voids < best.consts + best.voids)
            best = now;
    }
    return best;
}

static uint8_t *put_variable(const struct corpus *c, enum abbrev_code code, uint32_t line, uint32_t *name, uint8_t *p)
{
    const bool is_early = code == ABBREV_EXTERN_VARIABLE_EARLY;
    p = put_u32(put_u8(p, (uint8_t)code), corpus_next_name(c, name));
    p = is_early ? dialect_put_header(c->dialect, p) : dialect_put_declaring(c->dialect, p);
    p = is_early ? put_u8(p, (uint8_t)line) : put_u16(p, (uint16_t)line);
    return put_u32(put_u8(p, 12), c->type[*name % BASE_TYPES]);
}

uint8_t *partial_put_common(const struct debug *d, uint32_t unit, uint8_t *p)
{
    enum { LINE = 20, LATE_LINE = 300 };
    const struct corpus *const c = d->corpus;
    if (!has_instead(d))
        return put_bytes(p, c->header[d->unit[unit].header].entries, c->types);
    const struct instead n = instead_of(c);
    const uint8_t *const start = p;
    uint32_t name = (uint32_t)random_at(d->variety + 7, unit) % CORPUS_NAMES;
    for (uint32_t i = 0; i < n.early; i++)
        p = put_variable(c, ABBREV_EXTERN_VARIABLE_EARLY, LINE + i, &name, p);
    for (uint32_t i = 0; i < n.late; i++)
        p = put_variable(c, ABBREV_EXTERN_VARIABLE, LATE_LINE + i, &name, p);
    for (uint32_t i = 0; i < n.consts; i++)
        p = put_type(p, ABBREV_CONST, c->type[i % BASE_TYPES]);
    for (uint32_t i = 0; i < n.voids; i++)
        p = put_u8(p, ABBREV_VOID_CONST);
    assert((uint64_t)(p - start) == c->types);
    return p;
}

uint64_t partial_fixed_dies(const struct debug *d)
{
    enum { MADE_OF_OTHERS = 3 }; /* const char, pointers to that and to nothing */
    const struct corpus *const c = d->corpus;
    if (!has_instead(d))
        return c->fixed_dies;
    const struct instead n = instead_of(c);
    return c->fixed_dies - (BASE_TYPES + MADE_OF_OTHERS) + n.early + n.late + n.consts + n.voids;
}

uint64_t partial_fixed_attributes(const struct debug *d)
{
    const struct corpus *const c = d->corpus;
    const uint8_t *const each = c->layouts.attributes;
    if (!has_instead(d))
        return c->fixed_attributes;
    const struct instead n = instead_of(c);
    const uint32_t common = (uint32_t)BASE_TYPES * each[ABBREV_BASE_TYPE] + each[ABBREV_CONST] + each[ABBREV_POINTER] +
                            each[ABBREV_VOID_POINTER];
    return c->fixed_attributes - common + n.early * each[ABBREV_EXTERN_VARIABLE_EARLY] +
           n.late * each[ABBREV_EXTERN_VARIABLE] + n.consts * each[ABBREV_CONST] + n.voids * each[ABBREV_VOID_CONST];
}

/* --- partial units ------------------------------------------------------------------ */

/* Writes partial unit 0: the types that all units have, at the place where they are in other units. Its own entry is
 * shorter than theirs. Types made of these types fill the difference. */
static uint8_t *put_common(const struct debug *d, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const uint8_t *const start = p;
    const uint8_t *const types = start + c->start;
    p = put_head(d, 0, 0, p);
    const uint32_t nothing = (uint32_t)(p - start);
    for (uint32_t i = voids_in((uint32_t)(types - p)); i; i--)
        p = put_u8(p, ABBREV_VOID_CONST);
    p = put_type(p, ABBREV_POINTER, nothing);
    for (unsigned i = 0; p < types; i++)
        p = put_type(p, ABBREV_CONST, c->type[i]);
    assert(p == types);
    return put_u8(put_bytes(p, c->header[0].entries, c->types), ABBREV_END);
}

/* Writes inline function `k` into partial unit `number`, as the header of unit `of` has it. Its types are in partial
 * unit 0. */
static uint8_t *put_inline(const struct debug *d, uint32_t number, uint32_t of, uint32_t k, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const uint8_t *const from = c->header[d->unit[of].header].entries + (c->inlines[k].at - c->start);
    const struct abbrev_entry entry = abbrev_read(c->dialect, from);
    uint8_t *const end = put_bytes(p, from, inline_size(c, k));
    for (uint32_t i = 0; i < entry.references; i++)
        if (entry.reference[i].attribute == DW_AT_sibling)
            put_u32(p + entry.reference[i].at, INLINE_AT + inline_size(c, k));
    partial_refer(d, NULL, unit_at(d, number), unit_table_is_small(d, table_of(d, number)), p, end);
    return end;
}

void partial_find_inlines(const struct debug *d, uint32_t unit, uint64_t at[CORPUS_INLINES])
{
    uint32_t home;
    for (uint64_t i = imports_before(d, unit); i < imports_before(d, unit + 1); i++) {
        const uint32_t number = imported(d, unit, i);
        if (is_home(d, number, &home) && home_header(d->corpus, home) == d->unit[unit].header)
            at[home_inline(d->corpus, home)] = unit_at(d, number) + INLINE_AT;
    }
}

/* Writes a reference to a sibling in the same partial unit, padded as in other units. */
static uint8_t *put_sibling(uint8_t *p, uint32_t of)
{
    put_padded_leb128(p, of, sizeof of);
    return p + sizeof of;
}

/* Writes a type of functions, of which applications' units share many, and a type of pointers. */
static uint8_t *put_types(const struct debug *d, uint32_t number, const uint8_t *start, uint8_t *p)
{
    const struct corpus *c = d->corpus;
    const uint32_t pointer = (uint32_t)(p - start) + function_type(c);
    p = put_sibling(put_type(p, ABBREV_FUNCTION_TYPE, c->type[number % BASE_TYPES]), pointer);
    for (unsigned i = 0; i < PARAMETERS; i++)
        p = put_parameter(c, p, c->type[(number + i) % BASE_TYPES], pointer);
    return put_type(put_u8(p, ABBREV_END), ABBREV_POINTER, c->type[number % BASE_TYPES]);
}

static uint8_t *put_unit(const struct debug *d, uint32_t number, uint8_t *p)
{
    const uint8_t *const start = p;
    const uint32_t of = is_named(d->corpus, number) ? importer(d, number) : 0;
    uint32_t home;
    p = put_head(d, number, of, p);
    if (is_home(d, number, &home))
        p = put_inline(d, number, of, home_inline(d->corpus, home), p);
    p = put_types(d, number, start, p);
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
