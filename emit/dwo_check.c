/* See dwo_check.h. */
#include "emit/dwo_check.h"

#include <stdlib.h>

#include "base/workers.h"
#include "emit/files.h"
#include "emit/large.h"
#include "emit/mix.h"

enum { UNIT_LEAST = 512 }; /* bytes of debug information; a unit takes more */

struct checking {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builders; /* of each thread */
};

static bool may_have_too_many(const struct plan_library *l)
{
    return files_are_split(l) && l->dwarf_version != 4 && l->size[SIZE_DEBUG] > (uint64_t)UNIT_LEAST * FILES_SPLIT_MOST;
}

static bool check_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct checking *c = context;
    struct builder *b = &c->builders[worker];
    return !may_have_too_many(&c->plan->library[index]) ||
           (mix_settle_library(b, c->plan, c->stock, index, e) && large_size_again(b, c->plan, c->stock, index, e));
}

bool dwo_check(const struct plan *plan, const struct stock *stock, unsigned threads, struct error *e)
{
    bool any = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        any |= may_have_too_many(&plan->library[i]);
    if (!any)
        return true;
    struct checking c = {plan, stock, calloc(threads, sizeof *c.builders)};
    const bool ok = c.builders ? workers_run(threads, plan_counted(plan), check_library, &c, e)
                               : error_set(e, ERROR_MEMORY, "out of memory");
    builders_free(c.builders, threads);
    return ok;
}
