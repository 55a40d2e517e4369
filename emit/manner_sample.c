/* See manner_sample.h. */
#include "emit/manner_sample.h"

#include <stdlib.h>

#include "base/workers.h"
#include "emit/mix.h"

#define LIBRARY_BYTES UINT64_C(600000000) /* of a library in a sample, at most */
#define SAMPLE_BYTES  UINT64_C(150000000) /* of debug information in a sample, about */

struct sampling {
    const struct plan *plan;
    const struct stock *stock;
    struct builders *builders;
    struct debug_counts *counts; /* of each thread */
    const struct manner_sampled *sampled;
};

uint64_t manner_sample_bytes(const struct plan_library *row)
{
    const uint64_t bytes = row->size[SIZE_DEBUG];
    return row->without_debug || row->hollow || bytes > LIBRARY_BYTES ? 0 : bytes;
}

static uint64_t bytes_of_all(const struct plan *plan)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        bytes += manner_sample_bytes(&plan->library[i]);
    return bytes;
}

bool manner_sample_tells(const struct plan *plan)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        all += plan->library[i].size[SIZE_DEBUG];
    return bytes_of_all(plan) > all / 2;
}

/* The distance in bytes from one place to the next. Libraries of average size at these places have SAMPLE_BYTES
 * together; there is at least one place. 0 where all libraries have no more than SAMPLE_BYTES. */
static uint64_t step_of(const uint64_t *bytes, uint32_t libraries)
{
    uint64_t all = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < libraries; i++) {
        all += bytes[i];
        count += bytes[i] > 0;
    }
    const uint64_t step = all > SAMPLE_BYTES ? all / count * (all / SAMPLE_BYTES) : 0;
    return step < all ? step : all;
}

uint32_t manner_sample_choose(const uint64_t *bytes, uint32_t libraries, struct manner_sampled *sampled)
{
    const uint64_t step = step_of(bytes, libraries);
    uint32_t count = 0;
    uint64_t at = step / 2;
    for (uint32_t i = 0; i < libraries; i++) {
        const uint64_t places = step ? (at + bytes[i]) / step - at / step : bytes[i] > 0;
        at += bytes[i];
        if (places)
            sampled[count++] =
                (struct manner_sampled){i, step ? places * step * COUNT_ONCE / bytes[i] : (uint64_t)COUNT_ONCE};
    }
    return count;
}

/* Bytes of each library, for manner_sample_choose; to be freed. NULL when memory ran out. */
static uint64_t *bytes_of_each(const struct plan *plan)
{
    uint64_t *const bytes = malloc((plan_counted(plan) + (size_t)1) * sizeof *bytes);
    for (uint32_t i = 0; bytes && i < plan_counted(plan); i++)
        bytes[i] = manner_sample_bytes(&plan->library[i]);
    return bytes;
}

/* Large libraries first, so that no thread is left with one when all others have ended. */
static int by_bytes(const void *a, const void *b, void *bytes)
{
    const uint64_t *const of = bytes;
    const uint64_t x = of[((const struct manner_sampled *)a)->index];
    const uint64_t y = of[((const struct manner_sampled *)b)->index];
    return (x < y) - (x > y);
}

static bool count_library(void *context, unsigned worker, uint32_t number, struct error *e)
{
    const struct sampling *s = context;
    struct builder *const b = &s->builders->of[worker];
    const struct manner_sampled *const sampled = &s->sampled[number];
    struct debug_counts counts = {.imports = 0};
    b->only_sizes = false;
    if (!mix_size(b, s->plan, s->stock, sampled->index, e))
        return false;
    if (!debug_count(&b->library.debug, &counts))
        return error_set(e, ERROR_MEMORY, "out of memory");
    debug_counts_add(&s->counts[worker], &counts, sampled->times);
    return true;
}

bool manner_sample(const struct plan *plan, const struct stock *stock, struct builders *builders,
                   struct debug_counts *counts, struct error *e)
{
    struct manner_sampled *const sampled = malloc((plan_counted(plan) + (size_t)1) * sizeof *sampled);
    uint64_t *const bytes = bytes_of_each(plan);
    struct sampling s = {plan, stock, builders, calloc(builders->count, sizeof *s.counts), sampled};
    builders_forget(builders);
    bool ok = s.counts && sampled && bytes;
    if (ok) {
        const uint32_t count = manner_sample_choose(bytes, plan_counted(plan), sampled);
        qsort_r(sampled, count, sizeof *sampled, by_bytes, bytes);
        ok = workers_run(builders->count, count, count_library, &s, e);
    } else
        error_set(e, ERROR_MEMORY, "out of memory");
    *counts = (struct debug_counts){.imports = 0};
    for (unsigned i = 0; i < builders->count && ok; i++)
        debug_counts_add(counts, &s.counts[i], COUNT_ONCE);
    free(s.counts);
    free(sampled);
    free(bytes);
    return ok;
}
