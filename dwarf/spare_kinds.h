/* Of what spare types are (spare.h): kinds of entries, how many there are of each in a round, and what they take. */
#ifndef DWARF_SPARE_KINDS_H
#define DWARF_SPARE_KINDS_H

#include "dwarf/spare_fit.h"
#include "dwarf/unit.h"

/* What there may be; each with its children, types of functions and what is restrict also with a pointer. */
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
    SPARE_ROUND_ONE = 64,      /* one for each round */
    SPARE_PARAMETERS_MANY = 8, /* of types; */
    SPARE_MORE = 9,            /* parameters of functions, and enumerators: as many entries as a type, these, and its
                                  pointer */
    SPARE_DENSE_TURN = 3       /* of dense items, one is an enumeration in C++, and one a type of functions in C */
};

/* What rounds are of: of each kind how many there are, in SPARE_ROUND_ONEths for each round. */
struct spare_mix {
    uint64_t each[SPARE_KINDS];
    uint32_t children[SPARE_KINDS];
    struct spare_item item[SPARE_KINDS];
    struct spare_item rounds; /* SPARE_ROUND_ONE of them */
    struct spare_item dense;  /* a type of functions with many parameters, */
    enum spare_kind instead;  /* what others are, */
    uint64_t dense_more;      /* and bytes and attributes that one takes more; 0 bytes: there are none */
    uint64_t dense_richer;
    struct spare_item sort[SPARE_SORTS]; /* without entries where there can be none */
    struct spare_item shortest;          /* declaration with a name in it */
};

/* Where an index lists names, there are none. */
struct spare_mix spare_mix_of(const struct debug *d);

/* The kind of a sort, and its children. */
enum spare_kind spare_sort(unsigned sort, uint32_t *children);

/* Items of a kind in the first rounds, and what all of these rounds take. */
static inline uint64_t spare_items_until(const struct spare_mix *m, enum spare_kind kind, uint64_t rounds)
{
    return rounds * m->each[kind] / SPARE_ROUND_ONE;
}

struct spare_item spare_rounds_until(const struct spare_mix *m, uint64_t rounds);

/* Of the first so many dense items, those that are no types of functions; and what all of these take. */
uint64_t spare_others_until(const struct spare_mix *m, uint64_t dense);
struct spare_item spare_dense_until(const struct spare_mix *m, uint64_t dense);

/* What all take. */
struct spare_item spare_sum_of(const struct spare_mix *m, const struct debug_spare *s);

/* Of the units before this one. */
struct debug_spare spare_before_unit(const struct debug *d, uint32_t unit);

/* Whether there is any. */
bool spare_is_any(const struct debug *d);

#endif
