/* See share.h. */
#include "emit/set/share.h"

#include <stdlib.h>

#include "emit/profile/distribution.h"

/* What a rank has to do so far. These form a heap: on top is a rank that has the least, of equals the first rank. */
struct load {
    uint64_t bytes;
    int rank;
};

static bool is_less(const struct load *a, const struct load *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->rank < b->rank;
}

/* Moves the load at `at` down to where it belongs. */
static void sink(struct load *heap, int count, int at)
{
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_less(&heap[child + 1], &heap[child]))
            child++;
        if (!is_less(&heap[child], &heap[at]))
            return;
        const struct load moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

struct weighed {
    uint64_t weight;
    uint32_t item;
};

/* The heaviest first, of equals the first item. */
static int compare_weights(const void *a, const void *b)
{
    const struct weighed *x = a;
    const struct weighed *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->item < y->item ? -1 : 1;
}

static void deal(struct share *s, const struct weighed *sorted, uint32_t count, struct load *heap, int rank, int ranks)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool firsts = sorted[i].weight == SHARE_FIRST;
        if ((firsts ? 0 : heap[0].rank) == rank)
            s->item[s->count++] = sorted[i].item;
        if (firsts)
            continue;
        heap[0].bytes += sorted[i].weight;
        sink(heap, ranks, 0);
    }
    distribution_sort(s->item, s->count);
}

bool share_make(struct share *s, const uint64_t *weight, uint32_t count, uint64_t first, int rank, int ranks)
{
    struct weighed *sorted = calloc((size_t)count + 1, sizeof *sorted);
    struct load *heap = calloc((size_t)ranks, sizeof *heap);
    *s = (struct share){.item = calloc((size_t)count + 1, sizeof *s->item)};
    const bool ok = sorted && heap && s->item;
    for (uint32_t i = 0; ok && i < count; i++)
        sorted[i] = (struct weighed){weight[i], i};
    for (int i = 0; ok && i < ranks; i++)
        heap[i] = (struct load){i == 0 ? first : 0, i};
    if (ok) {
        qsort(sorted, count, sizeof *sorted, compare_weights);
        sink(heap, ranks, 0);
        deal(s, sorted, count, heap, rank, ranks);
    }
    free(sorted);
    free(heap);
    return ok;
}

void share_free(struct share *s)
{
    free(s->item);
    *s = (struct share){.item = NULL};
}
