/* Sizing a library that may be large; see large.h. */
#include "emit/library/large.h"

bool large_size_again(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                      struct error *e)
{
    struct large large = {.builder = b};
    b->only_sizes = true;
    b->large = large_is(plan, &plan->library[index]) ? &large : NULL;
    const bool again = b->loaded.row == &plan->library[index];
    const bool sized = again ? library_size_again(b, e) : library_size(b, plan, stock, index, e);
    b->large = NULL;
    b->library.watch = NULL;
    return sized;
}

bool large_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e)
{
    b->loaded.row = NULL;
    return large_size_again(b, plan, stock, index, e);
}
