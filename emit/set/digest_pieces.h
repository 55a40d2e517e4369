/* The XXH3-128 of a file whose pieces arrive in any order, as they are written.
 *
 * XXH3 takes a long input in blocks of 1 KiB and keeps a state of eight numbers. What a block adds to them depends on
 * the block's bytes alone; only the step between two blocks depends on the order. So any thread computes the sum of a
 * block as soon as a piece that contains the whole block arrives. At the end there is one step for each block. Blocks
 * that no piece contains whole are read back.
 *
 * The sums take a sixteenth of the file's size, up to DIGEST_SUMS_MOST bytes. The part of the file for which there are
 * no sums is read back, too. See doc/xxhash_spec.md of xxHash 0.8, "XXH3 Algorithm Description".
 */
#ifndef EMIT_SET_DIGEST_PIECES_H
#define EMIT_SET_DIGEST_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { DIGEST_BLOCK = 1024, DIGEST_LANES = 8, DIGEST_SUMS_MOST = 96 << 20 };

struct digest_pieces {
    uint64_t size;                 /* of the file, bytes */
    uint64_t blocks;               /* how many blocks, from the file's beginning on, `sum` has room for */
    uint64_t (*sum)[DIGEST_LANES]; /* of each block; NULL: memory ran out */
    uint8_t *known;                /* of each block, whether its sum is known */
};

/* Starts the digest of a file of `size` bytes. If memory runs out, the digest works without sums. Free with
 * digest_pieces_free. */
void digest_pieces_start(struct digest_pieces *d, uint64_t size);

/* Takes the piece at `offset` of the file. Any thread may call it, in any order; no byte may come twice. */
void digest_pieces_add(const struct digest_pieces *d, const void *bytes, uint64_t size, uint64_t offset);

/* Reads back `size` bytes at `offset`. */
typedef bool digest_read(const void *context, void *bytes, uint64_t size, uint64_t offset, struct error *e);

/* Sets `digest` to the high and the low half, when all of the file is there. False with `e` where the file cannot be
 * read or memory ran out. */
bool digest_pieces_end(const struct digest_pieces *d, digest_read *read, const void *context, uint64_t digest[2],
                       struct error *e);

/* Accepts a zeroed struct. */
void digest_pieces_free(struct digest_pieces *d);

#endif
