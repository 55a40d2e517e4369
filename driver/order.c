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
    const size_t count = run->manifest.imported;
    size_t *order = malloc((count + 1) * sizeof *order);
    if (!order)
        return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (count < 2)
        return order;
    const size_t modules = count - 2;
    if (wish.kind == ORDER_RANDOM)
        shuffle(order + 1, modules, wish.seed);
    if (wish.kind == ORDER_SHIFTED && modules) {
        size_t first = (size_t)((uint64_t)modules * (unsigned)run->ranks.rank / (unsigned)run->ranks.count);
        for (size_t i = 0; i < modules; i++)
            order[1 + i] = 1 + (first + i) % modules;
    }
    return order;
}
