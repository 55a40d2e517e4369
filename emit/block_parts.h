/* What the makers of blocks share: block.c their code, block_run.c what is told of its
 * runs, block_make.c stamps and all blocks. */
#ifndef EMIT_BLOCK_PARTS_H
#define EMIT_BLOCK_PARTS_H

#include "base/random.h"
#include "emit/block.h"
#include "emit/code.h"

enum {
    RUN_MOST = 40, /* bytes of a run, before it is cut at a border */
    RANGES_MOST = 6,
    DEPTH_MOST = 8,   /* of calls inlined into one another */
    CALLS_AROUND = 2, /* that are passed another's result, at most */
    PASSED_MOST = 2,  /* arguments besides */
};

/* How programs in a language are told: shares out of 64. Measured on CPython
 * 3.11's extension modules and on Ipopt, compiled by gcc 12. */
struct taste {
    uint8_t run_least, run_most; /* bytes */
    uint8_t call, another;       /* a call before a run; and one more */
    uint8_t around;              /* its result is passed to another, and so on */
    uint8_t told;                /* a constant that is passed with a local is */
    uint8_t passed;              /* an argument more; beyond 64 another */
    uint8_t ending;              /* a call does not refer to the next entry (dwarf/manner.h) */
    uint8_t inlined, lexical;    /* of runs; the others are told by rows only */
    uint8_t deeper, beside;      /* an inlined call has another in it; one more beside that */
    uint8_t across;              /* the other has several of the ranges that it has itself */
    uint8_t depth;               /* beyond which it rarely has */
    uint8_t gone;                /* a variable of it is in no known place */
    uint8_t constant;            /* one in 64, if this */
    uint8_t ranges, adjacent;    /* it has several ranges, if it may; with nothing between them */
    uint8_t passing, events;     /* its list tells of passages through registers, so many at most */
    uint8_t parts, dense_parts;  /* borders of which one divides an entry of a list in two; 0: none */
    uint8_t locals;              /* of a lexical block, at most */
    uint8_t callees;             /* an inlined function calls one, once in so many another; 0: any */
    uint8_t within;              /* of a lexical block's parts: calls that were inlined */
    uint8_t values;              /* of inlined functions' variables: told as values */
    uint8_t entered;             /* an inlined call has rows where it begins */
};

/* A block under construction. */
struct builder {
    struct block_bytes *bytes;
    const struct filler *filler;
    struct stamp_maker maker;
    struct random random;
    struct taste taste;
    struct block *block;
    uint8_t *start, *p; /* code */
    uint32_t line;      /* of the source, from 0 */
    uint32_t ahead; /* the last of the source that there is a row of, or that might be, beside those of statements */
    /* what is told of it this time */
    enum block_lists lists;
    enum block_ranges ranges;
    enum block_rows rows;
};

static inline uint32_t pick(struct builder *b, uint32_t n)
{
    return random_below(random_next(&b->random), n);
}

static inline uint64_t here(const struct builder *b)
{
    return (uint64_t)(b->p - b->start);
}

static inline bool likely(struct builder *b, uint8_t share)
{
    return share && (share == 64 || pick(b, 64) < share);
}

/* A run of the filler: borders [first, last), at [at, end) of the block. */
struct run {
    uint32_t first, last;
    uint64_t at, end;
};

/* What the code from `at` to `end` is in the source, from `line` on. */
void block_note_add(struct builder *b, struct block_note n, uint64_t at, uint64_t end, uint32_t line);

static inline struct block_note block_note_of(enum block_note_kind kind, const struct run *r)
{
    return (struct block_note){.kind = (uint8_t)kind, .first = (uint16_t)r->first, .last = (uint16_t)r->last};
}

/* Lines of the source that a run takes after its first. */
uint32_t block_run_lines(const struct builder *b, const struct run *r);
/* Its rows, from `line` on of whatever file is set. */
void block_run_rows(struct builder *b, const struct run *r, uint32_t line);
/* Tells it to be a call of the source that was inlined, with rows. */
void block_inlined(struct builder *b, const struct run *r);
/* Or a block with locals. */
void block_lexical(struct builder *b, const struct run *r);

/* block.c: what is usual for the language, with the corpus's manner. */
struct taste block_taste(const struct corpus *corpus);
/* Its code of at least `target` bytes, and what is told of it this time. */
void block_compose(struct builder *b, uint8_t *buffer, uint32_t target);

#endif
