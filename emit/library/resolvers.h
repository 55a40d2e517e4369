/* Indirect functions of a library with a row: symbols of type STT_GNU_IFUNC, and slots of the PLT that
 * R_X86_64_IRELATIVE fills (Linux Extensions to gABI, "Symbol Table"; x86-64 psABI 1.0 section 4.4.1).
 *
 * Each leads to a resolver: code that the dynamic linker calls when it binds the symbol or fills the slot, and that
 * returns the address of the function to be used. Resolvers are small functions (small.h) with room for that code. In a
 * stripped library they are the last of the dynamic small functions, which are the largest. Otherwise they are the
 * first of these, which stand before others for that (plan_small.ahead), and the last local ones that implement
 * no method. They return the address of another small function, which any caller may call.
 */
#ifndef EMIT_LIBRARY_RESOLVERS_H
#define EMIT_LIBRARY_RESOLVERS_H

#include "emit/plan/plan.h"

enum { RESOLVER_CODE = 7 + 1 }; /* lea function(%rip),%rax; ret */

/* The small functions that are resolvers, as two ranges; `dynamic_symbols` is how many symbols the dynamic ones have,
 * with aliases. */
struct resolvers {
    uint32_t dynamic_first, dynamic;
    uint32_t local_first, local;
    uint32_t dynamic_symbols;
};

struct resolvers resolvers_of(const struct plan_library *l);

/* Whether small function `index` is a resolver. */
static inline bool resolvers_has(const struct resolvers *r, uint32_t index)
{
    return index - r->dynamic_first < r->dynamic || index - r->local_first < r->local;
}

/* The type of the symbol of a small function. Where only slots need resolvers (plan_extra.indirect.symbols is 0), these
 * are ordinary functions. */
unsigned char resolvers_type(const struct resolvers *r, const struct plan_library *l, uint32_t index);

/* How many of the slots of the PLT are filled without a symbol. */
static inline uint32_t resolvers_slots(const struct resolvers *r, const struct plan_library *l)
{
    return r->dynamic + r->local ? l->extra.plt.irelative : 0;
}

/* How many functions have `symbols` dynamic symbols, where `aliases` are spread evenly over `functions`. */
uint32_t resolvers_without_aliases(uint64_t symbols, uint64_t functions, uint64_t aliases);

#endif
