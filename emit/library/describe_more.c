/* Adds to a function of a library with a row what its blocks' stamps do not say. Even the densest stamps may fall
 * behind the row's sections (describe_detail.c), because optimised code has more lists and rows to a byte than ours.
 * Further locals have lists that state their slot from border to border of the code. Further blocks, one in another,
 * have ranges between these borders. Further rows stand where a block begins.
 *
 * Nothing but statements writes to a slot, so the slot is a local's place everywhere between the prologue and the
 * epilogue. A value that is stored nowhere is computed from what a slot holds.
 */

#include "emit/library/describe_parts.h"

enum {
    LOCALS_MOST = 48,
    BLOCKS_MOST = 32,
    LITTLE = 40,     /* bytes below which the rest is left to the next function */
    ENTRY_LEAST = 6, /* bytes of a list entry without its expression; with views two more */
    VALUE_LEAST = 4, /* bytes of a value's expression beyond those of its slot's place */
    RANGE_USUAL = 6,
    LAST_MOST = 1000, /* bytes of ranges that are left to describe_tune.c */
    SLOTS = 2,        /* slots whose displacement takes one byte */
    ROW_MOST = 7,     /* bytes of a row with column and discriminator */
    TURNS = 112,      /* of 256 rows so many change whether rows begin statements */
    PILE_MOST = 48,   /* most rows at one address, as compilers have them */
    LINES_NEAR = 6,   /* lines of such rows: one byte advances from any of these to any other */
    DISCRIMINATORS = 120,
    COLUMNS = 120,
};

static bool follows(const struct walk *w, enum debug_section s)
{
    return w->l->row->said && w->l->debug.wanted[s] != DEBUG_ANY;
}

/* How many bytes may be missing at this point of the code: an eighth of the goal at first, and less and less until
 * nothing near the end. Functions without blocks leave bytes, which later blocks can use for lists as real code has
 * them. */
static uint64_t slack(const struct walk *w, const struct pace *pace, uint64_t code)
{
    enum { PART = 8, END = 16 };
    const uint64_t until = w->code - w->code / END;
    return code < until ? detail_pace_at(w, pace, w->code) / PART * (until - code) / until : 0;
}

static uint64_t missing(uint64_t goal, uint64_t less, const uint8_t *p, const struct bytes *out)
{
    const uint64_t there = (uint64_t)(p - out->data) + less;
    return goal > there ? goal - there : 0;
}

static uint64_t missing_lists(const struct walk *w, uint64_t code, const uint8_t *p)
{
    const uint64_t less = slack(w, &w->lists, code) * detail_lists_part(w) / DESCRIBE_EXPRESSION_PARTS;
    return missing(detail_pace_at(w, &w->lists, code), less, p, &w->composer.out->lists);
}

static uint64_t missing_ranges(const struct walk *w, uint64_t code, const uint8_t *p)
{
    return missing(detail_pace_at(w, &w->ranges, code), slack(w, &w->ranges, code), p, &w->composer.out->ranges);
}

/* Without the headers of line tables. */
static uint64_t missing_rows(const struct walk *w, uint64_t code)
{
    const uint64_t goal = detail_pace_at(w, &w->line, code);
    const uint64_t there = detail_rows_written(w);
    return goal > there ? goal - there : 0;
}

/* Sets border[] to borders between instructions in the function's beginning and, with `pieces`, between its pieces.
 * Pieces may be used where nothing else describes them, or where that does not matter. Returns how many borders there
 * are. */
static uint32_t borders(const struct walk *w, const struct subject *s, bool pieces, uint64_t border[MORE_BORDERS_MOST])
{
    uint32_t count = tune_borders(w, s, border);
    uint64_t at = border[count - 1];
    for (uint32_t i = 0; pieces && i < s->body->pieces && count < MORE_BORDERS_MOST; i++)
        border[count++] = at += code_piece_size(&w->l->code, &s->body->piece[i]);
    return count;
}

uint32_t more_borders(const struct walk *w, const struct subject *s, uint64_t border[MORE_BORDERS_MOST])
{
    return borders(w, s, true, border);
}

/* --- lists -------------------------------------------------------------------- */

/* Wanted bytes of an entry's expression. */
static uint32_t expression_size(const struct walk *w)
{
    const int32_t size = w->goal->expression;
    if (size < DESCRIBE_EXPRESSION_LEAST)
        return DESCRIBE_EXPRESSION_LEAST;
    return size < DESCRIBE_EXPRESSION_MOST ? (uint32_t)size : DESCRIBE_EXPRESSION_MOST;
}

uint8_t *more_put_numbers(uint8_t *p, uint32_t bytes, uint64_t variety)
{
    for (; bytes >= 2; variety = random_mix(variety)) {
        const bool wide = bytes % 2;
        p = put_u8(p, DW_OP_plus_uconst);
        p = put_uleb128(p, wide ? 128 + (variety & 0x3fff) % 16000 : variety & 127);
        bytes -= wide ? 3 : 2;
    }
    return p;
}

/* Writes the slot's place or, in `size` bytes, a value: the sum of what the slot holds and some numbers. Returns the
 * bytes that were written. */
static uint32_t put_expression(uint8_t *expression, uint32_t slot, uint32_t size, uint64_t variety)
{
    uint8_t *p = put_u8(expression, DW_OP_fbreg);
    p = put_sleb128(p, filler_slot_place(slot));
    const uint32_t place = (uint32_t)(p - expression);
    if (size < place + VALUE_LEAST) { /* some entries are values, so that the average is `size` */
        if (variety % VALUE_LEAST + place >= size)
            return place;
        size = place + VALUE_LEAST;
    }
    p = more_put_numbers(put_u8(p, DW_OP_deref), size - place - 2, variety);
    p = put_u8(p, DW_OP_stack_value);
    return (uint32_t)(p - expression);
}

static void more_lists(struct walk *w, struct subject *s)
{
    struct composer *c = &w->composer;
    uint64_t border[MORE_BORDERS_MOST];
    uint8_t expression[DESCRIBE_EXPRESSION_MOST + 8];
    if (!follows(w, DEBUG_LISTS) || missing_lists(w, s->end, c->lists) < LITTLE)
        return;
    const uint32_t most = borders(w, s, true, border) - 1;
    const uint32_t size = expression_size(w);
    const uint32_t registers = DESCRIBE_EXPRESSION_PARTS - detail_lists_part(w);
    const uint32_t each = ENTRY_LEAST + size + (w->corpus->dialect.views ? 2 : 0);
    const bool has_argument = describe_passes_integers(s->f);  /* the first in %rdi */
    const uint64_t later = slack(w, &w->entry_values, s->end); /* rather in lists of parameters */
    for (uint32_t number = 0; number < LOCALS_MOST; number++) {
        const uint64_t rest = missing_lists(w, s->end, c->lists);
        const uint64_t entries = rest / each < most ? rest / each : most;
        const uint32_t slot = number % SLOTS;
        if (rest < LITTLE || !entries)
            return;
        compose_list_begin(c, border[0]);
        for (uint32_t i = 0; i < entries; i++) {
            const uint64_t variety = random_at(s->f->hash, number * 64 + i);
            if (i % 2 && has_argument && describe_is_held(w, REGISTER_RDI, s->end, later)) {
                compose_list_entry_value(c, border[i], border[i + 1], REGISTER_RDI);
                continue;
            }
            if (registers > variety % DESCRIBE_EXPRESSION_PARTS) {
                detail_register_entry(w, border[i], border[i + 1], (uint32_t)(variety >> 32));
                continue;
            }
            const uint32_t bytes = put_expression(expression, slot, size, variety);
            compose_list_entry(c, border[i], border[i + 1], expression, bytes);
        }
        const struct debug_list list = compose_list_end(c);
        const struct debug_variable v = {
            .name = subject_name(w, s), .line = s->line + 1, .column = 10, .type = slot ? BASE_DOUBLE : BASE_LONG};
        compose_local_list(c, &v, list);
    }
}

/* --- ranges ------------------------------------------------------------------- */

void more_block(struct walk *w, struct subject *s, uint64_t from, uint32_t list, uint32_t slot)
{
    if (lines_are_told(w)) {
        lines_ranges(w, s, from, list);
        return;
    }
    const struct debug_variable v = {.name = subject_name(w, s), .line = s->line + 2, .column = 10, .type = BASE_LONG};
    compose_last_block(&w->composer, list);
    compose_local(&w->composer, &v, filler_slot_place(slot));
}

/* Few, as inlined calls have them, so that there are many calls, but enough for some dozen calls to take the bytes. */
uint32_t more_ranges_due(const struct walk *w, const struct subject *s)
{
    enum { LEAST = 3, CALLS = 16 };
    const uint64_t rest = follows(w, DEBUG_RANGES) ? missing_ranges(w, s->end, w->composer.ranges) : 0;
    const uint64_t most = rest / (CALLS * RANGE_USUAL);
    return rest < LITTLE ? 0 : most < LEAST ? LEAST : most < MORE_BORDERS_MOST ? (uint32_t)most : MORE_BORDERS_MOST;
}

static void more_ranges(struct walk *w, struct subject *s, bool last)
{
    struct composer *c = &w->composer;
    uint64_t border[MORE_BORDERS_MOST];
    uint32_t depth = 0;
    const uint64_t least = last ? LAST_MOST : LITTLE;
    if (!follows(w, DEBUG_RANGES) || missing_ranges(w, s->end, c->ranges) < least) {
        if (last)
            tune_ranges(w, s);
        return;
    }
    uint32_t most = borders(w, s, s->level == SUBJECT_PLAIN && !s->stretches, border) - 1;
    if (lines_are_told(w) && most > more_ranges_due(w, s))
        most = more_ranges_due(w, s);
    while (depth < BLOCKS_MOST) {
        const uint64_t rest = missing_ranges(w, s->end, c->ranges);
        const uint64_t count = rest / RANGE_USUAL < most ? rest / RANGE_USUAL : most;
        if (rest < least || count < 2)
            break;
        most = (uint32_t)count; /* inner blocks have no more ranges */
        c->out->inlined += lines_are_told(w) && !depth ? border[most] - border[0] : 0;
        const uint32_t list = compose_next_ranges(c);
        compose_ranges(c, border[0], most, border, border + 1);
        more_block(w, s, border[0], list, depth++ % SLOTS * 2);
    }
    const uint8_t *const before = c->info;
    const uint64_t inlined = c->out->inlined; /* with what these blocks cover */
    if (last) /* inside these blocks, because blocks beside one another must have no code in common */
        tune_ranges(w, s);
    if (depth)
        c->out->inlined = inlined;
    if (depth && c->info == before)
        lines_innermost(w, s, border);
    while (depth--)
        compose_end_children(c, NULL);
}

static void last_lists(struct walk *w, struct subject *s)
{
    uint64_t border[TUNE_BORDERS_MOST + 1];
    const uint32_t count = tune_borders(w, s, border);
    tune_lists(w, s, border, count, (const int32_t[]){filler_slot_place(0), filler_slot_place(1)});
}

void more(struct walk *w, struct subject *s, bool last)
{
    if (s->level == SUBJECT_LEAN)
        return;
    more_lists(w, s);
    if (last)
        last_lists(w, s);
    if (!lines_are_told(w) || corpus_inlines(w->corpus))
        more_ranges(w, s, last);
    more_rows(w, s, s->end, 0);
    if (last)
        tune_rows(w, s->end);
}

/* --- rows ---------------------------------------------------------------------- */

/* Whether a row has no discriminator. As a rule the goal says what part of the rows has none. In the last eighth of the
 * code it follows from the wanted number of rows: there is none while long rows in the `rest` bytes that are missing up
 * to `end` would be too few. Some rows are left for describe_tune.c to add. */
static bool row_is_short(const struct walk *w, uint64_t end, uint64_t rest, uint64_t r)
{
    enum { COUNTED = 8, LEFT = 250, LEFT_PART = 5 };
    const uint64_t rows = w->goal->rows > w->rows_before ? w->goal->rows - w->rows_before : 0;
    if (!w->goal->rows || plain_is_told(w) || end < w->code - w->code / COUNTED)
        return (int32_t)((r >> 8) % 1000) + DESCRIBE_ROWS_WHOLE < w->goal->rows_part;
    const uint64_t left = rows / LEFT_PART < LEFT ? rows / LEFT_PART : LEFT;
    return (w->composer.rows.count - w->rows_before + rest / ROW_MOST) * w->code < (rows - left) * end;
}

bool more_row_is_short(const struct walk *w, uint64_t at)
{
    return w->goal->rows_part != DESCRIBE_ROWS_ANY && row_is_short(w, at, missing_rows(w, at), random_mix(at));
}

/* Writes a row of a pile on `line`; returns its bytes. Some statements that begin have another row for their first
 * instruction, on the same line. */
static uint64_t pile_row(struct walk *w, const struct subject *s, bool is_short, uint64_t r, uint32_t line)
{
    struct line_rows *rows = &w->composer.rows;
    const uint8_t *const before = rows->p;
    const bool turns = !plain_is_told(w) && (uint32_t)(r & UINT8_MAX) < TURNS;
    line_inside(rows, rows->inside != turns);
    if (turns && rows->inside && line != w->line_number)
        line = rows->line;
    if (!is_short || !turns)
        line_column(rows, 1 + (uint32_t)(r >> 40) % COLUMNS);
    if (!is_short)
        line_discriminator(rows, 1 + (uint32_t)(r >> 24) % DISCRIMINATORS);
    line_row(rows, s->at, line);
    return (uint64_t)(rows->p - before);
}

/* The most rows at code offset `at`, if `rest` bytes of rows are missing up to `end`. Rows beyond stand at the next
 * blocks. In the last quarter of the code these are dealt out, so that they do not stand all together. */
static uint64_t pile_most(const struct walk *w, uint64_t at, uint64_t end, uint64_t rest)
{
    enum { LAST = 4, ROW_USUAL = 2 /* bytes */ };
    if (at < w->code - w->code / LAST)
        return PILE_MOST;
    const uint64_t code = end > at ? end - at : 1;
    const uint64_t left = w->code > end ? w->code - at : code;
    return PILE_MOST + rest / ROW_USUAL * code / left;
}

void more_rows(struct walk *w, const struct subject *s, uint64_t end, uint64_t most)
{
    struct line_rows *rows = &w->composer.rows;
    const uint64_t headers = w->units * w->line_header;
    if (!follows(w, DEBUG_LINE))
        return;
    uint64_t rest = missing_rows(w, end);
    rest = rest > headers + most ? rest - headers - most : 0;
    if (!rest)
        return;
    line_row(rows, s->at, w->line_number);
    /* lines before this one, because those behind it may be the next function's */
    const uint32_t near = w->line_number - s->line < LINES_NEAR ? w->line_number - s->line : LINES_NEAR;
    const uint64_t pile = pile_most(w, s->at, end, rest);
    for (uint64_t i = 0; i < pile && near && rest > ROW_MOST; i++) {
        const uint64_t r = random_at(plain_is_told(w) ? 0 : s->f->hash, i);
        const uint32_t line = w->line_number - (rest > 2 * ROW_MOST ? (uint32_t)(r >> 32) % near : 0);
        rest -= pile_row(w, s, row_is_short(w, end, rest, r), r, line);
    }
    line_inside(rows, false);
}

static uint64_t rows_written(const struct walk *w)
{
    return detail_rows_written(w) + w->units * w->line_header;
}

static bool is_ahead(const struct walk *w, uint64_t end, uint64_t bytes)
{
    return follows(w, DEBUG_LINE) && rows_written(w) > detail_pace_at(w, &w->line, end) + bytes;
}

bool more_rows_ahead(const struct walk *w, uint64_t end)
{
    return is_ahead(w, end, 0);
}

bool more_rows_far_ahead(const struct walk *w, uint64_t end)
{
    enum { FAR = 256 };
    return is_ahead(w, end, w->line_header + FAR);
}

static bool is_behind(const struct walk *w, uint64_t end, uint64_t bytes)
{
    return follows(w, DEBUG_LINE) && rows_written(w) + bytes < detail_pace_at(w, &w->line, end);
}

bool more_rows_lag(const struct walk *w, const struct subject *s, const struct piece *piece)
{
    const uint64_t size = code_piece_size(&w->l->code, piece);
    return is_behind(w, s->at + size, size);
}

bool more_rows_behind(const struct walk *w, uint64_t end)
{
    return is_behind(w, end, ROW_MOST);
}

/* --- room ---------------------------------------------------------------------- */

struct more_room more_room(const struct walk *w, uint64_t end)
{
    const struct composer *c = &w->composer;
    struct more_room room = {0};
    if (!w->l->row->said)
        return room;
    room.info = UINT64_C(64) + (LOCALS_MOST + BLOCKS_MOST) * COMPOSE_CHILD_MOST;
    if (follows(w, DEBUG_LISTS))
        room.lists = missing_lists(w, end, c->out->lists.data + c->out->lists.size) + 4096;
    if (follows(w, DEBUG_RANGES))
        room.ranges = missing_ranges(w, end, c->out->ranges.data + c->out->ranges.size) + 1024;
    if (follows(w, DEBUG_LINE))
        room.rows = missing_rows(w, end) + 1024;
    return room;
}
