/* Sizes a set that is not written; see set.h. */
#include <stdlib.h>

#include "base/workers.h"
#include "emit/large.h"
#include "emit/make.h"
#include "emit/mix.h"

struct sizing {
    struct set *set;
    const struct stock *stock;
    struct builder *builders; /* of each thread */
    struct progress *progress;
};

static bool size_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct sizing *s = context;
    struct builder *b = &s->builders[worker];
    const struct plan *plan = s->set->plan;
    if (!mix_settle_library(b, plan, s->stock, index, e) || !large_size_again(b, plan, s->stock, index, e) ||
        !make_record(&s->set->library[index], b, e))
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
