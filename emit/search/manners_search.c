/* See manners_search.h. */
#include "emit/search/manners_search.h"

#include "emit/search/manner_fit.h"

bool manners_search_start(struct manners_search *s, const struct profile *p)
{
    bool any = false;
    *s = (struct manners_search){.profile = p};
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++) {
        const struct profile_entries said = profile_entries(p, i);
        s->searched[i] = said.language == i && manner_can_fit(&said);
        s->goes_on[i] = s->searched[i];
        any |= s->searched[i];
    }
    return any;
}

void manners_search_after_model(struct manners_search *s)
{
    (void)manners_search_start(s, s->profile);
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++)
        s->of[i].begins_near = true;
    s->is_best = true;
}

bool manners_search_next(struct manners_search *s, const struct debug_counts *made, struct manners *m)
{
    bool any = false;
    s->is_best = true;
    s->tries++;
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++) {
        const struct profile_entries said = profile_entries(s->profile, i);
        if (!s->searched[i] && made)
            s->of[i].best.counts = made[i];
        if (!s->goes_on[i])
            continue;
        s->goes_on[i] = manner_search_next(&s->of[i], &said, made ? &made[i] : NULL, &m->of[i]);
        s->is_best = s->is_best && s->of[i].is_best;
        any |= s->goes_on[i];
    }
    profile_manners_share(m, s->profile);
    return any;
}

struct debug_counts manners_search_best(const struct manners_search *s)
{
    struct debug_counts all = {.imports = 0};
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++)
        debug_counts_add(&all, &s->of[i].best.counts, COUNT_ONCE);
    return all;
}
