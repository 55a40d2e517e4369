/* What the makers of blocks share. block.c makes the code, block_run.c the debug information of runs, block_make.c the
 * stamps and all blocks. block_span.c keeps code until it is described. */
#ifndef EMIT_STOCK_BLOCK_PARTS_H
#define EMIT_STOCK_BLOCK_PARTS_H

#include "base/random.h"
#include "emit/stock/block.h"

enum {
    RUN_MOST = 40, /* bytes of a run, before it is cut at an instruction border */
    RANGES_MOST = 6,
    DEPTH_MOST = 8,                  /* levels of calls inlined into one another */
    CALLS_AROUND = 2,                /* most calls around a call, each of which takes the result of the one inside it */
    PASSED_MOST = 2,                 /* most additional arguments of a call, */
    REFERENCES_MOST = 4,             /* and the same in Fortran */
    BLOCK_BUFFER = BLOCK_MOST + 128, /* bytes: no block has more code while it is made */
};

/* How often things occur in the debug information of programs in one language, as measured on CPython 3.11's extension
 * modules and on Ipopt, compiled by gcc 12. Unless said otherwise, each member is a chance out of 64. */
struct taste {
    uint8_t run_least, run_most; /* bytes */
    uint8_t call, another;       /* a run has a call before it; it has one more */
    uint16_t calls;              /* in C: further calls of a run, in 1/64 of one */
    uint8_t around;              /* a call's result is passed to another call, and so on */
    uint8_t told;                /* a constant that is passed together with a local is described */
    uint16_t passed; /* additional arguments of a call: one for each 64, and the rest is the chance of one more */
    bool references; /* additional arguments are passed by reference, as in Fortran */
    uint8_t ending;  /* a call does not refer to the next entry (dwarf/corpus/manner.h) */
    uint8_t inlined, lexical; /* a run is an inlined call; a lexical block. Other runs have rows only */
    uint8_t deeper, beside;   /* an inlined call has another inside; one more beside that */
    uint8_t across;           /* the inner call has code of several ranges of the outer one */
    uint8_t reach;            /* a run and the calls before it are in one span with the code before them */
    uint8_t late;             /* a later run of a span becomes its inlined call, which then covers all before it */
    uint8_t around_run;       /* an inlined call takes in the code of the span that is around its run */
    uint8_t shared;           /* code around the run of an inlined call is also part of the call inside it */
    uint8_t depth;            /* a number: levels of inlining beyond which another one is rare */
    uint8_t gone;             /* a variable of an inlined call has no location */
    uint8_t constant;         /* a parameter of an inlined call is a constant; only one in 32 may be */
    uint8_t ranges, adjacent; /* an inlined call or block has several ranges, where it can; they are adjacent */
    uint8_t split;            /* a number: how many further ranges these have, in 1/64 of two to four */
    uint8_t passing, events;  /* a variable's list has passages through registers; a number: at most so many of them */
    uint8_t parts, dense_parts; /* a number: out of so many borders, one splits a list entry in two; 0: none does */
    uint16_t constants;         /* in Fortran: constants of a lexical block, in 1/64 of one */
    uint8_t locals;             /* a number: most locals of a lexical block */
    uint8_t within;             /* a part of a lexical block is an inlined call */
    uint8_t partly[2];          /* the list of a parameter of an inlined call, or of another variable, ends before its
                                   code does */
    uint8_t values;             /* a variable of an inlined function is described as a value */
    uint8_t entered;            /* an inlined call has additional rows where it begins */
    bool macros;                /* the code of a call's second argument begins a statement, on the call's line */
};

/* A run of the filler: borders [first, last), at [at, end) of the block. If it is described as an inlined call, the
 * call covers [from, to), which may begin before the run and end behind it. */
struct run {
    uint32_t first, last;
    uint64_t at, end;
    uint64_t from, to;
};

/* Code that is made but not yet described: statements and runs. One of the runs may become an inlined call; the call
 * then covers all of the span. */
enum { SPAN_PIECES = 40, SPAN_ROWS = 160, SPAN_NONE = SPAN_PIECES };
struct span {
    struct span_piece {
        struct run run; /* if it has no borders, the piece is a statement */
        uint32_t row, rows;
    } piece[SPAN_PIECES];
    uint32_t pieces;
    uint32_t inlined; /* the piece that becomes an inlined call; SPAN_NONE: none does */
    struct {
        uint16_t at;
        uint8_t column; /* 0: the row begins the statement */
    } row[SPAN_ROWS];   /* rows of the statements */
    uint32_t rows;
};

/* State that goes on from block to block. */
struct course {
    struct random random;
    uint32_t turn; /* how many runs have got a kind */
    uint32_t late; /* lexical blocks that are due, because an inlined call came first (run_kind) */
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
    uint8_t *start, *p;                 /* code */
    uint16_t operand[BLOCK_BUFFER / 3]; /* where in the code ModRM bytes of locals are */
    uint32_t operands;
    uint32_t target;  /* bytes of code from which on nothing is added */
    uint32_t line;    /* of the source, from 0 */
    uint32_t inlined; /* bytes of code in inlined calls */
    uint32_t ahead;   /* the highest source line that a row of this block may name, apart from statements' own lines */
    /* the stamp and rows that are being made */
    enum block_lists lists;
    enum block_ranges ranges;
    enum block_rows rows;
    /* With BLOCK_ROWS_FEW: whether the code that comes next has a row, because it is an inlined call or because other
     * code goes on there: the code around an inlined call, or the call behind code of its caller. The row begins a
     * statement of the source, or it is inside one. */
    enum { ROW_NONE, ROW_INLINED, ROW_BEGINS, ROW_INSIDE } due;
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

/* Notes what the code [at, end) is in the source, from line `line` on. */
void block_note_add(struct builder *b, struct block_note n, uint64_t at, uint64_t end, uint32_t line);

static inline struct block_note block_note_of(enum block_note_kind kind, const struct run *r)
{
    return (struct block_note){.kind = (uint8_t)kind, .first = (uint16_t)r->first, .last = (uint16_t)r->last};
}

/* How many source lines a run takes beyond its first. */
uint32_t block_run_lines(const struct builder *b, const struct run *r);
/* Writes the rows of a run, from `line` on, in the line program's current file. The run begins a statement (`begins`),
 * or one goes on in it. */
void block_run_rows(struct builder *b, const struct run *r, uint32_t line, bool begins);
/* Writes the row that is due at `at`, if any (b->due). Returns whether other rows are to be written, too. */
bool block_rows_all(struct builder *b, uint64_t at, uint32_t line);
/* Describes a run as an inlined call in the source, with its rows, and with those of what the span has around the
 * run. */
void block_inlined(struct builder *b, const struct run *r);
/* Describes a run as a lexical block with locals. */
void block_lexical(struct builder *b, const struct run *r);

/* The column of a call's second argument. */
enum { BLOCK_ARGUMENT = 16 };

/* block_span.c */
void block_span_begin(struct builder *b);
bool block_span_is_inlined(const struct builder *b);
/* Adds a row for the next instruction of the statement under way. Column 0: the statement begins with it. */
void block_span_row(struct builder *b, uint8_t column);
/* Ends the statement under way, whose code begins at `at`. */
void block_span_statement(struct builder *b, uint64_t at);
void block_span_run(struct builder *b, const struct run *r, bool is_inlined);
/* Describes the code of the span, and begins another span. */
void block_span_end(struct builder *b);
/* A random place in [from, to) where a piece begins, or `to`. Early places are more likely. */
uint64_t block_span_border(struct builder *b, uint64_t from, uint64_t to);
/* Write notes, or rows at line `line` of a header, for the pieces in [from, to), which are around the run of an inlined
 * call. */
void block_span_notes(struct builder *b, uint64_t from, uint64_t to, uint32_t line);
void block_span_rows(struct builder *b, uint64_t from, uint64_t to, uint32_t line);

/* block.c: the usual taste for the corpus's language, changed as its manner says. */
struct taste block_taste(const struct corpus *corpus);
/* Writes the block's code, at least `target` bytes, and composes the stamp that b->lists, ranges and rows name. */
void block_compose(struct builder *b, uint8_t *buffer, uint32_t target);

#endif
