/* From options to a plan: the common beginning of all programs that make a set. */
#ifndef EMIT_PREPARE_H
#define EMIT_PREPARE_H

#include "emit/library/builders.h"
#include "emit/options.h"
#include "emit/plan/plan.h"
#include "emit/profile/profile.h"
#include "emit/stock/profile_manner.h"
#include "emit/stock/stock.h"

/* What `prepare` makes. */
struct prepared {
    struct profile profile;
    struct stock *stock;
    struct plan plan;
    struct manners manners;    /* how headers and blocks are made: as the profile says, or as was found */
    struct mix_before *before; /* where the manner is searched for (mix.h); else NULL */
    bool has_manner;           /* that search has ended */
    bool is_found;             /* nothing is searched for, as the profile has what was found (settled.h) */
    struct builders builders;  /* o->threads of them, which further steps may use */
};

/* Fails where the profile cannot be met. Sets o->threads if it is 0. Takes over o->counts if Pynamic's arguments were
 * given instead of a profile. `o` is borrowed until prepare_free, which must be called after a failure, too. */
bool prepare(struct prepared *p, struct options *o, struct error *e);

/* Accepts a zeroed or half-made struct. */
void prepare_free(struct prepared *p);

#endif
