/* What the two ways to settle a mix share: totals over all libraries (mix.c), and each
 * library's own (mix_rows.c). */
#ifndef EMIT_MIX_PARTS_H
#define EMIT_MIX_PARTS_H

#include "dwarf/unit.h"
#include "emit/plan.h"

struct stock;

/* Convert between the kind of a section and its number; MIX_KINDS for a section of no kind. */
enum debug_section mix_section(enum mix_kind kind);
enum mix_kind mix_kind_of(enum debug_section section);

/* Sizes a library whose mix is as it is to be: only what of it depends on the mix, where the rest has been sized. */
bool mix_size_settled(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                      struct error *e);

/* As mix_settle, where the profile has rows. */
bool mix_settle_rows(struct plan *plan, const struct stock *stock, unsigned threads, struct error *e);

#endif
