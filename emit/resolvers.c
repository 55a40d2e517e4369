/* See resolvers.h. */
#include "emit/resolvers.h"

#include <elf.h>

#include "emit/methods.h"

/* How many aliases the last `count` dynamic functions have: these are spread evenly over all (symbols.c). */
static uint32_t aliases_of(const struct plan_library *l, uint32_t count)
{
    const uint64_t aliases = l->extra.aliases;
    const uint64_t functions = (uint64_t)plan_exported(l) + l->small_exported;
    if (!count || !aliases)
        return 0;
    const uint64_t first = ((functions - count) * aliases + functions - 1) / functions;
    return (uint32_t)(aliases - first);
}

struct resolvers resolvers_of(const struct plan_library *l)
{
    const struct plan_extra *const x = &l->extra;
    const uint32_t least = plan_landing(l) + RESOLVER_CODE;
    const uint32_t wanted = x->indirect ? x->indirect : x->indirect_slots > 0;
    uint32_t dynamic = l->stripped ? wanted : x->indirect_dynamic;
    if (!x->indirect || dynamic > wanted)
        dynamic = wanted;
    struct resolvers r = {.local_end = l->small_exported};
    /* one at least, if any, though it may have more aliases */
    while (r.dynamic < l->small_exported && l->small_size[l->small_exported - 1 - r.dynamic] >= least &&
           (r.dynamic ? r.dynamic + 1 + aliases_of(l, r.dynamic + 1) <= dynamic : dynamic > 0))
        r.dynamic++;
    if (l->stripped || !wanted)
        return r;
    const uint32_t had = r.dynamic + aliases_of(l, r.dynamic);
    const uint32_t left = wanted > had ? wanted - had : 0;
    r.local_end = l->small - methods_functions(l);
    while (r.local < left && r.local_end - r.local > l->small_exported &&
           l->small_size[r.local_end - 1 - r.local] >= least)
        r.local++;
    return r;
}

unsigned char resolvers_type(const struct resolvers *r, const struct plan_library *l, uint32_t index)
{
    return l->extra.indirect && resolvers_has(r, l, index) ? STT_GNU_IFUNC : STT_FUNC;
}

uint32_t resolvers_dynamic(const struct plan_library *l)
{
    const uint32_t functions = l->extra.indirect ? resolvers_of(l).dynamic : 0;
    return functions + aliases_of(l, functions);
}

uint32_t resolvers_symbols(const struct plan_library *l)
{
    return l->extra.indirect ? resolvers_dynamic(l) + resolvers_of(l).local : 0;
}

uint32_t resolvers_slots(const struct plan_library *l)
{
    if (!l->extra.indirect_slots)
        return 0;
    const struct resolvers r = resolvers_of(l);
    return r.dynamic + r.local ? l->extra.indirect_slots : 0;
}
