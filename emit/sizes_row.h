/* How large the functions of a library with a row are: as the row says that the application's are.
 */
#ifndef EMIT_SIZES_ROW_H
#define EMIT_SIZES_ROW_H

#include "emit/library.h"

/* The sizes of the numbered functions, which take at least `least[i]` bytes, in places of whole
 * CODE_ALIGN that are together `units` larger than the smallest. Sets size[i], and place[i] in
 * CODE_ALIGN. The larger a function has to be, the larger it is; what the sum has more or less than
 * the distribution is the largest ones'. `l` has its glue; sets how far its sizes are apart. *drawn is
 * false where nothing is known of sizes, and then nothing is set. False when memory ran out. */
bool sizes_row(struct library *l, const uint32_t *least, uint64_t units, struct arena *arena, uint32_t *size,
               uint32_t *place, bool *drawn);

#endif
