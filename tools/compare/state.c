/* Which state a difference has, and lists of quantities; see compare.h. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"

const char *const compare_state_names[STATES] = {"equal", "within", "told", "off"};
const char *const compare_method_names[] = {[METHOD_EXACT] = "values",
                                            [METHOD_BUCKETS] = "buckets",
                                            [METHOD_QUANTILES] = "quantiles",
                                            [METHOD_SHARES] = "shares"};

/* A number that differs by exactly the tolerance is within, although 0.29 * 100, say, is less than 29 in a double. */
enum compare_state compare_number_state(uint64_t real, uint64_t twin, double tolerance)
{
    const double rounding = 1 + 1e-12;
    if (real == twin)
        return STATE_EQUAL;
    return fabs((double)twin - (double)real) <= tolerance * (double)real * rounding ? STATE_WITHIN : STATE_OFF;
}

/* Quantiles show a whole step of distance where hardly any value differs. So a distance that equals the tolerance is
 * within for quantiles, and off otherwise. */
enum compare_state compare_distance_state(double distance, enum compare_method method, double tolerance)
{
    const double rounding = method == METHOD_QUANTILES ? 1e-9 : -1e-9;
    return distance <= 0 ? STATE_EQUAL : distance < tolerance + rounding ? STATE_WITHIN : STATE_OFF;
}

static bool is_left_out(const struct compare_options *o, const char *name)
{
    for (size_t i = 0; i < o->withouts; i++)
        if (fnmatch(o->without[i], name, 0) == 0)
            return true;
    return false;
}

void compare_add(const struct comparison *c, struct compare_list *list, const struct compare_quantity *q)
{
    if (is_left_out(&c->compare->options, q->name))
        return;
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->of = report_must(realloc(list->of, list->room * sizeof *list->of));
    }
    list->states[q->state]++;
    list->of[list->count++] = *q;
}
