/* Declarations shared by the two ways to settle a mix: by totals over all libraries (mix.c), and by each library's
 * own row (mix_rows.c). */
#ifndef EMIT_SEARCH_MIX_PARTS_H
#define EMIT_SEARCH_MIX_PARTS_H

#include "dwarf/unit/unit.h"
#include "emit/library/builders.h"
#include "emit/plan/plan.h"

/* Convert between a kind and its section; the second returns MIX_KINDS for a section without a kind. */
enum debug_section mix_section(enum mix_kind kind);
enum mix_kind mix_kind_of(enum debug_section section);

/* Sizes a library whose mix is settled. If the builder has sized this library before, sizes only what depends on the
 * mix. */
bool mix_size_settled(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                      struct error *e);

/* As mix_settle, for profiles with rows and for clang's form. */
bool mix_settle_rows(struct plan *plan, const struct stock *stock, struct builders *builders, struct error *e);

#endif
