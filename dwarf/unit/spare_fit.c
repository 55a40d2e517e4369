/* See spare_fit.h. */
#include "dwarf/unit/spare_fit.h"

#include "base/apart.h"

enum {
    SUMS = 3,
    ROUNDS = SPARE_SORTS, /* columns: the sorts, rounds, and declarations with usual and with the longest names */
    NAMED,
    LONGEST,
    COLUMNS,
    ASIDE_NAMED = 8,   /* declarations set aside at first */
    ASIDE_OTHERS = 12, /* constants, and pointers, set aside at first */
    ASIDES = 4         /* tries, each with half as many as the one before */
};

struct column {
    double sum[SUMS];
};

static struct column column_of(struct spare_item item)
{
    return (struct column){{(double)item.bytes, (double)item.dies, (double)item.attributes}};
}

static struct spare_item named_with(const struct spare_wanted *w, uint64_t extra)
{
    return (struct spare_item){w->named.bytes + extra, w->named.dies, w->named.attributes};
}

/* Each column is one item; that of rounds is an average round. */
static void columns_of(const struct spare_wanted *w, struct column column[COLUMNS])
{
    for (unsigned i = 0; i < SPARE_SORTS; i++)
        column[i] = column_of(w->sort[i]);
    column[ROUNDS] = column_of(w->rounds(w->context, w->rounds_most));
    for (unsigned i = 0; i < SUMS && w->rounds_most; i++)
        column[ROUNDS].sum[i] /= (double)w->rounds_most;
    column[NAMED] = column_of(named_with(w, w->usual));
    column[LONGEST] = column_of(named_with(w, w->most));
}

static double determinant(const struct column *a, const struct column *b, const struct column *c)
{
    return a->sum[0] * (b->sum[1] * c->sum[2] - b->sum[2] * c->sum[1]) -
           b->sum[0] * (a->sum[1] * c->sum[2] - a->sum[2] * c->sum[1]) +
           c->sum[0] * (a->sum[1] * b->sum[2] - a->sum[2] * b->sum[1]);
}

/* How much of each of three columns makes up the sums; false if there is no such mix. */
static bool solve(const struct column *const of[SUMS], const struct column *sums, double much[SUMS])
{
    const double whole = determinant(of[0], of[1], of[2]);
    if (whole == 0)
        return false;
    much[0] = determinant(sums, of[1], of[2]) / whole;
    much[1] = determinant(of[0], sums, of[2]) / whole;
    much[2] = determinant(of[0], of[1], sums) / whole;
    return much[0] >= 0 && much[1] >= 0 && much[2] >= 0;
}

/* Subtracts `times` items from *all; false if *all has fewer. */
static bool take(struct spare_item *all, struct spare_item of, uint64_t times)
{
    if (of.bytes * times > all->bytes || of.dies * times > all->dies || of.attributes * times > all->attributes)
        return false;
    *all = (struct spare_item){all->bytes - of.bytes * times, all->dies - of.dies * times,
                               all->attributes - of.attributes * times};
    return true;
}

/* Adds `named` declarations, and makes up what they leave with constants, which have one attribute, and pointers, which
 * have two. False if that is not exact, or more than *w allows. */
static bool close_with(const struct spare_wanted *w, struct spare_item left, uint64_t named, struct spare_fitted *f)
{
    if (!take(&left, w->named, named) || left.attributes < left.dies || left.attributes > 2 * left.dies)
        return false;
    const uint64_t twos = left.attributes - left.dies;
    const uint64_t ones = left.dies - twos;
    if (!take(&left, w->sort[SPARE_SORT_CONST], ones) || !take(&left, w->sort[SPARE_SORT_POINTER], twos))
        return false;
    f->sort[SPARE_SORT_CONST] += ones;
    f->sort[SPARE_SORT_POINTER] += twos;
    f->named += named;
    f->extra += left.bytes;
    return f->named && f->named <= w->named_most && f->extra <= w->most * f->named &&
           f->sort[SPARE_SORT_CONST] + f->sort[SPARE_SORT_POINTER] + f->sort[SPARE_SORT_VARIABLE] <= w->few_most;
}

/* Makes up exactly what is left, with the number of declarations whose names come nearest to the usual length. */
static bool close(const struct spare_wanted *w, struct spare_item left, struct spare_fitted *f)
{
    const struct spare_fitted before = *f;
    uint64_t best = UINT64_MAX;
    for (uint64_t named = 0; named <= left.dies; named++) {
        struct spare_fitted now = before;
        if (!close_with(w, left, named, &now) || apart(now.extra, w->usual * now.named) >= best)
            continue;
        best = apart(now.extra, w->usual * now.named);
        *f = now;
    }
    return best != UINT64_MAX;
}

/* Takes whole numbers of the columns `of`, and makes up exactly what they leave. */
static bool fit_columns(const struct spare_wanted *w, const unsigned of[SUMS], const double much[SUMS],
                        struct spare_fitted *f)
{
    struct spare_item left = w->all;
    *f = (struct spare_fitted){0};
    for (unsigned i = 0; i < SUMS; i++) {
        const uint64_t count = (uint64_t)much[i];
        bool fits = true;
        if (of[i] < SPARE_SORTS) {
            f->sort[of[i]] = count;
            fits = count * w->sort[of[i]].dies <= w->sort_most && take(&left, w->sort[of[i]], count);
        } else if (of[i] == ROUNDS) {
            f->rounds = count;
            fits = take(&left, w->rounds(w->context, count), 1);
        } else {
            const uint64_t extra = of[i] == NAMED ? w->usual : w->most;
            f->named += count;
            f->extra += count * extra;
            fits = take(&left, named_with(w, extra), count);
        }
        if (!fits)
            return false;
    }
    return close(w, left, f);
}

/* Of all triples of columns from `first` on, takes the one with the most rounds. `sums` is without what is set aside.
 */
static bool fit_beside(const struct spare_wanted *w, struct spare_item sums, unsigned first,
                       struct spare_fitted *fitted)
{
    struct column column[COLUMNS];
    const struct column all = column_of(sums);
    bool found = false;
    columns_of(w, column);
    for (unsigned i = first; i < COLUMNS; i++)
        for (unsigned j = i + 1; j < COLUMNS; j++)
            for (unsigned k = j + 1; k < COLUMNS; k++) {
                const struct column *const of[SUMS] = {&column[i], &column[j], &column[k]};
                const unsigned which[SUMS] = {i, j, k};
                double much[SUMS];
                struct spare_fitted now;
                if (!solve(of, &all, much) || !fit_columns(w, which, much, &now))
                    continue;
                if (!found || now.rounds > fitted->rounds)
                    *fitted = now;
                found = true;
            }
    return found;
}

bool spare_fit(const struct spare_wanted *w, struct spare_fitted *fitted)
{
    if (!w->sort[SPARE_SORT_CONST].dies || !w->sort[SPARE_SORT_POINTER].dies)
        return false;
    for (unsigned i = 0; i < 2 * ASIDES; i++) {
        /* the first sorts only where nothing else will do */
        const unsigned first = i < ASIDES ? SPARE_SORT_VARIABLE + 1 : SPARE_SORT_CONST;
        const unsigned halves = i % ASIDES;
        struct spare_item sums = w->all;
        if (take(&sums, named_with(w, w->usual), ASIDE_NAMED >> halves) &&
            take(&sums, w->sort[SPARE_SORT_CONST], ASIDE_OTHERS >> halves) &&
            take(&sums, w->sort[SPARE_SORT_POINTER], ASIDE_OTHERS >> halves) && fit_beside(w, sums, first, fitted))
            return true;
    }
    return false;
}
