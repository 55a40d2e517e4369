/* The mix of a library whose debug information is in clang's form (indexed.h): found by settling it in the normal form,
 * writing that again, and asking for more or less of it (indexed_aim.h).
 */
#ifndef EMIT_MIX_INDEXED_H
#define EMIT_MIX_INDEXED_H

#include "emit/library.h"

struct mix_indexed {
    const struct plan *plan;
    const struct stock *stock;
    struct builder *builder; /* the thread's */
    uint32_t index;

    /* Settles the mix in the normal form: entries and rows, where `any` section has a size that is asked for. */
    bool (*settle)(const void *context, bool any, struct error *e);
    const void *context;
};

/* False after a failure other than that sizes do not go together: then the mix is what came nearest, or, where nothing
 * fits, what is tried first, which the size pass refuses. */
bool mix_settle_indexed(const struct mix_indexed *m, struct error *e);

#endif
