/* See order.h. */
#include "driver/order.h"

#include <stdlib.h>

#include "base/random.h"

/* Fisher and Yates. */
static void shuffle(size_t *item, size_t count, uint64_t seed)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)(random_at(seed, i) % i);
        size_t kept = item[i - 1];
        item[i - 1] = item[other];
        item[other] = kept;
    }
}

size_t *order_make(const struct run *run, struct order_wish wish)
{
    const struct opened opened = run->opened;
    const struct manifest *m = &run->manifest;
    size_t *order = malloc((opened.count + opened.others + 1) * sizeof *order);
    size_t count = 0;
    if (!order)
        return NULL;
    for (; count < opened.count; count++)
        order[count] = opened.first + count;
    for (size_t i = m->imported; i < m->count && opened.others; i++)
        if (m->libraries[i].opened)
            order[count++] = i;
    const size_t markers = m->modules ? 1 : 0; /* markers in front of the others, and as many behind them */
    const size_t moved = opened.count - 2 * markers;
    if (wish.kind == ORDER_RANDOM)
        shuffle(order + markers, moved, wish.seed);
    if (wish.kind == ORDER_SHIFTED && moved) {
        size_t first = (size_t)((uint64_t)moved * (unsigned)run->ranks.rank / (unsigned)run->ranks.count);
        for (size_t i = 0; i < moved; i++)
            order[markers + i] = opened.first + markers + (first + i) % moved;
    }
    return order;
}
