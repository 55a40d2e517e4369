/* Indirect functions of a library with a row: symbols of type STT_GNU_IFUNC, and slots of the PLT that
 * R_X86_64_IRELATIVE fills (Linux Extensions to gABI, "Symbol Table"; x86-64 psABI 1.0 section 4.4.1).
 *
 * At each is code that the dynamic linker calls when it binds the symbol or fills the slot: a resolver, which returns
 * the address of the function that is to be used. Resolvers are small functions (small.h): the last of those that are
 * dynamic symbols, and with a symbol table the last of those that are local and implement no method, as far as there
 * is room in them for that. What they return is another small function, which any caller may call.
 */
#ifndef EMIT_RESOLVERS_H
#define EMIT_RESOLVERS_H

#include "emit/plan.h"

enum { RESOLVER_CODE = 7 + 1 }; /* lea function(%rip),%rax; ret */

struct resolvers {
    uint32_t dynamic, local; /* how many of either, the last ones */
    uint32_t local_end;      /* the small function behind the local ones */
};

struct resolvers resolvers_of(const struct plan_library *l);

/* Whether small function `index` is one. */
static inline bool resolvers_has(const struct resolvers *r, const struct plan_library *l, uint32_t index)
{
    return index < l->small_exported ? index + r->dynamic >= l->small_exported
                                     : index < r->local_end && index + r->local >= r->local_end;
}

/* The type of the symbol of a small function: resolvers are ordinary functions where only slots have need of them. */
unsigned char resolvers_type(const struct resolvers *r, const struct plan_library *l, uint32_t index);

/* Symbols of type STT_GNU_IFUNC, with those that are aliases of others, dynamic ones and all; slots of the PLT without
 * a symbol. */
uint32_t resolvers_dynamic(const struct plan_library *l);
uint32_t resolvers_symbols(const struct plan_library *l);
uint32_t resolvers_slots(const struct plan_library *l);

#endif
