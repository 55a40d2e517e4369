/* Chooses which small functions of a library with a row are cold parts of numbered ones (plan_library.cold); see
 * small.h.
 *
 * A cold part has the name of its function with COLD_ENDING behind it. The plan has settled all names' lengths before,
 * so names are matched by their lengths: a function can have a cold part if some name that nobody else decides about
 * has as many characters as the cold part's has to have. That length goes to the cold part, and the length that the
 * cold part had before to the other.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/code.h"
#include "emit/names_row.h"
#include "emit/plan_rows.h"
#include "emit/plan_rows_parts.h"
#include "emit/small.h"

/* The names whose lengths are free to exchange: all that nobody else decides about, but those that two symbols share.
 * These are moved behind the first ones, because small functions have the first ones. */
struct pool {
    uint32_t named;         /* how many names there are */
    uint32_t first, shared; /* two symbols share the names [first, first + shared) */
    uint16_t *length;       /* of all names; owned */
    uint32_t *left;         /* by length: how many names have it; owned */
};

static bool pool_open(struct pool *p, const struct plan_library *l)
{
    p->named = names_row_objects_named(l);
    p->shared = l->shared_names < p->named ? l->shared_names : p->named;
    p->first = rows_smaller(plan_small_local(l), p->named - p->shared);
    p->length = malloc(p->named * sizeof *p->length + 1);
    p->left = calloc(PROFILE_NAME_MOST + 1, sizeof *p->left);
    if (!p->length || !p->left)
        return false;
    memcpy(p->length, l->object_length + p->shared, p->first * sizeof *p->length);
    memcpy(p->length + p->first, l->object_length, p->shared * sizeof *p->length);
    const uint32_t behind = p->first + p->shared;
    memcpy(p->length + behind, l->object_length + behind, (p->named - behind) * sizeof *p->length);
    for (uint32_t i = 0; i < p->named; i++)
        p->left[p->length[i]] += i < p->first || i >= behind;
    return true;
}

static void pool_close(struct pool *p)
{
    free(p->length);
    free(p->left);
}

static uint32_t cold_length(const struct plan *plan, const struct plan_library *l, uint32_t host)
{
    const struct function f = plan_function(l, host);
    return names_function(&plan->names, l, host, &f) + COLD_ENDING_LENGTH;
}

/* Chooses up to `most` functions, evenly spread over those that debug information describes, whose cold parts' names
 * have a length that is left. Takes these lengths out of what is left. Returns how many they are. */
static uint32_t choose_hosts(const struct plan *plan, struct plan_library *l, uint32_t most, struct pool *p)
{
    const uint32_t functions = plan_described(plan, l).most;
    uint32_t count = 0;
    for (uint32_t i = 0; i < functions && count < most; i++) {
        if ((uint64_t)count * functions > (uint64_t)i * most)
            continue;
        const uint32_t length = cold_length(plan, l, i);
        if (length > PROFILE_NAME_MOST || !p->left[length])
            continue;
        p->left[length]--;
        l->cold.host[count++] = i;
    }
    return count;
}

/* Gives cold parts the lengths that they need, and the other names those that are left, in their order. False where a
 * name is then too short. */
static bool name_parts(const struct plan *plan, struct plan_library *l, struct pool *p)
{
    const uint32_t first = l->cold.first - l->small_exported;
    uint32_t of = 0;
    for (uint32_t i = 0; i < p->named; i++) {
        if (i >= first && i - first < l->cold.count) {
            l->object_length[i] = (uint16_t)cold_length(plan, l, l->cold.host[i - first]);
            continue;
        }
        if (i >= p->first && i - p->first < p->shared) {
            l->object_length[i] = p->length[i];
        } else {
            while (!p->left[p->length[of]] || (of >= p->first && of - p->first < p->shared))
                of++;
            p->left[p->length[of]]--;
            l->object_length[i] = p->length[of++];
        }
        if (l->object_length[i] < names_row_object_least(i))
            return false;
    }
    l->shared_first = p->first;
    for (uint32_t i = 0; i < l->cold.count; i++)
        l->cold.mangled += names_row_is_mangled(plan, l, l->cold.host[i]);
    return true;
}

/* How many cold parts there can be: local functions, all with room for a jump, whose names are their own. */
static uint32_t parts_most(const struct plan_library *l, const struct pool *p)
{
    const uint32_t until = rows_smaller(l->small, l->small_exported + p->first);
    uint32_t end = l->cold.first;
    if (l->cold.first < l->small_exported)
        return 0;
    while (end < until && plan_is_packed(l, end) && l->small_size[end] >= CODE_JUMP)
        end++;
    return end - l->cold.first;
}

/* Chooses the cold parts' functions and names. False when memory ran out. */
static bool choose(const struct plan *plan, struct plan_library *l, struct pool *p)
{
    const uint32_t most = parts_most(l, p);
    const size_t names = p->named * sizeof *l->object_length;
    uint16_t *const before = malloc(names + 1);
    l->cold.host = malloc(most * sizeof *l->cold.host + 1);
    if (before && l->cold.host) {
        l->cold.count = choose_hosts(plan, l, most, p);
        memcpy(before, l->object_length, names);
        if (!name_parts(plan, l, p)) {
            l->cold.count = 0;
            memcpy(l->object_length, before, names);
        }
    }
    free(before);
    return before && l->cold.host;
}

bool rows_choose_cold(const struct plan *plan, struct plan_library *l)
{
    struct pool p = {0};
    const bool ok = !l->cold.packed || (pool_open(&p, l) && choose(plan, l, &p));
    pool_close(&p);
    return ok;
}
