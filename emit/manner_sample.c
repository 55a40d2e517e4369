/* See manner_sample.h. */
#include "emit/manner_sample.h"

#include <stdlib.h>

#include "base/workers.h"
#include "emit/large.h"
#include "emit/mix.h"

enum { SAMPLE_BYTES = 150 * 1000 * 1000 }; /* of debug information, about */

struct sampling {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builders;    /* of each thread, */
    struct debug_counts *counts; /* as these */
    uint32_t step;
};

static uint32_t step_of(const struct plan *plan)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        bytes += plan->library[i].size[SIZE_DEBUG];
    return (uint32_t)(1 + bytes / SAMPLE_BYTES);
}

static bool count_library(void *context, unsigned worker, uint32_t number, struct error *e)
{
    const struct sampling *s = context;
    struct builder *const b = &s->builders[worker];
    const uint32_t index = number * s->step;
    const struct plan_library *const row = &s->plan->library[index];
    if (row->without_debug || row->hollow || large_is(s->plan, row))
        return true;
    b->only_sizes = false;
    return mix_size(b, s->plan, s->stock, index, e) &&
           (debug_count(&b->library.debug, &s->counts[worker]) || error_set(e, ERROR_MEMORY, "out of memory"));
}

bool manner_sample(const struct plan *plan, const struct stock *stock, unsigned threads, struct debug_counts *counts,
                   struct error *e)
{
    struct sampling s = {plan, stock, calloc(threads, sizeof *s.builders), calloc(threads, sizeof *s.counts),
                         step_of(plan)};
    const uint32_t libraries = (plan_counted(plan) + s.step - 1) / s.step;
    const bool ok = s.builders && s.counts ? workers_run(threads, libraries, count_library, &s, e)
                                           : error_set(e, ERROR_MEMORY, "out of memory");
    *counts = (struct debug_counts){.imports = 0};
    for (unsigned i = 0; i < threads && ok; i++)
        debug_counts_add(counts, &s.counts[i]);
    builders_free(s.builders, threads);
    free(s.counts);
    return ok;
}
