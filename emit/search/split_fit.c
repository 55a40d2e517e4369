/* See split_fit.h. */
#include "emit/search/split_fit.h"

#include <stdlib.h>

#include "base/workers.h"
#include "emit/library/files.h"
#include "emit/search/manner_sample.h"
#include "emit/search/mix.h"

/* The sections whose sizes are corrected: before they are split, and in the .dwo files. How many strings files repeat
 * does not follow from the size of .debug_str. */
static const struct {
    enum row_value before, dwo;
    enum split_part part;
} fitted[] = {
    {ROW_MIX_INFO, ROW_DWO_INFO, SPLIT_INFO},
    {ROW_MIX_LOCLISTS, ROW_DWO_LOCLISTS, SPLIT_LISTS},
    {ROW_MIX_RNGLISTS, ROW_DWO_RNGLISTS, SPLIT_RANGES},
};
enum { FITTED = sizeof fitted / sizeof fitted[0] };

/* What came out of one library, or of several together. */
struct outcome {
    double wanted[FITTED], got[FITTED];
};

struct fitting {
    const struct plan *plan;
    const struct stock *stock;
    struct builders *builders;
    struct outcome *outcome; /* of each library; zeroed where it is not in the sample */
    struct manner_sampled *sampled;
};

bool split_fit_is_wanted(const struct plan *plan)
{
    bool any = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        any |= plan->library[i].debug.kept > 0;
    return any;
}

static bool try_library(void *context, unsigned worker, uint32_t number, struct error *e)
{
    const struct fitting *f = context;
    struct builder *const b = &f->builders->of[worker];
    const uint32_t index = f->sampled[number].index;
    const struct profile_row *const said = f->plan->library[index].said;
    struct outcome *const o = &f->outcome[index];
    b->only_sizes = false;
    const bool ok = mix_size(b, f->plan, f->stock, index, e) && library_write(b, e);
    for (unsigned i = 0; ok && i < FITTED; i++) {
        const int64_t wanted = said->captured[fitted[i].dwo];
        o->wanted[i] = wanted > 0 ? (double)wanted : 0;
        o->got[i] = (double)b->library.dwo.part[fitted[i].part];
    }
    return ok;
}

/* What came out of all libraries of the sample that are described in the same language and version. */
static struct outcome outcome_of_alike(const struct fitting *f, const struct plan_library *l)
{
    struct outcome sum = {{0}, {0}};
    for (uint32_t i = 0; i < plan_counted(f->plan); i++) {
        const struct plan_library *const other = &f->plan->library[i];
        if (other->debug.language != l->debug.language || other->debug.version != l->debug.version)
            continue;
        for (unsigned k = 0; k < FITTED; k++) {
            sum.wanted[k] += f->outcome[i].wanted[k];
            sum.got[k] += f->outcome[i].got[k];
        }
    }
    return sum;
}

static void correct_row(struct profile *profile, const struct fitting *f, uint32_t index)
{
    const struct plan_library *const l = &f->plan->library[index];
    const struct outcome *const own = &f->outcome[index];
    const struct outcome o = own->got[0] > 0 ? *own : outcome_of_alike(f, l);
    for (unsigned i = 0; i < FITTED; i++)
        if (o.got[i] > 0 && o.wanted[i] > 0)
            profile_unsplit_again(profile, (uint32_t)(l->said - profile->row), fitted[i].before,
                                  o.wanted[i] / o.got[i]);
}

/* Chooses the libraries of the sample; returns how many. */
static uint32_t choose(const struct plan *plan, struct manner_sampled *sampled, uint64_t *bytes)
{
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct plan_library *const l = &plan->library[i];
        bytes[i] = files_are_split_as_said(l) ? manner_sample_bytes(l) : 0;
    }
    return manner_sample_choose(bytes, plan_counted(plan), MANNER_SAMPLE_BYTES, sampled);
}

bool split_fit(struct profile *profile, const struct plan *plan, const struct stock *stock, struct builders *builders,
               struct error *e)
{
    const size_t count = plan_counted(plan) + (size_t)1;
    uint64_t *const bytes = malloc(count * sizeof *bytes);
    struct fitting f = {plan, stock, builders, calloc(count, sizeof *f.outcome), malloc(count * sizeof *f.sampled)};
    bool ok = bytes && f.outcome && f.sampled;
    builders_forget(builders);
    if (ok)
        ok = workers_run(builders->count, choose(plan, f.sampled, bytes), try_library, &f, e);
    else
        error_set(e, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; ok && i < plan_counted(plan); i++) {
        const struct plan_library *const l = &plan->library[i];
        if (files_are_split_as_said(l))
            correct_row(profile, &f, i);
        else if (l->debug.kept) /* too little for a unit: there is nothing to split */
            profile_unsplit_undo(profile, (uint32_t)(l->said - profile->row));
    }
    free(f.outcome);
    free(f.sampled);
    free(bytes);
    return ok;
}
