/* Makes blocks; see block.h. */
#include "emit/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "emit/code.h"

enum {
    RUN_MOST = 40, /* bytes of a run, before it is cut at a border */
    RANGES_MOST = 6,
    DEPTH_MOST = 8,   /* of calls inlined into one another */
    REGISTER_RSI = 4, /* DWARF's numbers */
    REGISTER_RDI = 5,
    REGISTER_RBP = 6,
};

/* How programs in a language are told: shares out of 64. Measured on CPython
 * 3.11's extension modules and on Ipopt, compiled by gcc 12. */
struct taste {
    uint8_t run_least, run_most; /* bytes */
    uint8_t call;                /* a call before a run */
    uint8_t inlined, lexical;    /* of runs; the others are told by rows only */
    uint8_t deeper, beside;      /* an inlined call has another in it; one more beside that */
    uint8_t whole;               /* the other has all the ranges that it has itself */
    uint8_t depth;               /* beyond which it rarely has */
    uint8_t gone;                /* a variable of it is in no known place */
    uint8_t constant;            /* or, once in so many of 64, was one */
    uint8_t ranges, adjacent;    /* it has several ranges, if it may; with nothing between them */
    uint8_t passing, events;     /* its list tells of passages through registers, so many at most */
    uint8_t parts, dense_parts;  /* borders of which one divides an entry of a list in two; 0: none */
    uint8_t within;              /* of a lexical block's parts: calls that were inlined */
    uint8_t values;              /* of inlined functions' variables: told as values */
    uint8_t entered;             /* an inlined call has rows where it begins */
};

static const struct taste tastes[] = {
    [DWARF_C] = {.run_least = 12,
                 .run_most = 30,
                 .call = 54,
                 .inlined = 28,
                 .lexical = 25,
                 .deeper = 36,
                 .beside = 4,
                 .depth = DEPTH_MOST,
                 .gone = 12,
                 .constant = 1,
                 .ranges = 62,
                 .passing = 64,
                 .events = 12,
                 .parts = 4,
                 .dense_parts = 1,
                 .within = 0},
    [DWARF_CPP] = {.run_least = 8,
                   .run_most = 28,
                   .call = 64,
                   .inlined = 50,
                   .lexical = 14,
                   .deeper = 63,
                   .beside = 54,
                   .whole = 56,
                   .depth = 4,
                   .gone = 7,
                   .constant = 5,
                   .ranges = 48,
                   .adjacent = 24,
                   .passing = 44,
                   .events = 1,
                   .parts = 0,
                   .dense_parts = 2,
                   .within = 62,
                   .values = 34,
                   .entered = 40},
};

/* A block under construction. */
struct builder {
    struct blocks *all;
    const struct filler *filler;
    struct stamp_maker maker;
    struct random random;
    const struct taste *taste;
    struct block *block;
    uint8_t *start, *p; /* code */
    uint32_t line;      /* of the source, from 0 */
    /* what is told of it this time */
    enum block_lists lists;
    enum block_ranges ranges;
    enum block_rows rows;
};

static uint32_t pick(struct builder *b, uint32_t n)
{
    return random_below(random_next(&b->random), n);
}

static uint64_t here(const struct builder *b)
{
    return (uint64_t)(b->p - b->start);
}

static uint8_t slot_displacement(uint32_t slot)
{
    return (uint8_t)(FILLER_SLOT_FIRST - 8 * (int32_t)slot);
}

static void code(struct builder *b, const char *bytes, size_t size)
{
    b->p = put_bytes(b->p, bytes, size);
}

static void fix(struct builder *b, enum fixup_kind kind, uint32_t number)
{
    const struct fixup f = {(uint16_t)here(b), (uint8_t)kind, (uint8_t)number};
    bytes_append(&b->all->fixups, &f, sizeof f);
    b->block->fixups++;
    b->p += 4;
}

static void constant_at(struct builder *b, uint64_t at)
{
    const uint16_t place = (uint16_t)at;
    bytes_append(&b->all->constants, &place, sizeof place);
    b->block->constants++;
}

static bool likely(struct builder *b, uint8_t share)
{
    return pick(b, 64) < share;
}

/* A row for the instruction that begins here: of a new line, or within one. */
static void row(struct builder *b, uint32_t column)
{
    if (!column)
        b->line++;
    if (b->rows == BLOCK_ROWS_FEW)
        return;
    if (column)
        line_column(&b->maker.composer.rows, column);
    line_row(&b->maker.composer.rows, here(b), b->line);
}

/* --- pieces --------------------------------------------------------------------- */

/* Every block begins with an access to memory, so that its first row, which is
 * not in the stamp, is of the source. */
static void access_memory(struct builder *b, bool first)
{
    uint32_t r = pick(b, 64);
    if (!first)
        row(b, 0);
    if (r & 1) {
        code(b, "\xf2\x0f\x10\x05", 4); /* movsd constant(%rip),%xmm0 */
        fix(b, FIXUP_CONSTANT, pick(b, CONSTANTS));
        row(b, 18);
        code(b, "\xf2\x0f\x59\x45", 4); /* mulsd d(%rbp),%xmm0 */
        b->p = put_u8(b->p, slot_displacement(2 * (r >> 1 & 3) + 1));
        row(b, 12);
        code(b, "\xf2\x0f\x11\x05", 4); /* movsd %xmm0,scratch(%rip) */
        fix(b, FIXUP_SCRATCH, r >> 3 & 3);
    } else {
        code(b, "\x48\x8b\x05", 3); /* mov object(%rip),%rax */
        fix(b, FIXUP_OBJECT, 0);
        row(b, 21);
        code(b, "\x48\x03\x45", 3); /* add d(%rbp),%rax */
        b->p = put_u8(b->p, slot_displacement(2 * (r >> 1 & 3)));
        row(b, 9);
        code(b, "\x48\x89\x05", 3); /* mov %rax,scratch(%rip) */
        fix(b, FIXUP_SCRATCH, 4 + (r >> 3 & 3));
    }
}

/* local = helper(local, constant); */
static void call_helper(struct builder *b)
{
    uint32_t from = 2 * pick(b, 4);
    uint32_t to = 2 * pick(b, 4);
    uint32_t value = pick(b, 40000);
    uint32_t helper = pick(b, BLOCK_HELPERS);
    row(b, 0);
    code(b, "\x48\x8b\x7d", 3); /* mov d(%rbp),%rdi */
    b->p = put_u8(b->p, slot_displacement(from));
    row(b, 16);
    b->p = put_u8(b->p, 0xbe); /* mov $value,%esi */
    b->p = put_u32(b->p, value);
    row(b, 11);
    b->p = put_u8(b->p, 0xe8); /* call helper */
    fix(b, FIXUP_HELPER, helper);
    uint8_t *children = stamp_call(&b->maker, here(b), helper);
    compose_call_slot(&b->maker.composer, REGISTER_RDI, code_slot_place(from));
    compose_call_constant(&b->maker.composer, REGISTER_RSI, value);
    compose_end_children(&b->maker.composer, children);
    row(b, 9);
    code(b, "\x48\x89\x45", 3); /* mov %rax,d(%rbp) */
    b->p = put_u8(b->p, slot_displacement(to));
    b->block->helpers |= (uint8_t)(1u << helper);
}

/* A run of the filler: borders [first, last), at [at, end) of the block. */
struct run {
    uint32_t first, last;
    uint64_t at, end;
};

static struct run take_run(struct builder *b)
{
    const struct filler *f = b->filler;
    const struct taste *t = b->taste;
    uint32_t first = pick(b, f->borders - 2 * RUN_MOST);
    uint32_t want = t->run_least + pick(b, t->run_most - t->run_least);
    uint32_t last = f->at[f->offset[first] + want];
    if (last <= first)
        last = first + 1;
    struct run r = {.first = first, .last = last, .at = here(b)};
    uint32_t from = f->offset[first];
    for (uint32_t i = f->patch_first[first]; i < f->patch_first[last]; i++)
        constant_at(b, here(b) + f->patch[i] - from);
    b->p = put_bytes(b->p, f->code + from, (size_t)(f->offset[last] - from));
    r.end = here(b);
    return r;
}

/* The borders [first, last) of a run as a run of their own. */
static struct run part_of(const struct builder *b, const struct run *r, uint32_t first, uint32_t last)
{
    const uint16_t *offset = b->filler->offset;
    return (struct run){first, last, r->at + offset[first] - offset[r->first], r->at + offset[last] - offset[r->first]};
}

/* Lines of the source that a run takes after its first. */
static uint32_t run_lines(const struct builder *b, const struct run *r)
{
    return (uint32_t)b->filler->line[r->last - 1] - b->filler->line[r->first];
}

/* Its rows, from `line` on of whatever file is set. Where it begins, what is
 * called and what is evaluated first share its address. */
static void run_rows(struct builder *b, const struct run *r, uint32_t line)
{
    struct line_rows *rows = &b->maker.composer.rows;
    const bool dense = b->rows == BLOCK_ROWS_DENSE;
    if (b->rows == BLOCK_ROWS_FEW)
        return;
    if (dense || r->first % 2) {
        line_column(rows, 3 + r->first % 29);
        line_row(rows, r->at, line);
    }
    if (dense || r->first % 3 == 0) {
        line_column(rows, 11 + r->first % 17);
        line_row(rows, r->at, line + 1 + r->first % 4);
    }
    filler_rows(b->filler, r->first, r->last, r->at, line, dense, rows);
}

/* --- places of variables ---------------------------------------------------------- */

/* The first event of a slot that lies within the run and is of it: what the
 * instruction before its first one loaded is not. */
static uint32_t first_event(const struct builder *b, const struct run *r, uint32_t slot)
{
    const struct filler *f = b->filler;
    uint32_t e = f->event_first[r->first][slot];
    while (e != FILLER_NO_EVENT && f->event[e].start == f->offset[r->first] && !f->event[e].stored)
        e = f->event_next[e];
    return e != FILLER_NO_EVENT && f->event[e].end <= f->offset[r->last] ? e : FILLER_NO_EVENT;
}

/* A slot, of longs (0) or doubles (1), that passes through a register within the
 * run if one of a few has it. */
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

/* What a slot holds, as a value: of a variable that is a copy of it. */
static void as_value(struct builder *b, uint64_t from, uint64_t to, uint32_t slot)
{
    uint8_t expression[8] = {DW_OP_fbreg};
    uint8_t *p = put_sleb128(expression + 1, code_slot_place(slot));
    p = put_bytes(p, (const uint8_t[]){DW_OP_deref, DW_OP_stack_value}, 2);
    compose_list_entry(&b->maker.composer, from, to, expression, (uint32_t)(p - expression));
}

/* [from, to) in the slot's place, now and then in two parts; where much is to be
 * told, instruction by instruction, in part as values. */
static void in_place(struct builder *b, const struct run *r, uint64_t from, uint64_t to, uint32_t slot)
{
    const uint16_t *offset = b->filler->offset;
    const uint32_t parts = b->lists == BLOCK_LISTS_DENSE ? b->taste->dense_parts : b->taste->parts;
    for (uint32_t k = r->first + 1; k < r->last; k++) {
        uint64_t border = r->at + offset[k] - offset[r->first];
        if (border <= from || border >= to || !parts || k % parts)
            continue;
        if (k % 2)
            as_value(b, from, border, slot);
        else
            compose_list_frame(&b->maker.composer, from, border, code_slot_place(slot));
        from = border;
    }
    compose_list_frame(&b->maker.composer, from, to, code_slot_place(slot));
}

/* The list of a slot for the time of a run: in its place, now and then in a
 * register. */
static uint32_t run_list(struct builder *b, const struct run *r, uint32_t slot)
{
    const struct filler *f = b->filler;
    struct composer *c = &b->maker.composer;
    const bool passing = likely(b, b->taste->passing); /* asked of every stamp, as all are of the same code */
    if (b->lists == BLOCK_LISTS_NONE)
        return COMPOSE_UNKNOWN;
    uint32_t list = stamp_list(&b->maker, r->at);
    uint64_t from = r->at;
    uint32_t left = !passing ? 0 : b->lists == BLOCK_LISTS_DENSE ? UINT32_MAX : b->taste->events;
    for (uint32_t e = first_event(b, r, slot); e != FILLER_NO_EVENT && left; e = f->event_next[e], left--) {
        const struct filler_event *event = &f->event[e];
        if (event->end > f->offset[r->last])
            break;
        uint64_t start = r->at + event->start - f->offset[r->first];
        in_place(b, r, from, start, slot);
        from = r->at + event->end - f->offset[r->first];
        compose_list_register(c, start, from, event->reg);
    }
    in_place(b, r, from, r->end, slot);
    compose_list_end(c);
    return list;
}

/* The list of a variable of which the value is known for all of a run: `this`, an
 * object in the frame, or a number, by itself or with what a slot holds. */
static uint32_t value_list(struct builder *b, const struct run *r, uint32_t slot, bool is_object)
{
    const uint32_t k = pick(b, 1024);
    uint8_t expression[12];
    uint8_t *p = expression;
    if (b->lists == BLOCK_LISTS_NONE)
        return COMPOSE_UNKNOWN;
    if (is_object) {
        p = put_u8(p, DW_OP_breg0 + REGISTER_RBP);
        p = put_sleb128(p, FILLER_SLOT_FIRST - (int32_t)(k % 72));
    } else if (k < 512) {
        p = put_u8(p, (uint8_t)(DW_OP_lit0 + k % 32));
    } else {
        p = put_u8(p, DW_OP_fbreg);
        p = put_sleb128(p, code_slot_place(slot));
        p = put_u8(put_u8(p, DW_OP_deref), DW_OP_plus_uconst);
        p = put_uleb128(p, 8 * (k % 16));
    }
    p = put_u8(p, DW_OP_stack_value);
    uint32_t list = stamp_list(&b->maker, r->at);
    compose_list_entry(&b->maker.composer, r->at, r->end, expression, (uint32_t)(p - expression));
    compose_list_end(&b->maker.composer);
    return list;
}

/* The ranges of something that is in a run, as parts of it. */
struct ranges {
    uint32_t count;
    uint32_t first[RANGES_MOST + 1], last[RANGES_MOST + 1]; /* borders */
    uint64_t from[RANGES_MOST + 1], to[RANGES_MOST + 1];
};

/* All of the run, or all but some instructions in its midst, which then are of
 * what is around. */
static struct ranges run_ranges(struct builder *b, const struct run *r)
{
    struct ranges g = {.count = 0, .first = {r->first}};
    bool several = likely(b, b->taste->ranges);
    uint32_t most = 3 + pick(b, RANGES_MOST - 3);
    uint32_t skip = r->first + 1;
    const uint32_t gap = likely(b, b->taste->adjacent) ? 0 : 1;
    for (; several && skip + gap < r->last && g.count + 1 < most; skip += 1 + gap) {
        g.last[g.count++] = skip;
        g.first[g.count] = skip + gap;
    }
    g.last[g.count++] = r->last;
    for (uint32_t i = 0; i < g.count; i++) {
        struct run part = part_of(b, r, g.first[i], g.last[i]);
        g.from[i] = part.at;
        g.to[i] = part.end;
    }
    return g;
}

/* How many of them are told: all, or one that covers them all. */
static uint32_t told_ranges(const struct builder *b, const struct run *r, struct ranges *g)
{
    if (b->ranges != BLOCK_RANGES_NONE)
        return g->count;
    g->from[0] = r->at;
    g->to[0] = r->end;
    return 1;
}

/* --- runs --------------------------------------------------------------------------- */

/* The places of an inlined function's variables. */
static void inlined_variables(struct builder *b, const struct run *r, uint32_t k)
{
    const struct corpus_inline *f = &b->maker.composer.corpus->inlines[k];
    for (uint32_t j = 0; j < f->children; j++) {
        uint32_t slot = busy_slot(b, r, f->doubles >> j & 1);
        uint32_t fate = pick(b, 64);
        bool is_value = likely(b, b->taste->values) && !(f->doubles >> j & 1);
        if (fate == 63 && pick(b, b->taste->constant) == 0 && j + f->variables < f->children && !(f->doubles >> j & 1))
            compose_inlined_constant(&b->maker.composer, k, j, (uint8_t)(r->first & 127));
        else if (fate < b->taste->gone)
            stamp_inlined_child(&b->maker, k, j, COMPOSE_UNKNOWN);
        else
            stamp_inlined_child(&b->maker, k, j, is_value ? value_list(b, r, slot, !j) : run_list(b, r, slot));
    }
}

/* Whose lines a stretch of code is of. */
struct lines_of {
    const struct run *run;
    const struct ranges *parts; /* of the run; what is between them is the caller's */
    uint32_t caller;            /* line of the call: in the header too, or in the source */
    bool from_header;
};

/* The rows of an instruction that is the caller's. */
static void caller_rows(struct builder *b, const struct lines_of *of, const struct run *gap, uint32_t line)
{
    if (of->from_header) {
        run_rows(b, gap, of->caller);
        return;
    }
    stamp_leave_header(&b->maker, b->line);
    run_rows(b, gap, b->line);
    stamp_enter_header(&b->maker, line);
}

/* Rows of the borders [first, last) of an inlined function's run, at `line`. */
static void inlined_rows(struct builder *b, const struct lines_of *of, uint32_t first, uint32_t last, uint32_t line)
{
    if (b->rows == BLOCK_ROWS_FEW)
        return;
    for (uint32_t i = 0; i < of->parts->count; i++) {
        uint32_t begin = of->parts->first[i] > first ? of->parts->first[i] : first;
        uint32_t end = of->parts->last[i] < last ? of->parts->last[i] : last;
        if (begin >= end)
            continue;
        struct run part = part_of(b, of->run, begin, end);
        run_rows(b, &part, line);
        if (end < last && end < of->parts->first[i + 1]) {
            struct run gap = part_of(b, of->run, end, of->parts->first[i + 1]);
            caller_rows(b, of, &gap, line);
        }
    }
}

/* The rows of an inlined function's first lines, which have no code of their own. */
static void entry_rows(struct builder *b, const struct run *r, uint32_t line)
{
    struct line_rows *rows = &b->maker.composer.rows;
    if (b->rows == BLOCK_ROWS_FEW)
        return;
    line_column(rows, 3 + line % 31);
    if (line % 2)
        line_discriminator(rows, 1 + line % 7);
    line_row(rows, r->at, line);
}

/* A call of a function of the header that was inlined, from line `line` of the
 * source (depth 0) or of the header, with what was inlined into that; its rows,
 * the header being set. */
static void inlined(struct builder *b, const struct run *r, uint32_t line, uint32_t depth, const struct lines_of *as)
{
    const struct dialect dialect = b->maker.composer.corpus->dialect;
    const uint8_t file = depth ? dialect_header_file(dialect) : dialect_source_file(dialect);
    uint32_t k = pick(b, CORPUS_INLINES);
    uint32_t own_line = corpus_inline_line(k) + 1;
    struct ranges g = as ? *as->parts : run_ranges(b, r);
    const struct ranges parts = g;
    const struct lines_of lines = {r, &parts, as ? as->caller : line, as ? as->from_header : depth > 0};
    uint32_t count = told_ranges(b, r, &g);
    uint8_t *children = stamp_inlined(&b->maker, k, file, line, 5 + pick(b, 16), count, g.from, g.to);
    inlined_variables(b, r, k);
    if (!depth && b->rows != BLOCK_ROWS_FEW)
        stamp_enter_header(&b->maker, own_line);
    uint32_t next = r->first;
    uint32_t part = 0;
    const struct taste *t = b->taste;
    if (likely(b, t->entered))
        entry_rows(b, r, own_line);
    bool deeper = depth + 1 < DEPTH_MOST && likely(b, depth + 1 < t->depth ? t->deeper : t->deeper / 4);
    if (deeper && parts.count > 1 && likely(b, t->whole)) {
        inlined(b, r, own_line + 2, depth + 1, &lines);
        next = r->last;
    }
    while (deeper && next < r->last && part < parts.count) {
        /* calls begin with the part that they are in, or an instruction later */
        uint32_t begin = next > parts.first[part] ? next : parts.first[part];
        uint32_t end = parts.last[part];
        uint32_t first = begin + (end - begin > 2 ? pick(b, 2) : 0);
        uint32_t last = end - first > 2 ? end - pick(b, (end - first) / 2 + 1) : end;
        struct run call = part_of(b, r, first, last);
        own_line += 1 + pick(b, 3);
        inlined_rows(b, &lines, next, first, own_line);
        if (first == next && b->rows != BLOCK_ROWS_FEW)
            line_row(&b->maker.composer.rows, call.at, own_line);
        inlined(b, &call, own_line, depth + 1, NULL);
        next = last;
        part += next == end;
        deeper = likely(b, t->beside);
    }
    if (next < r->last)
        inlined_rows(b, &lines, next, r->last, own_line + 1);
    compose_end_children(&b->maker.composer, children);
    if (!depth && b->rows != BLOCK_ROWS_FEW)
        stamp_leave_header(&b->maker, b->line);
}

/* A part of a block: a call that was inlined, or statements. */
static void block_part(struct builder *b, const struct run *part)
{
    if (likely(b, b->taste->within))
        inlined(b, part, b->line, 0, NULL);
    else
        run_rows(b, part, b->line);
}

static void lexical(struct builder *b, const struct run *r)
{
    struct ranges g = run_ranges(b, r);
    const struct ranges parts = g;
    uint32_t count = told_ranges(b, r, &g);
    uint8_t *children = stamp_block(&b->maker, count, g.from, g.to);
    for (uint32_t n = 1 + pick(b, 3); n; n--) {
        uint32_t slot = busy_slot(b, r, pick(b, 2));
        stamp_local(&b->maker, b->line, slot & 1 ? BASE_DOUBLE : BASE_LONG, run_list(b, r, slot));
    }
    for (uint32_t i = 0; i < parts.count && b->taste->within; i++) {
        struct run part = part_of(b, r, parts.first[i], parts.last[i]);
        block_part(b, &part);
        if (i + 1 == parts.count)
            break;
        struct run gap = part_of(b, r, parts.last[i], parts.first[i + 1]);
        if (gap.first < gap.last)
            run_rows(b, &gap, b->line);
    }
    compose_end_children(&b->maker.composer, children);
    if (!b->taste->within)
        run_rows(b, r, b->line);
    b->line += run_lines(b, r);
}

static void statements(struct builder *b)
{
    struct run r = take_run(b);
    uint32_t kind = pick(b, 64);
    b->line++;
    if (kind < b->taste->inlined) {
        inlined(b, &r, b->line, 0, NULL);
    } else if (kind < (uint32_t)b->taste->inlined + b->taste->lexical) {
        lexical(b, &r);
    } else {
        run_rows(b, &r, b->line);
        b->line += run_lines(b, &r);
    }
}

/* --- blocks ------------------------------------------------------------------------- */

/* Its code, and what is told of it this time. */
static void compose_block_once(struct builder *b, uint8_t *buffer, uint32_t target)
{
    b->start = b->p = buffer;
    b->line = 0;
    access_memory(b, true);
    while (here(b) < target) {
        if (likely(b, b->taste->call))
            call_helper(b);
        if (likely(b, 3))
            access_memory(b, false);
        statements(b);
    }
}

/* The same block is made for each stamp, from the same randomness; where it is made
 * `again` behind this, that is too. */
static bool make_stamps(struct builder *b, uint8_t *buffer, uint32_t target, bool near, bool again)
{
    enum { PASSES = BLOCK_LISTS * BLOCK_RANGES };
    static_assert((int)PASSES >= (int)BLOCK_ROWS, "each kind of rows is made in a pass");
    const struct random random = b->random;
    struct block *block = b->block;
    struct blocks *all = b->all;
    const size_t fixups = all->fixups.size;
    const size_t constants = all->constants.size;
    struct stamp(*stamps)[BLOCK_RANGES] = near ? block->near : block->stamp;
    if (!stamp_start(&b->maker, b->maker.composer.corpus, near))
        return false;
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        all->fixups.size = fixups;
        all->constants.size = constants;
        block->fixups = block->constants = 0;
        b->random = random;
        b->lists = pass / BLOCK_RANGES;
        b->ranges = pass % BLOCK_RANGES;
        b->rows = pass < BLOCK_ROWS ? pass : BLOCK_ROWS_FEW;
        compose_block_once(b, buffer, target);
        struct stamp *stamp = &stamps[b->lists][b->ranges];
        if (!stamp_finish(&b->maker, &all->shelf, stamp, !near && pass < BLOCK_ROWS ? &block->rows[pass] : NULL))
            return false;
        if (stamp->info_size > block->info_most)
            block->info_most = stamp->info_size;
        if (stamp->lists_size > block->lists_most)
            block->lists_most = stamp->lists_size;
        if (stamp->ranges_size > block->ranges_most)
            block->ranges_most = stamp->ranges_size;
    }
    if (again) {
        all->fixups.size = fixups;
        all->constants.size = constants;
        b->random = random;
    }
    return true;
}

static bool make_block(struct builder *b, struct block *block, uint32_t target)
{
    uint8_t buffer[BLOCK_MOST + 128];
    struct blocks *all = b->all;
    *block = (struct block){.fixup = (uint32_t)(all->fixups.size / sizeof(struct fixup)),
                            .constant = (uint32_t)(all->constants.size / sizeof(uint16_t))};
    b->block = block;
    const bool has_near = block_has_near(b->maker.composer.corpus->dialect);
    if (has_near && !make_stamps(b, buffer, target, false, true))
        return false;
    if (!make_stamps(b, buffer, target, has_near, false))
        return false;
    block->lines = (uint16_t)b->line;
    block->size = (uint16_t)here(b);
    assert(here(b) <= sizeof buffer);
    block->code = (uint32_t)bytes_append(&all->code, buffer, block->size);
    return true;
}

static int by_size(const void *a, const void *b)
{
    const struct block *x = a;
    const struct block *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code; /* one order, whatever qsort does */
}

bool blocks_make(struct blocks *all, const struct filler *filler, const struct corpus *corpus, uint64_t seed)
{
    memset(all, 0, sizeof *all);
    struct builder *b = calloc(1, sizeof *b);
    if (!b)
        return false;
    b->all = all;
    b->filler = filler;
    b->taste = &tastes[corpus->dialect.language];
    b->random.state = random_mix(seed ^ UINT64_C(0x626c6f636b73));
    bool made = stamp_start(&b->maker, corpus, false);
    for (uint32_t i = 0; made && i < BLOCKS; i++)
        made = make_block(b, &all->block[i], BLOCK_LEAST + i * (BLOCK_MOST - 64 - BLOCK_LEAST) / BLOCKS);
    made = made && !all->code.failed && !all->fixups.failed && !all->constants.failed;
    stamp_maker_free(&b->maker);
    free(b);
    if (!made) {
        blocks_free(all);
        return false;
    }
    qsort(all->block, BLOCKS, sizeof all->block[0], by_size);
    uint32_t count = 0;
    for (uint32_t size = 0; size < sizeof all->fitting / sizeof all->fitting[0]; size++) {
        while (count < BLOCKS && all->block[count].size <= size)
            count++;
        all->fitting[size] = (uint16_t)count;
    }
    return true;
}

void blocks_free(struct blocks *all)
{
    bytes_free(&all->code);
    bytes_free(&all->fixups);
    bytes_free(&all->constants);
    stamp_shelf_free(&all->shelf);
    memset(all, 0, sizeof *all);
}
