/* The sizes of the numbered functions of a library with a row, as the row says that the application's functions are.
 */
#ifndef EMIT_LIBRARY_SIZES_ROW_H
#define EMIT_LIBRARY_SIZES_ROW_H

#include "emit/library/library.h"

struct drawn_size {
    uint32_t bytes;
    uint32_t places; /* units of code_align bytes that these take */
};

/* Sets *drawn to the sizes of the numbered functions, owned by the arena, or to NULL where nothing is known of sizes.
 * Function i has at least least[i] bytes. All functions together take `units` units of code_align bytes more than the
 * least that they could. Functions that have to be larger get larger sizes; where the sum differs from that of the
 * distribution, the largest functions make up the difference. `l` must have its glue; sets l->sizes_apart. False when
 * memory ran out. */
bool sizes_row(struct library *l, const uint32_t *least, uint64_t units, struct arena *arena,
               const struct drawn_size **drawn);

#endif
