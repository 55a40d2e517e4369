/* Computes results as sums, without running anything. Every call passes constants, so the result of a chain is the sum
 * of what its functions make of theirs; see function.h. */
#include "emit/plan/evaluate.h"

#include <stdio.h>
#include <string.h>

#include "emit/plan/calls_rows.h"

uint64_t evaluate_entry_own(const struct plan_library *l)
{
    return plan_key(l, PURPOSE_ENTRY);
}

uint64_t evaluate_extern(const struct plan_library *l)
{
    return plan_key(l, PURPOSE_EXTERN);
}

/* What function f itself adds when `caller` calls it, without the calls that it makes. */
static uint64_t contribution(const struct constants *c, const struct function *f, uint64_t caller)
{
    uint64_t sum = f->own;
    uint64_t values = call_values(f->hash, caller);
    for (uint32_t j = 0; j < f->count; j++) {
        uint32_t v = call_value(values, j);
        const int64_t value = call_integer(f->type[j], v) + c->value[f->type[j]][call_constant(v)];
        sum += (uint64_t)value * f->weight[j];
    }
    return sum;
}

/* What a call of function `index` returns: the sum over this function and the rest of its chain, none of which calls
 * another library. */
static uint64_t leaf_result(const struct plan *plan, const struct plan_library *l, uint32_t index, uint64_t caller)
{
    uint64_t sum = 0;
    if (plan_is_small(l, index))
        return 0;
    do {
        const struct function f = plan_function(l, index);
        sum += contribution(&plan->constants, &f, caller);
        caller = 0;
        index++;
    } while (index < l->functions && index % plan->depth);
    return sum;
}

/* What the calls of function `index`, which is f, into other libraries return. They are calls of leaves. */
static uint64_t outgoing(const struct plan *plan, const struct plan_library *l, uint32_t index,
                         const struct function *f)
{
    uint64_t sum = 0;
    if (!l->said || index >= l->calls.callers)
        return 0;
    for (uint32_t t = 0; t < l->calls.per_function; t++) {
        const uint32_t call = index * l->calls.per_function + t;
        struct import import;
        if (call >= l->calls.called || !calls_row_import(plan, l, calls_row_called(l, call), &import))
            break;
        sum += leaf_result(plan, &plan->library[import.library], import.function, evaluate_caller(f->hash, t));
    }
    return sum;
}

/* Sets tail[k] to what a call of import k returns beyond what the function itself adds: the results of its own calls
 * and of the rest of its chain. Imports of one chain stand together and share the sums. False when memory ran out. */
static bool sum_tails(const struct plan *plan, const struct calls *calls, struct arena *arena, uint64_t *tail)
{
    uint64_t *sums = arena_take(arena, (plan->depth + UINT64_C(1)) * sizeof *sums); /* from the i-th to the end */
    uint32_t library = UINT32_MAX;
    uint32_t chain = UINT32_MAX;
    if (!sums)
        return false;
    for (uint32_t k = 0; k < calls->import_count; k++) {
        const struct import *import = &calls->import[k];
        const struct plan_library *u = &plan->library[import->library];
        if (plan_is_small(u, import->function)) {
            tail[k] = 0;
            continue;
        }
        if (import->library != library || import->function / plan->depth != chain) {
            library = import->library;
            chain = import->function / plan->depth;
            uint32_t length = plan_chain_length(plan, u, chain);
            sums[length] = 0;
            for (uint32_t i = length; i-- > 0;) {
                struct function f = plan_function(u, chain * plan->depth + i);
                sums[i] = sums[i + 1] + contribution(&plan->constants, &f, 0) +
                          outgoing(plan, u, chain * plan->depth + i, &f);
            }
        }
        const struct function f = plan_function(u, import->function);
        tail[k] = sums[import->function % plan->depth + 1] + outgoing(plan, u, import->function, &f);
    }
    return true;
}

bool evaluate_entry(const struct plan *plan, const struct plan_library *l, const struct calls *calls,
                    const struct function *own, const struct function *imported, struct arena *arena, uint64_t *result)
{
    uint64_t sum = evaluate_entry_own(l);
    uint32_t per = calls->per_function;
    uint64_t *tail = arena_take(arena, (calls->import_count + UINT64_C(1)) * sizeof *tail);
    if (!tail || !sum_tails(plan, calls, arena, tail))
        return false;
    for (uint32_t i = 0; i < l->functions; i++) {
        if (!plan_chain_covered(plan, i / plan->depth))
            continue;
        sum += contribution(&plan->constants, &own[i], 0);
        for (uint32_t t = 0; t < per; t++) {
            uint32_t target = calls->target[(uint64_t)i * per + t];
            if (target != CALLS_NONE)
                sum +=
                    plan->assignment.repeat *
                    (contribution(&plan->constants, &imported[target], evaluate_caller(own[i].hash, t)) + tail[target]);
        }
    }
    int64_t before = plan_extern_called(plan, l);
    if (before >= 0)
        sum += evaluate_extern(&plan->library[before]);
    if (plan_calls_own_extern(plan, l))
        sum += evaluate_extern(l);
    *result = sum;
    return true;
}

void evaluate_constants(struct constants *c, uint64_t seed)
{
    static const char *const texts[] = {"ready",  "running", "done",   "failed", "north", "south", "east",   "west",
                                        "matrix", "vector",  "scalar", "tensor", "mesh",  "field", "coarse", "fine"};
    uint64_t key = random_mix(seed ^ UINT64_C(0x636f6e7374));
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        uint64_t r = random_at(key, i);
        c->f[i] = (float)(1 + (r & 1023)) + (float)(r >> 60) / 16;
        c->d[i] = (double)(1 + ((r >> 10) & 2047)) + (double)((r >> 24) & 255) / 256;
        snprintf(c->text[i], sizeof c->text[i], "%s-%u", texts[i % 16], random_below(r, 1000));
        uint32_t text;
        memcpy(&text, c->text[i], sizeof text);
        c->value[TYPE_INT][i] = c->value[TYPE_LONG][i] = 0;
        c->value[TYPE_FLOAT][i] = (int64_t)c->f[i];
        c->value[TYPE_DOUBLE][i] = (int64_t)c->d[i];
        c->value[TYPE_STRING][i] = text;
    }
}
