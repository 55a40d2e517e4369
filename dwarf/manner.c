/* The usual manner; see manner.h. */
#include "dwarf/manner.h"

#include <string.h>

#include "dwarf/corpus.h"

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
                           .members = MANNER_USUAL,
                           .taken = MANNER_USUAL,
                           .enumerators = MANNER_USUAL,
                           .unnamed = 3,
                           .inlines = CORPUS_INLINES,
                           .calls = MANNER_USUAL,
                           .told = MANNER_USUAL,
                           .inlined = MANNER_USUAL,
                           .lexical = MANNER_USUAL,
                           .gone = MANNER_USUAL,
                           .own = MANNER_USUAL,
                           .spread = MANNER_USUAL,
                           .locals = 3,
                           .labels = true,
                           .imports = 1,
                           .brief = 1,
                           .names = CORPUS_NAMES,
                           .entries = MANNER_USUAL * 7 / 8};
}

static uint64_t sum_of(const uint64_t numbers[PIECES])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < PIECES; i++)
        sum += numbers[i];
    return sum;
}

void manner_share_pieces(struct manner *m, const uint64_t weight[PIECES])
{
    uint64_t kept[PIECES];
    uint64_t told = 0;
    unsigned most = 0;
    uint64_t all = sum_of(weight);
    for (unsigned i = 0; i < PIECES; i++) /* what is too rare to be there is not there */
        kept[i] = weight[i] * MANNER_PIECES * 2 < all ? 0 : weight[i];
    all = sum_of(kept);
    for (unsigned i = 0; i < PIECES; i++) {
        told += m->piece[i] = (uint16_t)((kept[i] * MANNER_PIECES + all / 2) / all);
        most = m->piece[i] > m->piece[most] ? i : most;
    }
    m->piece[most] = (uint16_t)(m->piece[most] + MANNER_PIECES - told);
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
