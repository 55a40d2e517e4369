/* The usual manner; see manner.h. */
#include "dwarf/corpus/manner.h"

#include <assert.h>
#include <string.h>

#include "dwarf/corpus/corpus.h"

struct manner manner_usual(void)
{
    return (struct manner){.piece = {[PIECE_STRUCTURE] = 112,
                                     [PIECE_TYPEDEF] = 45,
                                     [PIECE_ATOMIC] = 3,
                                     [PIECE_POINTER] = 50,
                                     [PIECE_ARRAY] = 37,
                                     [PIECE_FUNCTION_TYPE] = 38,
                                     [PIECE_CONST] = 22,
                                     [PIECE_VOID_CONST] = 4,
                                     [PIECE_UNION] = 2,
                                     [PIECE_VARIABLE] = 3,
                                     [PIECE_ENUMERATION] = 4,
                                     [PIECE_RESTRICT] = 1,
                                     [PIECE_FUNCTION] = 56},
                           .outer = {[OUTER_CLASS] = 30,
                                     [OUTER_STRUCTURE] = 37,
                                     [OUTER_ENUMERATION] = 6,
                                     [OUTER_UNION] = 2,
                                     [OUTER_ARRAY] = 4,
                                     [OUTER_FUNCTION_TYPE] = 2,
                                     [OUTER_TYPEDEF] = 54,
                                     [OUTER_C_FUNCTIONS] = 25,
                                     [OUTER_DERIVED] = 11},
                           .inner = {[INNER_CLASS] = 22,
                                     [INNER_STRUCTURE] = 30,
                                     [INNER_DECLARATIONS] = 4,
                                     [INNER_FUNCTIONS] = 24,
                                     [INNER_DERIVED] = 15},
                           .methods = MANNER_USUAL,
                           .typedefs = MANNER_USUAL,
                           .derived = MANNER_USUAL,
                           .templates = MANNER_USUAL,
                           .numbers = MANNER_USUAL,
                           .members = MANNER_USUAL,
                           .taken = MANNER_USUAL,
                           .enumerators = MANNER_USUAL,
                           .unnamed = 3,
                           .inlines = CORPUS_INLINES,
                           .of_lines = 1,
                           .calls = MANNER_USUAL,
                           .told = MANNER_USUAL,
                           .inlined = MANNER_USUAL,
                           .lexical = MANNER_USUAL,
                           .nested = MANNER_USUAL,
                           .around = MANNER_USUAL,
                           .gone = MANNER_USUAL,
                           .own = MANNER_USUAL,
                           .spread = MANNER_USUAL,
                           .split = MANNER_USUAL,
                           .locals = 3,
                           .labels = true,
                           .imports = 1,
                           .brief = 1,
                           .names = CORPUS_NAMES,
                           .entries = MANNER_USUAL * 7 / 8};
}

static uint64_t sum_of(const uint64_t *numbers, unsigned count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

/* Divides `of` among `kinds` numbers in proportion to the weights. */
static void share(uint16_t *number, unsigned kinds, uint32_t of, const uint64_t *weight)
{
    enum { KINDS_MOST = 19 };
    static_assert((int)PIECES <= KINDS_MOST && (int)OUTERS <= KINDS_MOST && (int)INNERS <= KINDS_MOST, "room for each");
    uint64_t kept[KINDS_MOST];
    uint64_t told = 0;
    unsigned most = 0;
    uint64_t all = sum_of(weight, kinds);
    for (unsigned i = 0; i < kinds; i++) /* a kind whose share is less than a half gets nothing */
        kept[i] = weight[i] * of * 2 < all ? 0 : weight[i];
    all = sum_of(kept, kinds);
    for (unsigned i = 0; i < kinds; i++) {
        told += number[i] = (uint16_t)((kept[i] * of + all / 2) / all);
        most = number[i] > number[most] ? i : most;
    }
    number[most] = (uint16_t)(number[most] + of - told);
}

void manner_share_pieces(struct manner *m, const uint64_t weight[PIECES])
{
    share(m->piece, PIECES, MANNER_PIECES, weight);
}

void manner_share_outer(struct manner *m, const uint64_t weight[OUTERS])
{
    share(m->outer, OUTERS, MANNER_OUTER, weight);
}

void manner_share_inner(struct manner *m, const uint64_t weight[INNERS])
{
    share(m->inner, INNERS, MANNER_INNER, weight);
}

struct manner manner_terse(struct manner m)
{
    enum { NAMES = 32 };
    static const enum manner_piece pieces[] = {PIECE_STRUCTURE, PIECE_TYPEDEF, PIECE_POINTER, PIECE_FUNCTION_TYPE};
    uint16_t piece[PIECES] = {0};
    uint16_t others = MANNER_PIECES;
    for (unsigned i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        others = (uint16_t)(others - (piece[pieces[i]] = m.piece[pieces[i]]));
    piece[PIECE_STRUCTURE] = (uint16_t)(piece[PIECE_STRUCTURE] + others);
    memcpy(m.piece, piece, sizeof piece);
    m.inlines = 0;
    m.inlined = 0;
    m.far = false;
    m.labels = false;
    m.names = NAMES;
    return m;
}

struct manner manner_plain(struct manner m)
{
    m.piece[PIECE_STRUCTURE] =
        (uint16_t)(m.piece[PIECE_STRUCTURE] + m.piece[PIECE_INCOMPLETE] + m.piece[PIECE_VOLATILE]);
    m.piece[PIECE_INCOMPLETE] = m.piece[PIECE_VOLATILE] = 0;
    m.bits = 0;
    return m;
}

struct manner manner_lines(struct manner m)
{
    m.inlines = m.of_lines;
    m.far = m.labels = m.shortest = false;
    m.further = m.lows = 0;
    return m;
}

/* The weights are as in Quantum ESPRESSO and CloverLeaf, compiled by gfortran 12. */
struct manner manner_fortran(struct manner m)
{
    enum { INLINES = 4 };
    static const uint64_t weight[PIECES] = {
        [PIECE_STRUCTURE] = 8, [PIECE_POINTER] = 30,         [PIECE_ARRAY] = 40,      [PIECE_FUNCTION_TYPE] = 1,
        [PIECE_CONST] = 4,     [PIECE_VARIABLE] = 60,        [PIECE_RESTRICT] = 40,   [PIECE_FUNCTION] = 60,
        [PIECE_CONSTANT] = 20, [PIECE_DESCRIBED_ARRAY] = 80, [PIECE_CHARACTERS] = 14, [PIECE_MATRIX] = 20};
    manner_share_pieces(&m, weight);
    m.unnamed = 0;
    m.inlines = INLINES;
    m.inlined = 1;
    m.labels = false;
    m.constants = MANNER_USUAL;
    m.fortran = true;
    return m;
}

struct manner manner_c(struct manner m)
{
    const struct manner usual = manner_usual();
    memcpy(m.piece, usual.piece, sizeof m.piece);
    m.unnamed = usual.unnamed;
    m.inlines = usual.inlines;
    m.inlined = usual.inlined;
    m.fortran = false;
    return m;
}
