/* Chooses which small functions of a library with a row are cold parts of numbered ones (plan_library.cold); see
 * small.h.
 *
 * A cold part has the name of its function with COLD_ENDING behind it. The plan has settled all names' lengths before,
 * so names are matched by their lengths: a function can have a cold part if some name that nobody else decides about
 * has as many characters as the cold part's has to have. That length goes to the cold part, and the length that the
 * cold part had before to the other.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emit/library/code.h"
#include "emit/library/small.h"
#include "emit/plan/names_row.h"
#include "emit/solve/rows.h"
#include "emit/solve/rows_parts.h"

/* Names of small functions and static objects, whose lengths are free to exchange. Small functions have the first ones.
 * Those that several symbols share stand behind. */
struct pool {
    uint32_t named;   /* how many names there are */
    uint32_t first;   /* how many, from the first on, one symbol has */
    uint32_t kept;    /* how many, from there on, keep their lengths, because two symbols have them */
    uint16_t *length; /* of all names; owned */
    uint32_t *left;   /* by length: how many names have it that are free; owned */
    int64_t more;     /* characters that cold parts take beyond the lengths that they got */
};

/* With `wide` a few names are reused, each about so many times, as `__func__.0` is. Their lengths stand for those of
 * all names that two symbols had, so that more names may be exchanged. */
enum { WIDE_EACH = 64 };

static bool is_kept(const struct pool *p, uint32_t number)
{
    return number >= p->first && number - p->first < p->kept;
}

/* Keeps the first `shared` lengths, those of names that two symbols have. */
static void keep_all(struct pool *p, const struct plan_library *l, uint32_t shared)
{
    p->kept = shared;
    p->first = shared < p->named ? rows_smaller(plan_small_local(l), p->named - shared) : 0;
    memcpy(p->length, l->names.object_length + shared, p->first * sizeof *p->length);
    memcpy(p->length + p->first, l->names.object_length, shared * sizeof *p->length);
    const uint32_t behind = p->first + shared;
    memcpy(p->length + behind, l->names.object_length + behind, (p->named - behind) * sizeof *p->length);
}

/* Keeps a few of the first `shared` lengths, evenly spread by length, for the last names. */
static void keep_few(struct pool *p, const struct plan_library *l, uint32_t shared)
{
    uint32_t of_length[PROFILE_NAME_MOST + 1] = {0}; /* how many of the first lengths are so long; then those kept */
    p->kept = shared ? rows_smaller((l->names.shared - 1) / WIDE_EACH + 1, shared) : 0;
    p->first = p->named - p->kept;
    for (uint32_t i = 0; i < shared; i++)
        of_length[l->names.object_length[i]]++;
    for (uint32_t length = 0, seen = 0, kept = 0; length <= PROFILE_NAME_MOST; length++) {
        seen += of_length[length];
        for (of_length[length] = 0; (kept * UINT64_C(2) + 1) * shared < UINT64_C(2) * p->kept * seen; kept++) {
            p->length[p->first + kept] = (uint16_t)length;
            of_length[length]++;
        }
    }
    for (uint32_t i = 0, at = 0; i < p->named; i++) {
        if (i < shared && of_length[l->names.object_length[i]])
            of_length[l->names.object_length[i]]--;
        else
            p->length[at++] = l->names.object_length[i];
    }
}

static bool pool_open(struct pool *p, const struct plan_library *l, bool wide)
{
    *p = (struct pool){.named = names_row_objects_named(l)};
    p->length = malloc(p->named * sizeof *p->length + 1);
    p->left = calloc(PROFILE_NAME_MOST + 1, sizeof *p->left);
    if (!p->length || !p->left)
        return false;
    (wide ? keep_few : keep_all)(p, l, rows_smaller(l->names.shared, p->named));
    for (uint32_t i = 0; i < p->named; i++)
        p->left[p->length[i]] += !is_kept(p, i);
    return true;
}

static void pool_close(struct pool *p)
{
    free(p->length);
    free(p->left);
}

/* The functions that may have cold parts, those that debug information describes: how many characters the part's name
 * would have. */
struct hosts {
    uint32_t count;
    uint16_t *length; /* owned */
};

static bool hosts_measure(struct hosts *h, const struct plan *plan, const struct plan_library *l)
{
    static_assert(PROFILE_NAME_MOST + COLD_ENDING_LENGTH <= UINT16_MAX, "lengths have 16 bits");
    h->count = plan_described(plan, l).most;
    h->length = malloc((h->count + (size_t)1) * sizeof *h->length);
    for (uint32_t i = 0; h->length && i < h->count; i++) {
        const struct function f = plan_function(l, i);
        h->length[i] = (uint16_t)(names_function(&plan->names, l, i, &f) + COLD_ENDING_LENGTH);
    }
    return h->length;
}

/* A way to match names with lengths: how many characters these may be apart, struct pool's `wide`, and how many
 * parts there may be. */
struct way {
    uint32_t apart;
    bool wide;
    uint32_t most; /* parts */
};

/* Takes the length that is nearest to `length`, and at most `apart` from it. Of two, it is the one after which the sum
 * of all is nearer to what it was. False where there is none. */
static bool take_length(struct pool *p, uint32_t length, uint32_t apart)
{
    const int64_t side = p->more > 0 ? 1 : -1;
    for (int64_t by = 0; by <= (int64_t)apart; by++) {
        for (unsigned i = 0; i < 2; i++) {
            const int64_t found = (int64_t)length + (i ? -side : side) * by;
            if (found < 0 || found > PROFILE_NAME_MOST || !p->left[found])
                continue;
            p->left[found]--;
            p->more += (int64_t)length - found;
            return true;
        }
    }
    return false;
}

/* Chooses up to `most` functions, evenly spread, whose cold parts' names have about a length that is left. Returns how
 * many they are. */
static uint32_t choose_hosts(struct plan_library *l, const struct hosts *h, uint32_t most, uint32_t apart,
                             struct pool *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->count && count < most; i++) {
        if ((uint64_t)count * h->count > (uint64_t)i * most)
            continue;
        if (h->length[i] <= PROFILE_NAME_MOST && take_length(p, h->length[i], apart))
            l->cold.host[count++] = i;
    }
    return count;
}

static bool is_part(const struct plan_library *l, uint32_t number)
{
    const uint32_t first = l->cold.first - l->small.exported;
    return number >= first && number - first < l->cold.count;
}

/* Shortens or lengthens names that neither are cold parts' nor kept, all about alike, so that all names take as many
 * bytes as before. False where that is impossible. */
static bool make_up(struct plan_library *l, const struct pool *p)
{
    int64_t more = p->more;
    uint32_t others = p->named - p->kept - l->cold.count;
    for (uint32_t i = 0; i < p->named; i++) {
        if (is_part(l, i) || is_kept(p, i))
            continue;
        const int64_t is = l->names.object_length[i];
        const int64_t least = names_row_object_least(i);
        const int64_t share = more / (int64_t)others--;
        const int64_t length = is - (share ? share : (more > 0) - (more < 0));
        l->names.object_length[i] = (uint16_t)(length < least               ? least
                                               : length > PROFILE_NAME_MOST ? PROFILE_NAME_MOST
                                                                            : length);
        more -= is - l->names.object_length[i];
    }
    return !more;
}

/* Gives cold parts the lengths that they need, and the other names those that are left, in their order. False where
 * that is impossible. */
static bool name_parts(struct plan_library *l, const struct hosts *h, struct pool *p)
{
    uint32_t of = 0;
    for (uint32_t i = 0, part = 0; i < p->named; i++) {
        if (is_part(l, i)) {
            l->names.object_length[i] = h->length[l->cold.host[part++]];
        } else if (is_kept(p, i)) {
            l->names.object_length[i] = p->length[i];
        } else {
            while (!p->left[p->length[of]] || is_kept(p, of))
                of++;
            p->left[p->length[of]]--;
            l->names.object_length[i] = p->length[of++];
        }
        if (l->names.object_length[i] < names_row_object_least(i))
            return false;
    }
    return make_up(l, p);
}

/* How many of the local small functions are better left, because they are to have mangled names that no function's cold
 * part would have. Some have names too short for that. */
static uint32_t left_mangled(const struct plan *plan, const struct plan_library *l)
{
    const bool has_others = names_are_mangled(&plan->names, l) || l->names.mangled;
    const uint32_t others = plan_small_local(l) - rows_smaller(l->cold.packed / 2, plan_small_local(l));
    return has_others ? 0 : rows_smaller(2 * (uint32_t)rows_value_or(l->said, ROW_MANGLED, 0), others);
}

/* How many cold parts there can be: local functions, all with room for a jump, whose names are their own. */
static uint32_t parts_most(const struct plan *plan, const struct plan_library *l, const struct pool *p)
{
    const uint32_t until = rows_smaller(l->small.count, l->small.exported + p->first);
    const uint32_t left = left_mangled(plan, l);
    uint32_t end = l->cold.first;
    if (l->cold.first < l->small.exported)
        return 0;
    while (end < until && plan_is_packed(l, end) && l->small.size[end] >= CODE_JUMP)
        end++;
    return rows_smaller(end - l->cold.first, plan_small_local(l) - left);
}

/* Chooses the cold parts' functions and names. Where these are not as many as wanted and `last` is not set, nothing but
 * the number is set. False when memory ran out. */
static bool choose(const struct plan *plan, struct plan_library *l, const struct hosts *h, const struct way *way,
                   bool last)
{
    struct pool p;
    const bool ok = pool_open(&p, l, way->wide);
    const size_t names = p.named * sizeof *l->names.object_length;
    uint16_t *const before = malloc(names + 1);
    if (ok && before) {
        memcpy(before, l->names.object_length, names);
        l->cold.count = choose_hosts(l, h, rows_smaller(parts_most(plan, l, &p), way->most), way->apart, &p);
        if (!name_parts(l, h, &p))
            l->cold.count = 0;
        if (l->cold.count && (l->cold.count == l->cold.packed || last))
            l->names.shared_first = p.first;
        else
            memcpy(l->names.object_length, before, names);
    }
    free(before);
    pool_close(&p);
    return ok && before;
}

/* Finds the way that gives the most parts, and goes it. */
static bool choose_best(const struct plan *plan, struct plan_library *l, const struct hosts *h)
{
    enum { LESS = 4 /* each time there are to be one part in so many less */ };
    struct way best = {0};
    uint32_t count = 0;
    for (uint32_t most = l->cold.packed; most > count; most -= most / LESS + 1) {
        const struct way ways[] = {{16, false, most}, {16, true, most}, {0, false, most}};
        for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            if (!choose(plan, l, h, &ways[i], false))
                return false;
            if (l->cold.count == l->cold.packed)
                return true;
            best = l->cold.count > count ? ways[i] : best;
            count = l->cold.count > count ? l->cold.count : count;
        }
    }
    return choose(plan, l, h, &best, true);
}

bool rows_choose_cold(const struct plan *plan, struct plan_library *l)
{
    struct hosts h = {0};
    if (!l->cold.packed)
        return true;
    l->cold.host = malloc(l->cold.packed * sizeof *l->cold.host);
    const bool ok = l->cold.host && hosts_measure(&h, plan, l) && choose_best(plan, l, &h);
    for (uint32_t i = 0; ok && i < l->cold.count; i++)
        l->cold.mangled += names_row_is_mangled(plan, l, l->cold.host[i]);
    free(h.length);
    return ok;
}
