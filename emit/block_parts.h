/* What the makers of blocks share: block.c what a block consists of, block_make.c
 * its stamps and all blocks. */
#ifndef EMIT_BLOCK_PARTS_H
#define EMIT_BLOCK_PARTS_H

#include "base/random.h"
#include "emit/block.h"

/* A block under construction. */
struct builder {
    struct blocks *all;
    const struct filler *filler;
    struct stamp_maker maker;
    struct random random;
    const struct taste *taste;
    struct block *block;
    uint8_t *start, *p; /* code */
    uint32_t line;      /* of the source, from 0 */
    /* what is told of it this time */
    enum block_lists lists;
    enum block_ranges ranges;
    enum block_rows rows;
};

static inline uint64_t block_builder_size(const struct builder *b)
{
    return (uint64_t)(b->p - b->start);
}

/* Its code of at least `target` bytes, and what is told of it this time. */
void block_compose(struct builder *b, uint8_t *buffer, uint32_t target);

#endif
