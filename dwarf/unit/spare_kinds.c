/* See spare_kinds.h. */
#include "dwarf/unit/spare_kinds.h"

#include <assert.h>

#include "dwarf/unit/unit_sizes.h"

enum {
    MEMBERS_USUAL = 5,
    MEMBERS_OF_UNION = 3,
    MEMBERS_MANY = 8,
    MEMBERS_MOST = 31, /* so that members' places, and the size of all, take a byte */
    ENUMERATORS = 8,
    PARAMETERS = 2,
    FUNCTIONS_CPP = 8, /* times as many in C++ as the manner says */
    VARIABLES_CPP = 64
};

/* The abbreviations of each kind and of its children. */
static const uint8_t codes[SPARE_KINDS][2] = {
    [SPARE_STRUCTURE] = {ABBREV_STRUCTURE_EARLY, ABBREV_MEMBER_EARLY},
    [SPARE_TYPEDEF] = {ABBREV_TYPEDEF_EARLY},
    [SPARE_POINTER] = {ABBREV_POINTER},
    [SPARE_ARRAY] = {ABBREV_ARRAY, ABBREV_SUBRANGE},
    [SPARE_CONST] = {ABBREV_CONST},
    [SPARE_ENUMERATION] = {ABBREV_ENUMERATION_EARLY, ABBREV_ENUMERATOR},
    [SPARE_VARIABLE] = {ABBREV_EXTERN_VARIABLE_EARLY},
    [SPARE_FUNCTION] = {ABBREV_DECLARED_FUNCTION_EARLY, ABBREV_TYPE_PARAMETER},
    [SPARE_FUNCTION_TYPE] = {ABBREV_FUNCTION_TYPE, ABBREV_TYPE_PARAMETER},
    [SPARE_RESTRICT] = {ABBREV_RESTRICT},
    [SPARE_UNION] = {ABBREV_UNION_EARLY, ABBREV_MEMBER_EARLY},
};

/* The sorts of items beside rounds that bring attributes to the wanted number. */
static const struct {
    enum spare_kind kind;
    uint32_t children;
} sorts[SPARE_SORTS] = {
    [SPARE_SORT_CONST] = {SPARE_CONST, 0},
    [SPARE_SORT_POINTER] = {SPARE_POINTER, 0},
    [SPARE_SORT_VARIABLE] = {SPARE_VARIABLE, 0},
    {SPARE_STRUCTURE, MEMBERS_MANY},
    {SPARE_ENUMERATION, ENUMERATORS},
    {SPARE_FUNCTION_TYPE, SPARE_PARAMETERS_MANY},
    {SPARE_FUNCTION, SPARE_MORE},
};

static bool has_pointer(enum spare_kind kind)
{
    return kind == SPARE_FUNCTION_TYPE || kind == SPARE_RESTRICT;
}

static struct spare_item item_of(const struct debug *d, enum spare_kind kind, uint32_t children)
{
    const struct dialect dialect = d->corpus->dialect;
    const uint8_t *const each = d->corpus->layouts.attributes;
    const uint64_t pointer = has_pointer(kind) ? abbrev_entry_size(dialect, ABBREV_POINTER) : 0;
    const uint64_t below = children ? children * (uint64_t)abbrev_entry_size(dialect, codes[kind][1]) + 1 : 0;
    return (struct spare_item){
        abbrev_entry_size(dialect, codes[kind][0]) + below + pointer, 1 + children + (pointer != 0),
        each[codes[kind][0]] + children * each[codes[kind][1]] + (pointer ? each[ABBREV_POINTER] : 0u)};
}

/* Whether the table has the abbreviations that the kind needs. */
static bool may_be(const struct debug *d, enum spare_kind kind)
{
    return unit_has_abbrev(d, codes[kind][0]) && (!codes[kind][1] || unit_has_abbrev(d, codes[kind][1])) &&
           (!has_pointer(kind) || unit_has_abbrev(d, ABBREV_POINTER));
}

static void add(struct spare_item *sum, struct spare_item of, uint64_t times)
{
    sum->bytes += of.bytes * times;
    sum->dies += of.dies * times;
    sum->attributes += of.attributes * times;
}

/* Chooses what is beside dense items: plain types, which take as few bytes as a parameter. For each parameter there are
 * as many of them as in rounds. */
static void choose_besides(struct spare_mix *m)
{
    enum { MOST = 16, PARAMETERS_OF_TURN = SPARE_DENSE_TURN * SPARE_MORE };
    static const enum spare_kind plain[] = {SPARE_POINTER, SPARE_CONST, SPARE_RESTRICT};
    const uint64_t parameters = PARAMETERS * (m->each[SPARE_FUNCTION] + m->each[SPARE_FUNCTION_TYPE]);
    for (unsigned i = 0; i < sizeof plain / sizeof plain[0] && parameters; i++) {
        const enum spare_kind k = plain[i];
        const uint64_t beside = m->each[k] * PARAMETERS_OF_TURN / parameters;
        m->beside[k] = beside < MOST ? (uint32_t)beside : MOST;
        add(&m->besides, m->item[k], m->beside[k]);
    }
}

struct spare_mix spare_mix_of(const struct debug *d)
{
    static const uint8_t piece[SPARE_KINDS] = {[SPARE_STRUCTURE] = PIECE_STRUCTURE,
                                               [SPARE_TYPEDEF] = PIECE_TYPEDEF,
                                               [SPARE_POINTER] = PIECE_POINTER,
                                               [SPARE_ARRAY] = PIECE_ARRAY,
                                               [SPARE_CONST] = PIECE_CONST,
                                               [SPARE_ENUMERATION] = PIECE_ENUMERATION,
                                               [SPARE_VARIABLE] = PIECE_VARIABLE,
                                               [SPARE_FUNCTION] = PIECE_FUNCTION,
                                               [SPARE_FUNCTION_TYPE] = PIECE_FUNCTION_TYPE,
                                               [SPARE_RESTRICT] = PIECE_RESTRICT,
                                               [SPARE_UNION] = PIECE_UNION};
    const struct manner *const manner = &d->corpus->manner;
    const struct dialect dialect = d->corpus->dialect;
    const struct spare_item shortest = {short_entry(d->corpus, SHORT_NAME), 1,
                                        d->corpus->layouts.attributes[abbrev_tail_short(dialect)]};
    if (dialect.lines) /* no types */
        return (struct spare_mix){.shortest = shortest};
    const uint32_t members = (uint32_t)MEMBERS_USUAL * manner->members / MANNER_USUAL;
    struct spare_mix m = {.children = {[SPARE_STRUCTURE] = members < 1              ? 1
                                                           : members < MEMBERS_MOST ? members
                                                                                    : MEMBERS_MOST,
                                       [SPARE_ARRAY] = 1,
                                       [SPARE_ENUMERATION] = ENUMERATORS,
                                       [SPARE_FUNCTION] = PARAMETERS,
                                       [SPARE_FUNCTION_TYPE] = PARAMETERS,
                                       [SPARE_UNION] = MEMBERS_OF_UNION},
                          .shortest = shortest,
                          .dense = item_of(d, SPARE_FUNCTION_TYPE, SPARE_PARAMETERS_MANY)};
    const bool cpp = d->corpus->dialect.language == DWARF_CPP;
    m.instead = cpp ? SPARE_ENUMERATION : SPARE_FUNCTION;
    const struct spare_item instead = item_of(d, m.instead, SPARE_MORE);
    assert(instead.dies == m.dense.dies && instead.bytes > m.dense.bytes);
    assert(instead.attributes >= m.dense.attributes);
    if (may_be(d, m.instead)) {
        m.dense_more = instead.bytes - m.dense.bytes;
        m.dense_richer = instead.attributes - m.dense.attributes;
    }
    const uint64_t structures = manner->piece[PIECE_STRUCTURE];
    for (enum spare_kind k = 0; k < SPARE_KINDS && structures && !d->corpus->dialect.index; k++) {
        m.item[k] = item_of(d, k, m.children[k]);
        m.each[k] = may_be(d, k) ? SPARE_ROUND_ONE * manner->piece[piece[k]] / structures : 0;
        m.each[k] *= !cpp                  ? 1
                     : k == SPARE_FUNCTION ? FUNCTIONS_CPP
                     : k == SPARE_VARIABLE ? VARIABLES_CPP
                                           : k != SPARE_UNION;
        m.rounds.bytes += m.each[k] * m.item[k].bytes;
        m.rounds.dies += m.each[k] * m.item[k].dies;
        m.rounds.attributes += m.each[k] * m.item[k].attributes;
    }
    /* In large libraries that have hardly any of them, tags would suffer. */
    m.has_dense = m.each[SPARE_FUNCTION_TYPE] ||
                  (dialect.terse && structures && !dialect.index && may_be(d, SPARE_FUNCTION_TYPE));
    for (unsigned i = 0; i < SPARE_SORTS && !d->corpus->dialect.index; i++)
        if (may_be(d, sorts[i].kind))
            m.sort[i] = item_of(d, sorts[i].kind, sorts[i].children);
    if (!cpp)
        choose_besides(&m);
    return m;
}

enum spare_kind spare_sort(unsigned sort, uint32_t *children)
{
    *children = sorts[sort].children;
    return sorts[sort].kind;
}

struct spare_item spare_rounds_until(const struct spare_mix *m, uint64_t rounds)
{
    struct spare_item sum = {0};
    for (enum spare_kind k = 0; k < SPARE_KINDS; k++)
        add(&sum, m->item[k], spare_items_until(m, k, rounds));
    return sum;
}

uint64_t spare_others_until(const struct spare_mix *m, uint64_t dense)
{
    const uint64_t turns = dense / SPARE_DENSE_TURN;
    return !m->dense_more ? 0 : m->instead == SPARE_ENUMERATION ? turns : dense - turns;
}

struct spare_item spare_dense_until(const struct spare_mix *m, uint64_t dense)
{
    struct spare_item sum = {0};
    add(&sum, m->dense, dense);
    add(&sum, (struct spare_item){m->dense_more, 0, m->dense_richer}, spare_others_until(m, dense));
    add(&sum, m->besides, dense / SPARE_DENSE_TURN);
    return sum;
}

struct spare_item spare_sum_of(const struct spare_mix *m, const struct debug_spare *s)
{
    struct spare_item sum = spare_rounds_until(m, s->rounds);
    add(&sum, spare_dense_until(m, s->dense), 1);
    for (unsigned i = 0; i < SPARE_SORTS; i++)
        add(&sum, m->sort[i], s->sort[i]);
    return sum;
}

struct debug_spare spare_before_unit(const struct debug *d, uint32_t unit)
{
    const uint64_t until = unit ? d->unit[unit - 1].spare_until : 0;
    const uint64_t all = d->unit[d->unit_count - 1].spare_until;
    struct debug_spare before = {d->spare.rounds * until / all, d->spare.dense * until / all, {0}};
    for (unsigned i = 0; i < SPARE_SORTS; i++)
        before.sort[i] = d->spare.sort[i] * until / all;
    return before;
}

bool spare_is_any(const struct debug *d)
{
    bool any = d->spare.rounds || d->spare.dense;
    for (unsigned i = 0; i < SPARE_SORTS; i++)
        any |= d->spare.sort[i] != 0;
    return any;
}
