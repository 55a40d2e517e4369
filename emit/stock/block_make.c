/* Makes all blocks, and for each block stamps that say more or less of it; see block.h. */
#include "emit/stock/block_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAKES_CODE = 0 };

/* A part under construction. */
struct part {
    struct builder builder;
    unsigned number;
    bool near;
    struct stamp_shelves on;
    struct block_bytes unwanted; /* what only the first part keeps */
};

/* Composes the block from this state of the course. Replaces what was noted of the block when it was composed before,
 * with the same code. */
static void compose_from(struct builder *b, struct course course, uint8_t *buffer, uint32_t target)
{
    b->bytes->fixups.size = b->block->fixup * sizeof(struct fixup);
    b->bytes->constants.size = b->block->constant * sizeof(uint16_t);
    b->bytes->notes.size = b->block->note * sizeof(struct block_note);
    b->block->fixups = b->block->constants = b->block->notes = 0;
    b->course = course;
    block_compose(b, buffer, target);
}

/* The rows that a part makes together with stamps of this kind, and where they go; NULL: none. There are few rows for
 * each of the two kinds. The part that makes some also makes none, and dense ones are made together with stamps without
 * ranges. */
static struct stamp_rows *rows_for(unsigned part, enum block_ranges ranges, struct block *block, enum block_rows *kind)
{
    static_assert((int)BLOCK_PARTS == (int)BLOCK_ROWS - 1, "each kind of rows but one is made in a part");
    const bool leaves_out = ranges == BLOCK_RANGES_NONE;
    *kind = part == MAKES_CODE || leaves_out ? (enum block_rows)(part + 1) : BLOCK_ROWS_NONE;
    if (part == MAKES_CODE && leaves_out)
        return &block->whole;
    return leaves_out || part <= 1 ? &block->rows[*kind] : NULL;
}

/* Makes the part's stamps of a block, and its rows. Leaves the block's code in `buffer`. What else is known of the
 * block is the same in all parts, and goes to b->block, which is the block in one of them. */
static bool make_stamps(struct part *part, struct block *block, uint8_t *buffer, uint32_t target)
{
    struct builder *b = &part->builder;
    const struct course course = b->course;
    uint32_t inlined[BLOCK_RANGES];
    for (unsigned ranges = 0; ranges < BLOCK_RANGES; ranges++) {
        struct stamp_rows *rows = rows_for(part->number, ranges, block, &b->rows);
        b->ranges = ranges;
        compose_from(b, course, buffer, target);
        const struct stamp_wanted wanted = {
            .anywhere = &block->stamp[block_kind_of(false, b->lists)][ranges],
            .near = part->near ? &block->stamp[block_kind_of(true, b->lists)][ranges] : NULL,
            .rows = rows,
        };
        if (!stamp_finish(&b->maker, &part->on, &wanted))
            return false;
        if (rows)
            rows->ahead = (uint16_t)(b->ahead > b->line ? b->ahead - b->line : 0);
        inlined[ranges] = b->inlined;
    }
    b->block->inlined = (uint16_t)inlined[BLOCK_RANGES_SOME];
    b->block->between = (uint8_t)(inlined[BLOCK_RANGES_NONE] - inlined[BLOCK_RANGES_SOME]);
    assert(b->block->inlined + (uint32_t)b->block->between == inlined[BLOCK_RANGES_NONE]);
    return true;
}

/* Keeps what all parts have in common. */
static void keep_code(struct builder *b, struct block *block, const uint8_t *code)
{
    block->lines = (uint16_t)b->line;
    block->size = (uint16_t)here(b);
    uint8_t other[BLOCK_BUFFER];
    filler_by_rbx(other, code, block->size, b->operand, b->operands);
    block->code = (uint32_t)bytes_append(&b->bytes->code[0], code, block->size);
    bytes_append(&b->bytes->code[1], other, block->size);
}

static bool make_block(struct part *part, struct block *block, uint32_t target)
{
    struct builder *b = &part->builder;
    const bool makes_code = part->number == MAKES_CODE;
    struct block unwanted = {.size = 0};
    uint8_t buffer[BLOCK_BUFFER];
    b->block = makes_code ? block : &unwanted;
    b->block->fixup = makes_code ? (uint32_t)(b->bytes->fixups.size / sizeof(struct fixup)) : 0;
    b->block->constant = makes_code ? (uint32_t)(b->bytes->constants.size / sizeof(uint16_t)) : 0;
    b->block->note = makes_code ? (uint32_t)(b->bytes->notes.size / sizeof(struct block_note)) : 0;
    if (!make_stamps(part, block, buffer, target))
        return false;
    assert(here(b) <= sizeof buffer);
    if (makes_code)
        keep_code(b, block, buffer);
    return true;
}

static void free_bytes(struct block_bytes *b)
{
    bytes_free(&b->code[0]);
    bytes_free(&b->code[1]);
    bytes_free(&b->fixups);
    bytes_free(&b->constants);
    bytes_free(&b->notes);
}

bool blocks_begin(struct blocks *all, struct dialect dialect)
{
    const uint32_t kinds = block_has_near(dialect) ? BLOCK_KINDS : BLOCK_LISTS;
    return stamp_store_open(&all->store, BLOCKS * BLOCK_RANGES * kinds);
}

bool blocks_make(struct blocks *all, unsigned number, const struct filler *filler, const struct corpus *corpus,
                 uint64_t seed)
{
    struct part *part = calloc(1, sizeof *part);
    if (!part)
        return false;
    part->number = number;
    part->near = block_has_near(corpus->dialect);
    part->on.anywhere.store = part->on.near.store = &all->store;
    struct builder *b = &part->builder;
    b->bytes = number == MAKES_CODE ? &all->bytes : &part->unwanted;
    b->filler = filler;
    b->taste = block_taste(corpus);
    b->lists = number;
    b->course.random.state = random_mix(seed ^ UINT64_C(0x626c6f636b73));
    bool made = stamp_start(&b->maker, corpus);
    for (uint32_t i = 0; made && i < BLOCKS; i++)
        made = make_block(part, &all->block[i], BLOCK_LEAST + i * (BLOCK_MOST - 64 - BLOCK_LEAST) / BLOCKS);
    for (unsigned i = 0; i < 2; i++)
        made = made && bytes_reserve(&b->bytes->code[i], BYTES_STEP) && !b->bytes->code[i].failed;
    made = made && !b->bytes->fixups.failed && !b->bytes->constants.failed && !b->bytes->notes.failed;
    stamp_maker_free(&b->maker);
    free_bytes(&part->unwanted);
    free(part);
    return made;
}

static int by_size(const void *a, const void *b)
{
    const struct block *x = a;
    const struct block *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code; /* so that the order does not depend on qsort */
}

static uint16_t larger(uint16_t a, uint16_t b)
{
    return a > b ? a : b;
}

/* Notes the sizes of the block's stamps. The size of location lists depends only on their kind, and that of range lists
 * only on their kind and on whether the stamp is near. */
static void note_sizes(struct block *b)
{
    for (unsigned kind = 0; kind < BLOCK_KINDS; kind++) {
        b->lists_size[kind] = b->stamp[kind][0].lists_size;
        for (unsigned ranges = 0; ranges < BLOCK_RANGES; ranges++) {
            const struct stamp *s = &b->stamp[kind][ranges];
            b->ranges_size[kind / BLOCK_LISTS][ranges] = s->ranges_size;
            b->info_most = larger(b->info_most, s->info_size);
            b->lists_most = larger(b->lists_most, s->lists_size);
            b->ranges_most = larger(b->ranges_most, s->ranges_size);
        }
    }
    for (unsigned rows = 0; rows < BLOCK_ROWS; rows++)
        b->rows_size[rows] = b->rows[rows].size;
}

void blocks_finish(struct blocks *all)
{
    for (uint32_t i = 0; i < BLOCKS; i++)
        note_sizes(&all->block[i]);
    qsort(all->block, BLOCKS, sizeof all->block[0], by_size);
    for (uint32_t i = 0; i < BLOCKS; i++)
        all->size[i] = all->block[i].size;
    uint32_t count = 0;
    for (uint32_t size = 0; size < sizeof all->fitting / sizeof all->fitting[0]; size++) {
        while (count < BLOCKS && all->block[count].size <= size)
            count++;
        all->fitting[size] = (uint16_t)count;
    }
}

void blocks_free(struct blocks *all)
{
    free_bytes(&all->bytes);
    stamp_store_free(&all->store);
    memset(all, 0, sizeof *all);
}
