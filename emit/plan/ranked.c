/* See ranked.h. */
#include "emit/plan/ranked.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

void ranked_sort(struct ranked *ranked, size_t count)
{
    qsort(ranked, count, sizeof *ranked, by_value);
}
