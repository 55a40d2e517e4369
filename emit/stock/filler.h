/* What functions do besides calling: statements over their locals.
 *
 * One long run of x86-64 code is made per process, with its line program. Every function copies pieces of it, cut at
 * borders between instructions; each copy has other constants. The statements load, combine and store locals (8-byte
 * slots below %rbp, alternately long and double) in %rax, %rcx, %rdx, %xmm0 and %xmm1. Their forward branches never
 * leave a piece. The same code exists for functions whose locals are below %rbx (frame.h).
 */
#ifndef EMIT_STOCK_FILLER_H
#define EMIT_STOCK_FILLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/form/line.h"
#include "emit/stock/frame.h"

enum {
    FILLER_BYTES = 1 << 15,
    FILLER_BORDERS_MOST = FILLER_BYTES / 3 + 1,
    FILLER_GAP_MOST = 31, /* bytes: the longest gap that is left behind a function's last piece */
    FILLER_SLOTS = 9,     /* locals at -56(%rbp), -64(%rbp), ... -120(%rbp) */
    FILLER_SLOT_FIRST = -56,
};

/* A stretch of code during which a local's value is also in a register: from a load to the end of the next
 * instruction, or during a store. */
struct filler_event {
    uint16_t start, end; /* in code */
    uint8_t slot;
    bool stored; /* the event is a store; false: a load by the instruction before */
    uint8_t reg; /* DWARF's number (psABI figure 3.36) */
};

enum { FILLER_EVENTS_MOST = FILLER_BYTES / 4, FILLER_NO_EVENT = UINT16_MAX };

struct filler {
    uint8_t code[2][FILLER_BYTES + 16];           /* with locals below %rbp, and below %rbx */
    bool one_row;                                 /* see filler_make */
    uint32_t borders;                             /* border k: where a piece may begin or end */
    uint16_t offset[FILLER_BORDERS_MOST];         /* of border k in code */
    uint16_t at[FILLER_BYTES + 1];                /* the last border at or before a byte */
    uint16_t line[FILLER_BORDERS_MOST];           /* source lines before border k */
    uint8_t rows[FILLER_BORDERS_MOST * 36];       /* the line program: a row for each border but the first */
    uint8_t dense_rows[FILLER_BORDERS_MOST * 40]; /* a line program with more rows at each border */
    bool statement[FILLER_BORDERS_MOST];          /* whether the row of border k begins a statement */
    uint32_t row[FILLER_BORDERS_MOST];            /* where the row of border k begins in rows[] */
    uint32_t dense_row[FILLER_BORDERS_MOST];      /* where the rows of border k begin in dense_rows[] */
    uint32_t rows_before[FILLER_BORDERS_MOST];    /* how many rows are before that of border k */
    uint32_t dense_rows_before[FILLER_BORDERS_MOST];
    uint16_t operand[FILLER_BYTES / 3];          /* where in code ModRM bytes of locals are */
    uint16_t operand_first[FILLER_BORDERS_MOST]; /* the first of them at or after border k */
    uint16_t patch[FILLER_BYTES / 4];            /* where 4-byte constants are */
    uint16_t patch_first[FILLER_BORDERS_MOST];   /* the first of them at or after border k */
    uint32_t events;
    struct filler_event event[FILLER_EVENTS_MOST];           /* in the order of `start` */
    uint16_t event_next[FILLER_EVENTS_MOST];                 /* the slot's next event, or FILLER_NO_EVENT */
    uint16_t event_first[FILLER_BORDERS_MOST][FILLER_SLOTS]; /* the slot's first event from border k on */
};

/* Fills a zeroed struct. The result follows from the seed. `one_row`: each border has one row, which begins a statement
 * if the border does. */
void filler_make(struct filler *f, uint64_t seed, bool one_row);

/* Writes the rows of a run from border `first` to `last`, which stands at code offset `at` and begins on line
 * `line`. rows->inside says whether the first row begins a statement; the caller has to set it again for rows behind
 * the run. */
void filler_rows(const struct filler *f, uint32_t first, uint32_t last, uint64_t at, uint32_t line, bool dense,
                 struct line_rows *rows);

/* The most bytes that the rows of a run take, if not dense; and how many source lines the run has. */
uint64_t filler_rows_size(const struct filler *f, uint32_t first, uint32_t last);
uint32_t filler_lines(const struct filler *f, uint32_t first, uint32_t last);

/* The displacement of a slot from %rbp, as instructions have it. */
static inline uint8_t filler_displacement(uint32_t slot)
{
    return (uint8_t)(FILLER_SLOT_FIRST - 8 * (int32_t)slot);
}

/* The place of a slot, from the CFA, which is 16 bytes above where %rbp points to. */
static inline int32_t filler_slot_place(uint32_t slot)
{
    return FILLER_SLOT_FIRST - 16 - 8 * (int32_t)slot;
}

/* Writes whole instructions of exactly `size` bytes together (at most FILLER_GAP_MOST), chosen by `value`. Returns the
 * place behind them. */
uint8_t *filler_gap(uint8_t *p, struct frame frame, uint32_t size, uint64_t value);

/* Sets `other` to the `size` bytes at `code`, whose locals are below %rbp, for locals below %rbx. `operand`: where the
 * ModRM bytes are, `operands` of them. */
void filler_by_rbx(uint8_t *other, const uint8_t *code, size_t size, const uint16_t *operand, uint32_t operands);

#endif
