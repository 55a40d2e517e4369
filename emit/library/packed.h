/* Estimates how many bytes zstd -3 makes of some data. This is an implementation of our own, because contents of
 * libraries depend on the result, and versions of libzstd differ.
 *
 * It looks for matches as that level does, and counts what literals and sequences take, block by block, without writing
 * them. For parts of libraries the error is rarely more than 3 %.
 */
#ifndef EMIT_LIBRARY_PACKED_H
#define EMIT_LIBRARY_PACKED_H

#include <stddef.h>
#include <stdint.h>

enum {
    PACKED_LONG_BITS = 17,
    PACKED_SHORT_BITS = 16,
    PACKED_BLOCK = 1 << 17, /* bytes of input whose literals and sequences are coded together */
};

/* Hash tables of the search, for one thread. They can be used again for the next call. */
struct packed_places {
    uint32_t far[1 << PACKED_LONG_BITS], near[1 << PACKED_SHORT_BITS];
};

/* The estimated bytes of a zstd frame with these `size` bytes, which must be less than 4 GiB. */
uint64_t packed_size(const uint8_t *bytes, size_t size, struct packed_places *places);

/* The same, and in *of_first what the first `first` bytes take: a whole number of blocks, fewer than all. */
uint64_t packed_sizes(const uint8_t *bytes, size_t size, size_t first, struct packed_places *places,
                      uint64_t *of_first);

#endif
