/* Sizes a set that is not written; see set.h. */
#include "base/workers.h"
#include "emit/builders.h"
#include "emit/make.h"

struct sizing {
    struct set *set;
    const struct stock *stock;
    struct builders *builders;
    struct progress *progress;
};

static bool size_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct sizing *s = context;
    struct set *set = s->set;
    if (!make_size(&s->builders->of[worker], set->plan, s->stock, index, &set->library[index], e))
        return false;
    progress_step(s->progress);
    return true;
}

bool set_size(struct set *set, const struct plan *plan, const struct stock *stock, struct builders *builders,
              struct progress *progress, struct error *e)
{
    *set = (struct set){.plan = plan};
    struct sizing s = {set, stock, builders, progress};
    builders_forget(builders);
    return make_start(set, e) && workers_run(builders->count, plan_counted(plan), size_library, &s, e);
}
