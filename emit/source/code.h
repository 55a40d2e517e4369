/* Machine code of the statements in functions, as C.
 *
 * The statements of filler.c and block.c are made of few instructions, which are
 * read back one by one: a load begins an expression, arithmetic extends it, a
 * store makes it a statement. What differs from copy to copy (names of locals,
 * constants, addresses) is left open as a hole, so that the text of a block is
 * made once and put as often as the block is.
 */
#ifndef EMIT_SOURCE_CODE_H
#define EMIT_SOURCE_CODE_H

#include "base/bytes.h"
#include "emit/stock/block.h"

/* What is put into a hole. hole.number is n or the slot where these are named, otherwise an offset in the code. */
enum hole_kind {
    HOLE_SLOT = 1,    /* the name of the local in this slot */
    HOLE_LOCAL,       /* the name of the n-th local of the block's scopes */
    HOLE_DECIMAL,     /* the constant of four bytes there */
    HOLE_HEXADECIMAL, /* the constant of four bytes there, in hexadecimal */
    HOLE_OBJECT,      /* the eight bytes in memory that the operand there refers to */
    HOLE_HELPER,      /* the name of the n-th helper */
    HOLE_INLINE,      /* the name of the n-th inline function of the header */
    HOLE_KINDS
};

struct hole {
    uint16_t at; /* in the text */
    uint16_t kind, number;
};

/* Text of whole lines, without the newline of the last one. */
struct statements {
    const char *text;
    const struct hole *hole;
    uint32_t size, holes;
};

/* The text of one stretch of code after another. */
struct code_text {
    const struct filler *filler;
    struct bytes text;
    struct bytes holes;
};

/* Appends the text of a block, of a run of the filler or of a gap of `size` bytes at `code`, and returns it. Its
 * pointers are valid until the next call. */
struct statements code_text_block(struct code_text *t, const struct blocks *blocks, const struct corpus *corpus,
                                  const struct block *block);
struct statements code_text_run(struct code_text *t, uint32_t first, uint32_t last);
struct statements code_text_gap(struct code_text *t, const uint8_t *code, uint32_t size);
void code_text_free(struct code_text *t);

/* The texts of all blocks. */
struct block_texts {
    struct code_text all;
    struct {
        uint32_t text, size, hole, holes;
    } block[BLOCKS];
};

/* False when memory ran out; free with block_texts_free. */
bool block_texts_make(struct block_texts *t, const struct blocks *blocks, const struct filler *filler,
                      const struct corpus *corpus);
void block_texts_free(struct block_texts *t);
struct statements block_texts_of(const struct block_texts *t, uint32_t block);

#endif
