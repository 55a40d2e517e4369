/* Sizes a set that is not written, or makes it in memory; see set.h. */
#include "base/workers.h"
#include "emit/library/builders.h"
#include "emit/library/large.h"
#include "emit/set/make.h"

/* make_size, or another function that makes a library or a part of it. */
typedef bool make_function(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                           struct set_library *out, struct error *e);

struct sizing {
    make_function *make;
    struct set *set;
    const struct stock *stock;
    struct builders *builders;
    struct progress *progress;
};

static bool make_one(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct sizing *s = context;
    struct set *set = s->set;
    if (!s->make(&s->builders->of[worker], set->plan, s->stock, index, &set->library[index], e))
        return false;
    progress_step(s->progress);
    return true;
}

static bool make_each(struct sizing *s, const struct plan *plan, struct error *e)
{
    *s->set = (struct set){.plan = plan};
    builders_forget(s->builders);
    return make_start(s->set, e) && workers_run(s->builders->count, plan_counted(plan), make_one, s, e);
}

/* Makes the library in memory, or only sizes it where it is large: then nothing is searched for after the size pass. */
static bool make_found(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                       struct set_library *out, struct error *e)
{
    return (large_is(plan, &plan->library[index]) ? make_size : make_library)(b, plan, stock, index, out, e);
}

bool set_find(struct set *set, const struct plan *plan, const struct stock *stock, struct builders *builders,
              struct progress *progress, struct error *e)
{
    struct sizing s = {make_found, set, stock, builders, progress};
    return make_each(&s, plan, e);
}

bool set_size(struct set *set, const struct plan *plan, const struct stock *stock, struct builders *builders,
              struct progress *progress, struct error *e)
{
    struct sizing s = {make_size, set, stock, builders, progress};
    return make_each(&s, plan, e);
}
