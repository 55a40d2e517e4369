/* What entries the libraries of a plan have: of so many that they tell how its manner comes out. */
#ifndef EMIT_MANNER_SAMPLE_H
#define EMIT_MANNER_SAMPLE_H

#include "dwarf/count.h"
#include "emit/library.h"

/* Whether most of the debug information is in libraries that can be in a sample: not in such as would be too large to
 * be composed in memory. */
bool manner_sample_tells(const struct plan *plan);

/* A library of a sample. */
struct manner_sampled {
    uint32_t index;
    uint64_t times; /* in 1/COUNT_ONCE: for how many bytes, of each of its own, it stands */
};

/* Chooses those of `libraries` libraries that stand at equal distances by bytes, `bytes` of each, 0 of such as cannot
 * be chosen: all where there are few bytes. Returns how many, in `sampled`, which has room for all. */
uint32_t manner_sample_choose(const uint64_t *bytes, uint32_t libraries, struct manner_sampled *sampled);

/* Sets *counts to those of a sample of libraries, whose mixes it settles, with up to `threads` threads: of those that
 * stand at equal distances, by bytes, each for all that are nearest to it. */
bool manner_sample(const struct plan *plan, const struct stock *stock, unsigned threads, struct debug_counts *counts,
                   struct error *e);

#endif
