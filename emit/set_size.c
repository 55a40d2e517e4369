/* Sizes a set that is not written; see set.h. */
#include <stdlib.h>

#include "base/workers.h"
#include "emit/make.h"

struct sizing {
    struct set *set;
    const struct stock *stock;
    struct builder *builders; /* of each thread */
    struct progress *progress;
};

static bool size_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct sizing *s = context;
    struct set *set = s->set;
    if (!make_size(&s->builders[worker], set->plan, s->stock, index, &set->library[index], e))
        return false;
    progress_step(s->progress);
    return true;
}

bool set_size(struct set *set, const struct plan *plan, const struct stock *stock, unsigned threads,
              struct progress *progress, struct error *e)
{
    *set = (struct set){.plan = plan};
    struct sizing s = {.set = set, .stock = stock, .progress = progress};
    s.builders = make_start(set, threads, e);
    const bool ok = s.builders && workers_run(threads, plan_counted(plan), size_library, &s, e);
    builders_free(s.builders, threads);
    return ok;
}
