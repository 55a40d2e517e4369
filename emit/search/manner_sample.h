/* Counts the entries of a sample of a plan's libraries, large enough to tell what comes of the plan's manner. */
#ifndef EMIT_SEARCH_MANNER_SAMPLE_H
#define EMIT_SEARCH_MANNER_SAMPLE_H

#include "dwarf/unit/count.h"
#include "emit/library/builders.h"

/* Whether a sample can tell: most of the debug information is in libraries that are small enough to be composed in
 * memory. */
bool manner_sample_tells(const struct plan *plan);

#define MANNER_SAMPLE_BYTES UINT64_C(150000000) /* of debug information in a sample, about */

/* A library of a sample. */
struct manner_sampled {
    uint32_t index;
    uint64_t times; /* weight: bytes that it stands for, for each byte of its own, in 1/COUNT_ONCE */
};

/* Bytes of debug information of a library that may be in a sample; 0: it may not. */
uint64_t manner_sample_bytes(const struct plan_library *row);

/* Chooses libraries of `most` bytes, about, at equal distances by bytes, or all where these have no more. `bytes`: of
 * each of the `libraries` libraries; 0 excludes a library. Returns how many are in `sampled`, which has room for all.
 */
uint32_t manner_sample_choose(const uint64_t *bytes, uint32_t libraries, uint64_t most, struct manner_sampled *sampled);

/* Sets `counts` to the entries of a sample, each library weighted by the bytes that it stands for, which in the plan of
 * a model (emit/profile/model.h) are the application's: those of each language of which the profile says them, and of
 * all others together with the profile's language. Settles the mixes of these libraries. */
bool manner_sample(const struct plan *plan, const struct stock *stock, struct builders *builders,
                   struct debug_counts counts[DEBUG_LANGUAGES], struct error *e);

#endif
