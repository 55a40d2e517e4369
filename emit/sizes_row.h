/* How large the functions of a library with a row are: as the row says that the application's are.
 */
#ifndef EMIT_SIZES_ROW_H
#define EMIT_SIZES_ROW_H

#include "emit/library.h"

struct drawn_size {
    uint32_t bytes;
    uint32_t places; /* code_align bytes each, in which these stand */
};

/* Sets *drawn to the sizes of the numbered functions, the arena's, or to NULL where nothing is known
 * of sizes. They take at least `least[i]` bytes, in places of whole code_align that are together
 * `units` larger than the smallest. The larger a function has to be, the larger it is; what the sum
 * has more or less than the distribution is the largest ones'. `l` has its glue; sets how far its
 * sizes are apart. False when memory ran out. */
bool sizes_row(struct library *l, const uint32_t *least, uint64_t units, struct arena *arena,
               const struct drawn_size **drawn);

#endif
