/* From options to a plan that can be met: what comes before a set is made, wherever it goes. */
#ifndef EMIT_PREPARE_H
#define EMIT_PREPARE_H

#include "emit/options.h"
#include "emit/plan.h"
#include "emit/profile.h"
#include "emit/stock.h"

/* In the order of making; freed in the other. */
struct prepared {
    struct profile profile;
    struct stock *stock;
    struct plan plan;
};

/* What cannot be met is refused. Fills o->threads where it is 0, and takes over o->counts where Pynamic's arguments
 * stand for a profile; `o` is borrowed until prepare_free, which is to be called also when this failed. */
bool prepare(struct prepared *p, struct options *o, struct error *e);

/* Takes what is zero, or half-made. */
void prepare_free(struct prepared *p);

#endif
