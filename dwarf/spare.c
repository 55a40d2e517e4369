/* See spare.h. */
#include "dwarf/spare.h"

#include <assert.h>

#include "base/random.h"
#include "dwarf/unit_sizes.h"

enum {
    SHORTS_LEAST = 4, /* declarations with names of their own, which take what others leave, as a rule; */
    EXTRA_USUAL = 12, /* characters of these names beyond the shortest, where that is free, */
    EXTRA_MOST = 40,  /* and at most, as a rule */
    ROUND_ONE = 64,   /* one for each round */
    MEMBERS_USUAL = 5,
    MEMBERS_OF_UNION = 3,
    MEMBERS_MOST = 31, /* whose places, and the size of all, take a byte */
    ENUMERATORS = 8,
    PARAMETERS = 2,
    PARAMETERS_MANY = 8, /* of types; */
    MORE = 9,          /* parameters of functions, and enumerators: as many entries as a type, these, and its pointer */
    DENSE_TURN = 3,    /* of dense items, one is an enumeration in C++, and one a type of functions in C */
    FUNCTIONS_CPP = 8, /* times as many in C++, */
    VARIABLES_CPP = 64,
    MEMBER_SIZE = 8,
    LINES = 200, /* of the header, in which they stand */
};

/* What there may be; each with its children, types of functions and what is restrict also with a pointer. */
enum kind {
    STRUCTURE,
    TYPEDEF,
    POINTER,
    ARRAY,
    CONST,
    ENUMERATION,
    VARIABLE,
    FUNCTION,
    FUNCTION_TYPE,
    RESTRICT,
    UNION,
    KINDS
};

/* Its abbreviation, and that of its children. */
static const uint8_t codes[KINDS][2] = {
    [STRUCTURE] = {ABBREV_STRUCTURE_EARLY, ABBREV_MEMBER_EARLY},
    [TYPEDEF] = {ABBREV_TYPEDEF_EARLY},
    [POINTER] = {ABBREV_POINTER},
    [ARRAY] = {ABBREV_ARRAY, ABBREV_SUBRANGE},
    [CONST] = {ABBREV_CONST},
    [ENUMERATION] = {ABBREV_ENUMERATION_EARLY, ABBREV_ENUMERATOR},
    [VARIABLE] = {ABBREV_EXTERN_VARIABLE_EARLY},
    [FUNCTION] = {ABBREV_DECLARED_FUNCTION_EARLY, ABBREV_TYPE_PARAMETER},
    [FUNCTION_TYPE] = {ABBREV_FUNCTION_TYPE, ABBREV_TYPE_PARAMETER},
    [RESTRICT] = {ABBREV_RESTRICT},
    [UNION] = {ABBREV_UNION_EARLY, ABBREV_MEMBER_EARLY},
};

/* One of a kind. */
struct item {
    uint64_t bytes, dies;
};

/* What rounds are of: of each kind how many there are, in ROUND_ONEths for each round. */
struct mix {
    uint64_t each[KINDS];
    uint32_t children[KINDS];
    struct item item[KINDS];
    struct item rounds;  /* ROUND_ONE of them */
    struct item dense;   /* a type of functions with many parameters, */
    enum kind instead;   /* what others are, */
    uint64_t dense_more; /* and bytes that one takes more; 0: there are none */
    uint64_t shortest;   /* declaration with a name in it */
};

static bool has_pointer(enum kind kind)
{
    return kind == FUNCTION_TYPE || kind == RESTRICT;
}

static struct item item_of(const struct debug *d, enum kind kind, uint32_t children)
{
    const struct dialect dialect = d->corpus->dialect;
    const uint64_t pointer = has_pointer(kind) ? abbrev_entry_size(dialect, ABBREV_POINTER) : 0;
    const uint64_t below = children ? children * (uint64_t)abbrev_entry_size(dialect, codes[kind][1]) + 1 : 0;
    return (struct item){abbrev_entry_size(dialect, codes[kind][0]) + below + pointer, 1 + children + (pointer != 0)};
}

/* Whether the table has what the kind takes. */
static bool may_be(const struct debug *d, enum kind kind)
{
    return unit_has_abbrev(d, codes[kind][0]) && (!codes[kind][1] || unit_has_abbrev(d, codes[kind][1])) &&
           (!has_pointer(kind) || unit_has_abbrev(d, ABBREV_POINTER));
}

/* Where an index lists names, there are none. */
static struct mix mix_of(const struct debug *d)
{
    static const uint8_t piece[KINDS] = {
        [STRUCTURE] = PIECE_STRUCTURE, [TYPEDEF] = PIECE_TYPEDEF,   [POINTER] = PIECE_POINTER,
        [ARRAY] = PIECE_ARRAY,         [CONST] = PIECE_CONST,       [ENUMERATION] = PIECE_ENUMERATION,
        [VARIABLE] = PIECE_VARIABLE,   [FUNCTION] = PIECE_FUNCTION, [FUNCTION_TYPE] = PIECE_FUNCTION_TYPE,
        [RESTRICT] = PIECE_RESTRICT,   [UNION] = PIECE_UNION};
    const struct manner *const manner = &d->corpus->manner;
    const uint32_t members = (uint32_t)MEMBERS_USUAL * manner->members / MANNER_USUAL;
    struct mix m = {.children = {[STRUCTURE] = members < 1              ? 1
                                               : members < MEMBERS_MOST ? members
                                                                        : MEMBERS_MOST,
                                 [ARRAY] = 1,
                                 [ENUMERATION] = ENUMERATORS,
                                 [FUNCTION] = PARAMETERS,
                                 [FUNCTION_TYPE] = PARAMETERS,
                                 [UNION] = MEMBERS_OF_UNION},
                    .shortest = short_entry(d->corpus, SHORT_NAME),
                    .dense = item_of(d, FUNCTION_TYPE, PARAMETERS_MANY)};
    const bool cpp = d->corpus->dialect.language == DWARF_CPP;
    m.instead = cpp ? ENUMERATION : FUNCTION;
    const struct item instead = item_of(d, m.instead, MORE);
    assert(instead.dies == m.dense.dies && instead.bytes > m.dense.bytes);
    if (may_be(d, m.instead))
        m.dense_more = instead.bytes - m.dense.bytes;
    const uint64_t structures = manner->piece[PIECE_STRUCTURE];
    for (enum kind k = 0; k < KINDS && structures && !d->corpus->dialect.index; k++) {
        m.item[k] = item_of(d, k, m.children[k]);
        m.each[k] = may_be(d, k) ? ROUND_ONE * manner->piece[piece[k]] / structures : 0;
        m.each[k] *= !cpp ? 1 : k == FUNCTION ? FUNCTIONS_CPP : k == VARIABLE ? VARIABLES_CPP : k != UNION;
        m.rounds.bytes += m.each[k] * m.item[k].bytes;
        m.rounds.dies += m.each[k] * m.item[k].dies;
    }
    return m;
}

/* --- how many ------------------------------------------------------------------------ */

/* Items of a kind in the first rounds. */
static uint64_t items_until(const struct mix *m, enum kind kind, uint64_t rounds)
{
    return rounds * m->each[kind] / ROUND_ONE;
}

static struct item sum_until(const struct mix *m, uint64_t rounds)
{
    struct item sum = {0};
    for (enum kind k = 0; k < KINDS; k++) {
        sum.bytes += items_until(m, k, rounds) * m->item[k].bytes;
        sum.dies += items_until(m, k, rounds) * m->item[k].dies;
    }
    return sum;
}

/* Of the first so many dense items, those that are no types of functions. */
static uint64_t others_until(const struct mix *m, uint64_t dense)
{
    const uint64_t turns = dense / DENSE_TURN;
    return !m->dense_more ? 0 : m->instead == ENUMERATION ? turns : dense - turns;
}

static struct item sum_of(const struct mix *m, const struct debug_spare *s)
{
    const struct item sum = sum_until(m, s->rounds);
    const uint64_t dense = s->dense * m->dense.bytes + others_until(m, s->dense) * m->dense_more;
    return (struct item){sum.bytes + dense, sum.dies + s->dense * m->dense.dies};
}

/* What DENSE_TURN dense items take. */
static struct item dense_of(const struct mix *m)
{
    return (struct item){DENSE_TURN * m->dense.bytes + others_until(m, DENSE_TURN) * m->dense_more,
                         DENSE_TURN * m->dense.dies};
}

/* Of what a unit has of headers. */
static struct item pieces_of(const struct debug *d, const struct debug_unit *u)
{
    struct item sum = {unit_pieces_size(d, u), unit_last_header(d, u)->cut[u->cut].dies};
    for (uint32_t i = 0; i < u->wholes; i++) {
        const struct corpus_header *h = unit_header(d, u, i);
        sum.dies += h->cut[h->cuts - 1].dies;
    }
    return sum;
}

static struct item all_pieces(const struct debug *d)
{
    struct item sum = {0};
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct item of = pieces_of(d, &d->unit[i]);
        sum = (struct item){sum.bytes + of.bytes, sum.dies + of.dies};
    }
    return sum;
}

uint64_t spare_dies(const struct debug *d)
{
    enum { PRELUDE = 4, PRELUDE_4 = 3 }; /* of a unit of data */
    const struct corpus *c = d->corpus;
    const struct mix m = mix_of(d);
    uint64_t count = d->composed->dies + partial_dies(d) + named_tail(d) + d->shorts + all_pieces(d).dies +
                     sum_of(&m, &d->spare).dies + d->unit_count * (1 + partial_fixed_dies(d));
    for (uint32_t i = 0; i < d->unit_count; i++)
        count += unit_has_code(&d->unit[i]) ? 0 : dialect_is_4(c->dialect) ? PRELUDE_4 : PRELUDE;
    return count;
}

/* Bytes of pieces that are to make room, so that with what `for_each` has for as many bytes there are `change` entries
 * more than now, or fewer. */
static uint64_t bytes_for(uint64_t change, struct item pieces, struct item for_each)
{
    const double now = (double)pieces.dies / (double)pieces.bytes;
    const double then = (double)for_each.dies / (double)for_each.bytes;
    const double bytes = (double)change / (then > now ? then - now : now - then);
    return bytes < (double)pieces.bytes ? (uint64_t)bytes : pieces.bytes;
}

uint64_t spare_instead(const struct debug *d, uint64_t left)
{
    enum { PART = 2 }; /* of headers at most: where it would take more of them, all is left as it is */
    const bool cpp = d->corpus->dialect.language == DWARF_CPP;
    const struct mix m = mix_of(d);
    const struct item p = all_pieces(d);
    const struct item dense = dense_of(&m);
    const struct item longest = {m.shortest + EXTRA_MOST, 1};
    if (!d->dies_wanted || !m.each[FUNCTION_TYPE] || !p.bytes)
        return 0;
    const uint64_t others = spare_dies(d);
    const uint64_t shorts = SHORTS_LEAST * (m.shortest + EXTRA_USUAL) + dense.bytes;
    const uint64_t most = others + (left > shorts ? (left - shorts) * dense.dies / dense.bytes : 0);
    const uint64_t least = others + (left + longest.bytes - 1) / longest.bytes;
    uint64_t bytes = 0;
    if (d->dies_wanted > most && !cpp && p.dies * dense.bytes < p.bytes * dense.dies) /* in C++ tags would suffer */
        bytes = bytes_for(d->dies_wanted - most, p, dense) + (left < shorts ? shorts : 0);
    else if (d->dies_wanted < least && p.dies * longest.bytes > p.bytes * longest.dies)
        bytes = bytes_for(least - d->dies_wanted, p, longest) + m.shortest;
    return bytes <= p.bytes / PART ? bytes : 0;
}

/* As many types as `shorts` declarations leave of these bytes and entries; more of the former where that takes more. */
static struct debug_spare types_among(const struct mix *m, struct item all, uint64_t shorts)
{
    const uint64_t each = m->shortest + EXTRA_USUAL;
    const struct item one = m->rounds; /* ROUND_ONE of them */
    if (!one.dies || all.bytes < shorts * each || all.dies < shorts)
        return (struct debug_spare){0};
    const struct item rest = {all.bytes - shorts * each, all.dies - shorts};
    if (rest.bytes * one.dies >= rest.dies * one.bytes) { /* longer than rounds are */
        const uint64_t most = rest.dies * each > rest.bytes ? rest.dies * each - rest.bytes : 0;
        assert(one.dies * each > one.bytes);
        return (struct debug_spare){.rounds = most * ROUND_ONE / (one.dies * each - one.bytes)};
    }
    const uint64_t lack = rest.dies * one.bytes - rest.bytes * one.dies;
    const struct item many = dense_of(m);
    const bool helps = m->each[FUNCTION_TYPE] && many.dies * one.bytes > many.bytes * one.dies;
    const uint64_t gain = helps ? many.dies * one.bytes - many.bytes * one.dies : 1;
    const uint64_t most = helps ? rest.bytes * DENSE_TURN / many.bytes : 0;
    const uint64_t dense = lack / gain < most / DENSE_TURN ? lack * DENSE_TURN / gain : most;
    return (struct debug_spare){(rest.bytes - dense * many.bytes / DENSE_TURN) * ROUND_ONE / one.bytes, dense};
}

/* Whether what types leave of these is as much as so many declarations take; sets how many. */
static bool leave_enough(const struct mix *m, const struct debug_spare *s, struct item all, uint64_t *shorts)
{
    const struct item types = sum_of(m, s);
    *shorts = 0;
    if (types.bytes + m->shortest > all.bytes)
        return false;
    const uint64_t bytes = all.bytes - types.bytes;
    const uint64_t dies = all.dies > types.dies ? all.dies - types.dies : 1;
    const uint64_t least = (bytes + m->shortest + EXTRA_MOST - 1) / (m->shortest + EXTRA_MOST);
    const uint64_t most = bytes / m->shortest;
    *shorts = dies < least ? least : dies < most ? dies : most;
    return dies >= least && dies <= most;
}

void spare_fill(struct debug *d, uint64_t bytes)
{
    enum { TRIES = 4 };
    d->spare = (struct debug_spare){0};
    d->shorts = 0;
    const struct mix m = mix_of(d);
    const uint64_t others = spare_dies(d);
    const uint64_t usual = m.rounds.dies ? bytes * m.rounds.dies / m.rounds.bytes : 1;
    const struct item all = {bytes, !d->dies_wanted ? usual : d->dies_wanted > others ? d->dies_wanted - others : 1};
    uint64_t shorts = 0;
    bool done = false;
    for (unsigned i = 0; i < TRIES && !done; i++) {
        d->spare = types_among(&m, all, (uint64_t)SHORTS_LEAST << i);
        done = leave_enough(&m, &d->spare, all, &shorts);
    }
    assert(shorts); /* types leave room for as many as were reserved */
    d->shorts = (uint32_t)shorts;
    d->shorts_extra = bytes - sum_of(&m, &d->spare).bytes - shorts * m.shortest;
}

/* --- which --------------------------------------------------------------------------- */

/* Of the units before this one. */
static struct debug_spare before_unit(const struct debug *d, uint32_t unit)
{
    return (struct debug_spare){d->spare.rounds * unit / d->unit_count, d->spare.dense * unit / d->unit_count};
}

static bool has_any(const struct debug *d)
{
    return d->spare.rounds || d->spare.dense;
}

uint64_t spare_size(const struct debug *d, uint32_t unit)
{
    if (!has_any(d))
        return 0;
    const struct mix m = mix_of(d);
    const struct debug_spare from = before_unit(d, unit);
    const struct debug_spare to = before_unit(d, unit + 1);
    return sum_of(&m, &to).bytes - sum_of(&m, &from).bytes;
}

/* Being written. */
struct writing {
    const struct corpus *corpus;
    const uint8_t *start; /* of the unit */
    uint8_t *p;
    uint32_t line, name, type;
    uint32_t last; /* structure */
};

/* One of eight bytes, any: what comes in turn compresses better than real declarations. */
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

/* Where it is declared. */
static void place(struct writing *w)
{
    w->p = dialect_put_header(w->corpus->dialect, w->p);
    w->p = put_u8(put_u8(w->p, (uint8_t)(1 + w->line++ % LINES)), 12);
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

/* What has a name and a type. */
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
    const uint32_t step = of == ABBREV_UNION_EARLY ? 0 : MEMBER_SIZE;
    w->last = here(w);
    code(w, of);
    w->p = put_u8(put_u32(w->p, corpus_next_name(w->corpus, &w->name)), (uint8_t)(step ? members * step : MEMBER_SIZE));
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
    w->p = put_u32(put_u32(w->p, corpus_type(w->corpus, BASE_UNSIGNED_INT)), corpus_next_name(w->corpus, &w->name));
    place(w);
    uint8_t *const behind = sibling(w);
    for (uint32_t i = 0; i < enumerators; i++) {
        code(w, ABBREV_ENUMERATOR);
        w->p = put_u8(put_u32(w->p, corpus_next_name(w->corpus, &w->name)), (uint8_t)i);
    }
    end(w, behind);
}

/* Of a function, or a type of functions. */
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

static void put_item(struct writing *w, enum kind kind, uint32_t children)
{
    switch (kind) {
    case STRUCTURE:
        put_aggregate(w, ABBREV_STRUCTURE_EARLY, children);
        break;
    case TYPEDEF:
        put_named(w, ABBREV_TYPEDEF_EARLY, w->last);
        break;
    case POINTER:
        put_pointer(w, w->last);
        break;
    case ARRAY:
        put_array(w);
        break;
    case CONST:
        code(w, ABBREV_CONST);
        w->p = put_u32(w->p, w->last);
        break;
    case ENUMERATION:
        put_enumeration(w, children);
        break;
    case VARIABLE:
        put_named(w, ABBREV_EXTERN_VARIABLE_EARLY, next_type(w));
        break;
    case FUNCTION:
        put_function(w, children);
        break;
    case FUNCTION_TYPE:
        put_function_type(w, children);
        break;
    case RESTRICT:
        put_restrict(w);
        break;
    case UNION:
        put_aggregate(w, ABBREV_UNION_EARLY, children);
        break;
    case KINDS:
        break;
    }
}

uint8_t *spare_put(const struct debug *d, uint32_t unit, const uint8_t *start, uint8_t *p)
{
    if (!has_any(d))
        return p;
    const struct debug_spare from = before_unit(d, unit);
    const struct debug_spare to = before_unit(d, unit + 1);
    const struct mix m = mix_of(d);
    struct writing w = {.corpus = d->corpus, .start = start, .p = p};
    w.last = corpus_type(d->corpus, BASE_CHAR);
    for (uint64_t i = from.dense; i < to.dense; i++) {
        const uint64_t r = random_at(d->variety + 5, i);
        w.line = (uint32_t)r & 0xffff;
        w.name = (uint32_t)(r >> 16) & 0xffff;
        w.type = (uint32_t)(r >> 32);
        if (others_until(&m, i + 1) > others_until(&m, i))
            put_item(&w, m.instead, MORE);
        else
            put_item(&w, FUNCTION_TYPE, PARAMETERS_MANY);
    }
    for (uint64_t round = from.rounds; round < to.rounds; round++) {
        const uint64_t r = random_at(d->variety + 6, round);
        w.line = (uint32_t)r & 0xffff;
        w.name = (uint32_t)(r >> 16) & 0xffff;
        w.type = (uint32_t)(r >> 32) & 0xffff;
        for (enum kind k = 0; k < KINDS; k++)
            for (uint64_t i = items_until(&m, k, round); i < items_until(&m, k, round + 1); i++)
                put_item(&w, k, m.children[k]);
    }
    return w.p;
}
