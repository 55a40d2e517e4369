/* Writes spare types; see spare.h. */
#include "dwarf/unit/spare.h"

#include "base/random.h"
#include "dwarf/unit/spare_kinds.h"
#include "dwarf/unit/unit_sizes.h"

enum {
    MEMBER_SIZE = 8,
    LINES = 200, /* spare types are declared in the header's first lines */
};

/* Types with a tag, which share one space of names: C17 section 6.2.3. */
enum tag { TAG_STRUCTURE, TAG_UNION, TAG_ENUMERATION, TAGS };

/* What is being written, and where. */
struct writing {
    const struct corpus *corpus;
    const uint8_t *start; /* of the unit */
    uint8_t *p;
    uint32_t line, name, type;
    uint32_t last;      /* place of the last structure or union */
    uint32_t tag[TAGS]; /* how many there are so far of each */
    uint64_t key;       /* of what is in types with a tag */
};

/* A type of eight bytes. It is drawn at random, because types in turn compress better than real declarations. */
static uint32_t next_type(struct writing *w)
{
    static const uint8_t types[] = {BASE_LONG, BASE_POINTER, BASE_UNSIGNED_LONG, BASE_DOUBLE, BASE_STRING};
    return corpus_type(w->corpus, types[random_below(random_mix(w->type++), sizeof types)]);
}

static uint32_t here(const struct writing *w)
{
    return (uint32_t)(w->p - w->start);
}

static void code(struct writing *w, enum abbrev_code code)
{
    w->p = put_u8(w->p, (uint8_t)code);
}

static void constant(struct writing *w, uint8_t value)
{
    w->p = dialect_put_constant(w->corpus->dialect, w->p, value);
}

/* Writes where the entry is declared: file, line, column. */
static void place(struct writing *w)
{
    w->p = dialect_put_header(w->corpus->dialect, w->p);
    w->p = put_u8(put_u8(w->p, (uint8_t)(1 + w->line++ % LINES)), 12);
}

/* Draws the names, lines and types of the entries that follow. */
static void vary(struct writing *w, uint64_t r)
{
    w->line = (uint32_t)r & 0xffff;
    w->name = (uint32_t)(r >> 16) & 0xffff;
    w->type = (uint32_t)(r >> 32) & 0xffff;
}

/* A name for a structure, union or enumeration: of each four names structures have two. So no two kinds have a name in
 * common unless hardly any name is long. Where a unit has more types of a kind than names, some have the same name.
 * They have the same members, too, if they have as many: what follows is drawn by the name. */
static uint32_t tag_name(struct writing *w, enum tag tag)
{
    enum { OF_FOUR = 4, EACH = CORPUS_NAMES / OF_FOUR, STEP = 27 /* odd */, SECOND = 3 };
    const uint32_t names = tag == TAG_STRUCTURE ? 2 * EACH : EACH;
    for (uint32_t tries = 0; tries < names; tries++) {
        const uint32_t i = w->tag[tag]++ % names;
        const uint32_t place = i * STEP % EACH * OF_FOUR + (i < EACH ? (uint32_t)tag : SECOND);
        if (short_name_is(w->corpus->name[place]))
            continue;
        vary(w, random_at(w->key, place));
        return w->corpus->name[place];
    }
    return corpus_next_name(w->corpus, &w->name);
}

/* Leaves room for a reference to the sibling; returns where. */
static uint8_t *sibling(struct writing *w)
{
    uint8_t *const at = w->p;
    w->p += sizeof(uint32_t);
    return at;
}

static void end(struct writing *w, uint8_t *sibling)
{
    w->p = put_u8(w->p, ABBREV_END);
    put_u32(sibling, here(w));
}

/* Writes an entry with a name and a type. */
static void put_named(struct writing *w, enum abbrev_code of, uint32_t type)
{
    code(w, of);
    w->p = put_u32(w->p, corpus_next_name(w->corpus, &w->name));
    if (of != ABBREV_MEMBER_EARLY || !dialect_is_fortran_5(w->corpus->dialect))
        place(w);
    w->p = put_u32(w->p, type);
}

/* A structure, or a union, whose members are all at its beginning. */
static void put_aggregate(struct writing *w, enum abbrev_code of, uint32_t members)
{
    const bool is_union = of == ABBREV_UNION_EARLY;
    const uint32_t step = is_union ? 0 : MEMBER_SIZE;
    w->last = here(w);
    code(w, of);
    w->p = put_u32(w->p, tag_name(w, is_union ? TAG_UNION : TAG_STRUCTURE));
    w->p = put_u8(w->p, (uint8_t)(step ? members * step : MEMBER_SIZE));
    place(w);
    uint8_t *const behind = sibling(w);
    for (uint32_t i = 0; i < members; i++) {
        put_named(w, ABBREV_MEMBER_EARLY, next_type(w));
        w->p = put_u8(w->p, (uint8_t)(i * step));
    }
    end(w, behind);
}

static void put_pointer(struct writing *w, uint32_t to)
{
    code(w, ABBREV_POINTER);
    constant(w, 8);
    w->p = put_u32(w->p, to);
}

static void put_restrict(struct writing *w)
{
    const uint32_t pointer = here(w);
    put_pointer(w, w->last);
    code(w, ABBREV_RESTRICT);
    w->p = put_u32(w->p, pointer);
}

static void put_array(struct writing *w)
{
    code(w, ABBREV_ARRAY);
    w->p = put_u32(w->p, next_type(w));
    uint8_t *const behind = sibling(w);
    code(w, ABBREV_SUBRANGE);
    w->p = put_u32(w->p, corpus_type(w->corpus, BASE_UNSIGNED_LONG));
    w->p = put_u8(w->p, (uint8_t)(1 + w->line % 16));
    end(w, behind);
}

static void put_enumeration(struct writing *w, uint32_t enumerators)
{
    code(w, ABBREV_ENUMERATION_EARLY);
    constant(w, DW_ATE_unsigned);
    constant(w, 4);
    w->p = put_u32(put_u32(w->p, corpus_type(w->corpus, BASE_UNSIGNED_INT)), tag_name(w, TAG_ENUMERATION));
    place(w);
    uint8_t *const behind = sibling(w);
    for (uint32_t i = 0; i < enumerators; i++) {
        code(w, ABBREV_ENUMERATOR);
        w->p = put_u8(put_u32(w->p, corpus_next_name(w->corpus, &w->name)), (uint8_t)i);
    }
    end(w, behind);
}

/* The parameters of a function or of a type of functions. */
static void put_parameters(struct writing *w, uint32_t parameters)
{
    uint8_t *const behind = sibling(w);
    for (uint32_t i = 0; i < parameters; i++) {
        code(w, ABBREV_TYPE_PARAMETER);
        w->p = put_u32(w->p, next_type(w));
    }
    end(w, behind);
}

static void put_function(struct writing *w, uint32_t parameters)
{
    put_named(w, ABBREV_DECLARED_FUNCTION_EARLY, corpus_type(w->corpus, BASE_INT));
    put_parameters(w, parameters);
}

static void put_function_type(struct writing *w, uint32_t parameters)
{
    const uint32_t at = here(w);
    code(w, ABBREV_FUNCTION_TYPE);
    w->p = put_u32(w->p, corpus_type(w->corpus, BASE_INT));
    put_parameters(w, parameters);
    put_pointer(w, at);
}

static void put_item(struct writing *w, enum spare_kind kind, uint32_t children)
{
    switch (kind) {
    case SPARE_STRUCTURE:
        put_aggregate(w, ABBREV_STRUCTURE_EARLY, children);
        break;
    case SPARE_TYPEDEF:
        put_named(w, ABBREV_TYPEDEF_EARLY, w->last);
        break;
    case SPARE_POINTER:
        put_pointer(w, w->last);
        break;
    case SPARE_ARRAY:
        put_array(w);
        break;
    case SPARE_CONST:
        code(w, ABBREV_CONST);
        w->p = put_u32(w->p, w->last);
        break;
    case SPARE_ENUMERATION:
        put_enumeration(w, children);
        break;
    case SPARE_VARIABLE:
        put_named(w, ABBREV_EXTERN_VARIABLE_EARLY, next_type(w));
        break;
    case SPARE_FUNCTION:
        put_function(w, children);
        break;
    case SPARE_FUNCTION_TYPE:
        put_function_type(w, children);
        break;
    case SPARE_RESTRICT:
        put_restrict(w);
        break;
    case SPARE_UNION:
        put_aggregate(w, ABBREV_UNION_EARLY, children);
        break;
    case SPARE_KINDS:
        break;
    }
}

uint8_t *spare_put(const struct debug *d, uint32_t unit, const uint8_t *start, uint8_t *p)
{
    if (!spare_is_any(d))
        return p;
    const struct debug_spare from = spare_before_unit(d, unit);
    const struct debug_spare to = spare_before_unit(d, unit + 1);
    const struct spare_mix m = spare_mix_of(d);
    struct writing w = {.corpus = d->corpus, .start = start, .p = p};
    w.last = corpus_type(d->corpus, BASE_CHAR);
    w.key = random_at(d->variety + 7, unit);
    for (unsigned i = 0; i < TAGS; i++)
        w.tag[i] = (uint32_t)random_at(w.key, CORPUS_NAMES + i) % CORPUS_NAMES;
    for (uint64_t i = from.dense; i < to.dense; i++) {
        vary(&w, random_at(d->variety + 5, i));
        if (spare_others_until(&m, i + 1) > spare_others_until(&m, i))
            put_item(&w, m.instead, SPARE_MORE);
        else
            put_item(&w, SPARE_FUNCTION_TYPE, SPARE_PARAMETERS_MANY);
        for (enum spare_kind k = 0; k < SPARE_KINDS; k++)
            for (uint64_t of = spare_beside_until(&m, k, i); of < spare_beside_until(&m, k, i + 1); of++) {
                w.last = next_type(&w);
                put_item(&w, k, m.children[k]);
            }
    }
    for (uint64_t round = from.rounds; round < to.rounds; round++) {
        vary(&w, random_at(d->variety + 6, round));
        for (enum spare_kind k = 0; k < SPARE_KINDS; k++)
            for (uint64_t i = spare_items_until(&m, k, round); i < spare_items_until(&m, k, round + 1); i++)
                put_item(&w, k, m.children[k]);
    }
    for (unsigned sort = 0; sort < SPARE_SORTS; sort++) {
        uint32_t children;
        const enum spare_kind kind = spare_sort(sort, &children);
        for (uint64_t i = from.sort[sort]; i < to.sort[sort]; i++) {
            vary(&w, random_at(d->variety + 8 + sort, i));
            put_item(&w, kind, children);
        }
    }
    return w.p;
}
