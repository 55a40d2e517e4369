/* See manner_sample.h. */
#include "emit/search/manner_sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/search/mix.h"
#include "emit/stock/profile_entries.h"

#define LIBRARY_BYTES UINT64_C(600000000) /* of a library in a sample, at most */

struct sampling {
    const struct plan *plan;
    const struct stock *stock;
    struct builders *builders;
    struct debug_counts (*counts)[DEBUG_LANGUAGES]; /* of each thread */
    const struct manner_sampled *sampled;
};

uint64_t manner_sample_bytes(const struct plan_library *row)
{
    const uint64_t bytes = row->size[SIZE_DEBUG];
    return row->debug.none || row->debug.hollow || bytes > LIBRARY_BYTES ? 0 : bytes;
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

/* The distance in bytes from one place to the next. Libraries of average size at these places have `most` bytes
 * together; there is at least one place. 0 where all libraries have no more. */
static uint64_t step_of(const uint64_t *bytes, uint32_t libraries, uint64_t most)
{
    uint64_t all = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < libraries; i++) {
        all += bytes[i];
        count += bytes[i] > 0;
    }
    const uint64_t step = all > most ? all / count * (all / most) : 0;
    return step < all ? step : all;
}

uint32_t manner_sample_choose(const uint64_t *bytes, uint32_t libraries, uint64_t most, struct manner_sampled *sampled)
{
    const uint64_t step = step_of(bytes, libraries, most);
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

/* The language whose entries a library's count among. */
static enum debug_language language_of(const struct plan *plan, uint32_t index)
{
    const struct profile *const p = plan->profile;
    const struct profile_row *const row = plan->library[index].said;
    return row ? profile_counted_as(p, row) : p->dwarf.language;
}

/* How many languages libraries are in. */
static uint32_t languages_of(const struct plan *plan)
{
    bool is_there[DEBUG_LANGUAGES] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        is_there[language_of(plan, i)] |= manner_sample_bytes(&plan->library[i]) > 0;
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++)
        count += is_there[i];
    return count;
}

/* How many times larger the library is than it is composed. */
static uint64_t scale_of(const struct plan_library *l)
{
    return l->said && l->said->scale ? l->said->scale : 1;
}

/* Sets the bytes of each library for manner_sample_choose, as in the application also where the plan is one of a model;
 * 0 for those in other languages. */
static void set_bytes(const struct plan *plan, enum debug_language language, uint64_t *bytes)
{
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct plan_library *const l = &plan->library[i];
        bytes[i] = language_of(plan, i) == language ? scale_of(l) * manner_sample_bytes(l) : 0;
    }
}

/* The most bytes of a sample of all languages, as in the application. */
static uint64_t bytes_most(const struct plan *plan)
{
    const uint64_t composed = bytes_of_all(plan);
    double all = 0;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        all += (double)scale_of(&plan->library[i]) * (double)manner_sample_bytes(&plan->library[i]);
    return composed ? (uint64_t)(all / (double)composed * (double)MANNER_SAMPLE_BYTES) : MANNER_SAMPLE_BYTES;
}

/* Large libraries first, so that no thread is left with one when all others have ended. */
static int by_bytes(const void *a, const void *b, void *plan)
{
    const struct plan_library *const library = ((const struct plan *)plan)->library;
    const uint64_t x = manner_sample_bytes(&library[((const struct manner_sampled *)a)->index]);
    const uint64_t y = manner_sample_bytes(&library[((const struct manner_sampled *)b)->index]);
    return (x < y) - (x > y);
}

/* Chooses the libraries of the sample, of each language some; returns how many. `bytes` is room for a number for each
 * library. */
static uint32_t choose(const struct plan *plan, struct manner_sampled *sampled, uint64_t *bytes)
{
    const uint32_t languages = languages_of(plan);
    const uint64_t most = bytes_most(plan);
    uint32_t count = 0;
    for (unsigned i = 0; i < DEBUG_LANGUAGES && languages; i++) {
        set_bytes(plan, i, bytes);
        count += manner_sample_choose(bytes, plan_counted(plan), most / languages, sampled + count);
    }
    return count;
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
    debug_counts_add(&s->counts[worker][language_of(s->plan, sampled->index)], &counts,
                     sampled->times * scale_of(&s->plan->library[sampled->index]));
    return true;
}

bool manner_sample(const struct plan *plan, const struct stock *stock, struct builders *builders,
                   struct debug_counts counts[DEBUG_LANGUAGES], struct error *e)
{
    const size_t room = plan_counted(plan) + (size_t)1;
    struct manner_sampled *const sampled = malloc(room * sizeof *sampled);
    uint64_t *const bytes = malloc(room * sizeof *bytes);
    struct sampling s = {plan, stock, builders, calloc(builders->count, sizeof *s.counts), sampled};
    builders_forget(builders);
    bool ok = s.counts && sampled && bytes;
    if (ok) {
        const uint32_t count = choose(plan, sampled, bytes);
        qsort_r(sampled, count, sizeof *sampled, by_bytes, (void *)plan);
        ok = workers_run(builders->count, count, count_library, &s, e);
    } else
        error_set(e, ERROR_MEMORY, "out of memory");
    memset(counts, 0, DEBUG_LANGUAGES * sizeof *counts);
    for (unsigned i = 0; i < builders->count && ok; i++)
        for (unsigned k = 0; k < DEBUG_LANGUAGES; k++)
            debug_counts_add(&counts[k], &s.counts[i][k], COUNT_ONCE);
    free(s.counts);
    free(sampled);
    free(bytes);
    return ok;
}
