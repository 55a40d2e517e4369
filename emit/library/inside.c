/* See inside.h. */
#include "emit/library/inside.h"

#include <stdlib.h>

#include "base/workers.h"
#include "emit/library/join.h"

enum { TRIES_MOST = 12 };

struct settling {
    struct plan *plan;
    const struct stock *stock;
    struct builders *builders;
    struct joined joined;
};

/* Sizes one part. Its debug information has the planned size, and the strings that it shares with other parts on top
 * of that. */
static bool size_part(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct settling *s = context;
    struct builder *b = &s->builders->of[worker];
    const uint32_t row = join_row(&s->joined, index);
    b->only_sizes = true;
    if (!library_size(b, s->plan, s->stock, row, e))
        return false;
    if (!s->plan->without_debug) {
        for (enum debug_section d = 0; d < DEBUG_SECTION_COUNT; d++)
            s->plan->library[row].size[SIZE_DEBUG] += debug_shared(&b->library.debug, d);
        if (!library_size(b, s->plan, s->stock, row, e))
            return false;
    }
    join_measure(&s->joined, &b->library);
    return true;
}

/* Gives the executable's own part what is missing. *settled: nothing is. */
static bool adjust(struct plan *plan, const struct layout_sizes *sizes, bool *settled, struct error *e)
{
    struct plan_library *own = &plan->library[plan_executable(plan)];
    const uint64_t found[FIVE_SIZES] = {sizes->text, sizes->data, sizes->debug, sizes->symtab, sizes->strtab};
    *settled = true;
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++) {
        const int64_t missing = (int64_t)(plan->link[kind] - found[kind]);
        if (!missing)
            continue;
        *settled = false;
        const int64_t symbols = missing / (int64_t)sizeof(Elf64_Sym);
        const bool fits = (int64_t)own->size[kind] + missing >= 0 &&
                          (kind != SIZE_SYMTAB || (int64_t)own->locals + symbols >= 1) &&
                          (kind != SIZE_STRTAB || (int64_t)own->names.locals + missing >= 0);
        if (!fits)
            return error_set(e, ERROR_INFEASIBLE,
                             "--bigexe: the parts of " EXECUTABLE_LINK " do not come to its size; give another size");
        own->size[kind] += (uint64_t)missing;
        if (kind == SIZE_SYMTAB)
            own->locals += (uint32_t)symbols;
        if (kind == SIZE_STRTAB)
            own->names.locals += (uint64_t)missing;
    }
    return true;
}

static bool settle(struct settling *s, struct error *e)
{
    const uint32_t own = plan_executable(s->plan);
    struct builder *b = &s->builders->of[0];
    b->only_sizes = true;
    if (!join_start(&s->joined, s->plan, own))
        return error_set(e, ERROR_MEMORY, "out of memory for " EXECUTABLE_LINK);
    if (!workers_run(s->builders->count, join_parts(&s->joined), size_part, s, e))
        return false;
    bool settled = false;
    for (unsigned tries = 0; !settled; tries++) {
        if (tries == TRIES_MOST)
            return error_set(e, ERROR_INFEASIBLE,
                             "--bigexe: the parts of " EXECUTABLE_LINK " do not come to its size; give another size");
        if (!library_size(b, s->plan, s->stock, own, e))
            return false;
        s->plan->library[own].size[SIZE_STRTAB] =
            b->library.layout.section[SECTION_STRTAB].size; /* follows from its symbols */
        join_measure(&s->joined, &b->library);
        if (!join_lay(&s->joined, &b->library, e))
            return false;
        const struct layout_sizes sizes = layout_count(&s->joined.layout);
        s->plan->link[SIZE_BSS] = sizes.bss;
        if (!adjust(s->plan, &sizes, &settled, e))
            return false;
    }
    return true;
}

bool inside_settle(struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e)
{
    struct settling s = {.plan = plan, .stock = stock, .builders = builders};
    if (!plan->inside || !plan->executables.link)
        return true;
    builders_forget(builders);
    const bool ok = settle(&s, e);
    join_free(&s.joined);
    return ok;
}
