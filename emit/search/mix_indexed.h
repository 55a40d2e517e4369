/* The mix of a library whose debug information is in clang's form (indexed.h). The library is settled in the normal
 * form and written again in clang's; then the next try asks for more or less (indexed_aim.h).
 */
#ifndef EMIT_SEARCH_MIX_INDEXED_H
#define EMIT_SEARCH_MIX_INDEXED_H

#include "emit/library/library.h"

struct mix_indexed {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* the thread's */
    uint32_t index;

    /* Settles the mix in the normal form, entries and rows included; `any`: the mix asks for the size of at least
     * one section. */
    bool (*settle)(const void *context, bool any, struct error *e);
    const void *context;
};

/* Refuses a library that is too large for clang's form. The plan's check, before anything is written. */
bool mix_indexed_check(const struct plan_library *l, struct error *e);

/* Sets the library's mix to the best that was tried, or, if no try fits, to the first, which the size pass then
 * refuses. False after another failure. */
bool mix_settle_indexed(const struct mix_indexed *m, struct error *e);

#endif
