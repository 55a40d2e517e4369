/* What entries the libraries of a plan have: of so many that they tell how its manner comes out. */
#ifndef EMIT_MANNER_SAMPLE_H
#define EMIT_MANNER_SAMPLE_H

#include "dwarf/count.h"
#include "emit/library.h"

/* Sets *counts to those of every so manieth library, whose mixes it settles, with up to `threads` threads. Libraries
 * that are written piece by piece are left out. */
bool manner_sample(const struct plan *plan, const struct stock *stock, unsigned threads, struct debug_counts *counts,
                   struct error *e);

#endif
