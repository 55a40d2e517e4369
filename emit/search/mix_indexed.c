/* See mix_indexed.h. */
#include "emit/search/mix_indexed.h"

#include <string.h>

#include "emit/library/indexed.h"
#include "emit/library/indexed_aim.h"
#include "emit/search/mix_parts.h"

/* Sizes the library in the normal form, contents included, and translates it to clang's form. */
static bool translate(const struct mix_indexed *m, struct error *e)
{
    m->builder->only_sizes = false;
    return mix_size_settled(m->builder, m->plan, m->stock, m->index, e) && indexed_translate(m->builder, e);
}

static struct plan_mix *mix_of(const struct mix_indexed *m)
{
    return &m->plan->mix[m->index];
}

/* The most bytes of debug information. INDEXED_MOST is in clang's form, because the library is in memory in both
 * forms. NORMAL_MOST is in the normal form, which is longer and has offsets of 32 bits. */
#define INDEXED_MOST (UINT64_C(1) << 30)
#define NORMAL_MOST  (UINT64_C(3) << 30)

/* `mixed`: single sections are to have the row's sizes. */
static void start_aim(const struct mix_indexed *m, bool mixed, struct indexed_aim *aim)
{
    const struct plan_library *const l = &m->plan->library[m->index];
    uint64_t wanted[INDEXED_SECTIONS] = {0};
    if (mixed)
        indexed_wanted(m->plan, l, wanted);
    indexed_aim_start(aim, l->size[SIZE_DEBUG], wanted, indexed_said(m->plan, l, ROW_MIX_LINE),
                      indexed_said(m->plan, l, ROW_MIX_LINE_STR), (uint64_t)DEBUG_ARANGES_UNIT * l->debug.units,
                      l->debug.language == LANGUAGE_CPP);
}

/* One try. Where the last try was near, the library is not settled again: only sizes change, and how functions are
 * told stays. False after a failure other than that sizes do not go together, which `own` has. */
static bool try_aim(const struct mix_indexed *m, const struct plan_mix *unsettled, struct indexed_aim *aim,
                    struct error *own)
{
    struct plan_mix *const mix = mix_of(m);
    const bool is_near = aim->is_near;
    if (!is_near)
        *mix = *unsettled;
    memcpy(mix->size, aim->size, sizeof mix->size);
    mix->normal = aim->normal;
    if (aim->normal > NORMAL_MOST)
        error_set(own, ERROR_INFEASIBLE, "more than can be composed");
    else if ((is_near || m->settle(m->context, aim->size[DEBUG_INFO] != DEBUG_ANY, own)) && translate(m, own)) {
        uint64_t got[INDEXED_SECTIONS];
        indexed_sizes(m->builder, got);
        indexed_aim_note(aim, m->builder->library.debug.size, got, indexed_total(m->builder));
        return true;
    }
    indexed_aim_failed(aim);
    return own->code == ERROR_INFEASIBLE;
}

/* Finds sizes in the normal form with which clang's form has the wanted sizes or a little less. */
static bool settle_tries(const struct mix_indexed *m, struct indexed_aim *aim, struct error *e)
{
    const struct plan_mix unsettled = *mix_of(m);
    struct plan_mix best = unsettled;
    best.normal = aim->normal;
    while (indexed_aim_goes_on(aim)) {
        struct error own = {0};
        if (!try_aim(m, &unsettled, aim, &own)) {
            if (e)
                *e = own;
            return false;
        }
        if (aim->is_best)
            best = *mix_of(m);
    }
    *mix_of(m) = best;
    return true;
}

/* Where nothing fits that has the row's sizes of single sections, tries without these. */
static bool settle_any(const struct mix_indexed *m, struct error *e)
{
    struct indexed_aim aim;
    start_aim(m, true, &aim);
    if (!settle_tries(m, &aim, e))
        return false;
    if (indexed_aim_fits(&aim) || !aim.is_mixed)
        return true;
    start_aim(m, false, &aim);
    return settle_tries(m, &aim, e);
}

bool mix_indexed_check(const struct plan_library *l, struct error *e)
{
    return l->size[SIZE_DEBUG] <= INDEXED_MOST ||
           error_set(e, ERROR_INFEASIBLE,
                     "sections: debug: %s.so would have %llu bytes, with 'compiler: clang' one library at most %llu; "
                     "use more modules or utilities, or 'compiler: gcc'",
                     l->name, (unsigned long long)l->size[SIZE_DEBUG], (unsigned long long)INDEXED_MOST);
}

bool mix_settle_indexed(const struct mix_indexed *m, struct error *e)
{
    m->builder->is_normal = true;
    const bool ok = settle_any(m, e);
    m->builder->is_normal = false;
    return ok;
}
