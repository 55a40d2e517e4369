/* The XXH3-128 of a file whose pieces arrive in any order, as they are written.
 *
 * XXH3 takes a long input in blocks of 1 KiB. What a block adds to the eight numbers that
 * it keeps is a sum over the block's bytes, whatever was before; only what is done to them
 * between two blocks has an order. So the sum of a block that a piece has whole is taken
 * when the piece is there, by any thread, and what remains for the end is one step for each
 * block. Blocks that no piece has whole are read back.
 *
 * Sums take a sixteenth of the file, up to DIGEST_SUMS_MOST bytes; what is behind that is
 * read back too. See the specification, doc/xxhash_spec.md of xxHash 0.8: "XXH3 Algorithm
 * Description".
 */
#ifndef EMIT_DIGEST_PIECES_H
#define EMIT_DIGEST_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { DIGEST_BLOCK = 1024, DIGEST_LANES = 8, DIGEST_SUMS_MOST = 96 << 20 };

struct digest_pieces {
    uint64_t size;                 /* of the file, bytes */
    uint64_t blocks;               /* that there is room for, from its beginning on */
    uint64_t (*sum)[DIGEST_LANES]; /* of each; NULL: no room */
    uint8_t *known;                /* for each, whether its sum is there */
};

/* For a file of `size` bytes. It does without sums where memory has run out. Free with
 * digest_pieces_free. */
void digest_pieces_start(struct digest_pieces *d, uint64_t size);

/* What is at `offset` of the file. Any thread, any order, no byte twice. */
void digest_pieces_add(const struct digest_pieces *d, const void *bytes, uint64_t size, uint64_t offset);

/* Reads back `size` bytes at `offset`. */
typedef bool digest_read(const void *context, void *bytes, uint64_t size, uint64_t offset, struct error *e);

/* The digest, high and low half, when all of the file is there. False where it cannot be
 * read, or memory has run out. */
bool digest_pieces_end(const struct digest_pieces *d, digest_read *read, const void *context, uint64_t digest[2],
                       struct error *e);

/* Takes zeroed ones. */
void digest_pieces_free(struct digest_pieces *d);

#endif
