/* Makes all blocks, and of each the stamps that tell more or less; see block.h. */
#include "emit/block_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The same block is made for each stamp, from the same randomness; where it is made
 * `again` behind this, that is too. */
static bool make_stamps(struct builder *b, uint8_t *buffer, uint32_t target, bool near, bool again)
{
    enum { PASSES = BLOCK_LISTS * BLOCK_RANGES };
    static_assert((int)PASSES >= (int)BLOCK_ROWS, "each kind of rows is made in a pass");
    const struct random random = b->random;
    struct block *block = b->block;
    struct blocks *all = b->all;
    const size_t fixups = all->fixups.size;
    const size_t constants = all->constants.size;
    const size_t notes = all->notes.size;
    struct stamp(*stamps)[BLOCK_RANGES] = near ? block->near : block->stamp;
    if (!stamp_start(&b->maker, b->maker.composer.corpus, near))
        return false;
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        all->fixups.size = fixups;
        all->constants.size = constants;
        all->notes.size = notes;
        block->fixups = block->constants = block->notes = 0;
        b->random = random;
        b->lists = pass / BLOCK_RANGES;
        b->ranges = pass % BLOCK_RANGES;
        b->rows = pass < BLOCK_ROWS ? pass : BLOCK_ROWS_FEW;
        block_compose(b, buffer, target);
        struct stamp *stamp = &stamps[b->lists][b->ranges];
        if (!stamp_finish(&b->maker, &all->shelf, stamp, !near && pass < BLOCK_ROWS ? &block->rows[pass] : NULL))
            return false;
        if (stamp->info_size > block->info_most)
            block->info_most = stamp->info_size;
        if (stamp->lists_size > block->lists_most)
            block->lists_most = stamp->lists_size;
        if (stamp->ranges_size > block->ranges_most)
            block->ranges_most = stamp->ranges_size;
    }
    if (again) {
        all->fixups.size = fixups;
        all->constants.size = constants;
        all->notes.size = notes;
        b->random = random;
    }
    return true;
}

static bool make_block(struct builder *b, struct block *block, uint32_t target)
{
    uint8_t buffer[BLOCK_MOST + 128];
    struct blocks *all = b->all;
    *block = (struct block){.fixup = (uint32_t)(all->fixups.size / sizeof(struct fixup)),
                            .constant = (uint32_t)(all->constants.size / sizeof(uint16_t)),
                            .note = (uint32_t)(all->notes.size / sizeof(struct block_note))};
    b->block = block;
    const bool has_near = block_has_near(b->maker.composer.corpus->dialect);
    if (has_near && !make_stamps(b, buffer, target, false, true))
        return false;
    if (!make_stamps(b, buffer, target, has_near, false))
        return false;
    block->lines = (uint16_t)b->line;
    block->size = (uint16_t)here(b);
    assert(here(b) <= sizeof buffer);
    block->code = (uint32_t)bytes_append(&all->code, buffer, block->size);
    return true;
}

static int by_size(const void *a, const void *b)
{
    const struct block *x = a;
    const struct block *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code; /* one order, whatever qsort does */
}

bool blocks_make(struct blocks *all, const struct filler *filler, const struct corpus *corpus, uint64_t seed)
{
    memset(all, 0, sizeof *all);
    struct builder *b = calloc(1, sizeof *b);
    if (!b)
        return false;
    b->all = all;
    b->filler = filler;
    b->random.state = random_mix(seed ^ UINT64_C(0x626c6f636b73));
    bool made = stamp_start(&b->maker, corpus, false);
    for (uint32_t i = 0; made && i < BLOCKS; i++)
        made = make_block(b, &all->block[i], BLOCK_LEAST + i * (BLOCK_MOST - 64 - BLOCK_LEAST) / BLOCKS);
    made = made && !all->code.failed && !all->fixups.failed && !all->constants.failed && !all->notes.failed;
    stamp_maker_free(&b->maker);
    free(b);
    if (!made) {
        blocks_free(all);
        return false;
    }
    qsort(all->block, BLOCKS, sizeof all->block[0], by_size);
    uint32_t count = 0;
    for (uint32_t size = 0; size < sizeof all->fitting / sizeof all->fitting[0]; size++) {
        while (count < BLOCKS && all->block[count].size <= size)
            count++;
        all->fitting[size] = (uint16_t)count;
    }
    return true;
}

void blocks_free(struct blocks *all)
{
    bytes_free(&all->code);
    bytes_free(&all->fixups);
    bytes_free(&all->constants);
    bytes_free(&all->notes);
    stamp_shelf_free(&all->shelf);
    memset(all, 0, sizeof *all);
}
