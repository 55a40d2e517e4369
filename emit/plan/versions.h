/* Symbol versions that libraries with rows define (.gnu.version_d) and need of one another.
 *
 *     LIBU3_1.0, LIBU3_1.1, ...   a library's versions besides the base one, which has its DT_SONAME
 *
 * Most symbols have the first version, as in libraries that have grown. Every sixth symbol has one of the others: half
 * of these in turn, and half so that a version has twice as many symbols as the next. As with ld, each version has an
 * absolute symbol of its name, which has that version. Where there are more than two versions, each has the one before
 * as its parent.
 *
 * Sources: "ELF Symbol Versioning" (Drepper); LSB Core 5.0, 10.7 "Symbol Versioning"; binutils' ld 2.40.
 */
#ifndef EMIT_PLAN_VERSIONS_H
#define EMIT_PLAN_VERSIONS_H

#include <stdint.h>

#include "emit/plan/plan.h"

enum {
    VERSIONS_NAME_MOST = 48, /* bytes of a version's name, with its terminator */
    VERSIONS_OWN_MOST = 1000 /* versions of a library, without the base one: the C library has 38 */
};

/* Writes the name of version `number`, from 0; returns its characters. */
uint32_t versions_name(const struct plan_library *l, uint32_t number, char name[VERSIONS_NAME_MOST]);

/* Bytes of the names of versions [from, to), with terminators. */
uint64_t versions_bytes(const struct plan_library *l, uint32_t from, uint32_t to);

/* Whether each version but the first has the one before as its parent. */
static inline bool versions_have_parents(const struct plan_library *l)
{
    return l->extra.versioning.defined > 2;
}

/* The version of a dynamic symbol of a library that has some. `symbol` counts exported functions and then names_row.h's
 * others, as imports do. Importers take symbols that follow one another, or every tenth one, the heads of chains, so
 * numbers are shifted by one at each tenth and each 61st: then nearly any number of versions has all of them. Of a
 * library with many versions, an importer of n symbols finds about n / 12 + log2(n) - 2: as many as real importers of
 * 20 to 200 symbols of the C library ask for, or a few more. */
static inline uint32_t versions_of(const struct plan_library *l, uint32_t symbol)
{
    enum { EACH = 6 };
    const uint32_t later = l->extra.versioning.defined - 1;
    const uint32_t place = symbol + symbol / 10 + symbol / 61;
    const uint32_t pair = place / (2 * EACH); /* of a symbol whose version is drawn, and one that has it in turn */
    if (!later || place % EACH != EACH - 1)
        return 0;
    return 1 + (place / EACH % 2 ? pair : (uint32_t)__builtin_ctz(pair + 1)) % later;
}

/* The versions of what a library imports by one of its edges. */
struct edge_versions {
    uint32_t count;                    /* how many versions it asks for */
    uint16_t place[VERSIONS_OWN_MOST]; /* by version: its number among these, from 1; 0: it does not ask for it */
    uint32_t uses[VERSIONS_OWN_MOST];  /* by version: how many of the edge's symbols have it */
};

/* Finds the versions that library `l` asks for by an edge: of those that the edge's symbols have the `most` which most
 * symbols have. Symbols of any other version are asked for without one. */
void versions_of_edge(const struct plan *plan, const struct plan_library *l, const struct plan_edge *edge,
                      uint32_t most, struct edge_versions *v);

/* Bytes of .gnu.version_d. */
uint64_t versions_defined_size(const struct plan_library *l);

#endif
