/* Keeps what a block's code consists of until it is described; see block.h.
 *
 * Where an inlined call begins and ends is known only when the code behind it is made. So the code of a span, the most
 * that one inlined call may cover, is made first; its rows and entries follow. Call sites, which are not entries of
 * inlined calls (docs/dwarf.md), are composed together with the code.
 */
#include "emit/stock/block_parts.h"

#include <assert.h>

void block_span_begin(struct builder *b)
{
    b->span.pieces = b->span.rows = 0;
    b->span.inlined = SPAN_NONE;
}

bool block_span_is_inlined(const struct builder *b)
{
    return b->span.inlined != SPAN_NONE;
}

static struct span_piece *next_piece(struct builder *b)
{
    struct span *s = &b->span;
    assert(s->pieces < SPAN_PIECES);
    return &s->piece[s->pieces];
}

void block_span_row(struct builder *b, uint8_t column)
{
    struct span *s = &b->span;
    assert(s->rows < SPAN_ROWS);
    if (!column)
        next_piece(b)->row = s->rows;
    s->row[s->rows].at = (uint16_t)here(b);
    s->row[s->rows++].column = column;
}

void block_span_statement(struct builder *b, uint64_t at)
{
    struct span_piece *p = next_piece(b);
    p->run = (struct run){.at = at, .end = here(b), .from = at, .to = here(b)};
    p->rows = b->span.rows - p->row;
    b->span.pieces++;
}

void block_span_run(struct builder *b, const struct run *r, bool is_inlined)
{
    struct span_piece *p = next_piece(b);
    p->run = *r;
    if (is_inlined || (block_span_is_inlined(b) && likely(b, b->taste.late)))
        b->span.inlined = b->span.pieces;
    b->span.pieces++;
}

static bool is_statement(const struct span_piece *p)
{
    return p->run.first == p->run.last;
}

/* Writes the rows of a statement. The first row of a block is not in the stamp, because stamp_put_rows writes it. */
static void statement_rows(struct builder *b, const struct span_piece *p, uint32_t line, bool with_first)
{
    struct line_rows *rows = &b->maker.composer.rows;
    if (!block_rows_all(b, p->run.at, line))
        return;
    for (uint32_t i = with_first ? 0 : 1; i < p->rows; i++) {
        const uint8_t column = b->span.row[p->row + i].column;
        if (column)
            line_column(rows, column);
        line_inside(rows, column != 0 && !(column == BLOCK_ARGUMENT && b->taste.macros));
        line_row(rows, b->span.row[p->row + i].at, line);
    }
}

/* Describes a piece as code of the source. Each piece has one line or more. */
static void tell_piece(struct builder *b, const struct span_piece *p)
{
    const struct run *r = &p->run;
    b->line += r->at != 0;
    if (is_statement(p)) {
        block_note_add(b, (struct block_note){.kind = NOTE_STATEMENT}, r->at, r->end, b->line);
        statement_rows(b, p, b->line, r->at != 0);
        return;
    }
    block_note_add(b, block_note_of(NOTE_RUN, r), r->at, r->end, b->line);
    block_run_rows(b, r, b->line, true);
    b->line += block_run_lines(b, r);
}

void block_span_end(struct builder *b)
{
    const struct span *const s = &b->span;
    uint32_t first = s->pieces; /* of the pieces that the call covers; `behind`: the one behind the last of these */
    uint32_t behind = s->pieces;
    if (block_span_is_inlined(b)) {
        const bool takes_all = likely(b, b->taste.around_run);
        first = takes_all ? 0 : s->inlined;
        behind = takes_all ? s->pieces : s->inlined + 1;
    }
    for (uint32_t i = 0; i < first; i++)
        tell_piece(b, &s->piece[i]);
    if (first < behind) {
        struct run r = s->piece[s->inlined].run;
        r.from = s->piece[first].run.at;
        r.to = s->piece[behind - 1].run.end;
        b->line += r.from != 0;
        block_inlined(b, &r);
    }
    for (uint32_t i = behind; i < s->pieces; i++)
        tell_piece(b, &s->piece[i]);
    block_span_begin(b);
}

uint64_t block_span_border(struct builder *b, uint64_t from, uint64_t to)
{
    const struct span *s = &b->span;
    uint32_t first = 0;
    while (first < s->pieces && s->piece[first].run.at < from)
        first++;
    uint32_t count = 0;
    while (first + count < s->pieces && s->piece[first + count].run.at < to)
        count++;
    const uint32_t one = pick(b, count + 1);
    const uint32_t other = pick(b, count + 1);
    const uint32_t k = first + (one < other ? one : other);
    return k < first + count ? s->piece[k].run.at : to;
}

void block_span_notes(struct builder *b, uint64_t from, uint64_t to, uint32_t line)
{
    for (uint32_t i = 0; i < b->span.pieces; i++) {
        const struct run *r = &b->span.piece[i].run;
        if (r->at >= from && r->end <= to)
            block_note_add(b, block_note_of(NOTE_AROUND, r), r->at, r->end, line);
    }
}

void block_span_rows(struct builder *b, uint64_t from, uint64_t to, uint32_t line)
{
    for (uint32_t i = 0; i < b->span.pieces; i++) {
        const struct span_piece *p = &b->span.piece[i];
        if (p->run.at < from || p->run.end > to)
            continue;
        if (is_statement(p))
            statement_rows(b, p, line + i % 3, true);
        else
            block_run_rows(b, &p->run, line, true);
    }
}
