/* Blocks: the stretches of statements that functions are made of.
 *
 * A block is some tens to hundreds of bytes of code, with all that debug information says of it
 * (dwarf/compose/stamp.h). Blocks are made once per process. A block consists of runs of statements over locals
 * (filler.h), accesses to constants and objects, and calls of helpers. Some runs are described as inlined functions of
 * a header or as lexical blocks. A function takes as many blocks as it has room for. Constants, objects and names
 * differ in each copy of a block.
 */
#ifndef EMIT_STOCK_BLOCK_H
#define EMIT_STOCK_BLOCK_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/compose/stamp.h"
#include "emit/stock/filler.h"

enum {
    BLOCKS = 1024,
    BLOCK_LEAST = 40, /* bytes, about */
    BLOCK_MOST = 280,
    BLOCK_HELPERS = 4, /* helpers that its calls choose from */
};

/* With manner.partly: of 64 parameters with a location list, and of 64 other variables, how many are not known up to
 * the end of their scope. In CPython, PETSc, librados and the C library, compiled with gcc -O2, these are 16 to 29 and
 * 41 to 51. */
enum { BLOCK_PARTLY_PARAMETER = 21, BLOCK_PARTLY_VARIABLE = 45 };

/* How much debug information says of a block: location lists of its variables, ranges of its inlined calls and lexical
 * blocks, and rows of the line table. There is a stamp for each combination of lists and ranges. Rows are separate. */
enum block_lists { BLOCK_LISTS_NONE, BLOCK_LISTS_SOME, BLOCK_LISTS_DENSE, BLOCK_LISTS };
enum block_ranges { BLOCK_RANGES_NONE, BLOCK_RANGES_SOME, BLOCK_RANGES };
enum block_rows {
    BLOCK_ROWS_NONE, /* except for the block's first row */
    BLOCK_ROWS_FEW,  /* one where an inlined call begins, and where the code around it or in it goes on */
    BLOCK_ROWS_SOME,
    BLOCK_ROWS_DENSE,
    BLOCK_ROWS
};

/* Blocks are made in parts, which run in parallel. Each part makes the stamps with one kind of lists, and one or two
 * kinds of rows. */
enum { BLOCK_PARTS = BLOCK_LISTS };

/* Each kind of lists exists twice: `near`, with 2-byte offsets, valid in a unit's first 16 KiB only
 * (dwarf/compose/stamp.h); and one that is valid anywhere. */
enum { BLOCK_KINDS = 2 * BLOCK_LISTS };
static inline unsigned block_kind_of(bool near, enum block_lists lists)
{
    return (near ? (unsigned)BLOCK_LISTS : 0) + lists;
}

/* What a 4-byte operand refers to. The operand is relative to the next instruction. */
enum fixup_kind { FIXUP_CONSTANT, FIXUP_SCRATCH, FIXUP_HELPER, FIXUP_OBJECT };
struct fixup {
    uint16_t at;
    uint8_t kind;
    uint8_t number;
};

/* What a stretch of a block's code is in the source text (emit/source/code.c). */
enum block_note_kind {
    NOTE_STATEMENT, /* one statement, on one line */
    NOTE_RUN,       /* a run of the filler, with its lines */
    NOTE_SCOPE,     /* a run in a lexical block; its `count` locals are in the slots slot[] */
    NOTE_INLINED,   /* an inlined call of the header's function `inlined`, with the locals in slot[] as arguments */
    NOTE_AROUND, /* more of an inlined call's code, before or behind its run: a run or, without borders, a statement */
};
struct block_note {
    uint16_t at, end;     /* in the block's code */
    uint16_t line;        /* from the block's first */
    uint16_t first, last; /* borders of a run */
    uint8_t kind, inlined, count;
    uint8_t constants; /* bit j: argument j is the constant slot[j] and not a local */
    uint8_t slot[CORPUS_INLINE_CHILDREN];
};

struct block {
    uint32_t code;     /* offset in either of blocks.bytes.code */
    uint32_t fixup;    /* the first of its fixups */
    uint32_t constant; /* the first of its offsets of 4-byte constants, which differ in each copy */
    uint32_t note;     /* the first of its notes */
    uint16_t size;
    uint16_t fixups, constants, notes;           /* how many */
    uint16_t lines;                              /* source lines that it takes */
    uint16_t info_most, lists_most, ranges_most; /* bytes of the largest of its stamps */
    uint8_t helpers;                             /* bit i: calls helper i */
    uint8_t between;  /* bytes of code between the ranges of inlined calls, which without ranges are in these, too */
    uint16_t inlined; /* bytes of code in inlined calls */
    /* Bytes of its stamps, by which one of them is chosen. They stand side by side because they are read for each block
     * of each function. */
    uint16_t lists_size[BLOCK_KINDS], ranges_size[2][BLOCK_RANGES], rows_size[BLOCK_ROWS];
    /* Each stamp takes one cache line. So do the rows together, and the members above together. */
    alignas(64) struct stamp stamp[BLOCK_KINDS][BLOCK_RANGES];
    struct stamp_rows rows[BLOCK_ROWS];
    struct stamp_rows whole; /* few rows for stamps without ranges: the caller's code between these has none */
};

static_assert(sizeof(struct stamp) == 64 && offsetof(struct block, stamp) == 64 &&
                  BLOCK_ROWS * sizeof(struct stamp_rows) == 64,
              "they are a line each");

/* What all blocks consist of besides stamps. */
struct block_bytes {
    struct bytes code[2];                             /* with locals below %rbp, and below %rbx (frame.h) */
    struct bytes fixups;                              /* struct fixup */
    struct bytes constants;                           /* uint16_t */
    struct bytes notes;                               /* struct block_note */
    bool calls[CORPUS_INLINES * CORPUS_INLINE_LINES]; /* header lines with an inlined call inside another */
};

struct blocks {
    struct block block[BLOCKS];        /* in ascending order of size */
    uint16_t size[BLOCKS];             /* bytes of code of each block, side by side */
    uint16_t fitting[BLOCK_MOST + 64]; /* fitting[n]: how many blocks have at most n bytes of code */
    struct block_bytes bytes;
    struct stamp_store store;
};

/* Whether lists in a unit's first 16 KiB have no base address of their own. Such lists are rare in C++ programs, whose
 * functions are in many sections. */
static inline bool block_has_near(struct dialect d)
{
    return d.language == DWARF_C && !dialect_is_4(d);
}

/* Call on a zeroed struct, before any part is made. False when memory ran out. */
bool blocks_begin(struct blocks *b, struct dialect dialect);
/* Makes one part of all blocks. Part 0 also makes what all parts share. The result follows from the seed. False when
 * memory ran out. */
bool blocks_make(struct blocks *b, unsigned part, const struct filler *filler, const struct corpus *corpus,
                 uint64_t seed);
/* Call when all parts are made: sorts the blocks by size. */
void blocks_finish(struct blocks *b);
void blocks_free(struct blocks *b);

#endif
