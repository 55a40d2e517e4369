/* Sizes a set that is not written, or makes it in memory; see set.h. */
#include "base/workers.h"
#include "emit/builders.h"
#include "emit/large.h"
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

/* Makes the library in memory, or only sizes it where it is large: then nothing is searched for after the size pass. */
static bool find_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct sizing *s = context;
    struct set *set = s->set;
    struct builder *const b = &s->builders->of[worker];
    const bool is_large = large_is(set->plan, &set->plan->library[index]);
    if (!(is_large ? make_size : make_library)(b, set->plan, s->stock, index, &set->library[index], e))
        return false;
    progress_step(s->progress);
    return true;
}

bool set_find(struct set *set, const struct plan *plan, const struct stock *stock, struct builders *builders,
              struct progress *progress, struct error *e)
{
    *set = (struct set){.plan = plan};
    struct sizing s = {set, stock, builders, progress};
    builders_forget(builders);
    return make_start(set, e) && workers_run(builders->count, plan_counted(plan), find_library, &s, e);
}

bool set_size(struct set *set, const struct plan *plan, const struct stock *stock, struct builders *builders,
              struct progress *progress, struct error *e)
{
    *set = (struct set){.plan = plan};
    struct sizing s = {set, stock, builders, progress};
    builders_forget(builders);
    return make_start(set, e) && workers_run(builders->count, plan_counted(plan), size_library, &s, e);
}
