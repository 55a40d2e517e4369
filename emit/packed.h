/* How many bytes zstd -3 would make of something, by a reckoning of our own: what libraries are made from follows from
 * it, and libzstd's versions differ.
 *
 * It looks for matches as that level does, and counts what literals and sequences take, block by block, without
 * writing them. Of parts of libraries it is 3 % off at most, as a rule.
 */
#ifndef EMIT_PACKED_H
#define EMIT_PACKED_H

#include <stddef.h>
#include <stdint.h>

enum { PACKED_LONG_BITS = 17, PACKED_SHORT_BITS = 16 };

/* What a search remembers; of one thread, and used again for the next. */
struct packed_places {
    uint32_t far[1 << PACKED_LONG_BITS], near[1 << PACKED_SHORT_BITS];
};

/* Bytes of a frame of these, less than 4 GiB. */
uint64_t packed_size(const uint8_t *bytes, size_t size, struct packed_places *places);

#endif
