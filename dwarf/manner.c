/* The usual manner; see manner.h. */
#include "dwarf/manner.h"

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
                           .unnamed = 3,
                           .inlines = CORPUS_INLINES,
                           .calls = MANNER_USUAL,
                           .told = MANNER_USUAL,
                           .inlined = MANNER_USUAL,
                           .lexical = MANNER_USUAL,
                           .own = MANNER_USUAL,
                           .locals = 3,
                           .labels = true,
                           .imports = 1,
                           .brief = 1,
                           .entries = MANNER_USUAL * 7 / 8};
}
