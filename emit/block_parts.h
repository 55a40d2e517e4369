/* What the makers of blocks share. block.c makes the code, block_run.c the debug information of its runs, block_make.c
 * stamps and the whole stock of blocks; block_span.c keeps what the code is until that is told. */
#ifndef EMIT_BLOCK_PARTS_H
#define EMIT_BLOCK_PARTS_H

#include "base/random.h"
#include "emit/block.h"
#include "emit/code.h"

enum {
    RUN_MOST = 40, /* bytes of a run, before it is cut at an instruction border */
    RANGES_MOST = 6,
    DEPTH_MOST = 8,      /* levels of calls inlined into one another */
    CALLS_AROUND = 2,    /* calls around a call that take its result as an argument, at most */
    PASSED_MOST = 2,     /* additional arguments of a call, at most; */
    REFERENCES_MOST = 4, /* and in Fortran */
};

/* How often things occur in the debug information of programs in one language. Unless said otherwise, each member is a
 * chance out of 64. Measured on CPython 3.11's extension modules and on Ipopt, compiled by gcc 12. */
struct taste {
    uint8_t run_least, run_most; /* bytes */
    uint8_t call, another;       /* a run has a call before it; and has one more */
    uint8_t around;              /* a call's result is passed to another call, and so on */
    uint8_t told;                /* a constant that is passed together with a local is described */
    uint16_t passed;             /* a call has an additional argument; what is beyond 64, a second one, and so on */
    bool references;             /* additional arguments are passed by reference, as in Fortran */
    uint8_t ending;              /* a call does not refer to the next entry (dwarf/manner.h) */
    uint8_t inlined, lexical;    /* a run is an inlined call; or a lexical block; the others have rows only */
    uint8_t deeper, beside;      /* an inlined call has another inside; and one more beside that */
    uint8_t across;              /* the inner call takes part in several ranges of the outer one */
    uint8_t reach;               /* a run, with what is before it, is in one span with what is before that */
    uint8_t late;                /* the inlined call of a span is at a later run, with all before it */
    uint8_t shared;              /* what an inlined call has around its run is in the call inside it too */
    uint8_t depth;               /* levels of inlining beyond which a further one is rare; a number */
    uint8_t gone;                /* a variable of an inlined call has no location */
    uint8_t constant;            /* a parameter of an inlined call is a constant; only one in 32 may be */
    uint8_t ranges, adjacent;    /* an inlined call or block has several ranges, where it may; and they are adjacent */
    uint8_t split;               /* further ranges that these have, in 1/64 of two to four; a number */
    uint8_t passing, events;     /* a variable's list includes passages through registers; of these, the most that it
                                    includes, a number */
    uint8_t parts, dense_parts;  /* out of so many borders, one splits a list entry in two; 0: none does */
    uint16_t constants;          /* in Fortran: constants of a lexical block; 64 are one */
    uint8_t locals;              /* locals of a lexical block, at most; a number */
    uint8_t within;              /* a part of a lexical block is an inlined call */
    uint8_t values;              /* a variable of an inlined function is described as a value */
    uint8_t entered;             /* an inlined call has additional rows where it begins */
    bool macros;                 /* a call's argument begins a statement on the call's line */
};

/* A run of the filler: borders [first, last), at [at, end) of the block. An inlined call that it is told as may begin
 * before it and end behind it: [from, to). */
struct run {
    uint32_t first, last;
    uint64_t at, end;
    uint64_t from, to;
};

/* Code that is made but not yet told: statements and runs, one of which may be an inlined call. That call is then of
 * all of it. */
enum { SPAN_PIECES = 40, SPAN_ROWS = 160, SPAN_NONE = SPAN_PIECES };
struct span {
    struct span_piece {
        struct run run; /* without borders: a statement */
        uint32_t row, rows;
    } piece[SPAN_PIECES];
    uint32_t pieces;
    uint32_t inlined; /* the piece that is an inlined call; SPAN_NONE: none is */
    struct {
        uint16_t at;
        uint8_t column; /* 0: the statement begins */
    } row[SPAN_ROWS];   /* of the statements */
    uint32_t rows;
};

/* Where the making of blocks is. */
struct course {
    struct random random;
    uint32_t turn; /* of kinds of runs */
    uint32_t late; /* lexical blocks that are due */
};

/* A block under construction. */
struct builder {
    struct block_bytes *bytes;
    const struct filler *filler;
    struct stamp_maker maker;
    struct course course;
    struct taste taste;
    struct block *block;
    struct span span;
    uint8_t *start, *p; /* code */
    uint32_t line;      /* of the source, from 0 */
    uint32_t ahead; /* the highest source line that a row of this block may name, apart from statements' own lines */
    /* which of its stamps is being made */
    enum block_lists lists;
    enum block_ranges ranges;
    enum block_rows rows;
    /* where few rows are told, what comes next has one: it is inlined, or what is around that goes on, in the source or
     * in the header */
    enum { ROW_NONE, ROW_INLINED, ROW_SOURCE, ROW_HEADER } due;
};

static inline uint32_t pick(struct builder *b, uint32_t n)
{
    return random_below(random_next(&b->course.random), n);
}

static inline uint64_t here(const struct builder *b)
{
    return (uint64_t)(b->p - b->start);
}

static inline bool likely(struct builder *b, uint8_t share)
{
    return share && (share == 64 || pick(b, 64) < share);
}

/* Notes what the code from `at` to `end` is in the source, from line `line` on. */
void block_note_add(struct builder *b, struct block_note n, uint64_t at, uint64_t end, uint32_t line);

static inline struct block_note block_note_of(enum block_note_kind kind, const struct run *r)
{
    return (struct block_note){.kind = (uint8_t)kind, .first = (uint16_t)r->first, .last = (uint16_t)r->last};
}

/* How many source lines a run takes beyond its first. */
uint32_t block_run_lines(const struct builder *b, const struct run *r);
/* Writes the rows of a run, from `line` on, in the file that the line program is at. With it a statement `begins`, or
 * one goes on. */
void block_run_rows(struct builder *b, const struct run *r, uint32_t line, bool begins);
/* Where few rows are told: one at `at`, if it is due. Returns whether there are others besides. */
bool block_rows_all(struct builder *b, uint64_t at, uint32_t line);
/* Describes a run as an inlined call that stands in the source, with rows, also of what the span has around it. */
void block_inlined(struct builder *b, const struct run *r);
/* Describes a run as a lexical block with locals. */
void block_lexical(struct builder *b, const struct run *r);

/* The column of a call's second argument. */
enum { BLOCK_ARGUMENT = 16 };

/* block_span.c */
void block_span_begin(struct builder *b);
bool block_span_is_inlined(const struct builder *b);
/* A row for the instruction that comes next, of the statement under way, which begins with column 0. */
void block_span_row(struct builder *b, uint8_t column);
/* The statement under way ends; its code begins at `at`. */
void block_span_statement(struct builder *b, uint64_t at);
void block_span_run(struct builder *b, const struct run *r, bool is_inlined);
/* Tells what the span has, and begins another. */
void block_span_end(struct builder *b);
/* A place in [from, to] where a piece begins, or `to`. */
uint64_t block_span_border(struct builder *b, uint64_t from, uint64_t to);
/* Notes, and rows at line `line` of a header, for the pieces in [from, to), which are around an inlined call. */
void block_span_notes(struct builder *b, uint64_t from, uint64_t to, uint32_t line);
void block_span_rows(struct builder *b, uint64_t from, uint64_t to, uint32_t line);

/* block.c: what is usual for the corpus's language, changed as its manner says. */
struct taste block_taste(const struct corpus *corpus);
/* Writes the block's code, at least `target` bytes, and composes the stamp that b->lists, ranges and rows name. */
void block_compose(struct builder *b, uint8_t *buffer, uint32_t target);

#endif
