/* Describes the runs of a block; see block.h.
 *
 * A run becomes an inlined function of a header, with the functions inlined into that, or a block with locals. Both
 * have one range or several; the code between ranges belongs to what is around. Variables are slots of the frame, now
 * and then in a register, or values.
 */
#include "emit/stock/block_parts.h"

void block_note_add(struct builder *b, struct block_note n, uint64_t at, uint64_t end, uint32_t line)
{
    n.at = (uint16_t)at;
    n.end = (uint16_t)end;
    n.line = (uint16_t)line;
    bytes_append(&b->bytes->notes, &n, sizeof n);
    b->block->notes++;
}

/* The borders [first, last) of a run as a run of their own. */
static struct run part_of(const struct builder *b, const struct run *r, uint32_t first, uint32_t last)
{
    const uint16_t *offset = b->filler->offset;
    const uint64_t at = r->at + offset[first] - offset[r->first];
    const uint64_t end = r->at + offset[last] - offset[r->first];
    return (struct run){first, last, at, end, at, end};
}

uint32_t block_run_lines(const struct builder *b, const struct run *r)
{
    return (uint32_t)b->filler->line[r->last - 1] - b->filler->line[r->first];
}

bool block_rows_all(struct builder *b, uint64_t at, uint32_t line)
{
    struct line_rows *rows = &b->maker.composer.rows;
    if (b->due) {
        /* of inlined calls half begin a statement, as of all rows */
        line_inside(rows, b->due == ROW_INSIDE || (b->due == ROW_INLINED && (at + line) % 2 == 0));
        line_column(rows, 3 + line % 31);
        line_row(rows, at, line);
    }
    b->due = ROW_NONE;
    return b->rows > BLOCK_ROWS_FEW;
}

/* At the run's beginning, the call and what is evaluated first have rows with the same address. The first of these rows
 * begins the statement; none does if the statement has begun before. */
void block_run_rows(struct builder *b, const struct run *r, uint32_t line, bool begins)
{
    struct line_rows *rows = &b->maker.composer.rows;
    const bool dense = b->rows == BLOCK_ROWS_DENSE;
    const uint32_t further = line + 1 + r->first % 4;
    if (line < corpus_inline_line(0) && further > b->ahead) /* a line of the source and not of a header */
        b->ahead = further;
    if (!block_rows_all(b, r->at, line))
        return;
    line_inside(rows, !begins);
    if (b->filler->one_row) {
        filler_rows(b->filler, r->first, r->last, r->at, line, dense, rows);
        return;
    }
    if (dense || r->first % 2) {
        line_column(rows, 3 + r->first % 29);
        line_row(rows, r->at, line);
        begins = false;
    }
    if (dense || r->first % 3 == 0) {
        line_column(rows, 11 + r->first % 17);
        line_row(rows, r->at, further);
    }
    line_inside(rows, !begins);
    filler_rows(b->filler, r->first, r->last, r->at, line, dense, rows);
}

/* --- places of variables ---------------------------------------------------------- */

/* The first event of a slot in the run; FILLER_NO_EVENT if no event lies within the run. */
static uint32_t first_event(const struct builder *b, const struct run *r, uint32_t slot)
{
    const struct filler *f = b->filler;
    const uint32_t e = f->event_first[r->first][slot];
    return e != FILLER_NO_EVENT && f->event[e].end <= f->offset[r->last] ? e : FILLER_NO_EVENT;
}

/* A random slot, of longs (0) or doubles (1). It passes through a register within the run if one of a few tries finds
 * such a slot. */
static uint32_t busy_slot(struct builder *b, const struct run *r, uint32_t odd)
{
    uint32_t slot = 0;
    for (unsigned tries = 0; tries < 6; tries++) {
        slot = 2 * pick(b, 4) + odd;
        if (first_event(b, r, slot) != FILLER_NO_EVENT)
            break;
    }
    return slot;
}

/* Adds a list entry whose value is what a slot holds, for a variable that is a copy of the slot. */
static void as_value(struct builder *b, uint64_t from, uint64_t to, uint32_t slot)
{
    uint8_t expression[8] = {DW_OP_fbreg};
    uint8_t *p = put_sleb128(expression + 1, filler_slot_place(slot));
    p = put_bytes(p, (const uint8_t[]){DW_OP_deref, DW_OP_stack_value}, 2);
    compose_list_entry(&b->maker.composer, from, to, expression, (uint32_t)(p - expression));
}

/* Adds list entries that give the slot's place in [from, to). Some borders split an entry in two. In dense lists each
 * instruction has an entry, and some of these are values. */
static void in_place(struct builder *b, const struct run *r, uint64_t from, uint64_t to, uint32_t slot)
{
    const struct filler *f = b->filler;
    const uint32_t parts = b->lists == BLOCK_LISTS_DENSE ? b->taste.dense_parts : b->taste.parts;
    const uint64_t inside = from > r->at ? from - r->at : 0;
    const uint32_t behind = f->at[f->offset[r->first] + inside] + 1u; /* the first border behind `from` */
    for (uint32_t k = parts ? (behind + parts - 1) / parts * parts : r->last; k < r->last; k += parts) {
        const uint64_t border = r->at + f->offset[k] - f->offset[r->first];
        if (border >= to)
            break;
        if (k % 2)
            as_value(b, from, border, slot);
        else
            compose_list_frame(&b->maker.composer, from, border, filler_slot_place(slot));
        from = border;
    }
    compose_list_frame(&b->maker.composer, from, to, filler_slot_place(slot));
}

/* Up to where a variable of a run is known: everywhere, or up to an instruction of the run. */
static uint64_t known_until(struct builder *b, const struct run *r, bool is_variable)
{
    const struct filler *f = b->filler;
    if (!likely(b, b->taste.partly[is_variable]) || r->first == r->last)
        return r->to;
    return r->at + f->offset[r->first + 1 + pick(b, r->last - r->first)] - f->offset[r->first];
}

/* The list of a variable that is a slot: in the slot's place and, during some of the run, in a register. In the code
 * around the run it is in the slot's place. */
static struct debug_list run_list(struct builder *b, const struct run *r, uint32_t slot, bool is_variable)
{
    const struct filler *f = b->filler;
    struct composer *c = &b->maker.composer;
    /* drawn for every stamp: all have the same code */
    const bool passing = likely(b, b->taste.passing);
    const uint64_t until = known_until(b, r, is_variable);
    if (b->lists == BLOCK_LISTS_NONE)
        return DEBUG_LIST_NONE;
    compose_list_begin(c, r->from);
    uint64_t from = r->from;
    uint32_t left = !passing ? 0 : b->lists == BLOCK_LISTS_DENSE ? UINT32_MAX : b->taste.events;
    for (uint32_t e = first_event(b, r, slot); e != FILLER_NO_EVENT && left; e = f->event_next[e], left--) {
        const struct filler_event *event = &f->event[e];
        if (event->end > f->offset[r->last])
            break;
        uint64_t start = r->at + event->start - f->offset[r->first];
        if (start >= until)
            break;
        in_place(b, r, from, start, slot);
        from = r->at + event->end - f->offset[r->first];
        compose_list_register(c, start, from, event->reg);
    }
    if (from < until)
        in_place(b, r, from, until, slot);
    return stamp_list_end(&b->maker);
}

/* The list of a variable whose value is known: an object in the frame, for `this`; otherwise a number, or the sum of a
 * number and what a slot holds. */
static struct debug_list value_list(struct builder *b, const struct run *r, uint32_t slot, bool is_object)
{
    const uint32_t k = pick(b, 1024);
    const uint64_t until = known_until(b, r, false);
    uint8_t expression[12];
    uint8_t *p = expression;
    if (b->lists == BLOCK_LISTS_NONE)
        return DEBUG_LIST_NONE;
    if (is_object) {
        p = put_u8(p, DW_OP_fbreg);
        p = put_sleb128(p, filler_slot_place(0) - (int32_t)(k % 72));
    } else if (k < 512) {
        p = put_u8(p, (uint8_t)(DW_OP_lit0 + k % 32));
    } else {
        p = put_u8(p, DW_OP_fbreg);
        p = put_sleb128(p, filler_slot_place(slot));
        p = put_u8(put_u8(p, DW_OP_deref), DW_OP_plus_uconst);
        p = put_uleb128(p, 8 * (k % 16));
    }
    p = put_u8(p, DW_OP_stack_value);
    compose_list_begin(&b->maker.composer, r->from);
    compose_list_entry(&b->maker.composer, r->from, until, expression, (uint32_t)(p - expression));
    return stamp_list_end(&b->maker);
}

/* The ranges of an entry in a run, each a part of the run. */
struct ranges {
    uint32_t count;
    uint32_t first[RANGES_MOST + 1], last[RANGES_MOST + 1]; /* borders */
    uint64_t from[RANGES_MOST + 1], to[RANGES_MOST + 1];
};

/* The ranges of an entry that covers all of the run, or all except some instructions in its midst, which then belong to
 * what is around. */
static struct ranges run_ranges(struct builder *b, const struct run *r)
{
    struct ranges g = {.count = 0, .first = {r->first}};
    bool several = likely(b, b->taste.ranges);
    const uint32_t further = (2 + pick(b, RANGES_MOST - 3)) * b->taste.split / 64;
    const uint32_t most = further ? 1 + further : 2;
    uint32_t skip = r->first + 1;
    uint32_t gap = likely(b, b->taste.adjacent) ? 0 : 1;
    for (; several && skip + gap < r->last && g.count + 1 < most; skip += 1 + gap) {
        g.last[g.count++] = skip;
        g.first[g.count] = skip + gap;
        if (b->taste.within && pick(b, 3) == 0)
            skip++;
    }
    g.last[g.count++] = r->last;
    for (uint32_t i = 0; i < g.count; i++) {
        struct run part = part_of(b, r, g.first[i], g.last[i]);
        g.from[i] = part.at;
        g.to[i] = part.end;
    }
    g.from[0] = r->from;
    g.to[g.count - 1] = r->to;
    return g;
}

/* `count` of the ranges, from number `part` on. The first of them begins at border `begin`. */
static struct ranges some_ranges(const struct builder *b, const struct run *r, const struct ranges *of, uint32_t part,
                                 uint32_t count, uint32_t begin)
{
    struct ranges g = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        g.first[i] = i ? of->first[part + i] : begin;
        g.last[i] = of->last[part + i];
        struct run run = part_of(b, r, g.first[i], g.last[i]);
        g.from[i] = run.at;
        g.to[i] = run.end;
    }
    return g;
}

/* Returns how many ranges are described: all of them, or one that covers them all, which it sets. */
static uint32_t told_ranges(const struct builder *b, const struct run *r, struct ranges *g)
{
    if (b->ranges != BLOCK_RANGES_NONE)
        return g->count;
    g->from[0] = r->from;
    g->to[0] = r->to;
    return 1;
}

/* --- runs --------------------------------------------------------------------------- */

/* Describes where an inlined function's children [first, end) are. */
static void inlined_variables(struct builder *b, const struct run *r, uint32_t k, uint32_t first, uint32_t end,
                              struct block_note *n)
{
    const struct corpus_inline *f = &b->maker.composer.corpus->inlines[k];
    for (uint32_t j = first; j < end; j++) {
        uint32_t slot = busy_slot(b, r, f->doubles >> j & 1);
        uint32_t fate = pick(b, 64);
        bool is_value = likely(b, b->taste.values) && !(f->doubles >> j & 1);
        n->slot[j] = (uint8_t)slot;
        if (fate > 61 && likely(b, b->taste.constant) && j + f->variables < f->children && !(f->doubles >> j & 1)) {
            n->slot[j] = r->first & 127;
            n->constants |= (uint8_t)(1u << j);
            compose_inlined_constant(&b->maker.composer, k, j, n->slot[j]);
        } else if (fate < b->taste.gone) {
            stamp_inlined_child(&b->maker, k, j, DEBUG_LIST_NONE);
        } else {
            const bool is_variable = j + f->variables >= f->children;
            const struct debug_list list = is_value ? value_list(b, r, slot, !j) : run_list(b, r, slot, is_variable);
            stamp_inlined_child(&b->maker, k, j, list);
        }
    }
}

/* Begins an inlined function's lexical block. It has all ranges of the function and contains the entries that
 * follow. */
static void inlined_block(struct builder *b, const struct run *r, uint32_t k, uint32_t count, const struct ranges *g,
                          struct block_note *n)
{
    const struct corpus_inline *f = &b->maker.composer.corpus->inlines[k];
    stamp_inlined_block(&b->maker, k, count, g->from, g->to);
    inlined_variables(b, r, k, f->children - f->variables, f->children, n);
}

/* To which lines the code of an inlined function's run belongs. */
struct lines_of {
    const struct run *run;
    const struct ranges *parts; /* of the run; the code between them is the caller's */
    uint32_t caller;            /* line of the call: in the header too, or in the source */
    bool from_header;
};

/* Writes the rows of an instruction of the caller, between two ranges. With `first`, a row in the source begins the
 * call's statement. Where few rows are wanted, the instruction has one, and so has the range behind it: otherwise the
 * inlined function's row would run on over the caller's code, and the caller's over the inlined function's. */
static void caller_rows(struct builder *b, const struct lines_of *of, const struct run *gap, uint32_t line, bool first)
{
    const bool few = b->rows == BLOCK_ROWS_FEW;
    if (few && b->ranges == BLOCK_RANGES_NONE)
        return;
    const bool begins = first && !of->from_header;
    b->due = !few ? ROW_NONE : begins ? ROW_BEGINS : ROW_INSIDE;
    if (of->from_header) {
        block_run_rows(b, gap, of->caller, begins);
    } else {
        stamp_leave_header(&b->maker, b->line);
        block_run_rows(b, gap, b->line, begins);
        stamp_enter_header(&b->maker, line);
    }
    b->due = few ? ROW_INSIDE : ROW_NONE;
}

/* Writes the rows of the borders [first, last) of an inlined function's run, on `line`. */
static void inlined_rows(struct builder *b, const struct lines_of *of, uint32_t first, uint32_t last, uint32_t line)
{
    if (b->rows == BLOCK_ROWS_NONE)
        return;
    for (uint32_t i = 0; i < of->parts->count; i++) {
        uint32_t begin = of->parts->first[i] > first ? of->parts->first[i] : first;
        uint32_t end = of->parts->last[i] < last ? of->parts->last[i] : last;
        if (begin > end || (begin == end && end != of->parts->last[i]))
            continue;
        if (begin < end) {
            struct run part = part_of(b, of->run, begin, end);
            block_run_rows(b, &part, line, begin == of->run->first);
        } /* otherwise an inner call ended where the part ends, and the caller's rows follow */
        if (end < last && end < of->parts->first[i + 1]) {
            struct run gap = part_of(b, of->run, end, of->parts->first[i + 1]);
            caller_rows(b, of, &gap, line, i == 0);
        }
    }
}

/* Writes the rows of an inlined function's first lines, which have no code of their own. If such a row begins no
 * statement, the statement has begun before, as if a scheduler had moved the code. Where few rows are wanted, there are
 * none of these: calls inside one another often begin at one address, and readers want the innermost one's line. */
static void entry_rows(struct builder *b, const struct run *r, uint32_t line, uint32_t depth)
{
    struct line_rows *rows = &b->maker.composer.rows;
    if (b->rows <= BLOCK_ROWS_FEW || b->filler->one_row)
        return;
    line_inside(rows, depth ? depth % 4 == 1 : r->first % 2);
    line_column(rows, 3 + line % 31);
    if (line % 2)
        line_discriminator(rows, 1 + line % 7);
    line_row(rows, r->from, line);
}

static void note_call(struct builder *b, struct block_note n, const struct run *r, uint32_t line)
{
    block_span_notes(b, r->from, r->at, line);
    block_note_add(b, n, r->at, r->end, line);
    block_span_notes(b, r->end, r->to, line);
}

/* Describes an inlined call of a header's function, with what was inlined into that, and writes its rows. The line of
 * the call, `line`, is in the source at depth 0, and otherwise in the header, where the line program is then. `as` is
 * NULL or, for a call that has code of several ranges of the outer call: these ranges, and whose lines the code between
 * them has. */
static void inlined(struct builder *b, const struct run *r, uint32_t line, uint32_t depth, const struct lines_of *as)
{
    const struct corpus *corpus = b->maker.composer.corpus;
    const uint8_t file = depth ? DIALECT_HEADER_FILE : DIALECT_SOURCE_FILE;
    /* a line of the header calls the same function wherever it is inlined */
    uint32_t k = depth ? corpus_inline_callee(corpus, line) : pick(b, corpus_inlines(corpus));
    uint32_t own_line = corpus_inline_line(k) + 1;
    struct ranges g = as ? *as->parts : run_ranges(b, r);
    const struct ranges parts = g;
    const struct lines_of lines = {r, &parts, as ? as->caller : line, as ? as->from_header : depth > 0};
    uint32_t count = told_ranges(b, r, &g);
    for (uint32_t i = 0; i < count && !depth; i++)
        b->inlined += (uint32_t)(g.to[i] - g.from[i]);
    stamp_inlined(&b->maker, k, file, line, 5 + pick(b, 16), count, g.from, g.to);
    struct block_note n = block_note_of(NOTE_INLINED, r);
    n.inlined = (uint8_t)k;
    const struct corpus_inline *f = &corpus->inlines[k];
    inlined_variables(b, r, k, 0, f->block ? f->children - f->variables : f->children, &n);
    if (f->block)
        inlined_block(b, r, k, count, &g, &n);
    if (depth)
        b->bytes->calls[line - corpus_inline_line(0)] = true;
    else
        note_call(b, n, r, line);
    if (!depth && b->rows != BLOCK_ROWS_NONE)
        stamp_enter_header(&b->maker, own_line);
    b->due = b->rows == BLOCK_ROWS_FEW ? ROW_INLINED : ROW_NONE;
    uint32_t next = r->first;
    uint32_t part = 0;
    uint64_t before = r->from;
    uint64_t behind = r->end;
    const struct taste *t = &b->taste;
    if (likely(b, t->entered))
        entry_rows(b, r, own_line, depth);
    bool deeper = depth + 1 < DEPTH_MOST && likely(b, depth + 1 < t->depth ? t->deeper : t->deeper / 4);
    while (deeper && next < r->last && part < parts.count) {
        const bool begins = before < r->at && likely(b, t->shared);
        const bool across = part + 1 < parts.count && likely(b, t->across);
        /* other calls begin with the part that they are in or, if across parts, with the next one; or one instruction
         * later */
        part += across && !begins && part + 2 < parts.count ? pick(b, 2) : 0;
        uint32_t first = next > parts.first[part] ? next : parts.first[part];
        uint32_t last = parts.last[part];
        struct ranges in = {.count = 1};
        if (across) {
            const uint32_t several = 2 + pick(b, parts.count - part - 1);
            in = some_ranges(b, r, &parts, part, several, first);
            part += several - 1;
            last = parts.last[part];
        } else {
            first += !begins && last - first > 2 ? pick(b, 2) : 0;
            last -= last - first > 2 ? pick(b, (last - first) / 2 + 1) : 0;
        }
        struct run call = part_of(b, r, first, last);
        if (begins)
            call.from = block_span_border(b, before, r->at);
        if (last == r->last && r->end < r->to && likely(b, t->shared))
            behind = call.to = block_span_border(b, r->end, r->to);
        in.from[0] = call.from;
        in.to[in.count - 1] = call.to;
        const struct lines_of shared = {&call, &in, lines.caller, lines.from_header};
        own_line += own_line + 8 < corpus_inline_line(k + 1) ? 1 + pick(b, 3) : 0;
        if (before < r->at)
            block_span_rows(b, before, call.from < r->at ? call.from : r->at, own_line);
        before = r->at;
        inlined_rows(b, &lines, next, first, own_line);
        if (first == next && b->rows > BLOCK_ROWS_FEW && !b->filler->one_row) {
            line_inside(&b->maker.composer.rows, depth % 2);
            line_row(&b->maker.composer.rows, call.from, own_line);
        }
        inlined(b, &call, own_line, depth + 1, across ? &shared : NULL);
        next = last;
        part += next == parts.last[part];
        deeper = likely(b, t->beside);
    }
    if (before < r->at)
        block_span_rows(b, before, r->at, own_line);
    if (next < r->last)
        inlined_rows(b, &lines, next, r->last, own_line + 1);
    block_span_rows(b, behind, r->to, own_line + 1);
    if (f->block)
        stamp_end_children(&b->maker);
    stamp_end_children(&b->maker);
    if (!depth && b->rows != BLOCK_ROWS_NONE)
        stamp_leave_header(&b->maker, b->line);
    b->due = b->rows != BLOCK_ROWS_FEW ? ROW_NONE : depth ? ROW_INSIDE : ROW_BEGINS;
}

void block_inlined(struct builder *b, const struct run *r)
{
    inlined(b, r, b->line, 0, NULL);
}

/* Writes note and rows of statements of a lexical block. All begin on the block's line. */
static void statement_rows(struct builder *b, const struct run *part)
{
    block_note_add(b, block_note_of(NOTE_RUN, part), part->at, part->end, b->line);
    block_run_rows(b, part, b->line, true);
}

/* Describes a part of a lexical block: an inlined call, or statements. */
static void block_part(struct builder *b, const struct run *part)
{
    if (likely(b, b->taste.within))
        block_inlined(b, part);
    else
        statement_rows(b, part);
}

void block_lexical(struct builder *b, const struct run *r)
{
    struct ranges g = run_ranges(b, r);
    const struct ranges parts = g;
    uint32_t count = told_ranges(b, r, &g);
    stamp_block(&b->maker, count, g.from, g.to);
    if (b->taste.constants)
        stamp_constants(&b->maker, (b->taste.constants + pick(b, 64)) / 64);
    struct block_note scope = block_note_of(NOTE_SCOPE, r);
    for (uint32_t n = 1 + pick(b, b->taste.locals); n; n--) {
        uint32_t slot = busy_slot(b, r, pick(b, 2));
        scope.slot[scope.count++] = (uint8_t)slot;
        stamp_local(&b->maker, b->line, slot & 1 ? BASE_DOUBLE : BASE_LONG, run_list(b, r, slot, true));
    }
    for (uint32_t i = 0; i < parts.count && b->taste.within; i++) {
        struct run part = part_of(b, r, parts.first[i], parts.last[i]);
        block_part(b, &part);
        if (i + 1 == parts.count)
            break;
        struct run gap = part_of(b, r, parts.last[i], parts.first[i + 1]);
        if (gap.first < gap.last)
            statement_rows(b, &gap);
    }
    stamp_end_children(&b->maker);
    if (!b->taste.within) {
        block_note_add(b, scope, r->at, r->end, b->line);
        block_run_rows(b, r, b->line, true);
    }
    b->line += block_run_lines(b, r);
}
