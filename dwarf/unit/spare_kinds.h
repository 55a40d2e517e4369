/* Spare types (spare.h): kinds of entries, how many of each a round has, and what they take. */
#ifndef DWARF_UNIT_SPARE_KINDS_H
#define DWARF_UNIT_SPARE_KINDS_H

#include "dwarf/unit/spare_fit.h"
#include "dwarf/unit/unit.h"

/* Kinds of items. An item has its children with it; types of functions and `restrict` have a pointer too. */
enum spare_kind {
    SPARE_STRUCTURE,
    SPARE_TYPEDEF,
    SPARE_POINTER,
    SPARE_ARRAY,
    SPARE_CONST,
    SPARE_ENUMERATION,
    SPARE_VARIABLE,
    SPARE_FUNCTION,
    SPARE_FUNCTION_TYPE,
    SPARE_RESTRICT,
    SPARE_UNION,
    SPARE_KINDS
};

enum {
    SPARE_ROUND_ONE = 64,      /* `each` for one item in each round */
    SPARE_PARAMETERS_MANY = 8, /* of types of functions */
    SPARE_MORE = 9, /* parameters of functions, and enumerators: as many entries as such a type has with its pointer */
    SPARE_DENSE_TURN = 3 /* of so many dense items, one is an enumeration in C++, and one a type of functions in C */
};

/* The proportions of rounds. `each` is how many items of a kind there are for each round, in SPARE_ROUND_ONEths. */
struct spare_mix {
    uint64_t each[SPARE_KINDS];
    uint32_t children[SPARE_KINDS];
    struct spare_item item[SPARE_KINDS];
    struct spare_item rounds; /* what SPARE_ROUND_ONE rounds take */
    struct spare_item dense;  /* dense items: a type of functions with many parameters */
    bool has_dense;           /* there may be some; in small units however few rounds have */
    enum spare_kind instead;  /* the kind of the other dense items */
    uint64_t dense_more;      /* bytes that one of these takes more; 0: there are none of them */
    uint64_t dense_richer;
    uint32_t beside[SPARE_KINDS];        /* items of a kind with each turn of dense ones */
    struct spare_item besides;           /* what all of them take */
    struct spare_item sort[SPARE_SORTS]; /* one item of each sort; without entries: there can be none */
    struct spare_item shortest;          /* declaration with the shortest name in the entry */
};

/* The mix for this library. With an index of names there are no spare types. */
struct spare_mix spare_mix_of(const struct debug *d);

/* How many items of a kind are beside the first `dense` dense ones. */
static inline uint64_t spare_beside_until(const struct spare_mix *m, enum spare_kind kind, uint64_t dense)
{
    return dense / SPARE_DENSE_TURN * m->beside[kind];
}

/* The kind of a sort; sets how many children an item has. */
enum spare_kind spare_sort(unsigned sort, uint32_t *children);

/* How many items of a kind the first `rounds` rounds have; what all of these rounds take. */
static inline uint64_t spare_items_until(const struct spare_mix *m, enum spare_kind kind, uint64_t rounds)
{
    return rounds * m->each[kind] / SPARE_ROUND_ONE;
}

struct spare_item spare_rounds_until(const struct spare_mix *m, uint64_t rounds);

/* How many of the first `dense` dense items are no types of functions; what all of these items take. */
uint64_t spare_others_until(const struct spare_mix *m, uint64_t dense);
struct spare_item spare_dense_until(const struct spare_mix *m, uint64_t dense);

/* What all spare types of `s` take. */
struct spare_item spare_sum_of(const struct spare_mix *m, const struct debug_spare *s);

/* The spare types of all units before this one. */
struct debug_spare spare_before_unit(const struct debug *d, uint32_t unit);

/* Whether the library has any spare types. */
bool spare_is_any(const struct debug *d);

#endif
