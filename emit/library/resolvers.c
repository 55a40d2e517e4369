/* See resolvers.h. */
#include "emit/library/resolvers.h"

#include <elf.h>

#include "emit/plan/methods.h"

/* How many aliases the dynamic functions before `function` have (plan_alias_function). */
static uint64_t aliases_before(const struct plan_library *l, uint64_t function)
{
    const uint64_t functions = (uint64_t)plan_exported(l) + l->small.exported;
    return (function * l->extra.dynamic.aliases + functions - 1) / functions;
}

uint32_t resolvers_without_aliases(uint64_t symbols, uint64_t functions, uint64_t aliases)
{
    return (uint32_t)((symbols * functions + functions + aliases - 1) / (functions + aliases));
}

/* How many symbols dynamic small functions [first, first + count) have, with aliases. */
static uint64_t symbols_of(const struct plan_library *l, uint32_t first, uint32_t count)
{
    const uint64_t start = (uint64_t)plan_exported(l) + first;
    return count ? count + aliases_before(l, start + count) - aliases_before(l, start) : 0;
}

static bool is_large_enough(const struct plan_library *l, uint32_t index)
{
    return l->small.size[index] >= plan_landing(l) + RESOLVER_CODE;
}

/* Chooses dynamic resolvers that have at most `symbols` symbols together. One is chosen in any case, if there is one
 * that can be and `symbols` is not 0, even if it has more. */
static void find_dynamic(const struct plan_library *l, uint32_t symbols, struct resolvers *r)
{
    const uint32_t count = l->small.exported;
    const bool last = l->stripped;
    for (uint32_t n = 0; symbols && n < count && is_large_enough(l, last ? count - 1 - n : n); n++) {
        const uint32_t first = last ? count - 1 - n : 0;
        const uint64_t then = symbols_of(l, first, n + 1);
        if (n && then > symbols)
            break;
        *r = (struct resolvers){.dynamic_first = first, .dynamic = n + 1, .dynamic_symbols = (uint32_t)then};
    }
}

static void find_local(const struct plan_library *l, uint32_t count, struct resolvers *r)
{
    const uint32_t end = l->small.count - methods_functions(l);
    while (r->local < count && end - r->local > l->small.exported && !plan_is_packed(l, end - 1 - r->local) &&
           is_large_enough(l, end - 1 - r->local))
        r->local++;
    r->local_first = end - r->local;
}

struct resolvers resolvers_of(const struct plan_library *l)
{
    const struct plan_extra *const x = &l->extra;
    const uint32_t symbols = x->indirect.symbols ? x->indirect.symbols : x->plt.irelative > 0;
    const bool all = l->stripped || !x->indirect.symbols || x->indirect.dynamic > symbols;
    struct resolvers r = {.dynamic = 0};
    if (!symbols)
        return r;
    find_dynamic(l, all ? symbols : x->indirect.dynamic, &r);
    if (!l->stripped && r.dynamic_symbols < symbols)
        find_local(l, symbols - r.dynamic_symbols, &r);
    return r;
}

unsigned char resolvers_type(const struct resolvers *r, const struct plan_library *l, uint32_t index)
{
    return l->extra.indirect.symbols && resolvers_has(r, index) ? STT_GNU_IFUNC : STT_FUNC;
}
