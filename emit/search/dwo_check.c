/* See dwo_check.h. */
#include "emit/search/dwo_check.h"

#include <stdlib.h>

#include "base/workers.h"
#include "emit/library/files.h"
#include "emit/library/large.h"
#include "emit/search/mix.h"

enum { UNIT_LEAST = 512 }; /* bytes of debug information; a unit takes more */

struct checking {
    const struct plan *plan;
    const struct stock *stock;
    struct builders *builders;
};

/* Units with code, at most: without a row that says how many, each has half as many functions as on average, or more
 * (describe_unit.c). */
static uint64_t code_units_most(const struct plan *plan, const struct plan_library *l)
{
    const uint64_t functions = plan_described(plan, l).most + UINT64_C(1) * GLUE_COUNT;
    const uint64_t least = (uint64_t)plan_units(plan, l) / 2;
    return l->debug.units ? l->debug.units : functions / (least ? least : 1) + 1;
}

/* Units of data, at most: each has the usual headers but for an eighth of their types (debug_data_units). */
static uint64_t data_units_most(const struct corpus *c, const struct plan_library *l)
{
    const uint64_t room = c->room - c->fixed;
    return l->size[SIZE_DEBUG] / (c->fixed + room - room / 8) + 1;
}

static bool may_have_too_many(const struct plan *plan, const struct corpus *corpus, const struct plan_library *l)
{
    return files_are_split(l) && l->debug.version != 4 &&
           l->size[SIZE_DEBUG] > (uint64_t)UNIT_LEAST * FILES_SPLIT_MOST &&
           code_units_most(plan, l) + data_units_most(corpus, l) > FILES_SPLIT_MOST;
}

static bool check_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct checking *c = context;
    struct builder *b = &c->builders->of[worker];
    return !may_have_too_many(c->plan, &c->stock->corpus, &c->plan->library[index]) ||
           mix_size_only(b, c->plan, c->stock, index, e);
}

bool dwo_check(const struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e)
{
    bool any = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        any |= may_have_too_many(plan, &stock->corpus, &plan->library[i]);
    if (!any)
        return true;
    struct checking c = {plan, stock, builders};
    builders_forget(builders);
    return workers_run(builders->count, plan_counted(plan), check_library, &c, e);
}
