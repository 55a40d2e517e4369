/* See manner_numbers.h. */
#include "dwarf/corpus/manner_numbers.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/corpus/corpus.h"

enum { FACTOR_MOST = UINT16_MAX / MANNER_USUAL, NUMBER_MOST = 32 * MANNER_USUAL, OWN_LEAST = MANNER_USUAL / 4 };

/* Members of struct manner that stand together and have the same range. */
struct members {
    size_t offset, bytes; /* of the first, of each */
    unsigned count, least, most;
};

#define ONE(member, least, most)                                                                                       \
    {                                                                                                                  \
        offsetof(struct manner, member), sizeof(((struct manner *)0)->member), 1, least, most                          \
    }
#define ALL(member, most)                                                                                              \
    {                                                                                                                  \
        offsetof(struct manner, member), sizeof(uint16_t), sizeof(((struct manner *)0)->member) / 2, 0, most           \
    }

/* What profile_manner (emit/stock/profile_manner.h) sets to any number may have any here. */
static const struct members table[] = {
    ALL(piece, MANNER_PIECES),
    ALL(outer, MANNER_OUTER),
    ALL(inner, MANNER_INNER),
    ONE(methods, 0, FACTOR_MOST),
    ONE(typedefs, 0, FACTOR_MOST),
    ONE(derived, 0, FACTOR_MOST),
    ONE(templates, 0, NUMBER_MOST),
    ONE(numbers, 0, NUMBER_MOST),
    ONE(members, 0, UINT16_MAX),
    ONE(bits, 0, MANNER_BITS / 2),
    ONE(taken, 0, MANNER_TAKEN),
    ONE(enumerators, 0, MANNER_ENUMERATORS),
    ONE(parameters, 0, CORPUS_INLINE_PARAMETERS *MANNER_USUAL),
    ONE(variables, 0, CORPUS_INLINE_VARIABLES *MANNER_USUAL),
    ONE(calls, 0, FACTOR_MOST),
    ONE(inlined, 0, UINT16_MAX),
    ONE(lexical, 0, UINT16_MAX),
    ONE(gone, 0, FACTOR_MOST),
    ONE(placed, 0, MANNER_USUAL),
    ONE(own, OWN_LEAST, MANNER_USUAL),
    ONE(told, 0, MANNER_USUAL),
    ONE(passed, 0, UINT16_MAX),
    ONE(locals, 0, 3),
    ONE(constants, 0, MANNER_CONSTANTS),
    ONE(ending, 0, MANNER_USUAL),
    ONE(spread, 0, 3 * MANNER_USUAL),
    ONE(split, 0, MANNER_USUAL),
};

void manner_numbers_write(FILE *to, const struct manner *m)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const unsigned char *at = (const unsigned char *)m + table[i].offset;
        for (unsigned k = 0; k < table[i].count; k++, at += table[i].bytes) {
            uint16_t wide = *at;
            if (table[i].bytes == sizeof wide)
                memcpy(&wide, at, sizeof wide);
            fprintf(to, " %u", wide);
        }
    }
}

static bool read_number(const char **text, unsigned long least, unsigned long most, uint16_t *number)
{
    char *end;
    if ((*text)[0] != ' ' || !isdigit((unsigned char)(*text)[1]))
        return false;
    const unsigned long value = strtoul(*text + 1, &end, 10);
    *text = end;
    *number = (uint16_t)value;
    return value >= least && value <= most;
}

static bool adds_up(const uint16_t *piece, unsigned kinds, unsigned all)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < kinds; i++)
        sum += piece[i];
    return sum == all;
}

/* Whether there is a piece of a kind that only Fortran has. */
static bool has_fortran(const struct manner *m)
{
    bool any = false;
    for (unsigned i = PIECE_CONSTANT; i < PIECES; i++)
        any |= m->piece[i] > 0;
    return any;
}

/* What ranges alone do not tell. */
static bool goes_together(const struct manner *m)
{
    return (m->fortran || !has_fortran(m)) && adds_up(m->piece, PIECES, MANNER_PIECES) &&
           adds_up(m->outer, OUTERS, MANNER_OUTER) && adds_up(m->inner, INNERS, MANNER_INNER) &&
           (m->fortran || m->piece[PIECE_STRUCTURE]) && (m->parameters == 0 || m->parameters >= MANNER_USUAL);
}

bool manner_numbers_read(const char **text, struct manner *m)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        unsigned char *at = (unsigned char *)m + table[i].offset;
        for (unsigned k = 0; k < table[i].count; k++, at += table[i].bytes) {
            uint16_t number;
            if (!read_number(text, table[i].least, table[i].most, &number))
                return false;
            if (table[i].bytes == sizeof number)
                memcpy(at, &number, sizeof number);
            else
                *at = (unsigned char)number;
        }
    }
    return goes_together(m);
}
