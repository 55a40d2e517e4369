/* Settles libraries again, for another stock; see mix.h. */
#include <string.h>

#include "base/apart.h"
#include "emit/library/describe.h"
#include "emit/search/mix_rows_parts.h"

/* Whether a result is nearer to the row than another: entries in all are, and those of functions hardly farther, or the
 * former are hardly farther and the latter nearer. */
static bool is_nearer(const struct mix_entries *wanted, const struct settled *s, const struct settled *than)
{
    enum { LITTLE = 128 };
    const uint64_t dies = apart(s->dies, wanted->dies);
    const uint64_t dies_than = apart(than->dies, wanted->dies);
    const uint64_t defined = apart(s->defined, wanted->defined);
    const uint64_t defined_than = apart(than->defined, wanted->defined);
    return (dies < dies_than && defined <= defined_than + wanted->defined / LITTLE) ||
           (defined < defined_than && dies <= dies_than + wanted->dies / LITTLE);
}

/* Tells less of functions where there are too few entries in all, because calls take more bytes than what replaces
 * them, or too many of functions. False where nothing is to change. */
static bool tell_less(const struct mix_entries *wanted, const struct settled *now, struct plan_mix *mix)
{
    enum { LITTLE = 64, LEAST = 4 };
    const uint64_t lacks = now->dies < wanted->dies ? wanted->dies - now->dies : 0;
    const uint64_t over = wanted->defined && now->defined > wanted->defined ? now->defined - wanted->defined : 0;
    const uint64_t of_dies = lacks > wanted->dies / LITTLE ? now->mix.told * lacks * 2 / wanted->dies + 1 : 0;
    const uint64_t of_defined = over > wanted->defined / LITTLE ? now->mix.told * over / now->defined + 1 : 0;
    const uint64_t less = of_dies > of_defined ? of_dies : of_defined;
    mix->told = now->mix.told > less + LEAST ? (uint32_t)(now->mix.told - less) : LEAST;
    return mix->told < now->mix.told;
}

/* Tells more of functions where these have too few entries, by so many that locals should not make up for all of them,
 * and there is room for more. False where nothing is to change. */
static bool tell_more(const struct mix_entries *wanted, const struct settled *now, struct plan_mix *mix)
{
    enum { MANY = 64 };
    const uint64_t lacks = now->defined < wanted->defined ? wanted->defined - now->defined : 0;
    const uint64_t more = now->defined ? now->mix.told * lacks / now->defined : 0;
    const uint64_t told = now->mix.told + more < DESCRIBE_TOLD_ALL ? now->mix.told + more : DESCRIBE_TOLD_ALL;
    mix->told = (uint32_t)told;
    return lacks > wanted->defined / MANY && now->dies >= wanted->dies && told > now->mix.told;
}

/* The mix to begin with: as much is told as before, and no locals are added. Asks for the sizes that came out before,
 * which go together; but not where clang's form is to come out of other sizes each time, or those were a model's. */
static struct plan_mix first_mix(const struct settling *s, const struct mix_before *before)
{
    struct plan_mix mix = before->settled.mix;
    mix.besides = 0;
    if (s->builder->is_normal || mix_is_scaled(s, before)) {
        memcpy(mix.size, s->mix->size, sizeof mix.size);
        mix.normal = s->mix->normal;
    }
    return mix;
}

/* Settles the library with a mix. Takes the result as the best if it is the first (best->mix.told is 0) or nearer;
 * `taken`: whether it is. False after a failure other than that sizes do not go together, which `own` has. */
static bool try_mix(const struct settling *s, const struct mix_entries *wanted, const struct plan_mix *mix,
                    struct settled *best, bool *taken, struct error *own)
{
    struct settled now;
    *s->mix = *mix;
    const bool fits = mix_settle_sections(s, &now, own);
    *taken = fits && (!best->mix.told || is_nearer(wanted, &now, best));
    if (*taken)
        *best = now;
    return fits || own->code == ERROR_INFEASIBLE;
}

bool mix_settle_as_before(const struct settling *s, const struct mix_before *before, struct settled *best,
                          struct error *own)
{
    enum { TRIES = 3 };
    const struct mix_entries wanted = mix_entries_wanted(s);
    const struct plan_mix asked = *s->mix;
    struct settling again = *s;
    struct plan_mix mix = first_mix(s, before);
    bool taken = true;
    again.start = &before->settled.end;
    again.roughly = true;
    *best = (struct settled){.mix.told = 0};
    for (unsigned i = 0; i < TRIES && taken; i++) {
        if (!try_mix(&again, &wanted, &mix, best, &taken, own))
            return false;
        if (mix_is_scaled(s, before)) /* what goes together is known from here on */
            memcpy(mix.size, best->mix.size, sizeof mix.size);
        taken = taken && best->dies && (tell_less(&wanted, best, &mix) || (!i && tell_more(&wanted, best, &mix)));
    }
    if (!best->mix.told)
        return false;
    if (best->dies && best->defined < wanted.defined) {
        mix.told = best->mix.told;
        mix.besides = mix_besides(&mix, wanted.defined, wanted.defined - best->defined);
        if (!try_mix(&again, &wanted, &mix, best, &taken, own))
            return false;
    }
    best->met = mix_met(best->mix.size, asked.size);
    *s->mix = best->mix;
    return true;
}
