/* The distributions over a set: samples, degrees of the graph, names of DWARF; see compare.h. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "tools/compare/compare.h"
#include "tools/compare/distance.h"

static void add(struct comparison *c, struct compare_quantity *q, bool is_told)
{
    q->type = TYPE_DISTANCE;
    q->state = compare_distance_state(q->distance, q->method, c->compare->options.tolerance);
    if (q->state == STATE_OFF && (is_told || compare_is_untold_of_set(c, q) || compare_is_told_of_all(c, q)))
        q->state = STATE_TOLD;
    compare_add(c, &c->set, q);
}

/* Of a few values chance decides how they are distributed, so pyelfgen does not judge it. */
static bool are_few(const struct compare_quantity *q)
{
    return q->number[REAL] < QUANTILES_LEAST || q->number[TWIN] < QUANTILES_LEAST;
}

/* Whether what is off in the set is of libraries that the quantiles of none show to be off: of those with a few values,
 * which are not judged, or of one that is told to be off. Quantiles are right to a step only. */
static bool is_told_of_some(const struct comparison *c, const struct compare_quantity *q)
{
    const struct compare_side *twin = &c->side[TWIN];
    struct compare_quantity told = *q;
    size_t judged = 0;
    for (int s = 0; s < STATES; s++)
        judged += q->libraries[s];
    told.libraries[STATE_TOLD] += judged < c->pairs.count;
    for (size_t i = 0; q->method == METHOD_BUCKETS && i < twin->rows && !told.libraries[STATE_TOLD]; i++)
        told.libraries[STATE_TOLD] = twin->row[i].name && compare_is_told_distance(c, twin->row[i].name, q->name);
    return compare_is_told_of_all(c, &told);
}

/* ---- samples ---- */

/* All values of a side, ascending; NULL where not all are known. */
static uint32_t *gather(const struct compare_side *side, enum compare_sample of, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < side->rows; i++) {
        if (!side->row[i].samples[of])
            return NULL;
        *count += side->row[i].samples[of]->count;
    }
    uint32_t *all = report_must(malloc((*count + 1) * sizeof *all));
    size_t at = 0;
    for (size_t i = 0; i < side->rows; i++) {
        const struct samples *s = side->row[i].samples[of];
        if (s->count)
            memcpy(all + at, s->value, s->count * sizeof *all);
        at += s->count;
    }
    qsort(all, *count, sizeof *all, order_u32);
    return all;
}

static uint64_t items(const struct histogram *h)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        sum += h->count[i];
    return sum;
}

/* Whether both sides say how the values are distributed. Where one does not, notes that; the distribution is then not
 * compared. */
static bool say_both(struct comparison *c, const char *name, const uint64_t number[SIDES])
{
    for (int s = 0; s < SIDES; s++) {
        if (number[s] || c->side[s].captured || !number[!s])
            continue;
        compare_be_silent(c, name, s);
        return false;
    }
    return true;
}

static void add_samples(struct comparison *c, enum compare_sample of, const size_t states[STATES])
{
    size_t count[SIDES];
    struct compare_quantity q = {.name = compare_sample_names[of]};
    uint32_t *real = gather(&c->side[REAL], of, &count[REAL]);
    uint32_t *twin = gather(&c->side[TWIN], of, &count[TWIN]);
    const struct histogram *h[SIDES] = {&c->side[REAL].histogram[of], &c->side[TWIN].histogram[of]};
    for (int s = 0; s < SIDES; s++)
        q.number[s] = items(h[s]);
    q.method = real && twin ? METHOD_EXACT : METHOD_BUCKETS;
    q.distance = real && twin ? distance_of_values(real, count[REAL], twin, count[TWIN])
                              : distance_of_histograms(h[REAL], h[TWIN]);
    memcpy(q.libraries, states, sizeof q.libraries);
    if (say_both(c, q.name, q.number) && (q.number[REAL] || q.number[TWIN]))
        add(c, &q, c->told && (are_few(&q) || is_told_of_some(c, &q)));
    free(real);
    free(twin);
}

/* ---- the graph ---- */

uint32_t *compare_degrees(const struct compare_side *side, bool inward)
{
    uint32_t *degree = report_must(calloc(side->rows + 1, sizeof *degree));
    for (size_t i = 0; i < side->rows; i++) {
        for (size_t j = 0; inward && j < side->row[i].edges; j++)
            degree[side->row[i].edge[j].to]++;
        if (!inward)
            degree[i] = (uint32_t)side->row[i].edges;
    }
    qsort(degree, side->rows, sizeof *degree, order_u32);
    return degree;
}

static void add_degree(struct comparison *c, const char *name, bool inward)
{
    const size_t rows[SIDES] = {c->side[REAL].rows, c->side[TWIN].rows};
    struct compare_quantity q = {.name = name, .method = METHOD_EXACT, .number = {rows[REAL], rows[TWIN]}};
    uint32_t *real = compare_degrees(&c->side[REAL], inward);
    uint32_t *twin = compare_degrees(&c->side[TWIN], inward);
    q.distance = distance_of_values(real, rows[REAL], twin, rows[TWIN]);
    add(c, &q, false);
    free(real);
    free(twin);
}

/* ---- names of DWARF ---- */

size_t compare_join(const struct compare_side sides[SIDES], enum compare_tally_of of, struct compare_joined **joined)
{
    const struct compare_tally *real = &sides[REAL].tally[of];
    const struct compare_tally *twin = &sides[TWIN].tally[of];
    struct compare_joined *all = report_must(calloc(real->count + twin->count + 1, sizeof *all));
    size_t count = 0;
    for (size_t i = 0, j = 0; i < real->count || j < twin->count; count++) {
        int order = i == real->count ? 1 : j == twin->count ? -1 : strcmp(real->of[i].name, twin->of[j].name);
        all[count].name = order <= 0 ? real->of[i].name : twin->of[j].name;
        all[count].count[REAL] = order <= 0 ? real->of[i++].count : 0;
        all[count].count[TWIN] = order >= 0 ? twin->of[j++].count : 0;
    }
    *joined = all;
    return count;
}

/* Whether what all libraries say in DWARF is known of both sides. Notes where it is not. */
static bool describe_all(struct comparison *c, const char *name)
{
    for (int s = 0; s < SIDES; s++) {
        bool any = false;
        for (size_t i = 0; i < c->side[s].rows; i++)
            any |= c->side[s].row[i].undescribed;
        if (!any)
            continue;
        compare_be_silent(c, name, s);
        return false;
    }
    return true;
}

static void add_tally(struct comparison *c, enum compare_tally_of of, bool sampled)
{
    struct compare_quantity q = {.name = compare_tally_names[of], .method = METHOD_SHARES, .sampled = sampled};
    struct compare_joined *joined;
    size_t count = compare_join(c->side, of, &joined);
    uint64_t *counts[SIDES];
    for (int s = 0; s < SIDES; s++) {
        counts[s] = report_must(calloc(count + 1, sizeof *counts[s]));
        for (size_t i = 0; i < count; i++) {
            counts[s][i] = joined[i].count[s];
            q.number[s] += joined[i].count[s];
        }
    }
    q.distance = distance_of_shares(counts[REAL], counts[TWIN], count);
    const bool both = q.number[REAL] && q.number[TWIN];
    const bool asked = both || (of < COMPARE_WHOLE_TALLIES && count && !compare_is_unknown(c, GROUP_DWARF));
    if (asked && describe_all(c, q.name) && say_both(c, q.name, q.number))
        add(c, &q, false);
    free(counts[REAL]);
    free(counts[TWIN]);
    free(joined);
}

void compare_distributions(struct comparison *c, size_t states[COMPARE_SAMPLES][STATES])
{
    bool sampled = false;
    for (int s = 0; s < COMPARE_SAMPLES; s++)
        add_samples(c, (enum compare_sample)s, states[s]);
    if (compare_has_graph(&c->side[REAL]) && compare_has_graph(&c->side[TWIN])) {
        add_degree(c, "degree.needs", false);
        add_degree(c, "degree.needed-by", true);
    }
    for (int s = 0; s < SIDES; s++) {
        for (size_t i = 0; i < c->side[s].rows; i++)
            sampled |= c->side[s].row[i].sampled;
    }
    for (int t = 0; t < COMPARE_TALLIES; t++)
        add_tally(c, (enum compare_tally_of)t, sampled);
}
