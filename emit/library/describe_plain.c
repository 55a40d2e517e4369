/* Describes the functions of a library whose row has no location lists. That is code compiled without optimisation,
 * where each variable is in its place of the frame from the prologue to the end.
 *
 * There are no inlined functions, and nothing is said of what calls pass. Entries beyond parameters are locals, as many
 * as the row's .debug_info has room for. They are locals of the function and of blocks, one in another, as in
 * `{ long x; ... { double y; ... } }`. Each block begins where another statement begins. A local of a block is another
 * name for a slot.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "emit/library/describe_parts.h"

enum {
    LOCAL_BYTES = 17,                                              /* bytes of a local's entry, about */
    BLOCK_BYTES = 22,                                              /* bytes of a block's entry with its end */
    BLOCK_LOCALS = 6,                                              /* locals of a block, usually */
    LOCALS_MOST = FILLER_SLOTS + BLOCK_LOCALS * TUNE_BORDERS_MOST, /* locals of a function */
    LONG_LEAST = 24,                                               /* least characters of a long name */
    LONG_MOST = 100,
    NAMES_BESIDE = 400, /* bytes of other names, about */
    SHARE_WHOLE = 64,
};

/* Bytes by which entries are behind their pace at the function's end. */
static uint64_t missing(const struct walk *w, const struct subject *s)
{
    const uint64_t written = detail_info_written(w);
    const uint64_t goal = detail_pace_at(w, &w->info, s->end);
    return goal > written ? goal - written : 0;
}

/* Names as in `long i, j` or `long a0, b0`. No two in a function are alike. */
uint32_t plain_name(const struct walk *w, struct subject *s)
{
    enum { LETTERS = 26, DIGITS = 10 };
    const uint32_t number = s->shortest++;
    char name[SHORT_NAME_MOST + 1] = {(char)('a' + (s->f->hash + number) % LETTERS)};
    if (number >= LETTERS || w->goal->letters == 2)
        name[1] = (char)('0' + number / LETTERS % DIGITS);
    return short_name_of(name);
}

/* Share of the room left in .debug_str, in 1/SHARE_WHOLE, that goes to names of locals: as large as the share of
 * functions' entries among all, and seven eighths at most, or where that share is unknown. */
static uint64_t share_of_functions(const struct profile_row *row)
{
    enum { MOST = SHARE_WHOLE * 7 / 8 };
    const int64_t dies = row->value[ROW_DWARF_DIES];
    const int64_t defined = row->value[ROW_DWARF_DEFINED];
    const uint64_t share = dies > 0 && defined > 0 ? (uint64_t)defined * SHARE_WHOLE / (uint64_t)dies : MOST;
    return share < MOST ? share : MOST;
}

uint64_t plain_names(const struct walk *w)
{
    const struct debug *d = &w->l->debug;
    const uint64_t wanted = d->wanted[DEBUG_STR];
    const uint64_t others = w->corpus->common + w->corpus->header[0].cut[0].names + d->names_size + NAMES_BESIDE;
    const bool is_cpp = w->corpus->dialect.language == DWARF_CPP; /* C++ headers have longer names */
    if (is_cpp || lines_are_told(w) || !plain_is_told(w) || wanted == DEBUG_ANY || wanted < others ||
        !w->l->row->names.alike)
        return 0;
    return (wanted - others) * share_of_functions(w->l->row->said) / SHARE_WHOLE;
}

/* Appends a name for a local to the library's own names. It begins like others of its kind and is about as long as
 * names of functions, because what a call returns is often called after the function. False where .debug_str has no
 * room for it. */
static bool own_name(struct walk *w, const struct subject *s, uint32_t *name)
{
    struct library *l = w->l;
    struct bytes *names = &l->debug.statics;
    char text[LONG_MOST + 1];
    char number[16];
    const uint32_t digits = (uint32_t)snprintf(number, sizeof number, "_%u", w->variables);
    const uint64_t average = l->row->functions ? l->row->names.functions / l->row->functions : 0;
    const uint32_t length = average < LONG_LEAST ? LONG_LEAST : average < LONG_MOST ? (uint32_t)average : LONG_MOST;
    if (names->size + length >= detail_pace_at(w, &w->names, s->end))
        return false;
    words_identifier(0, length - digits, text);
    memcpy(text + length - digits, number, digits + 1);
    *name = (uint32_t)(l->debug.names_size + bytes_append(names, text, length + 1));
    w->variables++;
    return true;
}

/* Writes up to `most` locals, as far as there is room for their entries. */
static void put_locals(struct walk *w, struct subject *s, uint32_t most, uint32_t line)
{
    for (uint32_t slot = 0; slot < most && missing(w, s) >= LOCAL_BYTES; slot++) {
        struct debug_variable v = {.line = line, .column = 10, .type = slot & 1 ? BASE_DOUBLE : BASE_LONG};
        if (own_name(w, s, &v.name)) {
            compose_local_own(&w->composer, &v, filler_slot_place(slot % FILLER_SLOTS));
            continue;
        }
        v.name = subject_name(w, s);
        compose_local(&w->composer, &v, filler_slot_place(slot % FILLER_SLOTS));
    }
}

/* Whether the function has blocks. If blocks are rarer than usual, only every so many-th function has them. */
static bool has_blocks(const struct walk *w, const struct subject *s)
{
    const uint64_t lexical = w->corpus->manner.lexical;
    const bool in_turn = s->index * lexical / MANNER_USUAL != (s->index + 1) * lexical / MANNER_USUAL;
    /* With range lists, describe_more.c adds blocks, which would have code in common with these. */
    return (lexical >= MANNER_USUAL || in_turn) && !w->l->debug.wanted[DEBUG_RANGES];
}

/* The most locals that a block has: the more blocks there are, the fewer. */
static uint32_t block_locals(const struct walk *w)
{
    const uint32_t lexical = w->corpus->manner.lexical;
    const uint32_t locals = BLOCK_LOCALS * MANNER_USUAL / (lexical > MANNER_USUAL ? lexical : MANNER_USUAL);
    return locals ? locals : 1;
}

void plain_locals(struct walk *w, struct subject *s)
{
    struct composer *c = &w->composer;
    uint64_t border[TUNE_BORDERS_MOST + 1];
    uint8_t *begin[TUNE_BORDERS_MOST];
    uint8_t *sibling[TUNE_BORDERS_MOST];
    const uint64_t end = s->end - frame_epilogue_size(s->frame);
    const bool blocks = has_blocks(w, s);
    const uint32_t borders = blocks ? tune_borders(w, s, border) : 0;
    uint32_t depth = 0;
    put_locals(w, s, blocks ? FILLER_SLOTS : LOCALS_MOST, s->line + 1);
    while (depth + 1 < borders && missing(w, s) >= BLOCK_BYTES + LOCAL_BYTES) {
        begin[depth] = c->info;
        sibling[depth] = compose_block(c, 1, &border[depth + 1], &end);
        depth++;
        put_locals(w, s, block_locals(w), s->line + 1 + depth);
    }
    for (; depth; depth--)
        compose_end_child(c, begin[depth - 1], sibling[depth - 1]);
}

uint32_t plain_column(uint32_t line)
{
    static const uint8_t columns[] = {9, 5, 9, 17};
    return columns[line % sizeof columns];
}

/* No instruction has one where the line table is ahead of its pace. Otherwise so many thousandths of the instructions
 * have one as goal->rows_part says, or all with DESCRIBE_ROWS_ANY. */
bool plain_has_row(struct walk *w, uint64_t at)
{
    const int32_t part = w->goal->rows_part;
    if (more_rows_ahead(w, at))
        return false;
    const uint64_t before = w->inner_rows++;
    return part < 0 ||
           before * (uint64_t)part / DESCRIBE_ROWS_WHOLE != (before + 1) * (uint64_t)part / DESCRIBE_ROWS_WHOLE;
}

/* Whether the rows so far take more bytes than they should, and are fewer, in code with statements without rows. */
static bool rows_are_long(const struct walk *w, uint64_t at)
{
    const uint64_t rows = w->goal->rows > w->rows_before ? w->goal->rows - w->rows_before : 0;
    return w->skips && more_rows_ahead(w, at) && (w->composer.rows.count - w->rows_before) * w->code < rows * at;
}

void plain_row(struct walk *w, uint64_t at, uint32_t line, uint32_t column)
{
    enum { DISCRIMINATORS = 15 };
    struct line_rows *rows = &w->composer.rows;
    const bool is_short = !plain_is_told(w) && more_row_is_short(w, at);
    if (!rows_are_long(w, at) && !is_short)
        line_column(rows, column);
    if (more_rows_behind(w, at) && !is_short)
        line_discriminator(rows, 1 + line % DISCRIMINATORS);
    line_row(rows, at, line);
}

/* Writes further rows of an instruction as long as rows are behind their pace, as optimised code has them. The first of
 * all its rows begins a statement, if any does. */
static void more_of(struct walk *w, uint64_t at, bool begins, uint32_t line)
{
    enum { MOST = 5 };
    line_inside(&w->composer.rows, !begins);
    for (uint32_t i = 0; i < MOST && more_rows_behind(w, at) && !w->filler->one_row; i++) {
        plain_row(w, at, line - (i + line) % 2, 20 + (line + i) % 40);
        line_inside(&w->composer.rows, true);
    }
}

/* Writes the rows of a run that is at code offset `at`. Statements begin at some of the borders between instructions.
 * Where statements are longer than these, as without optimisation those with arrays of Fortran are, several of them
 * have one row. */
static void put_run(struct walk *w, uint64_t at, uint32_t first, uint32_t last, const struct plain_lines *lines)
{
    const struct filler *f = w->filler;
    const bool is_optimized = !plain_is_told(w);
    for (uint32_t k = first; k < last; k++) {
        const uint64_t here = at + f->offset[k] - f->offset[first];
        const uint32_t own = lines->first + f->line[k] - f->line[first];
        const bool begins = k == first || f->statement[k];
        const bool skips = begins && k != first && more_rows_far_ahead(w, here);
        w->skips |= skips;
        if ((!begins || skips) && !plain_has_row(w, here))
            continue;
        const uint32_t line = own < lines->most ? own : lines->most;
        if (is_optimized)
            more_of(w, here, begins, line);
        plain_row(w, here, line, begins ? plain_column(own) : 12 + k % 7);
    }
}

/* Writes the row of a statement, or of a gap. */
static void own_row(struct walk *w, uint64_t at, uint32_t line, uint32_t column)
{
    if (!plain_is_told(w))
        line_inside(&w->composer.rows, false);
    plain_row(w, at, line, column);
}

static void put_block(struct walk *w, uint64_t at, const struct block *block, const struct plain_lines *lines)
{
    const struct bytes *const notes = &w->l->stock->blocks.bytes.notes;
    const struct block_note *note = (const struct block_note *)(const void *)notes->data + block->note;
    const uint32_t last = lines->first + block->lines;
    uint32_t told = 0; /* bytes of the block that have rows already */
    for (uint32_t i = 0; i < block->notes; i++) {
        const struct block_note *const n = &note[i];
        const struct plain_lines of = {lines->first + n->line, last < lines->most ? last : lines->most};
        if (n->at < told)
            continue; /* it is inside the note before, as a call that was inlined into another */
        told = n->end;
        if (n->first != n->last)
            put_run(w, at + n->at, n->first, n->last, &of);
        else
            own_row(w, at + n->at, of.first < of.most ? of.first : of.most, plain_column(of.first));
    }
}

uint32_t plain_piece(struct walk *w, const struct subject *s, const struct piece *piece,
                     const struct plain_lines *lines)
{
    if (piece->kind == PIECE_BLOCK) {
        const struct block *block = &w->l->stock->blocks.block[piece->first];
        put_block(w, s->at, block, lines);
        return block->lines;
    }
    if (piece->kind == PIECE_RUN) {
        put_run(w, s->at, piece->first, piece->last, lines);
        return filler_lines(w->filler, piece->first, piece->last);
    }
    own_row(w, s->at, lines->first, plain_column(lines->first));
    return 0;
}

uint64_t plain_room(const struct walk *w)
{
    const uint64_t blocks = TUNE_BORDERS_MOST;
    return plain_is_told(w) ? (FILLER_SLOTS + blocks * (BLOCK_LOCALS + 1)) * COMPOSE_CHILD_MOST : 0;
}
